//! What goes wrong is told apart, in bounded time and without secrets.

use super::query;
use super::table::{Engine, Indexed, Table, insert};
use app::model::{Fault, Layer};
use server::adapters::records::catalogue::Kind;
use server::adapters::records::dialect::Statement;
use server::adapters::records::store::Failure;
use server::clock::{Clock, SystemClock};
use std::time::Duration;

conformance!(
    a_slow_statement_ends_at_its_time_out,
    a_wrong_password_is_not_repeated,
    a_table_that_goes_and_comes_back,
    away_and_back,
);

async fn a_slow_statement_ends_at_its_time_out(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    let slow = match engine {
        Engine::Mariadb => "SELECT CAST(SLEEP(20) AS CHAR)",
        Engine::Postgres => "SELECT CAST(pg_sleep(20) AS text)",
        Engine::Sqlite => "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c",
    };
    let engine = table.engine_with(|limits| limits.statement_timeout = Duration::from_millis(300));
    let began = SystemClock.instant();
    let ended = engine.fetch(&Statement::fixed(slow, Vec::new(), vec![Kind::Text])).await;
    let after = SystemClock.instant() - began;
    assert!(
        matches!(ended, Err(Failure::Fault(Fault::TimedOut { layer: Layer::Records, after_ms: 300 }))),
        "{ended:?} after {after:?}"
    );
    assert!(after < Duration::from_millis(1200), "the server itself ended it: {after:?}");
    // The next statement is not held up.
    engine.fetch(&engine.dialect().clock()).await.unwrap();
}

async fn a_wrong_password_is_not_repeated(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    let refused = match engine {
        Engine::Sqlite => table.store_at("sqlite:///nowhere/records.db").describe().await,
        Engine::Mariadb | Engine::Postgres => {
            let mut url: url::Url = table.url().parse().unwrap();
            url.set_username("nobody").unwrap();
            url.set_password(Some("hunter2")).unwrap();
            table.store_at(url.as_str()).describe().await
        }
    }
    .unwrap_err();
    match (engine, &refused) {
        (Engine::Sqlite, Fault::Unreachable { .. }) | (Engine::Mariadb, Fault::Refused { .. }) => {}
        // PostgreSQL of the test kit trusts everybody, but has no such role.
        (Engine::Postgres, Fault::Refused { .. } | Fault::Unreachable { .. }) => {}
        _ => panic!("{refused:?}"),
    }
    for text in [refused.to_string(), format!("{refused:?}"), serde_json::to_string(&refused).unwrap()] {
        assert!(!text.contains("hunter2"), "{text}");
    }
}

async fn a_table_that_goes_and_comes_back(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    table.add(insert(1, "A", "k", 1, "2026-11-29 08:00:00")).await;
    let store = table.store();
    assert_eq!(store.list(&query(None, 5)).await.unwrap().items.len(), 1);
    table.run("ALTER TABLE idempotent_record RENAME COLUMN biz_id TO bizz_id").await;
    let missing = Fault::ColumnMissing { table: "idempotent_record".into(), column: "biz_id".into() };
    assert_eq!(store.list(&query(None, 5)).await.unwrap_err(), missing);
    table.run("ALTER TABLE idempotent_record RENAME TO elsewhere").await;
    let missing = Fault::TableMissing { table: "idempotent_record".into() };
    assert_eq!(store.list(&query(None, 5)).await.unwrap_err(), missing);
    table.run("ALTER TABLE elsewhere RENAME TO idempotent_record").await;
    table.run("ALTER TABLE idempotent_record RENAME COLUMN bizz_id TO biz_id").await;
    assert_eq!(store.list(&query(None, 5)).await.unwrap().items.len(), 1);
}

async fn away_and_back(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    table.add(insert(1, "A", "k", 1, "2026-11-29 08:00:00")).await;
    if engine == Engine::Sqlite {
        return table.file_away_and_back().await;
    }
    let mut url: url::Url = table.url().parse().unwrap();
    let target = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap()).parse().unwrap();
    let proxy = lab::Proxy::start(target).await.unwrap();
    url.set_port(Some(proxy.addr().port())).unwrap();
    let store = table.store_at(url.as_str());
    assert_eq!(store.list(&query(None, 5)).await.unwrap().items.len(), 1);
    proxy.cut().await;
    let away = store.list(&query(None, 5)).await.unwrap_err();
    assert!(matches!(away, Fault::Unreachable { layer: Layer::Records, .. }), "{away:?}");
    proxy.restore().await.unwrap();
    assert_eq!(store.list(&query(None, 5)).await.unwrap().items.len(), 1);
    // A line that has become too slow: known after the statement's time-out and the connection's, not never.
    proxy.delay(Duration::from_secs(30));
    let began = SystemClock.instant();
    let late = store.clock().await.unwrap_err();
    assert!(matches!(late, Fault::Unreachable { .. } | Fault::TimedOut { .. }), "{late:?}");
    assert!(SystemClock.instant() - began < Duration::from_secs(10));
}
