//! The database server: its clock, and whether it is a replica.

use super::{Engine, check};
use crate::cases::load;
use crate::cli::{Desk, source};
use serde_json::json;

/// One server for both, since it takes seconds to start.
#[tokio::test]
async fn a_clock_that_is_wrong_and_a_replica_on_mariadb() {
    let server = lab::services::mariadb::start().await.unwrap();
    load(
        server.url(),
        "CREATE DATABASE points;
         CREATE USER console@'127.0.0.1' IDENTIFIED BY 'pw';
         GRANT SELECT ON points.* TO console@'127.0.0.1';
         SET GLOBAL init_connect = 'SET timestamp = UNIX_TIMESTAMP() + 30'",
    )
    .await;
    load(&format!("{}points", server.url()), Engine::Mariadb.table()).await;
    let url = |user: &str| format!("mysql://{user}@{}/points", server.address());
    let desk = Desk::new(&source("points", &url("console:pw")));
    let found = check(&desk);
    let ahead = found.problem("clock_apart")["ahead_ms"].as_i64().unwrap();
    assert!((25_000..=31_000).contains(&ahead), "{ahead}");
    assert_eq!(found.note("replica"), None);

    load(server.url(), "SET GLOBAL init_connect = 'SET timestamp = UNIX_TIMESTAMP() - 30'").await;
    assert!(check(&desk).problem("clock_apart")["ahead_ms"].as_i64().unwrap() < -25_000);

    // Read-only alone; this account may not ask what it follows.
    load(server.url(), "SET GLOBAL init_connect = '';\nSET GLOBAL read_only = 1").await;
    let unknown = json!({ "code": "replica", "behind_ms": null });
    let found = check(&desk);
    assert_eq!((found.code, found.note("replica")), (0, Some(&unknown)));
    load(server.url(), "SET GLOBAL read_only = 0;\nCHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_USER = 'nobody'")
        .await;
    desk.configure(&source("points", &url("lab:lab-password")));
    assert_eq!(check(&desk).note("replica"), Some(&unknown));
}

#[tokio::test]
async fn a_replica_on_postgres() {
    let mut server = lab::services::postgres::start().await.unwrap();
    load(server.url(), Engine::Postgres.table()).await;
    let desk = Desk::new(&source("points", server.url()));
    assert_eq!(check(&desk).note("replica"), None);
    let mut connection = <sqlx::PgConnection as sqlx::Connection>::connect(server.url()).await.unwrap();
    let data: String = sqlx::query_scalar("SHOW data_directory").fetch_one(&mut connection).await.unwrap();
    sqlx::Connection::close(connection).await.unwrap();
    server.stop().await.unwrap();
    std::fs::write(std::path::Path::new(&data).join("standby.signal"), "").unwrap();
    server.start_again().await.unwrap();
    let found = check(&desk);
    assert!(found.note("replica").is_some(), "{:?}", found.notes);
    assert_eq!(found.code, 0);
}
