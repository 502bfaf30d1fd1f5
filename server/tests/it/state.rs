//! The console's own state, by one suite for SQLite, MariaDB and PostgreSQL.

use app::model::{Minute, Role};
use chrono::{DateTime, TimeDelta, Utc};
use server::adapters::state::{Opened, link_hash, open_for_cli, open_for_server};
use server::clock::{Clock, SystemClock};
use server::config::Secret;
use server::ports::state::{Begin, Lease, LinkKind, OneTimeLink, Operator, Session, StateError, Token};
use server::system::StateStores;
use sqlx::any::AnyPoolOptions;
use std::sync::Arc;
use std::time::Duration;

/// Every test of the suite, for every engine.
macro_rules! conformance {
    ($($test:ident),+ $(,)?) => {
        mod sqlite { $(#[tokio::test] async fn $test() { super::$test(super::State::fresh(super::Engine::Sqlite).await).await })+ }
        mod mariadb { $(#[tokio::test] async fn $test() { super::$test(super::State::fresh(super::Engine::Mariadb).await).await })+ }
        mod postgres { $(#[tokio::test] async fn $test() { super::$test(super::State::fresh(super::Engine::Postgres).await).await })+ }
    };
}

conformance!(
    a_lease_has_one_holder,
    of_many_racers_one_gets_the_lease,
    a_lease_that_ran_out_is_taken_over_with_a_greater_fence,
    what_the_former_holder_writes_is_refused,
    a_released_lease_is_free_at_once,
    a_local_deadline_stops_writes_before_the_database_does,
    panels_are_replaced_and_versions_grow,
    a_reader_of_panels_misses_no_version,
    a_minute_is_merged_from_what_each_task_has_read,
    minutes_are_purged_in_bounded_steps,
    operators_are_unique_and_listed,
    of_many_first_operators_one_is_made,
    a_new_password_ends_sessions,
    sessions_end,
    tokens_are_named_limited_and_revoked,
    a_link_works_once,
    an_operation_begins_once_and_ends_once,
    the_audit_is_listed_newest_first,
    audit_rows_are_chained,
    long_and_odd_text_comes_back_as_it_was,
    opening_again_changes_nothing,
);

#[derive(Clone, Copy)]
enum Engine {
    Sqlite,
    Mariadb,
    Postgres,
}

/// A fresh database, opened.
struct State {
    stores: StateStores,
    database: lab::Database,
    _opened: Opened,
}

impl State {
    async fn fresh(engine: Engine) -> Self {
        let database = match engine {
            Engine::Sqlite => lab::sqlite_database("state").await,
            Engine::Mariadb => lab::mariadb_database("state").await,
            Engine::Postgres => lab::postgres_database("state").await,
        }
        .unwrap();
        let opened = open_for_server(&Secret::new(database.url.clone()), Arc::new(SystemClock)).await.unwrap();
        Self { stores: opened.stores.clone(), database, _opened: opened }
    }

    /// The same database as another instance of the server opens it.
    async fn of_another_instance(&self) -> StateStores {
        open_for_cli(&Secret::new(self.database.url.clone()), Arc::new(SystemClock)).await.unwrap().stores
    }

    async fn lease(&self, name: &str) -> Lease {
        self.stores.leases.acquire(name, "here").await.unwrap().expect("nobody else holds it")
    }

    /// Behind the console's back.
    async fn sql(&self, sql: &'static str) -> Vec<sqlx::any::AnyRow> {
        let pool = AnyPoolOptions::new().max_connections(1).connect(&self.database.url).await.unwrap();
        let rows = sqlx::query(sql).fetch_all(&pool).await.unwrap();
        pool.close().await;
        rows
    }

    async fn let_all_leases_run_out(&self) {
        self.sql("UPDATE oncewatch_lease SET expires_at = 1").await;
    }
}

fn now() -> DateTime<Utc> {
    let now = SystemClock.now();
    DateTime::from_timestamp_millis(now.timestamp_millis()).unwrap()
}

fn assert_fenced<T: std::fmt::Debug>(result: Result<T, StateError>) {
    assert!(matches!(result, Err(StateError::Fenced { .. })), "{result:?}");
}

fn assert_exists<T: std::fmt::Debug>(result: Result<T, StateError>) {
    assert!(matches!(result, Err(StateError::Exists(_))), "{result:?}");
}

async fn a_lease_has_one_holder(state: State) {
    let leases = &state.stores.leases;
    let here = leases.acquire("collect/points/records", "here").await.unwrap().unwrap();
    assert_eq!((here.fence, here.holder.as_str()), (1, "here"));
    assert!(leases.acquire("collect/points/records", "there").await.unwrap().is_none());
    assert!(leases.acquire("collect/points/records", "here").await.unwrap().is_none(), "also not twice by one holder");
    assert!(leases.acquire("collect/orders/records", "there").await.unwrap().is_some(), "another lease is free");

    let renewed = leases.renew(&here).await.unwrap().expect("still held");
    assert_eq!(renewed.fence, here.fence, "renewing is no change of hands");
    assert!(renewed.deadline > here.deadline);
    assert!(leases.acquire("collect/points/records", "there").await.unwrap().is_none());
}

async fn of_many_racers_one_gets_the_lease(state: State) {
    let other_instance = state.of_another_instance().await;
    for round in 1..=3 {
        let racers = (0..16).map(|racer| {
            let leases = if racer % 2 == 0 { &state.stores.leases } else { &other_instance.leases };
            async move { leases.acquire("race", &format!("racer {racer}")).await.unwrap() }
        });
        let holders: Vec<Lease> = futures::future::join_all(racers).await.into_iter().flatten().collect();
        assert_eq!(holders.len(), 1, "{holders:?}");
        assert_eq!(holders[0].fence, round);
        state.let_all_leases_run_out().await;
    }
}

async fn a_lease_that_ran_out_is_taken_over_with_a_greater_fence(state: State) {
    let leases = &state.stores.leases;
    let before = state.lease("job").await;
    state.let_all_leases_run_out().await;
    assert!(leases.renew(&before).await.unwrap().is_none(), "what ran out is not renewed, even when nobody took it");
    let after = leases.acquire("job", "there").await.unwrap().expect("free again");
    assert!(after.fence > before.fence);
    assert!(leases.renew(&before).await.unwrap().is_none());
    leases.release(&before).await.unwrap();
    assert!(leases.renew(&after).await.unwrap().is_some(), "the former holder cannot release it");
}

async fn what_the_former_holder_writes_is_refused(state: State) {
    let lost = state.lease("collect").await;
    state.stores.snapshots.put(&lost, "points", "records", "{}").await.unwrap();
    let minute = Minute { failed: Some(1), ..Minute::empty(now()) };
    state.let_all_leases_run_out().await;
    assert_fenced(state.stores.snapshots.put(&lost, "points", "records", "late").await);

    let held = state.stores.leases.acquire("collect", "there").await.unwrap().unwrap();
    assert_fenced(state.stores.snapshots.put(&lost, "points", "records", "late").await);
    assert_fenced(state.stores.history.put(&lost, "points", &minute).await);
    assert_fenced(state.stores.history.put(&lost, "points", &Minute::empty(now())).await);
    assert_fenced(state.stores.history.purge(&lost, now()).await);
    let stolen = Lease { holder: "here".to_owned(), ..held.clone() };
    assert_fenced(state.stores.snapshots.put(&stolen, "points", "records", "late").await);

    let panels = state.stores.snapshots.since(0).await.unwrap();
    assert_eq!(panels.iter().map(|panel| panel.json.as_str()).collect::<Vec<_>>(), ["{}"]);
    assert!(state.stores.history.minutes("points", now() - TimeDelta::hours(1), now()).await.unwrap().is_empty());
    state.stores.snapshots.put(&held, "points", "records", "new").await.unwrap();
}

async fn a_released_lease_is_free_at_once(state: State) {
    let released = state.lease("job").await;
    state.stores.leases.release(&released).await.unwrap();
    assert_fenced(state.stores.snapshots.put(&released, "points", "records", "{}").await);
    let next = state.stores.leases.acquire("job", "there").await.unwrap().expect("free");
    assert_eq!(next.fence, released.fence + 1);
}

async fn a_local_deadline_stops_writes_before_the_database_does(state: State) {
    let lease = state.lease("job").await;
    let late = Lease { deadline: SystemClock.instant(), ..lease };
    assert_fenced(state.stores.snapshots.put(&late, "points", "records", "{}").await);
    assert!(state.stores.leases.renew(&late).await.unwrap().is_none());
}

async fn panels_are_replaced_and_versions_grow(state: State) {
    let (snapshots, lease) = (&state.stores.snapshots, state.lease("collect").await);
    let first = snapshots.put(&lease, "points", "records", "1").await.unwrap();
    let second = snapshots.put(&lease, "points", "locks", "2").await.unwrap();
    let third = snapshots.put(&lease, "points", "records", "3").await.unwrap();
    assert!(first < second && second < third);

    let read = |rows: Vec<server::ports::state::SnapshotRow>| {
        rows.into_iter().map(|row| (row.panel, row.version, row.json)).collect::<Vec<_>>()
    };
    let locks = ("locks".to_owned(), second, "2".to_owned());
    let records = ("records".to_owned(), third, "3".to_owned());
    assert_eq!(read(snapshots.since(0).await.unwrap()), [locks, records.clone()]);
    assert_eq!(read(snapshots.since(second).await.unwrap()), [records]);
    assert!(snapshots.since(third).await.unwrap().is_empty());
}

/// Writers of two instances each write panels of their own, so that none is overwritten and every version can be seen.
async fn a_reader_of_panels_misses_no_version(state: State) {
    const WRITERS: i64 = 6;
    const PANELS: i64 = 8;
    let other_instance = state.of_another_instance().await;
    let writers = (0..WRITERS).map(|writer| {
        let stores = if writer % 2 == 0 { &state.stores } else { &other_instance };
        async move {
            let lease = stores.leases.acquire(&format!("writer {writer}"), "w").await.unwrap().unwrap();
            for panel in 0..PANELS {
                stores.snapshots.put(&lease, &format!("source {writer}"), &panel.to_string(), "{}").await.unwrap();
            }
        }
    });
    let reader = async {
        let mut seen: Vec<i64> = Vec::new();
        while i64::try_from(seen.len()).unwrap() < WRITERS * PANELS {
            let last = seen.last().copied().unwrap_or(0);
            seen.extend(state.stores.snapshots.since(last).await.unwrap().iter().map(|row| row.version));
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        seen
    };
    let both = futures::future::join(futures::future::join_all(writers), reader);
    let (_, seen) = tokio::time::timeout(Duration::from_secs(60), both).await.expect("a version was never seen");
    assert_eq!(seen, (1..=WRITERS * PANELS).collect::<Vec<_>>());
}

async fn a_minute_is_merged_from_what_each_task_has_read(state: State) {
    let (history, lease) = (&state.stores.history, state.lease("collect").await);
    let at = DateTime::parse_from_rfc3339("2026-11-29T08:00:00Z").unwrap().to_utc();
    let records = Minute { processing: Some(5), failed: Some(0), ..Minute::empty(at + TimeDelta::seconds(7)) };
    history.put(&lease, "points", &records).await.unwrap();
    let locks = Minute { locks_held: Some(3), ..Minute::empty(at + TimeDelta::seconds(59)) };
    history.put(&lease, "points", &locks).await.unwrap();
    let again = Minute { processing: Some(6), oldest_ms: Some(i64::MAX), ..Minute::empty(at) };
    history.put(&lease, "points", &again).await.unwrap();
    history.put(&lease, "points", &Minute::empty(at)).await.unwrap();
    history
        .put(&lease, "points", &Minute { ready: Some(1), ..Minute::empty(at + TimeDelta::minutes(1)) })
        .await
        .unwrap();
    history.put(&lease, "orders", &Minute { ready: Some(9), ..Minute::empty(at) }).await.unwrap();

    let merged = Minute {
        processing: Some(6),
        failed: Some(0),
        locks_held: Some(3),
        oldest_ms: Some(i64::MAX),
        ..Minute::empty(at)
    };
    let next = Minute { ready: Some(1), ..Minute::empty(at + TimeDelta::minutes(1)) };
    let later = at + TimeDelta::minutes(2);
    assert_eq!(history.minutes("points", at, later).await.unwrap(), [merged.clone(), next.clone()]);
    assert_eq!(
        history.minutes("points", at, at + TimeDelta::minutes(1)).await.unwrap(),
        [merged],
        "the end is left out"
    );
    assert_eq!(history.minutes("points", at + TimeDelta::seconds(1), later).await.unwrap(), [next]);
    assert!(history.minutes("nothing", at, later).await.unwrap().is_empty());
}

async fn minutes_are_purged_in_bounded_steps(state: State) {
    let (history, lease) = (&state.stores.history, state.lease("purge").await);
    state
        .sql(
            "INSERT INTO oncewatch_minute (source, type, minute, failed) \
             WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 699) \
             SELECT s.source, '', n * 60000, 1 FROM n CROSS JOIN (SELECT 'points' AS source UNION ALL SELECT 'orders') s",
        )
        .await;
    let at = |minute: i64| DateTime::from_timestamp_millis(minute * 60_000).unwrap();
    // 650 minutes of each of two sources are older.
    assert_eq!(history.purge(&lease, at(650)).await.unwrap(), 1_000);
    let left = history.minutes("points", at(0), at(700)).await.unwrap();
    assert!(left.iter().all(|minute| minute.at >= at(500)), "the oldest go first");
    assert_eq!(history.purge(&lease, at(650)).await.unwrap(), 300);
    assert_eq!(history.purge(&lease, at(650)).await.unwrap(), 0);
    assert_eq!(history.minutes("points", at(0), at(700)).await.unwrap().len(), 50);
}

fn operator(name: &str, role: Role) -> Operator {
    Operator { name: name.to_owned(), role, password_hash: None, created_at: now() }
}

async fn operators_are_unique_and_listed(state: State) {
    let operators = &state.stores.operators;
    assert!(!operators.any().await.unwrap());
    assert!(operators.get("ann").await.unwrap().is_none());
    assert!(!operators.set_password("ann", "hash").await.unwrap());

    let ann = operator("ann", Role::Admin);
    operators.add_first(&ann).await.unwrap();
    operators.add(&operator("李雷", Role::Viewer)).await.unwrap();
    operators.add(&operator("Ann", Role::Operator)).await.unwrap();
    assert_exists(operators.add(&operator("ann", Role::Viewer)).await);
    assert_exists(operators.add_first(&operator("bob", Role::Admin)).await);
    assert!(operators.any().await.unwrap());

    assert!(operators.set_password("ann", "$argon2id$…").await.unwrap());
    let read = operators.get("ann").await.unwrap().unwrap();
    assert_eq!((read.role, read.created_at), (Role::Admin, ann.created_at));
    assert_eq!(read.password_hash.as_deref(), Some("$argon2id$…"));
    let everyone = operators.list().await.unwrap();
    assert_eq!(everyone.len(), 3, "names that differ in case are different");
    let li = everyone.iter().find(|operator| operator.name == "李雷").unwrap();
    assert_eq!((li.role, &li.password_hash), (Role::Viewer, &None));
}

async fn of_many_first_operators_one_is_made(state: State) {
    let other_instance = state.of_another_instance().await;
    let racers = (0..10).map(|racer| {
        let operators = if racer % 2 == 0 { &state.stores.operators } else { &other_instance.operators };
        async move { operators.add_first(&operator(&format!("admin {racer}"), Role::Admin)).await }
    });
    let results = futures::future::join_all(racers).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
    results.into_iter().filter(Result::is_err).for_each(assert_exists);
    assert_eq!(state.stores.operators.list().await.unwrap().len(), 1);
}

fn session(operator: &str) -> Session {
    Session {
        id: "s1".to_owned(),
        operator: operator.to_owned(),
        role: Role::Viewer,
        expires_at: now() + TimeDelta::hours(1),
        ends_at: now() + TimeDelta::hours(2),
    }
}

async fn a_new_password_ends_sessions(state: State) {
    let (operators, credentials) = (&state.stores.operators, &state.stores.credentials);
    operators.add(&operator("ann", Role::Operator)).await.unwrap();
    operators.add(&operator("bob", Role::Operator)).await.unwrap();
    credentials.open_session(&[1; 32], &session("ann")).await.unwrap();
    credentials.open_session(&[2; 32], &session("bob")).await.unwrap();
    operators.set_password("ann", "new").await.unwrap();
    assert!(credentials.session(&[1; 32], now()).await.unwrap().is_none());
    assert!(credentials.session(&[2; 32], now()).await.unwrap().is_some(), "bob's goes on");
}

async fn sessions_end(state: State) {
    let credentials = &state.stores.credentials;
    state.stores.operators.add(&operator("ann", Role::Admin)).await.unwrap();
    let opened = session("ann");
    credentials.open_session(&[1; 32], &opened).await.unwrap();
    assert_exists(credentials.open_session(&[1; 32], &opened).await);
    credentials.open_session(&[2; 32], &session("nobody")).await.unwrap();

    let read = credentials.session(&[1; 32], now()).await.unwrap().unwrap();
    assert_eq!(
        (read.id.as_str(), read.operator.as_str(), read.role),
        ("s1", "ann", Role::Admin),
        "the operator's role"
    );
    assert_eq!((read.expires_at, read.ends_at), (opened.expires_at, opened.ends_at));
    assert!(credentials.session(&[2; 32], now()).await.unwrap().is_none(), "there is no such operator");
    assert!(credentials.session(&[3; 32], now()).await.unwrap().is_none(), "there is no such secret");
    assert!(credentials.session(&[1; 32], opened.expires_at).await.unwrap().is_none(), "it ran out");

    let later = opened.expires_at + TimeDelta::minutes(30);
    credentials.extend_session(&[1; 32], later).await.unwrap();
    assert_eq!(credentials.session(&[1; 32], opened.expires_at).await.unwrap().unwrap().expires_at, later);
    credentials.extend_session(&[1; 32], opened.expires_at).await.unwrap();
    assert_eq!(credentials.session(&[1; 32], now()).await.unwrap().unwrap().expires_at, later, "not shortened");
    credentials.extend_session(&[1; 32], opened.ends_at + TimeDelta::days(1)).await.unwrap();
    assert_eq!(credentials.session(&[1; 32], now()).await.unwrap().unwrap().expires_at, opened.ends_at);
    assert!(credentials.session(&[1; 32], opened.ends_at).await.unwrap().is_none(), "the end, whatever happens");

    credentials.close_session(&[1; 32]).await.unwrap();
    credentials.extend_session(&[1; 32], later).await.unwrap();
    assert!(credentials.session(&[1; 32], now()).await.unwrap().is_none(), "what was closed stays closed");

    let past = Session { expires_at: now() - TimeDelta::hours(1), ..session("ann") };
    credentials.open_session(&[4; 32], &past).await.unwrap();
    credentials.open_session(&[5; 32], &session("ann")).await.unwrap();
    assert_eq!(
        state.sql("SELECT id FROM oncewatch_session").await.len(),
        2,
        "the dead are swept: nobody's and the last"
    );
}

async fn tokens_are_named_limited_and_revoked(state: State) {
    let credentials = &state.stores.credentials;
    let eternal = Token {
        name: "ci".to_owned(),
        role: Role::Operator,
        source: Some("points".to_owned()),
        created_at: now(),
        expires_at: None,
    };
    let short =
        Token { name: "a".to_owned(), source: None, expires_at: Some(now() + TimeDelta::days(90)), ..eternal.clone() };
    credentials.add_token(&[1; 32], &eternal).await.unwrap();
    credentials.add_token(&[2; 32], &short).await.unwrap();
    assert_exists(credentials.add_token(&[3; 32], &eternal).await);

    let far = now() + TimeDelta::days(1_000);
    let read = credentials.token(&[1; 32], far).await.unwrap().unwrap();
    assert_eq!((read.name.as_str(), read.role, read.source.as_deref()), ("ci", Role::Operator, Some("points")));
    assert_eq!((read.created_at, read.expires_at), (eternal.created_at, None));
    assert_eq!(credentials.token(&[2; 32], now()).await.unwrap().unwrap().expires_at, short.expires_at);
    assert!(credentials.token(&[2; 32], far).await.unwrap().is_none(), "it ran out");
    assert!(credentials.token(&[3; 32], now()).await.unwrap().is_none());
    let names: Vec<String> = credentials.tokens().await.unwrap().into_iter().map(|token| token.name).collect();
    assert_eq!(names, ["a", "ci"]);

    assert!(credentials.revoke_token("ci").await.unwrap());
    assert!(!credentials.revoke_token("ci").await.unwrap());
    assert!(credentials.token(&[1; 32], now()).await.unwrap().is_none());
}

async fn a_link_works_once(state: State) {
    let other_instance = state.of_another_instance().await;
    let links = &state.stores.links;
    let link = OneTimeLink {
        kind: LinkKind::SignIn,
        operator: Some("ann".to_owned()),
        expires_at: now() + TimeDelta::minutes(15),
        used_at: None,
    };
    links.add(&[1; 32], &link).await.unwrap();
    links.add(&[2; 32], &OneTimeLink { kind: LinkKind::Setup, operator: None, ..link.clone() }).await.unwrap();
    assert!(links.get(&[3; 32]).await.unwrap().is_none());
    assert!(!links.consume(&[3; 32], now()).await.unwrap());

    let used_at = now();
    let racers = (0..20).map(|racer| {
        let links = if racer % 2 == 0 { links } else { &other_instance.links };
        async move { links.consume(&[1; 32], used_at).await.unwrap() }
    });
    let won = futures::future::join_all(racers).await.into_iter().filter(|won| *won).count();
    assert_eq!(won, 1);
    let used = links.get(&[1; 32]).await.unwrap().unwrap();
    assert_eq!((used.kind, used.operator.as_deref()), (LinkKind::SignIn, Some("ann")));
    assert_eq!((used.expires_at, used.used_at), (link.expires_at, Some(used_at)));

    assert!(!links.consume(&[2; 32], link.expires_at).await.unwrap(), "it ran out");
    let setup = links.get(&[2; 32]).await.unwrap().unwrap();
    assert_eq!((setup.kind, setup.operator, setup.used_at), (LinkKind::Setup, None, None));
}

fn begin(operation_id: &str, source: &str) -> Begin {
    Begin {
        operation_id: operation_id.to_owned(),
        operation: "release_lock".to_owned(),
        source: source.to_owned(),
        actor: "ann".to_owned(),
        origin: "browser 10.0.0.7".to_owned(),
        reason: "holder died".to_owned(),
        at: now(),
        target: r#"{"key":"idem_lock:ORDER_DONE:42"}"#.to_owned(),
    }
}

async fn an_operation_begins_once_and_ends_once(state: State) {
    let audit = &state.stores.audit;
    assert!(audit.get("op-1").await.unwrap().is_none());
    let begun = begin("op-1", "points");
    let racers = (0..8).map(|_| audit.begin(&begun));
    let results = futures::future::join_all(racers).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
    results.into_iter().filter(Result::is_err).for_each(assert_exists);

    let open = audit.get("op-1").await.unwrap().unwrap();
    assert_eq!((open.actor.as_str(), open.begun_at, &open.target), ("ann", begun.at, &begun.target));
    assert_eq!((open.ended_at, &open.outcome, &open.detail), (None, &None, &None));

    let ended_at = now();
    audit.complete("op-1", ended_at, "released", "{}").await.unwrap();
    assert_exists(audit.complete("op-1", now(), "failed", "{}").await);
    assert!(matches!(audit.complete("op-2", now(), "released", "{}").await, Err(StateError::Failed(_))));
    let ended = audit.get("op-1").await.unwrap().unwrap();
    assert_eq!((ended.ended_at, ended.outcome.as_deref()), (Some(ended_at), Some("released")), "the first end stands");
}

async fn the_audit_is_listed_newest_first(state: State) {
    let audit = &state.stores.audit;
    for (id, source) in [("op-1", "points"), ("op-2", "orders"), ("op-3", "points")] {
        audit.begin(&begin(id, source)).await.unwrap();
    }
    let recent = |source, limit| async move {
        let entries = audit.recent(source, limit).await.unwrap();
        entries.into_iter().map(|entry| entry.operation_id).collect::<Vec<_>>()
    };
    assert_eq!(recent(None, 1_000).await, ["op-3", "op-2", "op-1"]);
    assert_eq!(recent(Some("points"), 1_000).await, ["op-3", "op-1"]);
    assert_eq!(recent(Some("points"), 1).await, ["op-3"]);
    assert!(recent(Some("nothing"), 10).await.is_empty());
}

async fn audit_rows_are_chained(state: State) {
    use sqlx::Row;
    let other_instance = state.of_another_instance().await;
    let operations: Vec<Begin> = (0..12).map(|n| begin(&format!("op-{n}"), "points")).collect();
    let begins = operations.iter().enumerate().map(|(n, operation)| {
        let audit = if n % 2 == 0 { &state.stores.audit } else { &other_instance.audit };
        audit.begin(operation)
    });
    futures::future::try_join_all(begins).await.unwrap();
    assert_exists(state.stores.audit.begin(&operations[3]).await);

    let rows = state.sql("SELECT id, operation_id, hash FROM oncewatch_audit ORDER BY id").await;
    let mut previous = String::new();
    for (row, expected_id) in rows.iter().zip(1..) {
        let (id, operation_id) = (row.get::<i64, _>("id"), row.get::<String, _>("operation_id"));
        assert_eq!(id, expected_id, "refused beginnings leave no gap");
        let operation = operations.iter().find(|operation| operation.operation_id == operation_id).unwrap();
        let hash: String = row.get("hash");
        assert_eq!(hash, link_hash(&previous, id, operation));
        previous = hash;
    }
    assert_eq!(rows.len(), operations.len());
}

async fn long_and_odd_text_comes_back_as_it_was(state: State) {
    let lease = state.lease("collect").await;
    let odd = format!("</script>'\"`\\ 👍🏽 ① \u{202e} {{$1 ?}} {}", "漢".repeat(100_000));
    state.stores.snapshots.put(&lease, "points", "records", &odd).await.unwrap();
    assert_eq!(state.stores.snapshots.since(0).await.unwrap()[0].json, odd);

    let begun = Begin { reason: odd.clone(), target: odd.clone(), ..begin("op", "points") };
    state.stores.audit.begin(&begun).await.unwrap();
    state.stores.audit.complete("op", now(), "released", &odd).await.unwrap();
    let entry = state.stores.audit.get("op").await.unwrap().unwrap();
    assert_eq!((entry.reason, entry.target, entry.detail), (odd.clone(), odd.clone(), Some(odd)));
}

async fn opening_again_changes_nothing(state: State) {
    state.stores.operators.add(&operator("ann", Role::Admin)).await.unwrap();
    let again = state.of_another_instance().await;
    assert!(again.operators.get("ann").await.unwrap().is_some());
    assert_eq!(state.sql("SELECT version FROM oncewatch_migration WHERE version > 0").await.len(), 1);
}
