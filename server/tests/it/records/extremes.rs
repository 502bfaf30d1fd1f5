//! Rows that nobody would write, and somebody has.

use super::query;
use super::table::{Engine, Indexed, Mapping, Table, insert};
use app::model::{Fault, RecordsQuery, Status};
use server::clock::{Clock, SystemClock};
use server::ports::records::Span;
use std::time::Duration;

conformance!(
    a_row_of_a_hundred_megabytes_costs_a_page_nothing,
    a_type_of_four_kilobytes_is_a_type,
    among_fifty_thousand_types_the_type_must_be_given,
    an_account_that_may_only_read_is_enough,
    values_that_no_client_can_show_hide_no_others,
);

/// A table without the unique key, whose types and errors may be of any length.
async fn roomy(engine: Engine) -> Table {
    let table = Table::textbook(engine, Indexed::No).await;
    table.run("DROP TABLE idempotent_record").await;
    let (id, long) = match engine {
        Engine::Mariadb => ("BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY", "LONGTEXT"),
        Engine::Postgres => ("bigserial PRIMARY KEY", "text"),
        Engine::Sqlite => ("INTEGER PRIMARY KEY", "TEXT"),
    };
    table
        .run(&format!(
            "CREATE TABLE idempotent_record (id {id}, biz_id VARCHAR(64) NOT NULL, biz_type {long} NOT NULL,
             status SMALLINT NOT NULL, create_time {time}, update_time {time}, last_error {long})",
            time = if engine == Engine::Postgres { "timestamp" } else { "DATETIME" },
        ))
        .await;
    table
}

fn with_error() -> Mapping {
    Mapping { error: Some("last_error"), ..Mapping::textbook() }
}

async fn a_row_of_a_hundred_megabytes_costs_a_page_nothing(engine: Engine) {
    let table = roomy(engine).await;
    let (long, length) = match engine {
        // No packet of it is larger than max_allowed_packet.
        Engine::Mariadb => ("REPEAT('x', 15000000)", 15_000_000),
        Engine::Postgres => ("repeat('x', 100000000)", 100_000_000),
        Engine::Sqlite => ("replace(hex(zeroblob(50000000)), '0', 'x')", 100_000_000),
    };
    let insert = |id: u32, error: &str| {
        format!(
            "INSERT INTO idempotent_record VALUES
             ({id}, 'k{id}', 'A', 3, '2026-11-29 08:00:00', '2026-11-29 08:00:00', {error})"
        )
    };
    table.run(&format!("{};\n{};\n{}", insert(1, "'short'"), insert(2, long), insert(3, "NULL"))).await;
    let store = table.store_with(&with_error());
    let began = SystemClock.instant();
    let rows = store.list(&query(None, 10)).await.unwrap().items;
    let took = SystemClock.instant() - began;
    let errors: Vec<_> = rows.iter().map(|row| row.record.error.as_ref().map(|error| error.chars().count())).collect();
    assert_eq!(errors, [None, Some(4_096), Some(5)], "of {length} characters");
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert_eq!(store.scan(super::TABLE, &Span { after: None, up_to: None }, 10).await.unwrap().rows.len(), 3);
}

async fn a_type_of_four_kilobytes_is_a_type(engine: Engine) {
    let table = roomy(engine).await;
    let r#type = "订单".repeat(700);
    for id in 1..=3 {
        let status = id;
        table
            .run(&format!(
                "INSERT INTO idempotent_record VALUES
                 ({id}, 'k{id}', '{type}', {status}, '2026-11-29 08:00:00', '2026-11-29 08:00:00', NULL)"
            ))
            .await;
    }
    let store = table.store_with(&with_error());
    let mut wanted = RecordsQuery { r#type: Some(r#type.clone()), limit: 2, ..RecordsQuery::default() };
    let first = store.list(&wanted).await.unwrap();
    assert_eq!(first.items.len(), 2);
    wanted.cursor = first.next;
    let second = store.list(&wanted).await.unwrap();
    assert_eq!((second.items.len(), second.items[0].record.r#type.as_ref()), (1, Some(&r#type)));
    assert_eq!(store.find(Some(&r#type), "k2").await.unwrap().len(), 1);
}

async fn among_fifty_thousand_types_the_type_must_be_given(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    table.fill(50_000, |id| insert(id, &format!("T{id}"), &format!("k{id}"), 2, "2026-11-29 08:00:00")).await;
    let store = table.store();
    let began = SystemClock.instant();
    let alone = store.find(None, "k77").await.unwrap_err();
    assert!(SystemClock.instant() - began < Duration::from_secs(10));
    assert!(matches!(&alone, Fault::BadInput { what, .. } if what == "type"), "{alone:?}");
    assert_eq!(store.find(Some("T77"), "k77").await.unwrap().len(), 1);
    let of_type = RecordsQuery { r#type: Some("T77".into()), limit: 5, ..RecordsQuery::default() };
    assert_eq!(store.list(&of_type).await.unwrap().items.len(), 1);
}

async fn an_account_that_may_only_read_is_enough(engine: Engine) {
    let table = Table::textbook(engine, Indexed::StatusAndTime).await;
    table.add(insert(1, "A", "k", 1, "2026-11-29 08:00:00")).await;
    let mut url: url::Url = table.url().parse().unwrap();
    let database = url.path().trim_start_matches('/').to_owned();
    let name = format!("reader_{}", &uuid::Uuid::new_v4().simple().to_string()[..12]);
    match engine {
        // Its file is always opened to read.
        Engine::Sqlite => {}
        Engine::Mariadb => {
            table
                .run(&format!(
                    "CREATE USER '{name}'@'127.0.0.1' IDENTIFIED BY 'r';\n
                     GRANT SELECT ON `{database}`.idempotent_record TO '{name}'@'127.0.0.1'"
                ))
                .await;
        }
        Engine::Postgres => {
            table
                .run(&format!("CREATE ROLE {name} LOGIN PASSWORD 'r';\nGRANT SELECT ON idempotent_record TO {name}"))
                .await;
        }
    }
    if engine != Engine::Sqlite {
        url.set_username(&name).unwrap();
        url.set_password(Some("r")).unwrap();
    }
    let store = table.store_at(url.as_str());
    assert_eq!(store.describe().await.unwrap().problems, []);
    store.clock().await.unwrap();
    assert_eq!(store.list(&query(Some(Status::Processing), 5)).await.unwrap().items.len(), 1);
    assert_eq!(store.find(None, "k").await.unwrap().len(), 1);
    assert_eq!(store.open(10).await.unwrap().processing.value, 1);
    assert_eq!(store.last_id(super::TABLE).await.unwrap(), Some(1));
}

async fn values_that_no_client_can_show_hide_no_others(engine: Engine) {
    let table = roomy(engine).await;
    let (change, odd) = match engine {
        Engine::Mariadb => ("ALTER TABLE idempotent_record MODIFY last_error POINT", "POINT(1, 2)"),
        Engine::Postgres => ("ALTER TABLE idempotent_record ALTER last_error TYPE point USING NULL", "point(1, 2)"),
        Engine::Sqlite => ("SELECT 1", "CAST(x'ff00fe' AS TEXT)"),
    };
    table.run(change).await;
    table
        .run(&format!(
            "INSERT INTO idempotent_record VALUES (1, 'odd', 'A', 3, '2026-11-29 08:00:00', NULL, {odd});\n
             INSERT INTO idempotent_record VALUES (2, 'plain', 'A', 3, '2026-11-29 08:00:00', NULL, NULL)"
        ))
        .await;
    let rows = table.store_with(&with_error()).list(&query(None, 10)).await.unwrap().items;
    let keys: Vec<_> = rows.iter().map(|row| row.record.key.as_deref().unwrap()).collect();
    assert_eq!(keys, ["plain", "odd"]);
    assert!(rows[1].record.error.is_some());
}
