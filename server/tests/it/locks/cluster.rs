//! Redis Cluster: three real primaries.

use super::kinds::{release, taken, write};
use super::{configured, limits, states, store};
use crate::cli;
use crate::eventually::eventually;
use crate::team::{Engine, Index, Team};
use app::model::{Fault, Layer, LockState, LocksPanel, Panel};
use redis::cluster::ClusterClient;
use redis::cluster_async::ClusterConnection;
use redis::cluster_routing::Slot;
use server::action::{Outcome, run};
use server::adapters::locks::redis::connect;
use server::config::LockKind;
use server::ports::locks::{Cursor, LockStore, Reading};
use std::collections::HashSet;

async fn client(cluster: &lab::services::redis_cluster::RedisCluster) -> ClusterConnection {
    ClusterClient::new(cluster.node_urls()).unwrap().get_async_connection().await.unwrap()
}

async fn walk(store: &dyn LockStore, glob: &str) -> (Vec<String>, u64, HashSet<String>) {
    let (mut cursor, mut found, mut nodes) = (Cursor::default(), Vec::new(), HashSet::new());
    loop {
        let scanned = store.scan(glob, &cursor).await.unwrap();
        found.extend(scanned.keys);
        let Some(next) = scanned.next else { return (found, scanned.total, nodes) };
        nodes.insert(next.node.clone());
        cursor = next;
    }
}

#[tokio::test]
async fn keys_of_all_slots_are_read_in_order_and_every_primary_is_walked() {
    let cluster = lab::services::redis_cluster::start().await.unwrap();
    let mut redis = client(&cluster).await;
    for n in 0..6_000 {
        redis::cmd("SET").arg(format!("lock:{n}")).arg(format!("w{n}")).exec_async(&mut redis).await.unwrap();
    }
    let store = store(&cluster.url());
    let keys: Vec<String> = (0..1_000).rev().map(|n| format!("lock:{n}")).collect();
    let readings = store.read(&keys).await.unwrap();
    for (key, reading) in keys.iter().zip(readings) {
        let value = key.replace("lock:", "w");
        assert_eq!(reading, Reading::Value { value, ttl_ms: None });
    }
    let (found, total, nodes) = walk(store.as_ref(), "lock:*").await;
    assert_eq!((found.iter().collect::<HashSet<_>>().len(), total, nodes.len()), (6_000, 6_000, 3));
    let server = store.server().await.unwrap();
    assert_eq!((server.role.as_str(), server.policy.as_str()), ("master", "noeviction"));
    // One of three may drop locks: that is the one to tell.
    let urls = cluster.node_urls();
    let mut last = redis::Client::open(urls[2].as_str()).unwrap().get_multiplexed_async_connection().await.unwrap();
    let policy = ["SET", "maxmemory-policy", "allkeys-lru"];
    redis::cmd("CONFIG").arg(&policy).exec_async(&mut last).await.unwrap();
    assert_eq!(store.server().await.unwrap().policy, "allkeys-lru");
}

#[tokio::test]
async fn a_slot_that_moves_is_followed() {
    let cluster = lab::services::redis_cluster::start().await.unwrap();
    let mut redis = client(&cluster).await;
    // Slot 866 is the first node's; the other two are elsewhere.
    let key = (0..).map(|n| format!("lock:{n}")).find(|key| Slot::for_key(key) == Slot::new(866).unwrap()).unwrap();
    redis::cmd("SET").arg(&key).arg("w1").exec_async(&mut redis).await.unwrap();
    let store = store(&cluster.url());
    let keys = [key.clone(), "lock:a".to_owned(), "lock:b".to_owned()];
    let held = Reading::Value { value: "w1".into(), ttl_ms: None };
    assert_eq!(store.read(&keys).await.unwrap()[0], held);
    cluster.move_slot(866, 0, 2).await.unwrap();
    assert_eq!(store.read(&keys).await.unwrap()[0], held, "MOVED is followed");
    assert_eq!(walk(store.as_ref(), "lock:*").await.0, [key]);
}

#[tokio::test]
async fn a_primary_that_is_away_is_a_fault_never_an_absent_lock() {
    let mut cluster = lab::services::redis_cluster::start().await.unwrap();
    let store = store(&cluster.url());
    let keys: Vec<String> = (0..50).map(|n| format!("lock:{n}")).collect();
    store.read(&keys).await.unwrap();
    cluster.nodes()[1].stop().await.unwrap();
    for _ in 0..3 {
        let fault = store.read(&keys).await.unwrap_err();
        assert!(
            matches!(fault, Fault::Unreachable { layer: Layer::Lock, .. } | Fault::TimedOut { layer: Layer::Lock, .. }),
            "{fault:?}"
        );
    }
    cluster.nodes()[1].start_again().await.unwrap();
    let back = eventually(async || store.read(&keys).await, Result::is_ok).await;
    assert_eq!(back.unwrap().len(), 50);
}

#[tokio::test]
async fn locks_in_a_cluster_are_judged_and_released() {
    let cluster = lab::services::redis_cluster::start().await.unwrap();
    let mut redis = client(&cluster).await;
    for kind in ["string", "redisson", "powertools"] {
        let mut team = Team::new(Engine::Sqlite, Index::None).await;
        (team.lock_kind, team.redis) = (kind, Some(cluster.url()));
        for (id, key, status, age_s) in [(1, "held", 1, 5), (2, "unprotected", 1, 400), (3, "dead", 4, 400)] {
            team.insert(id, key, status, age_s).await;
        }
        for (key, ttl_ms) in [("held", 600_000), ("dead", 600_000), ("nobody", 0)] {
            write(&mut redis, &team.lock_key(key), &taken(kind, key, ttl_ms)).await;
        }
        let console = team.collecting().await;
        let is_whole = |panel: &Panel<LocksPanel>| panel.body.as_ref().is_some_and(|body| body.rows.len() >= 4);
        let panel = console.until("locks", is_whole).await.body.unwrap();
        let found = states(&panel);
        assert_eq!((found["held"], found["unprotected"]), (LockState::Held, LockState::Unprotected), "{kind}");
        assert_eq!((found["dead"], found["nobody"]), (LockState::Orphan, LockState::Eternal), "{kind}");
        assert!(panel.store.ends_with("(cluster)"), "{}", panel.store);
        let owner = panel.rows.iter().find(|row| row.key == "dead").unwrap().lock.owner.clone().unwrap();
        assert_eq!(run(&console.system, release(&team, "dead", &owner)).await.unwrap(), Outcome::Released, "{kind}");
        assert_eq!(run(&console.system, release(&team, "dead", &owner)).await.unwrap(), Outcome::Gone, "{kind}");
    }
}

#[tokio::test]
async fn a_wrong_password_is_told_without_it() {
    let cluster = lab::services::redis_cluster::start().await.unwrap();
    let url = cluster.url().replace("://", "://ops:s3cret@");
    let store = connect(&configured(&url, LockKind::String), &limits()).unwrap();
    let fault = store.read(&["k".to_owned()]).await.unwrap_err();
    assert!(!format!("{fault:?} {}", store.address()).contains("s3cret"), "{fault:?}");
}

/// By a process of its own: whom it trusts is told by its environment.
#[tokio::test]
async fn by_tls_a_cluster_is_read_if_its_certificate_is_trusted() {
    let cluster = lab::services::redis_cluster::start_by_tls().await.unwrap();
    let (url, certificate) = cluster.tls().unwrap();
    let mut redis = client(&cluster).await;
    let desk = cli::points().await;
    let source = cli::source("points", "sqlite://points.db");
    desk.configure(&format!("{source}[source.locks]\nurl = '{url}'\npattern = 'lock:{{type}}:{{key}}'\n"));
    let looked_up = |r#type: &str, key: &str, trusted: bool| {
        let mut command = desk.command(&["lookup", r#type, key, "--json"]);
        if trusted {
            command.env("SSL_CERT_FILE", &certificate);
        }
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"))
    };
    let messages = [("ORDER_DONE", "20231027001"), ("ORDER_DONE", "20231027002"), ("REFUND", "20231027002")];
    for (r#type, key) in messages {
        redis::cmd("SET").arg(format!("lock:{type}:{key}")).arg(key).exec_async(&mut redis).await.unwrap();
        let lock = looked_up(r#type, key, true)["lock"].clone();
        assert_eq!((lock["state"].as_str(), lock["owner"].as_str()), (Some("eternal"), Some(key)), "{lock}");
    }
    let unseen = looked_up("REFUND", "20231027002", false);
    assert_eq!((unseen["lock"]["state"].as_str(), &unseen["unseen"][0]), (Some("unknown"), &"lock".into()), "{unseen}");
}
