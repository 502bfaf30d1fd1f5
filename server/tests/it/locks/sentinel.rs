//! A master by its sentinels: a real pair of each.

use super::store;
use crate::eventually::eventually;
use app::model::{Fault, Layer};
use redis::AsyncCommands;
use server::ports::locks::{LockStore, Reading};

fn held(value: &str) -> Reading {
    Reading::Value { value: value.into(), ttl_ms: None }
}

/// Asked again until it answers: the first question may meet a connection that broke.
async fn soon(store: &dyn LockStore, key: &str) -> Reading {
    eventually(async || store.read(&[key.to_owned()]).await, Result::is_ok).await.unwrap().remove(0)
}

#[tokio::test]
async fn the_master_is_found_and_its_successor_after_a_failover() {
    let pair = lab::services::redis_sentinel::start().await.unwrap();
    let [first, second] = pair.server_urls().map(|url| redis::Client::open(url).unwrap());
    let mut master = first.get_multiplexed_async_connection().await.unwrap();
    let _: () = master.set("k", "before").await.unwrap();
    let store = store(&pair.url());
    assert_eq!(store.read(&["k".to_owned()]).await.unwrap(), [held("before")]);
    assert_eq!(store.server().await.unwrap().role, "master");
    assert!(store.address().ends_with("/0 (sentinel, lab)"), "{}", store.address());

    let mut replica = second.get_multiplexed_async_connection().await.unwrap();
    eventually(async || replica.get::<_, Option<String>>("k").await.unwrap(), Option::is_some).await;
    pair.fail_over().await.unwrap();
    let mut successor = second.get_multiplexed_async_connection().await.unwrap();
    let _: () = successor.set("k", "after").await.unwrap();
    // Until the old master hears of it, it still answers as one.
    eventually(async || soon(store.as_ref(), "k").await, |reading| *reading == held("after")).await;
}

#[tokio::test]
async fn a_sentinel_that_is_away_is_passed_over_and_a_master_that_died_is_replaced() {
    let mut pair = lab::services::redis_sentinel::start().await.unwrap();
    let second = redis::Client::open(pair.server_urls()[1].as_str()).unwrap();
    let url = pair.url();
    let before = store(&url);
    assert_eq!(before.read(&["k".to_owned()]).await.unwrap(), [Reading::Absent]);
    pair.stop_first_master().await.unwrap();
    let fault = before.read(&["k".to_owned()]).await.unwrap_err();
    assert!(matches!(fault, Fault::Unreachable { layer: Layer::Lock, .. }), "{fault:?}");
    assert_eq!(soon(before.as_ref(), "k").await, Reading::Absent);
    let mut successor = second.get_multiplexed_async_connection().await.unwrap();
    let _: () = successor.set("k", "w1").await.unwrap();
    assert_eq!(soon(before.as_ref(), "k").await, held("w1"));

    pair.stop_sentinel(0).await.unwrap();
    let later = store(&url);
    assert_eq!(later.read(&["k".to_owned()]).await.unwrap(), [held("w1")]);
    let unknown = store(&url.replace("master=lab", "master=other"));
    let fault = unknown.read(&["k".to_owned()]).await.unwrap_err();
    assert!(matches!(fault, Fault::Unreachable { layer: Layer::Lock, .. }), "{fault:?}");
}
