//! Look-ups: each verdict made in the real stores.

mod streams;
mod verdicts;

use crate::brokers::Rabbit;
use crate::eventually::eventually;
use crate::team::{Broker, Engine, Index, SOURCE, Team};
use app::model::{BrokerView, Evidence, Layer, LockState, Lookup, VerdictCode, WhyNot};
use app::reads::Reads;

async fn look_up(team: &Team, key: &str) -> Lookup {
    team.console().await.reads.lookup(SOURCE, Some("ORDER_DONE"), key).await.unwrap()
}

fn code(lookup: &Lookup) -> VerdictCode {
    lookup.verdict.as_ref().expect("a verdict").code
}

/// With a broker whose queue and dead letter are empty, and known to be.
async fn with_broker(team: Team) -> (Team, Rabbit) {
    let rabbit = Rabbit::new().await;
    rabbit.declare("points.orders").await;
    rabbit.declare("points-dlq").await;
    let (url, vhost) = (rabbit.vhost.management_url.clone(), rabbit.vhost.name.clone());
    let team = Team { broker: Some(Broker { url, vhost, dead_letter: Some("points-dlq".into()) }), ..team };
    eventually(
        async || look_up(&team, "warm-up").await.broker,
        |broker| broker.as_ref().is_some_and(|broker| broker.ready == Some(0) && broker.dead == Some(0)),
    )
    .await;
    (team, rabbit)
}

#[tokio::test]
async fn completed_is_healthy_whatever_the_marker_says() {
    let team = Team::new(Engine::Sqlite, Index::None).await.with_redis().await;
    team.insert(1, "20231027001", 2, 60).await;
    let lookup = look_up(&team, "20231027001").await;
    assert_eq!((code(&lookup), lookup.lock.as_ref().unwrap().state), (VerdictCode::Healthy, LockState::None));
    team.lock("20231027001", "done:1795941066041", 60_000).await;
    let lookup = look_up(&team, "20231027001").await;
    assert_eq!((code(&lookup), lookup.lock.as_ref().unwrap().state), (VerdictCode::Healthy, LockState::Done));
    assert_eq!(lookup.lock.as_ref().unwrap().owner, None);
    assert_eq!((lookup.broker.as_ref(), lookup.unseen.as_slice()), (None, [].as_slice()));
    assert_eq!(lookup.operations[0].why, Some(WhyNot::DoneMarker));
    assert_eq!(lookup.records[0].record.key.as_deref(), Some("20231027001"));
}

#[tokio::test]
async fn processing_under_a_lock_is_in_progress() {
    let team = Team::new(Engine::Mariadb, Index::OnStatus).await.with_redis().await;
    team.insert(1, "k", 1, 900).await;
    team.lock("k", "w1", 15_000).await;
    let lookup = look_up(&team, "k").await;
    assert_eq!(code(&lookup), VerdictCode::InProgress);
    assert_eq!(lookup.lock.as_ref().unwrap().owner.as_deref(), Some("w1"));
    assert_eq!(lookup.operations[0].why, Some(WhyNot::HandlerAlive));
}

#[tokio::test]
async fn old_without_lock_and_message_is_stuck_and_with_one_it_cannot_be_told() {
    let (team, rabbit) = with_broker(Team::new(Engine::Sqlite, Index::None).await.with_redis().await).await;
    team.insert(1, "old", 1, 900).await;
    team.insert(2, "young", 1, 2).await;
    let lookup = look_up(&team, "old").await;
    assert_eq!(code(&lookup), VerdictCode::Stuck);
    let verdict = lookup.verdict.unwrap();
    assert!(
        verdict.evidence.contains(&Evidence::QueuesEmpty) && verdict.evidence.contains(&Evidence::NoLock),
        "{verdict:?}"
    );
    assert!(verdict.params["age_ms"].as_i64().is_some_and(|age| (890_000..960_000).contains(&age)), "{verdict:?}");
    assert_eq!(code(&look_up(&team, "young").await), VerdictCode::InProgress);
    rabbit.publish("points.orders", "{}").await;
    let counted = eventually(
        async || look_up(&team, "old").await,
        |lookup| lookup.broker.as_ref().is_some_and(|broker| broker.ready == Some(1)),
    )
    .await;
    assert_eq!(code(&counted), VerdictCode::StuckOrUnprotected);
}

#[tokio::test]
async fn without_redis_open_records_are_unclear_and_nothing_is_offered() {
    let mut team = Team::new(Engine::Sqlite, Index::None).await;
    let mut own = lab::services::redis::start().await.unwrap();
    team.redis = Some(own.url().to_owned());
    own.stop().await.unwrap();
    team.insert(1, "open", 1, 900).await;
    team.insert(2, "done", 2, 900).await;
    let lookup = look_up(&team, "open").await;
    assert_eq!((code(&lookup), lookup.unseen.as_slice()), (VerdictCode::Unclear, [Layer::Lock].as_slice()));
    assert_eq!(lookup.lock.as_ref().unwrap().state, LockState::Unknown);
    assert_eq!(lookup.operations[0].why, Some(WhyNot::LockUnknown));
    assert_eq!(code(&look_up(&team, "done").await), VerdictCode::Healthy);
}

#[tokio::test]
async fn a_key_that_nobody_knows_is_unknown_and_a_held_lock_without_record_is_a_claim() {
    let team = Team::new(Engine::Sqlite, Index::None).await.with_redis().await;
    let lookup = look_up(&team, "</script>\"订单").await;
    assert_eq!((code(&lookup), lookup.records.len()), (VerdictCode::UnknownKey, 0));
    assert_eq!(lookup.operations[0].why, Some(WhyNot::NoLock));
    team.lock("k", "w1", 15_000).await;
    let lookup = look_up(&team, "k").await;
    assert_eq!(code(&lookup), VerdictCode::Claiming);
    assert_eq!(lookup.operations[0].why, Some(WhyNot::TooYoung { after_ms: 20_000 }));
}

#[tokio::test]
async fn a_key_without_its_type_is_found_and_its_lock_follows_from_the_record() {
    let team = Team::new(Engine::Sqlite, Index::None).await.with_redis().await;
    team.insert(1, "k", 2, 900).await;
    team.lock("k", "w1", 600_000).await;
    let console = team.console().await;
    let reads = &console.reads;
    let lookup = reads.lookup(SOURCE, None, "k").await.unwrap();
    assert_eq!((lookup.r#type.as_deref(), code(&lookup)), (Some("ORDER_DONE"), VerdictCode::FinishedLockHeld));
    assert_eq!((lookup.lock.as_ref().unwrap().state, lookup.operations[0].allowed), (LockState::Orphan, true));
    let by_row = reads.record(SOURCE, &lookup.records[0].reference).await.unwrap().unwrap();
    assert_eq!((by_row.key.as_str(), code(&by_row)), ("k", VerdictCode::FinishedLockHeld));
    let nothing = reads.lookup(SOURCE, None, "nothing").await.unwrap();
    // Which lock to ask is not known without the type: it may be held.
    assert_eq!((code(&nothing), nothing.unseen.as_slice()), (VerdictCode::Unclear, [Layer::Lock].as_slice()));
    assert_eq!(nothing.lock.unwrap().state, LockState::Unknown);
    team.sql("DELETE FROM idempotent_record").await;
    assert_eq!(reads.record(SOURCE, &lookup.records[0].reference).await.unwrap(), None);
}

#[tokio::test]
async fn a_key_found_under_another_spelling_is_judged_with_its_own_lock() {
    let team = Team::new(Engine::Mariadb, Index::None).await.with_redis().await;
    team.sql("ALTER TABLE idempotent_record MODIFY biz_id VARCHAR(64) COLLATE utf8mb4_general_ci NOT NULL").await;
    team.insert(1, "stuck1", 1, 3_600).await;
    team.lock("stuck1", "w1", 600_000).await;
    for typed in ["stuck1", "STUCK1", "stück1", "stuck1  "] {
        let lookup = look_up(&team, typed).await;
        assert_eq!((code(&lookup), lookup.key.as_str()), (VerdictCode::InProgress, "stuck1"), "{typed}");
    }
}

#[tokio::test]
async fn a_database_that_is_away_gives_no_verdict_and_a_broker_that_is_away_is_not_seen() {
    let (mut team, _rabbit) = with_broker(Team::new(Engine::Sqlite, Index::None).await.with_redis().await).await;
    team.insert(1, "k", 1, 900).await;
    team.broker.as_mut().unwrap().url = "http://guest:guest@127.0.0.1:9".into();
    let lookup = look_up(&team, "k").await;
    assert_eq!(
        (code(&lookup), lookup.unseen.as_slice()),
        (VerdictCode::StuckOrUnprotected, [Layer::Broker].as_slice())
    );
    assert_eq!(lookup.broker.unwrap().view, BrokerView::NotSeen);
    team.broker = None;
    team.records_url = Some("mysql://nobody:s3cret@127.0.0.1:9/points".into());
    team.lock("k", "w1", 15_000).await;
    let lookup = look_up(&team, "k").await;
    assert_eq!((lookup.verdict.as_ref(), lookup.unseen.as_slice()), (None, [Layer::Records].as_slice()));
    assert_eq!(lookup.operations[0].why, Some(WhyNot::HandlerAlive), "with the record unseen its handler may live");
}
