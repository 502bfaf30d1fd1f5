//! The console's own database on a bad day: whoever is signed in goes on reading, and nothing happens that the audit
//! could not be told of.

use crate::console::{Console, SOURCE, Who};
use crate::state::file::SmallDisk;
use app::model::Role;
use axum::http::StatusCode;
use redis::AsyncCommands;
use serde_json::json;
use sqlx::{Connection, SqliteConnection};
use std::time::Duration;

const PAGES: [&str; 6] = [
    "/s/points/overview",
    "/s/points/records",
    "/s/points/lookup?key=42",
    "/s/points/locks",
    "/s/points/brokers",
    "/settings",
];

/// A finished record whose lock is still there.
async fn orphan(console: &Console) -> String {
    console
        .sql(
            "INSERT INTO idempotent_record (biz_id, biz_type, status, create_time, update_time)
              VALUES ('42', 'ORDER', 2, datetime('now', '-1 hour'), datetime('now', '-1 hour'))",
        )
        .await;
    let key = format!("{}:ORDER:42", console.prefix);
    let _: () = console.redis().await.pset_ex(&key, "worker-1", 600_000).await.unwrap();
    key
}

async fn release(console: &Console, script: &Who, lock: &str) -> StatusCode {
    let body = json!({
        "operation_id": "op-1", "key": lock, "owner": "worker-1", "type": "ORDER", "biz_key": "42", "reason": "its worker died",
    });
    console.post_json(script, &format!("/api/sources/{SOURCE}/locks/release"), &body).await.status
}

async fn pages_open(console: &Console, who: &Who) {
    // The use of the session would be noted now.
    console.clock.advance(Duration::from_secs(300));
    for path in PAGES {
        assert_eq!(console.get(who, path).await.status, StatusCode::OK, "{path}");
    }
}

#[tokio::test]
async fn while_the_state_is_locked_pages_open_and_nothing_is_done() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Operator).await;
    let ci = console.token("ci", Role::Operator, None).await;
    let lock = orphan(&console).await;
    let mut writer = SqliteConnection::connect(console.system.config.state.url.expose()).await.unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut writer).await.unwrap();

    pages_open(&console, &lin).await;
    assert_eq!(release(&console, &ci, &lock).await, StatusCode::SERVICE_UNAVAILABLE);
    let there: bool = console.redis().await.exists(&lock).await.unwrap();
    assert!(there, "what cannot be audited is not done");

    sqlx::raw_sql("ROLLBACK").execute(&mut writer).await.unwrap();
    assert_eq!(release(&console, &ci, &lock).await, StatusCode::OK, "the same operation, once more");
    let there: bool = console.redis().await.exists(&lock).await.unwrap();
    assert!(!there);
}

#[tokio::test]
async fn while_the_disk_is_full_pages_open_and_nothing_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let Some(_disk) = SmallDisk::mount(folder.path()) else {
        println!("not tested: mounting a small file system is not allowed here");
        return;
    };
    let url = format!("sqlite://{}", folder.path().join("state.db").display());
    let console = Console::on("", lab::redis().await.unwrap().url.clone(), &url).await;
    let lin = console.signed_in("lin.wei", Role::Operator).await;
    let ci = console.token("ci", Role::Operator, None).await;
    let lock = orphan(&console).await;
    // To the last byte: what is left of the write-ahead log would still take a small commit.
    console.state_sql("PRAGMA wal_checkpoint(TRUNCATE)").await;
    let ballast = folder.path().join("ballast");
    let filled = std::fs::write(&ballast, vec![0; 4 << 20]);
    assert!(filled.is_err(), "the disk took everything");

    pages_open(&console, &lin).await;
    assert_eq!(release(&console, &ci, &lock).await, StatusCode::SERVICE_UNAVAILABLE);
    let there: bool = console.redis().await.exists(&lock).await.unwrap();
    assert!(there, "what cannot be audited is not done");

    std::fs::remove_file(&ballast).unwrap();
    assert_eq!(release(&console, &ci, &lock).await, StatusCode::OK, "the same operation, once more");
    drop(console);
}
