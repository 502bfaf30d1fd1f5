//! A console that was killed goes on where it was.

use super::{body, processing, value, whole};
use crate::cli::{Desk, points, source};
use crate::eventually::eventually;
use crate::serve;
use crate::team::{Console, Engine, Index, Team};
use app::model::{Panel, Quality, RecordsPanel};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection, SqliteConnection};
use std::time::Duration;

/// Many finished rows, and a failed one in each thousand.
fn many(from: u32, to: u32) -> String {
    format!(
        "INSERT INTO idempotent_record
         WITH RECURSIVE n(i) AS (SELECT {from} UNION ALL SELECT i + 1 FROM n WHERE i < {to})
         SELECT i, 'k' || i, 'ORDER_DONE', CASE WHEN i % 1000 = 0 THEN 3 ELSE 2 END,
            datetime('now', '-1 day'), datetime('now', '-1 day') FROM n"
    )
}

async fn large(index: Index) -> Team {
    let mut team = Team::new(Engine::Sqlite, index).await;
    team.limits = "scan_rows = 500";
    team.sql(&many(1, 30_000)).await;
    team
}

fn walked(panel: &Panel<RecordsPanel>) -> u64 {
    panel.body.as_ref().and_then(|body| body.pass.as_ref()).map_or(0, |pass| pass.walked)
}

/// Nothing is written at the end of a task, so this is a kill that frees the state's file.
async fn stopped(console: Console) {
    console.stop().await;
}

async fn a_first_walk_that_was_killed_goes_on(index: Index) {
    let team = large(index).await;
    let before = {
        let console = team.collecting().await;
        let panel = console.records(|panel| walked(panel) >= 6_000).await;
        assert!(!whole(&panel), "the walk is to be cut off: {panel:?}");
        stopped(console).await;
        walked(&panel)
    };
    let console = team.collecting().await;
    let first = console.records(|panel| walked(panel) > 0).await;
    // What was kept lags by a checkpoint.
    assert!(walked(&first) >= before / 2, "{} of {before}", walked(&first));
    assert_eq!(body(&first).processing.map(|count| count.quality), Some(Quality::Partial));
    let panel = console.records(whole).await;
    assert_eq!((value(body(&panel).completed), value(body(&panel).failed)), (Some(29_970), Some(30)));
}

#[tokio::test]
async fn a_first_walk_by_id_that_was_killed_goes_on() {
    a_first_walk_that_was_killed_goes_on(Index::None).await;
}

#[tokio::test]
async fn a_first_walk_by_key_that_was_killed_goes_on() {
    a_first_walk_that_was_killed_goes_on(Index::OnlyKey).await;
}

/// Everything that may happen to a table while nobody looks.
#[tokio::test]
async fn what_happened_while_nobody_followed_is_seen() {
    for index in [Index::None, Index::OnTime, Index::OnlyKey] {
        let mut team = Team::new(Engine::Sqlite, index).await;
        team.limits = "scan_rows = 5000";
        team.sql(&many(1, 5_000)).await;
        team.insert(5_001, "open", 1, 3_600).await;
        team.insert(5_002, "finishes", 1, 3_600).await;
        team.insert(5_003, "goes", 1, 3_600).await;
        let console = team.collecting().await;
        console.records(|panel| whole(panel) && processing(panel) == Some(3)).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        stopped(console).await;
        team.sql("UPDATE idempotent_record SET status = 2 WHERE biz_id = 'finishes'").await;
        team.sql("DELETE FROM idempotent_record WHERE biz_id = 'goes'").await;
        team.sql(&many(6_001, 7_000)).await;
        team.insert(7_001, "new", 1, 10).await;
        let console = team.collecting().await;
        let panel = console
            .records(|panel| {
                whole(panel) && processing(panel) == Some(2) && value(body(panel).completed) == Some(5_995)
            })
            .await;
        assert_eq!(value(body(&panel).failed), Some(6), "{index:?}");
    }
}

#[tokio::test]
async fn a_table_that_was_replaced_meanwhile_is_walked_anew() {
    let team = large(Index::None).await;
    let console = team.collecting().await;
    console.records(|panel| walked(panel) >= 5_000).await;
    stopped(console).await;
    team.sql("DELETE FROM idempotent_record WHERE id > 800").await;
    team.sql("DELETE FROM idempotent_record WHERE id <= 500").await;
    let console = team.collecting().await;
    let panel = console.records(whole).await;
    assert_eq!((value(body(&panel).completed), value(body(&panel).failed)), (Some(300), Some(0)));
}

/// How far the source's table was followed, by the state of a server that runs in this folder.
async fn kept(desk: &Desk) -> Option<Value> {
    let url = format!("sqlite://{}?mode=ro", desk.path().join("oncewatch.db").display());
    let mut state = SqliteConnection::connect(&url).await.ok()?;
    let ask = sqlx::query_scalar::<_, String>("SELECT progress FROM oncewatch_followed");
    let json = ask.fetch_optional(&mut state).await.ok()??;
    serde_json::from_str(&json).ok()
}

async fn kept_until(desk: &Desk, holds: impl Fn(&Value) -> bool) -> Value {
    eventually(async || kept(desk).await, |progress| progress.as_ref().is_some_and(&holds)).await.expect("it held")
}

fn position(progress: &Value) -> u64 {
    progress["position"].as_str().unwrap().parse().unwrap()
}

/// The process itself, by SIGKILL.
#[tokio::test]
async fn a_server_that_is_killed_in_its_first_walk_goes_on_where_it_was() {
    let desk = points().await;
    let mut table =
        SqliteConnection::connect(&format!("sqlite://{}", desk.path().join("points.db").display())).await.unwrap();
    let script = format!("DELETE FROM idempotent_record; {}", many(1, 20_000));
    sqlx::raw_sql(AssertSqlSafe(script)).execute(&mut table).await.unwrap();
    desk.configure(&format!(
        "server.listen = '127.0.0.1:0'\ncollect.period = '1s'\nlimits.scan_rows = 100\n{}",
        source("points", "sqlite://points.db")
    ));
    let server = serve::Console::start(&desk, &["serve"]);
    let before = kept_until(&desk, |progress| position(progress) >= 2_000).await;
    server.end("KILL");
    assert_eq!(before["complete_as_of"], Value::Null);
    let before = position(&kept(&desk).await.unwrap());
    let _server = serve::Console::start(&desk, &["serve"]);
    let whole = kept_until(&desk, |progress| {
        assert!(position(progress) >= before, "it began anew: {progress} after {before}");
        progress["complete_as_of"] != Value::Null && position(progress) >= 19_900
    })
    .await;
    assert_eq!(whole["tally"]["rows"].as_u64(), Some(position(&whole)), "each row once");
}
