//! What depends on how long something takes: orphans without a record, and locks that are short for their type.

use super::kinds::release;
use crate::console::Shifted;
use crate::team::{Console, Engine, Index, Team};
use app::model::{Fit, LockState, LocksPanel, Panel, WhyNot};
use server::action::{Outcome, run};
use server::boot;
use std::sync::Arc;
use std::time::Duration;

fn state(panel: &Panel<LocksPanel>, key: &str) -> Option<LockState> {
    let body = panel.body.as_ref()?;
    body.rows.iter().find(|row| row.key == key).map(|row| row.lock.state)
}

#[tokio::test]
async fn a_lock_without_a_record_is_an_orphan_once_it_is_older_than_any_handling() {
    let team = Team::new(Engine::Sqlite, Index::None).await.with_redis().await;
    team.lock("nobody", "w1", 600_000).await;
    let clock = Arc::new(Shifted::default());
    let mut console = Console::at(team.config(), boot::Role::Server, clock.clone()).await;
    console.collect();
    let young = console.until("locks", |panel| state(panel, "nobody").is_some()).await;
    assert_eq!(state(&young, "nobody"), Some(LockState::Held), "its holder may be about to insert");
    let row = young.body.unwrap().rows.swap_remove(0);
    assert_eq!(row.not_releasable, Some(WhyNot::TooYoung { after_ms: 20_000 }));
    clock.advance(Duration::from_secs(21));
    let old = console.until("locks", |panel| state(panel, "nobody") == Some(LockState::Orphan)).await;
    assert_eq!(old.body.unwrap().rows[0].not_releasable, None);
    assert_eq!(run(&console.system, release(&team, "nobody", "w1")).await.unwrap(), Outcome::Released);
    console.until("locks", |panel| panel.body.is_some() && state(panel, "nobody").is_none()).await;
}

#[tokio::test]
async fn handling_times_say_what_is_short_and_whether_the_ttl_fits() {
    let team = Team::new(Engine::Sqlite, Index::None).await.with_redis().await;
    for id in 1..=40 {
        let (from, to) = (team.ago(500), team.ago(500 - 16));
        team.sql(&format!("INSERT INTO idempotent_record VALUES ({id}, 'c{id}', 'ORDER_DONE', 2, {from}, {to})")).await;
    }
    team.insert(90, "short", 1, 3).await;
    team.lock("short", "w1", 16_000).await;
    let console = team.collecting().await;
    let panel = console.until("locks", |panel| state(panel, "short").is_some()).await;
    assert_eq!(state(&panel, "short"), Some(LockState::Expiring), "16 s are left, 17 are usual");
    let body = panel.body.unwrap();
    let fit = &body.fits[0];
    assert_eq!((fit.r#type.as_deref(), fit.ttl_ms, fit.handled), (Some("ORDER_DONE"), Some(20_000), 40));
    // Whole seconds: up to one more.
    assert_eq!((fit.p50_ms, fit.p99_ms, fit.fit()), (17_000, 17_000, Some(Fit::Tight)));
}
