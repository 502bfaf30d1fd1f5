//! Migrations.

use super::{Engine, State, command, conformance, now};
use app::model::Role;
use server::ports::state::Operator;

conformance!(opening_again_changes_nothing, what_a_newer_version_added_is_left_alone);

async fn opening_again_changes_nothing(state: State) {
    let ann = Operator { name: "ann".to_owned(), role: Role::Admin, password_hash: None, created_at: now() };
    state.stores.operators.add(&ann).await.unwrap();
    let steps = state.sql("SELECT version FROM oncewatch_migration").await.len();
    let again = state.of_another_process().await;
    assert!(again.operators.get("ann").await.unwrap().is_some());
    assert_eq!(state.sql("SELECT version FROM oncewatch_migration").await.len(), steps);
}

async fn what_a_newer_version_added_is_left_alone(state: State) {
    state
        .sql(
            "INSERT INTO oncewatch_migration (version, description, success, checksum, execution_time) \
             SELECT 9999, 'from the future', success, checksum, execution_time FROM oncewatch_migration WHERE version = 1",
        )
        .await;
    assert!(!state.of_another_process().await.operators.any().await.unwrap());
}

#[tokio::test]
async fn processes_may_meet_on_an_empty_database() {
    for engine in Engine::ALL {
        let database = engine.database().await;
        let opening = (0..4).map(|_| command(&database.url));
        for stores in futures::future::try_join_all(opening).await.unwrap() {
            assert!(!stores.operators.any().await.unwrap());
        }
    }
}

/// MySQL commits each statement by itself, so a kill in a step leaves some of its tables.
#[tokio::test]
async fn a_first_step_that_died_on_its_way_begins_again() {
    let state = State::fresh(Engine::Mariadb).await;
    state.sql("DELETE FROM oncewatch_migration WHERE version > 1").await;
    state.sql("UPDATE oncewatch_migration SET success = FALSE").await;
    state.sql("DROP TABLE oncewatch_audit, oncewatch_followed, oncewatch_open").await;
    all_steps_are_done(&state).await;
}

#[tokio::test]
async fn a_later_step_that_died_on_its_way_is_run_again_over_what_it_made() {
    let state = State::fresh(Engine::Mariadb).await;
    let ann = Operator { name: "ann".to_owned(), role: Role::Admin, password_hash: None, created_at: now() };
    state.stores.operators.add(&ann).await.unwrap();
    state.sql("UPDATE oncewatch_migration SET success = FALSE WHERE version = 2").await;
    state.sql("DROP TABLE oncewatch_open").await;
    all_steps_are_done(&state).await;
    assert!(state.stores.operators.get("ann").await.unwrap().is_some());
}

async fn all_steps_are_done(state: &State) {
    let again = state.of_another_process().await;
    assert!(again.audit.recent(None, 1).await.unwrap().is_empty());
    assert!(again.followed.open("points", "t", None).await.unwrap().is_empty());
    assert_eq!(state.sql("SELECT version FROM oncewatch_migration WHERE NOT success").await.len(), 0);
}
