//! Locks: what Redis holds, and what the collector makes of it.

mod cluster;
mod filters;
mod kinds;
mod search;
mod sentinel;
mod times;

use crate::team::{Engine, Index, Team};
use app::model::{Fault, Layer, LockState, LocksPanel, Panel, Quality, WhyNot};
use server::adapters::locks::redis::connect;
use server::config::{Config, Environment, LockKind, Locks, Secret, from_toml};
use server::ports::locks::{Cursor, LockStore, Reading};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

fn limits() -> server::config::Limits {
    let config: Config = from_toml("", &Environment::default()).unwrap();
    let mut limits = config.limits;
    (limits.connect_timeout, limits.statement_timeout) = (Duration::from_secs(1), Duration::from_secs(1));
    limits
}

fn configured(url: &str, kind: LockKind) -> Locks {
    Locks { url: Secret::new(url.to_owned()), kind, pattern: "l:{key}".into(), done: Vec::new(), ttl: None }
}

fn store(url: &str) -> Arc<dyn LockStore> {
    connect(&configured(url, LockKind::String), &limits()).unwrap()
}

async fn prefix() -> (Arc<dyn LockStore>, redis::aio::MultiplexedConnection, String) {
    let url = lab::redis().await.unwrap().url;
    let connection = redis::Client::open(url.as_str()).unwrap().get_multiplexed_async_connection().await.unwrap();
    (store(&url), connection, format!("t{}", uuid::Uuid::new_v4().simple()))
}

#[tokio::test]
async fn keys_are_read_in_the_order_asked_for_with_value_ttl_and_type() {
    let (store, mut redis, prefix) = prefix().await;
    let key = |name: &str| format!("{prefix}:{name}");
    redis::cmd("SET").arg(key("held")).arg("w1").arg("PX").arg(60_000).exec_async(&mut redis).await.unwrap();
    redis::cmd("SET").arg(key("eternal")).arg("订单").exec_async(&mut redis).await.unwrap();
    redis::cmd("HSET").arg(key("hash")).arg("a").arg(1).exec_async(&mut redis).await.unwrap();
    let keys: Vec<String> = ["gone", "hash", "held", "eternal"].map(key).to_vec();
    let readings = store.read(&keys).await.unwrap();
    assert_eq!(readings[0], Reading::Absent);
    assert_eq!(readings[1], Reading::OtherType { redis_type: "hash".into(), ttl_ms: None });
    assert!(
        matches!(&readings[2], Reading::Value { value, ttl_ms: Some(ms) } if value == "w1" && (50_000..=60_000).contains(ms))
    );
    assert_eq!(readings[3], Reading::Value { value: "订单".into(), ttl_ms: None });
    assert_eq!(store.read(&[]).await.unwrap(), []);
    let too_many: Vec<String> = (0..1_001).map(|n| key(&n.to_string())).collect();
    assert!(matches!(store.read(&too_many).await, Err(Fault::BadInput { .. })));
    assert_eq!(store.read(&too_many[..1_000]).await.unwrap().len(), 1_000);
}

#[tokio::test]
async fn the_key_space_is_walked_in_steps_to_its_end() {
    let own = lab::services::redis::start().await.unwrap();
    let mut redis = redis::Client::open(own.url()).unwrap().get_multiplexed_async_connection().await.unwrap();
    let mut fill = redis::pipe();
    for n in 0..5_000 {
        fill.cmd("SET").arg(format!("{}:{n}", if n % 2 == 0 { "lock" } else { "other" })).arg(1);
    }
    fill.exec_async(&mut redis).await.unwrap();
    let (store, mut cursor, mut found, mut steps) = (store(own.url()), Cursor::default(), 0, 0);
    loop {
        let scanned = store.scan("lock:*", &cursor).await.unwrap();
        assert_eq!(scanned.total, 5_000);
        (found, steps) = (found + scanned.keys.len(), steps + 1);
        let Some(next) = scanned.next else { break };
        cursor = next;
    }
    assert_eq!(found, 2_500);
    assert!(steps >= 4, "{steps}");
}

#[tokio::test]
async fn a_redis_that_goes_away_is_unreachable_and_comes_back() {
    let mut own = lab::services::redis::start().await.unwrap();
    let store = store(own.url());
    let keys = ["k".to_owned()];
    assert_eq!(store.read(&keys).await.unwrap(), [Reading::Absent]);
    own.stop().await.unwrap();
    for _ in 0..2 {
        let fault = store.read(&keys).await.unwrap_err();
        assert!(matches!(fault, Fault::Unreachable { layer: Layer::Lock, .. }), "{fault:?}");
    }
    own.start_again().await.unwrap();
    // The first question may still meet the connection that broke.
    let _ = store.read(&keys).await;
    assert_eq!(store.read(&keys).await.unwrap(), [Reading::Absent]);
}

#[tokio::test]
async fn a_silent_redis_times_out_and_a_wrong_password_is_told_without_it() {
    let url = lab::redis().await.unwrap().url;
    let address = url::Url::parse(&url).unwrap();
    let proxy = lab::Proxy::start(format!("127.0.0.1:{}", address.port().unwrap()).parse().unwrap()).await.unwrap();
    let store_of = |authority: &str| store(&format!("redis://{authority}{}/0", proxy.addr()));
    let silent = store_of("");
    silent.read(&["k".to_owned()]).await.unwrap();
    proxy.delay(Duration::from_secs(10));
    let fault = silent.read(&["k".to_owned()]).await.unwrap_err();
    assert!(matches!(fault, Fault::TimedOut { layer: Layer::Lock, .. }), "{fault:?}");
    proxy.delay(Duration::ZERO);
    let wrong = store_of("ops:s3cret@");
    assert_eq!(wrong.read(&["k".to_owned()]).await, Err(Fault::Refused { layer: Layer::Lock }));
    assert!(!wrong.address().contains("s3cret") && wrong.address().ends_with("/0"), "{}", wrong.address());
    let locks = configured("http://u:s3cret@h", LockKind::String);
    assert!(!format!("{:?}", connect(&locks, &limits()).err().unwrap()).contains("s3cret"));
}

fn states(panel: &LocksPanel) -> HashMap<&str, LockState> {
    panel.rows.iter().map(|row| (row.key.as_str(), row.lock.state)).collect()
}

#[tokio::test]
async fn locks_are_judged_with_their_records() {
    let team = Team::new(Engine::Sqlite, Index::None).await.with_redis().await;
    for (id, key, status, age_s) in [
        (1, "held", 1, 5),
        (2, "expiring", 1, 17),
        (3, "unprotected", 1, 400),
        (4, "finished", 2, 400),
        (5, "eternal", 3, 400),
        (6, "marked", 2, 9),
    ] {
        team.insert(id, key, status, age_s).await;
    }
    team.lock("held", "w1", 18_000).await;
    team.lock("expiring", "w2", 3_500).await;
    team.lock("finished", "w3", 600_000).await;
    team.lock("eternal", "w4", 0).await;
    team.lock("nobody", "w5", 0).await;
    team.lock("marked", "done:1795941066041", 600_000).await;
    let console = team.collecting().await;
    let found = |panel: &Panel<LocksPanel>| {
        panel.body.as_ref().is_some_and(|body| body.rows.len() >= 6 && states(body).contains_key("nobody"))
    };
    let panel = console.until("locks", found).await.body.unwrap();
    let states = states(&panel);
    assert_eq!(states["unprotected"], LockState::Unprotected);
    assert_eq!(states["finished"], LockState::Orphan);
    assert_eq!((states["eternal"], states["nobody"]), (LockState::Eternal, LockState::Eternal));
    assert_eq!(states["held"], LockState::Held);
    assert!(!states.contains_key("marked"), "a marker is nothing to look at");
    assert_eq!((panel.eternal.value, panel.orphan.value, panel.unprotected.value), (2, 1, 1));
    assert_eq!(panel.unprotected.quality, Quality::Exact);
    let why: HashMap<_, _> = panel.rows.iter().map(|row| (row.key.as_str(), row.not_releasable.clone())).collect();
    assert_eq!(why["finished"], None);
    assert_eq!(why["held"], Some(WhyNot::HandlerAlive));
    assert!(matches!(why["nobody"], Some(WhyNot::TooYoung { .. })), "not before it was watched: {:?}", why["nobody"]);
    let dangers: Vec<_> = panel.rows.iter().map(|row| row.lock.state).collect();
    assert_eq!(&dangers[..4], [LockState::Eternal, LockState::Eternal, LockState::Unprotected, LockState::Orphan]);
    assert_eq!(panel.shared_owner, None);
    let done = console
        .until("locks", |panel: &Panel<LocksPanel>| {
            panel.body.as_ref().is_some_and(|body| body.scan.as_ref().is_some_and(|scan| scan.complete_as_of.is_some()))
        })
        .await;
    assert_eq!(done.body.unwrap().done.value, 1);
    // Released by its holder: gone from the panel.
    team.unlock("finished").await;
    console
        .until("locks", |panel: &Panel<LocksPanel>| panel.body.as_ref().is_some_and(|body| body.orphan.value == 0))
        .await;
}

#[tokio::test]
async fn one_owner_on_all_locks_protects_nothing_and_is_never_released() {
    let team = Team::new(Engine::Sqlite, Index::OnStatus).await.with_redis().await;
    for id in 1..=3 {
        team.insert(id, &format!("k{id}"), 1, 5).await;
        team.lock(&format!("k{id}"), "1", 0).await;
    }
    let console = team.collecting().await;
    let panel = console
        .until("locks", |panel: &Panel<LocksPanel>| panel.body.as_ref().is_some_and(|body| body.shared_owner.is_some()))
        .await;
    assert_eq!(panel.body.unwrap().shared_owner.as_deref(), Some("1"));
}

#[tokio::test]
async fn redis_away_in_mid_run_keeps_the_last_locks_and_the_records_go_on() {
    let mut own = lab::services::redis::start().await.unwrap();
    let mut team = Team::new(Engine::Sqlite, Index::None).await;
    team.redis = Some(own.url().to_owned());
    team.insert(1, "k1", 1, 5).await;
    team.lock("k1", "w1", 600_000).await;
    let console = team.collecting().await;
    console
        .until("locks", |panel: &Panel<LocksPanel>| panel.body.as_ref().is_some_and(|body| body.held.value == 1))
        .await;
    own.stop().await.unwrap();
    let panel = console.until("locks", |panel: &Panel<LocksPanel>| panel.trouble.is_some()).await;
    assert_eq!(panel.body.unwrap().held.value, 1);
    let records = console.records(|panel| panel.body.is_some()).await;
    let later = console.records(|panel| panel.read_at > records.read_at).await;
    assert!(later.trouble.is_none());
}
