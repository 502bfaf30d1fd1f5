//! The search of the key space keeps within its budget.

use crate::team::{Console, Engine, Index, Team};
use app::model::{LocksPanel, Panel};
use redis::aio::MultiplexedConnection;
use server::clock::{Clock, SystemClock};
use std::time::Duration;

async fn fill(connection: &mut MultiplexedConnection, prefix: &str, keys: usize) {
    for part in 0..keys.div_ceil(5_000) {
        let mut pipeline = redis::pipe();
        for n in part * 5_000..((part + 1) * 5_000).min(keys) {
            pipeline.cmd("SET").arg(format!("{prefix}:{n}")).arg("w");
        }
        pipeline.exec_async(connection).await.unwrap();
    }
}

/// How often a command was called.
async fn calls(connection: &mut MultiplexedConnection, command: &str) -> u64 {
    let info: String = redis::cmd("INFO").arg("commandstats").query_async(connection).await.unwrap();
    let line = info.lines().find_map(|line| line.strip_prefix(&format!("cmdstat_{command}:calls=")));
    line.and_then(|line| line.split(',').next()).map_or(0, |calls| calls.parse().unwrap())
}

async fn team_over(own: &lab::services::Running) -> Team {
    let mut team = Team::new(Engine::Sqlite, Index::None).await;
    team.redis = Some(own.url().to_owned());
    team
}

async fn whole(console: &Console) -> LocksPanel {
    let is_whole = |panel: &Panel<LocksPanel>| {
        panel.body.as_ref().and_then(|body| body.scan.as_ref()).is_some_and(|scan| scan.complete_as_of.is_some())
    };
    console.until("locks", is_whole).await.body.unwrap()
}

#[tokio::test]
async fn a_search_takes_a_thousand_keys_at_a_time_and_rests_between() {
    let own = lab::services::redis::start().await.unwrap();
    let team = team_over(&own).await;
    let mut redis = team.redis_connection().await;
    fill(&mut redis, "other", 20_000).await;
    team.lock("nobody", "w1", 0).await;
    let console = team.collecting().await;
    let began = SystemClock.instant();
    let panel = whole(&console).await;
    let took = SystemClock.instant().duration_since(began);
    assert_eq!(panel.eternal.value, 1);
    assert_eq!(panel.scan.unwrap().walked, 20_001);
    let scans = calls(&mut redis, "scan").await;
    assert!((18..=40).contains(&scans), "{scans}");
    assert!(took > Duration::from_millis(5) * u32::try_from(scans - 2).unwrap(), "{scans} in {took:?}");
    assert_eq!(calls(&mut redis, "keys").await, 0);
    // What does not match is only looked at, never read.
    assert!(calls(&mut redis, "get").await < 100);
}

#[tokio::test]
async fn a_search_stands_still_while_redis_is_slow_and_says_so() {
    let own = lab::services::redis::start().await.unwrap();
    let mut team = team_over(&own).await;
    fill(&mut team.redis_connection().await, "other", 60_000).await;
    let proxy = lab::Proxy::start(own.address()).await.unwrap();
    team.redis = Some(format!("redis://{}/0", proxy.addr()));
    // Long enough that the search is still under way.
    proxy.delay(Duration::from_millis(8));
    let console = team.collecting().await;
    let walked = |panel: &Panel<LocksPanel>| {
        panel.body.as_ref().and_then(|body| body.scan.as_ref()).map_or(0, |scan| scan.walked)
    };
    console.until("locks", |panel| walked(panel) > 3_000).await;
    proxy.delay(Duration::from_millis(150));
    let slow = |panel: &Panel<LocksPanel>| panel.body.as_ref().and_then(|body| body.scan_slow_ms);
    let stopped = console.until("locks", |panel| slow(panel).is_some()).await;
    assert!(slow(&stopped).unwrap() >= 150);
    proxy.delay(Duration::ZERO);
    let far = walked(&stopped);
    console.until("locks", |panel| slow(panel).is_none() && walked(panel) > far).await;
}
