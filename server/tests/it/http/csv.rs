//! Lists and charts as files.

use super::course::{ORDERS, happened, hour};
use crate::console::{Answer, Console, Who};
use app::model::Role;
use axum::http::StatusCode;
use chrono::TimeDelta;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use sqlx::{Connection, SqliteConnection};
use std::collections::BTreeSet;

/// Its rows, each by its column's name. What a spreadsheet would run must not be among them.
fn rows(answer: &Answer) -> Vec<Vec<(String, String)>> {
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8; header=present");
    assert!(answer.body.ends_with("\r\n"));
    let mut reader = csv::Reader::from_reader(answer.body.as_bytes());
    let head: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    assert_eq!(head.iter().collect::<BTreeSet<_>>().len(), head.len(), "{head:?}");
    let named = |row: csv::StringRecord| {
        assert!(row.iter().all(|field| !field.starts_with(['=', '+', '@', '\t', '\r'])), "{row:?}");
        head.iter().cloned().zip(row.iter().map(str::to_owned)).collect()
    };
    reader.into_records().map(|row| named(row.unwrap())).collect()
}

fn field<'a>(row: &'a [(String, String)], name: &str) -> &'a str {
    &row.iter().find(|(own, _)| own == name).unwrap_or_else(|| panic!("no {name} in {row:?}")).1
}

async fn get(console: &Console, who: &Who, path: &str) -> Answer {
    console.get(who, &format!("/api/sources/{path}")).await
}

#[tokio::test]
async fn every_step_has_its_row_and_what_was_not_read_is_empty() {
    let console = Console::with(ORDERS).await;
    let program = console.token("report", Role::Viewer, Some("orders")).await;
    let two = hour(&console, 2);
    happened(&console, two, 10).await;
    happened(&console, two + TimeDelta::minutes(2), 4).await;

    let answer = get(&console, &program, "orders/overview.csv").await;
    assert!(answer.header("content-disposition").starts_with("attachment; filename=\"orders-course-2"));
    let course = rows(&answer);
    assert_eq!(course.len(), 180, "the gaps too");
    let at = two.format("%Y-%m-%dT%H:%M:%SZ").to_string();
    let place = course.iter().position(|row| field(row, "at") == at).unwrap();
    let of = |back: usize, name: &str| field(&course[place + back], name).to_owned();
    assert_eq!([of(0, "deliveries"), of(0, "aging"), of(0, "alive"), of(0, "step_s")], ["10", "10", "1", "60"]);
    assert_eq!([of(1, "deliveries"), of(1, "aging"), of(1, "p99_ms")], ["", "", ""], "a gap is no zero");
    assert_eq!([of(2, "deliveries"), of(2, "leaked"), of(2, "processing")], ["4", "0", ""]);

    let layers = rows(&get(&console, &program, "orders/overview.csv?table=layers&range=24h").await);
    assert_eq!(layers.iter().filter(|row| field(row, "deliveries") == "14").count(), 1, "both minutes in one step");
    let sources = rows(&get(&console, &program, "orders/overview.csv?table=sources").await);
    assert_eq!((sources.len(), field(&sources[0], "duplicates"), field(&sources[0], "origin")), (1, "7", "'=queue"));
    for table in ["aging", "handling", "conflicts", "ages", "attention", "oldest"] {
        rows(&get(&console, &program, &format!("orders/overview.csv?table={table}")).await);
    }
    let refused = get(&console, &program, "orders/overview.csv?table=all").await;
    assert_eq!((refused.status, refused.header("content-type")), (StatusCode::BAD_REQUEST, "application/problem+json"));
    assert!(refused.json()["detail"].as_str().unwrap().contains("expected one of `course`"), "{}", refused.body);
    assert_eq!(get(&console, &program, "points/overview.csv").await.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_byte_order_mark_stands_there_only_when_it_is_asked_for() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Viewer).await;
    console.sql("INSERT INTO idempotent_record (biz_id, biz_type, status) VALUES ('订单', 'ORDER', 2)").await;
    let files = ["points/overview.csv?table=ages", "points/records.csv?type=ORDER", "points/lookup.csv?key=1"];
    for path in files.into_iter().chain(["points/locks.csv?table=fits", "points/brokers.csv?"]) {
        let plain = get(&console, &lin, path).await;
        assert!(!plain.body.starts_with('\u{feff}'), "{path}");
        assert_eq!(get(&console, &lin, &format!("{path}&bom=0")).await.body, plain.body, "{path}");
        let marked = get(&console, &lin, &format!("{path}&bom=1")).await;
        assert_eq!(marked.status, StatusCode::OK, "{path}: {}", marked.body);
        assert_eq!(marked.body.strip_prefix('\u{feff}'), Some(plain.body.as_str()), "{path}");
    }
    assert!(console.get(&lin, "/api/settings.csv?bom=1").await.body.starts_with("\u{feff}source,"));
    let refused = get(&console, &lin, "points/records.csv?bom=yes").await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert!(refused.json()["detail"].as_str().unwrap().contains("expected `0` or `1`"), "{}", refused.body);
}

#[tokio::test]
async fn records_come_whole_and_run_nothing() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Viewer).await;
    console
        .sql(
            "INSERT INTO idempotent_record (biz_id, biz_type, status, create_time, update_time) VALUES
            ('=cmd|''/C calc''!A0', 'A', 1, '2026-11-29 08:00:00', '2026-11-29 08:00:01'),
            ('a,\"b\"' || char(10) || '订单', '+B', 7, '2026-11-29 08:00:00', '2026-11-29 08:00:00')",
        )
        .await;
    let answer = get(&console, &lin, "points/records.csv").await;
    assert!(answer.header("content-disposition").starts_with("attachment; filename=\"points-records-2"));
    assert_eq!(answer.header("x-next-cursor"), "");
    let records = rows(&answer);
    let (odd, formula) = (&records[0], &records[1]);
    assert_eq!((field(formula, "key"), field(formula, "status")), ("'=cmd|'/C calc'!A0", "processing"));
    assert_eq!(field(formula, "updated_at"), "2026-11-29T08:00:01Z");
    assert_eq!((field(odd, "key"), field(odd, "type")), ("a,\"b\"\n订单", "'+B"));
    assert_eq!((field(odd, "status"), field(odd, "code"), field(odd, "owner")), ("unmapped", "7", ""));

    let searched = rows(&get(&console, &lin, "points/records.csv?status=processing&q=type:A").await);
    assert_eq!(searched.len(), 1);
    let refused = get(&console, &lin, "points/records.csv?q=age:ten").await;
    assert_eq!((refused.status, &refused.json()["code"]), (StatusCode::BAD_REQUEST, &"bad_search".into()));
}

#[tokio::test]
async fn a_long_list_ends_where_the_limit_is_and_says_how_to_go_on() {
    let console = Console::with("[limits]\nexport_rows = 250\n").await;
    let lin = console.signed_in("lin.wei", Role::Viewer).await;
    console
        .sql(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 620)
            INSERT INTO idempotent_record (biz_id, biz_type, status) SELECT 'k' || i, 'ORDER', 2 FROM n",
        )
        .await;
    let (mut keys, mut lengths, mut query) = (BTreeSet::new(), Vec::new(), String::new());
    loop {
        let answer = get(&console, &lin, &format!("points/records.csv{query}")).await;
        let records = rows(&answer);
        lengths.push(records.len());
        keys.extend(records.iter().map(|row| field(row, "key").to_owned()));
        let next = answer.header("x-next-cursor");
        assert_eq!(answer.header("content-disposition").contains("-incomplete-"), !next.is_empty());
        if next.is_empty() {
            break;
        }
        query = format!("?cursor={}", url::form_urlencoded::byte_serialize(next.as_bytes()).collect::<String>());
    }
    assert_eq!((lengths, keys.len()), (vec![250, 250, 120], 620), "none lost, none twice");
}

/// Each is many statements on a team's database.
#[tokio::test]
async fn of_three_exports_at_a_time_one_is_refused_and_may_come_again() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Viewer).await;
    console.sql("INSERT INTO idempotent_record (biz_id, biz_type, status) VALUES ('42', 'ORDER', 2)").await;
    let export = || get(&console, &lin, "points/records.csv");
    // Whoever writes to this file keeps its readers waiting.
    let file = console.system.config.sources[0].records.url.expose();
    let mut writer = SqliteConnection::connect(file).await.unwrap();
    sqlx::raw_sql("BEGIN EXCLUSIVE").execute(&mut writer).await.unwrap();
    let mut exports: FuturesUnordered<_> = (0..3).map(|_| export()).collect();
    let refused = exports.next().await.unwrap();
    assert_eq!(
        (refused.status, refused.header("content-type")),
        (StatusCode::TOO_MANY_REQUESTS, "application/problem+json"),
        "{}",
        refused.body
    );
    assert!(refused.json()["detail"].as_str().unwrap().contains("try again"), "{}", refused.body);
    sqlx::raw_sql("ROLLBACK").execute(&mut writer).await.unwrap();
    while let Some(written) = exports.next().await {
        assert_eq!(rows(&written).len(), 1);
    }
    assert_eq!(rows(&export().await).len(), 1, "there is room again");
}

#[tokio::test]
async fn every_other_page_has_its_files() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Viewer).await;
    console.sql("INSERT INTO idempotent_record (biz_id, biz_type, status) VALUES ('42', 'ORDER', 2)").await;
    for path in ["points/locks.csv", "points/locks.csv?table=fits", "points/brokers.csv", "points/lookup.csv?key=42"] {
        rows(&get(&console, &lin, path).await);
    }
    let looked_up = rows(&get(&console, &lin, "points/lookup.csv?table=records&key=42").await);
    assert_eq!((looked_up.len(), field(&looked_up[0], "type")), (1, "ORDER"));
    let sources = rows(&console.get(&lin, "/api/settings.csv").await);
    assert_eq!((field(&sources[0], "source"), field(&sources[0], "lock_ttl_ms")), ("points", "15000"));
    let codes = rows(&console.get(&lin, "/api/settings.csv?table=codes&source=points").await);
    assert!(codes.iter().any(|row| (field(row, "codes"), field(row, "status")) == ("2", "completed")), "{codes:?}");
    for table in ["capabilities", "problems"] {
        rows(&console.get(&lin, &format!("/api/settings.csv?table={table}")).await);
    }
    assert!(rows(&console.get(&lin, "/api/settings.csv?source=nothing").await).is_empty());
    let missing = get(&console, &lin, "orders/locks.csv").await;
    assert_eq!((missing.status, &missing.json()["code"]), (StatusCode::NOT_FOUND, &"no_source".into()));
}
