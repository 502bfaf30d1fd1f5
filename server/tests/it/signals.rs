//! What consumers report, over real Redis.

use crate::cli::Desk;
use crate::eventually::eventually;
use crate::team::{Console, Engine, Index, SOURCE, Team};
use app::model::{Fault, Layer, Panel, SignalsPanel, VerdictCode};
use app::reads::Reads;
use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use serde_json::json;
use server::adapters::signals::redis::connect;
use server::clock::{Clock, SystemClock};
use server::config::{Environment, Limits, Secret, from_toml};
use server::ports::signals::SignalStore;
use server::ports::state::Reported;
use std::sync::Arc;

fn this_minute() -> DateTime<Utc> {
    SystemClock.now().duration_trunc(TimeDelta::minutes(1)).unwrap()
}

/// One with time left, so that what a test reports stays in it.
async fn fresh_minute() -> DateTime<Utc> {
    let left = this_minute() + TimeDelta::minutes(1) - SystemClock.now();
    if left < TimeDelta::seconds(10) {
        tokio::time::sleep(left.to_std().unwrap()).await;
    }
    this_minute()
}

async fn team() -> Team {
    let mut team = Team::new(Engine::Sqlite, Index::None).await.with_redis().await;
    team.signals = true;
    team
}

fn limits() -> Limits {
    let text = "[[source]]\nname = \"a\"\n[source.records]\nurl = \"sqlite://a.db\"\ntable = \"t\"\nkey = [\"k\"]\n\
        [source.records.status]\nexists = \"completed\"\n";
    from_toml(text, &Environment::default()).unwrap().limits
}

fn store(url: &str, prefix: &str) -> Arc<dyn SignalStore> {
    connect(SOURCE, &Secret::new(url.to_owned()), prefix, &limits()).unwrap()
}

async fn redis() -> (String, redis::aio::MultiplexedConnection, String) {
    let url = lab::redis().await.unwrap().url;
    let connection = redis::Client::open(url.as_str()).unwrap().get_multiplexed_async_connection().await.unwrap();
    (url, connection, format!("s{}", uuid::Uuid::new_v4().simple()))
}

#[tokio::test]
async fn shards_of_a_minute_are_read_together() {
    let (url, mut redis, prefix) = redis().await;
    let at = DateTime::parse_from_rfc3339("2026-11-29T08:07:00Z").unwrap().to_utc();
    for shard in 0..8 {
        let key = format!("{prefix}:{SOURCE}:202611290807:{shard}");
        redis::cmd("HINCRBY").arg(&key).arg("ORDER|first").arg(10 + shard).exec_async(&mut redis).await.unwrap();
        let alive = format!("|alive|worker-{}", shard / 2);
        redis::cmd("HSET").arg(&key).arg(alive).arg(1).exec_async(&mut redis).await.unwrap();
        redis::cmd("HSET").arg(&key).arg("what is this").arg(1).exec_async(&mut redis).await.unwrap();
    }
    let store = store(&url, &prefix);
    let minutes = store.minutes(&[at - TimeDelta::minutes(1), at]).await.unwrap();
    assert!(minutes[0].is_empty());
    assert_eq!(minutes[1].types["ORDER"].counts.first, 108);
    assert_eq!((minutes[1].alive.len(), minutes[1].unreadable, minutes[1].cut), (4, 8, false));
}

#[tokio::test]
async fn a_minute_with_too_many_fields_is_cut_and_says_so() {
    let (url, mut redis, prefix) = redis().await;
    let at = DateTime::parse_from_rfc3339("2026-11-29T08:07:00Z").unwrap().to_utc();
    let mut fill = redis::pipe();
    for field in 0..20_001 {
        fill.cmd("HSET").arg(format!("{prefix}:{SOURCE}:202611290807:1")).arg(format!("T{field}|first")).arg(1);
    }
    fill.cmd("HSET").arg(format!("{prefix}:{SOURCE}:202611290807:0")).arg("ORDER|first").arg(7);
    fill.exec_async(&mut redis).await.unwrap();
    let minutes = store(&url, &prefix).minutes(&[at]).await.unwrap();
    assert!(minutes[0].cut);
    assert_eq!(minutes[0].types.len(), 1, "the shard that fits is read, the other is not");
    // A key that is no hash is somebody's mistake, and told.
    redis::cmd("SET").arg(format!("{prefix}:{SOURCE}:202611290808:0")).arg("x").exec_async(&mut redis).await.unwrap();
    let fault = store(&url, &prefix).minutes(&[at + TimeDelta::minutes(1)]).await.unwrap_err();
    assert!(matches!(fault, Fault::Unreadable { .. }), "{fault:?}");
}

#[tokio::test]
async fn a_trace_is_read_newest_first_and_what_is_no_entry_left_out() {
    let (url, mut redis, _) = redis().await;
    let key = uuid::Uuid::new_v4().to_string();
    let list = format!("idem_trace:{SOURCE}:ORDER:{key}");
    for entry in [
        r#"{"at":"2026-11-29T08:00:00Z","worker":"w-1","delivery":1,"lock":"taken","record":"inserted","outcome":"first"}"#,
        "not json",
        r#"{"at":"2026-11-29T08:00:09Z","worker":"w-2","delivery":2,"lock":"held","outcome":"deferred"}"#,
    ] {
        redis::cmd("LPUSH").arg(&list).arg(entry).exec_async(&mut redis).await.unwrap();
    }
    let trace = store(&url, "any").trace(Some("ORDER"), &key).await.unwrap();
    let told: Vec<_> = trace.iter().map(|entry| (entry.worker.as_deref(), entry.outcome.as_deref())).collect();
    assert_eq!(told, [(Some("w-2"), Some("deferred")), (Some("w-1"), Some("first"))]);
    assert!(store(&url, "any").trace(Some("ORDER"), "nobody wrote of it").await.unwrap().is_empty());
}

async fn reported(console: &Console, at: DateTime<Utc>, holds: impl Fn(&[Reported]) -> bool) -> Vec<Reported> {
    let read = async || {
        let mut rows = console.system.state.reports.every(SOURCE, at, at + TimeDelta::minutes(1)).await.unwrap();
        rows.sort_by(|one, other| one.r#type.cmp(&other.r#type));
        rows
    };
    eventually(read, |rows| holds(rows)).await
}

#[tokio::test]
async fn what_is_reported_comes_into_panel_and_history() {
    let team = team().await;
    let at = fresh_minute().await;
    team.report(at, &[("ORDER|first", 90), ("ORDER|dup_index", 10), ("ORDER|ms|100", 90), ("REFUND|first", 5)]).await;
    team.report(at, &[("ORDER|conflict", 40), ("ORDER|from|order_event", 10), ("|alive|w-1", 1)]).await;
    let console = team.collecting().await;
    let panel: Panel<SignalsPanel> = console.until("signals", |panel: &Panel<SignalsPanel>| panel.body.is_some()).await;
    let body = panel.body.unwrap();
    assert_eq!((body.total.deliveries(), body.total.duplicates(), body.total.conflict), (105, 10, 40));
    assert_eq!(body.types.iter().map(|of| of.r#type.as_str()).collect::<Vec<_>>(), ["ORDER", "REFUND"]);
    assert_eq!((body.handling.p50_ms, body.handling.p99_ms), (Some(85), Some(100)));
    assert_eq!((body.types[0].origins[0].name.as_str(), body.reported_at), ("order_event", Some(at)));
    let rows = reported(&console, at, |rows| rows.len() == 3).await;
    assert_eq!(rows[0].minute.counts.deliveries(), 105);
    assert_eq!((rows[0].alive.len(), rows[1].alive.len()), (1, 0));
    assert_eq!(rows[1].minute.counts.deliveries(), 100);
    // More of the same minute.
    team.report(at, &[("ORDER|first", 10)]).await;
    reported(&console, at, |rows| rows[1].minute.counts.first == 100).await;
}

#[tokio::test]
async fn late_reports_are_found_and_lost_ones_stay() {
    let team = team().await;
    let at = fresh_minute().await - TimeDelta::minutes(3);
    team.report(at, &[("ORDER|first", 7)]).await;
    let console = team.collecting().await;
    reported(&console, at, |rows| rows.len() == 2 && rows[0].minute.counts.first == 7).await;
    team.report(at, &[("ORDER|first", 2)]).await;
    reported(&console, at, |rows| rows[0].minute.counts.first == 9).await;
    // Redis loses it; what was reported was reported.
    let key = format!("{}_stat:{SOURCE}:{}:0", team.prefix, at.format("%Y%m%d%H%M"));
    redis::cmd("DEL").arg(&key).exec_async(&mut team.redis_connection().await).await.unwrap();
    console.stop().await;
    drop(console);
    let again = team.collecting().await;
    again.until("signals", |panel: &Panel<SignalsPanel>| panel.body.is_some()).await;
    let rows = again.system.state.reports.minutes(SOURCE, "", at, at + TimeDelta::minutes(1)).await.unwrap();
    assert_eq!(rows[0].minute.counts.first, 9);
}

#[tokio::test]
async fn beyond_two_hundred_types_the_rest_is_one() {
    let team = team().await;
    let at = fresh_minute().await;
    let fields: Vec<(String, u64)> = (0..300).map(|at| (format!("T{at:03}|first"), 1_000 - at)).collect();
    let fields: Vec<(&str, u64)> = fields.iter().map(|(field, count)| (field.as_str(), *count)).collect();
    team.report(at, &fields).await;
    let console = team.collecting().await;
    let rows = reported(&console, at, |rows| rows.len() == 202).await;
    let other = rows.iter().find(|row| row.r#type == "other").unwrap();
    assert_eq!(other.minute.counts.first, (200..300).map(|at| 1_000 - at).sum::<u64>());
    assert_eq!(rows[0].minute.counts.first, (0..300).map(|at| 1_000 - at).sum::<u64>());
}

#[tokio::test]
async fn a_trace_tells_what_a_look_up_could_not() {
    let team = team().await;
    let mut redis = team.redis_connection().await;
    let at = |ago: i64| (SystemClock.now() - TimeDelta::seconds(ago)).to_rfc3339();
    let mut write = async |key: &str, outcome: &str, ago: i64| {
        let entry = serde_json::json!({"at": at(ago), "worker": "w-1", "lock": "taken", "outcome": outcome});
        let list = format!("idem_trace:{SOURCE}:ORDER_DONE:{key}");
        redis::cmd("LPUSH").arg(&list).arg(entry.to_string()).exec_async(&mut redis).await.unwrap();
    };
    let [swallowed, leaked] = ["swallowed", "leaked"].map(|name| format!("{name}-{}", team.prefix));
    team.insert(1, &swallowed, 1, 900).await;
    write(&swallowed, "dup_index", 60).await;
    team.insert(2, &leaked, 2, 900).await;
    write(&leaked, "completed", 800).await;
    write(&leaked, "completed", 700).await;
    let console = team.console().await;
    let look_up = async |key: &str| console.reads.lookup(SOURCE, Some("ORDER_DONE"), key).await.unwrap();
    let found = look_up(&swallowed).await;
    assert_eq!(found.verdict.unwrap().code, VerdictCode::Swallowed);
    assert_eq!((found.trace[0].worker.as_deref(), found.trace[0].lock.as_deref()), (Some("w-1"), Some("taken")));
    let found = look_up(&leaked).await;
    assert_eq!((found.verdict.unwrap().code, found.trace.len()), (VerdictCode::Leaked, 2));
    assert!(!found.unseen.contains(&Layer::Signals));
}

#[tokio::test]
async fn check_says_whether_consumers_report() {
    let mut team = team().await;
    let desk = Desk::new(&team.toml());
    let note = |desk: &Desk| {
        let checked = desk.run(&["check", "--json"]).json();
        let notes = checked["items"][0]["notes"].as_array().unwrap().clone();
        notes.into_iter().find(|note| note["code"] == "reports").unwrap_or_else(|| panic!("{checked:#}"))
    };
    let silent = note(&desk);
    assert_eq!((&silent["deliveries"], &silent["instances"]), (&json!(0), &json!(0)));
    assert!(desk.run(&["check"]).out.contains("Nobody has reported for 5 minutes"));
    let at = fresh_minute().await;
    team.report(at, &[("ORDER|first", 90), ("ORDER|dup_index", 10), ("|alive|w-1", 1), ("ORDER|nonsense", 3)]).await;
    let told = note(&desk);
    assert_eq!((&told["deliveries"], &told["instances"], &told["unreadable"]), (&json!(100), &json!(1), &json!(1)));
    team.redis = Some("redis://127.0.0.1:9".into());
    let away = Desk::new(&team.toml()).run(&["check", "--json"]);
    assert_eq!(away.code, 1, "{}", away.out);
}
