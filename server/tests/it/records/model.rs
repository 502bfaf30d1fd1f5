//! Whatever the rows, the indexes and the search: pages lose and double nothing, forward and back, held against a plain
//! filter over all rows.

use super::pages::there_and_back;
use super::table::{Engine, Table};
use app::model::{Age, Filter, Moment, MomentUnit, Pattern, Range, RecordsQuery, Row, Status, Wanted};
use chrono::{DateTime, Utc};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::{Config, TestRunner};
use server::clock::{Clock, SystemClock};
use server::config::{Environment, from_toml};
use server::ports::records::RecordStore;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Rows so often share a time that every page cuts through one.
const TIMES: [Option<&str>; 6] = [
    None,
    Some("2026-11-28 07:59:59"),
    Some("2026-11-28 08:00:00"),
    Some("2026-11-28 08:00:00"),
    Some("2026-11-29 23:00:00"),
    // What means "none".
    Some("none"),
];
const INDEXES: [&str; 8] = [
    "status",
    "status, updated",
    "status, created",
    "biz_type, status, updated",
    "biz_type, created",
    "updated",
    "created",
    "biz_id",
];
const KEYS: [&str; 6] = ["a", "ab", "a:b", "A", "b%", "订"];

#[derive(Debug, Clone)]
struct Case {
    rows: Vec<OneRow>,
    indexes: Vec<&'static str>,
    /// SQLite: text is written with a T, in every second row.
    is_joined: bool,
    has_id: bool,
    /// Only rows of one half count.
    is_mixed: bool,
    searches: Vec<(RecordsQuery, bool)>,
}

#[derive(Debug, Clone)]
struct OneRow {
    key: &'static str,
    r#type: &'static str,
    status: Option<u8>,
    created: Option<&'static str>,
    updated: Option<&'static str>,
    ours: bool,
}

fn one_row() -> impl Strategy<Value = OneRow> {
    let time = || select(TIMES.to_vec());
    let status = option::weighted(0.9, select(vec![1, 2, 2, 2, 3, 5, 4, 9]));
    (select(KEYS.to_vec()), select(vec!["A", "A", "B"]), status, time(), time(), any::<bool>()).prop_map(
        |(key, r#type, status, created, updated, ours)| OneRow { key, r#type, status, created, updated, ours },
    )
}

fn moments() -> impl Strategy<Value = Range<Moment>> {
    let at = |text: &str, unit| Moment { wall: text.parse().unwrap(), unit, offset: None };
    let seconds = at("2026-11-28T08:00:00", MomentUnit::Second);
    let day = at("2026-11-28T00:00:00", MomentUnit::Day);
    let ranges = [
        Range::Is(seconds),
        Range::Above(seconds),
        Range::AtLeast(seconds),
        Range::Below(seconds),
        Range::AtMost(day),
        Range::Between(day, at("2026-11-29T22:00:00", MomentUnit::Minute)),
    ];
    select(ranges.to_vec())
}

fn one_search() -> impl Strategy<Value = (RecordsQuery, bool)> {
    let status = option::of(select(Status::ALL.to_vec()));
    let r#type = option::weighted(0.3, select(vec!["A", "B", "C"]).prop_map(str::to_owned));
    let key = select(KEYS.to_vec()).prop_flat_map(|key| {
        let text = key.to_owned();
        select(vec![Pattern::Is(text.clone()), Pattern::Begins(text)])
    });
    let times = (option::weighted(0.3, moments()), option::weighted(0.3, moments()));
    // From the middle of the rows on; the clock of the test is far from each.
    let age = option::weighted(0.3, any::<bool>());
    (status, r#type, option::weighted(0.3, key), times, age, 1..8_u32, any::<bool>()).prop_map(
        |(status, r#type, key, (created, updated), age, limit, age_is_more)| {
            let hours = u64::try_from((SystemClock.now() - middle()).num_hours()).unwrap_or(0);
            let age = age
                .map(|_| if age_is_more { Range::Above(Age(hours * 3_600)) } else { Range::Below(Age(hours * 3_600)) });
            let filter = Filter { key, created, updated, age, ..Filter::default() };
            (RecordsQuery { status, r#type, filter, cursor: None, limit }, age_is_more)
        },
    )
}

fn middle() -> DateTime<Utc> {
    "2026-11-28T20:30:00Z".parse().unwrap()
}

fn case() -> impl Strategy<Value = Case> {
    let rows = prop::collection::vec(one_row(), 0..50);
    let indexes = subsequence(INDEXES.to_vec(), 0..4);
    (rows, indexes, any::<(bool, bool, bool)>(), prop::collection::vec(one_search(), 8)).prop_map(
        |(rows, indexes, (is_joined, has_id, is_mixed), searches)| Case {
            rows,
            indexes,
            is_joined,
            has_id,
            is_mixed,
            searches,
        },
    )
}

/// The table of a case, with its mapping.
async fn made(engine: Engine, table: &Table, case: &Case) -> Arc<dyn RecordStore> {
    let (time, key) = match engine {
        Engine::Sqlite => ("TEXT", "TEXT"),
        Engine::Mariadb => ("DATETIME", "VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"),
        Engine::Postgres => ("timestamp", "varchar(40) COLLATE \"C\""),
    };
    let literal = |at: &Option<&str>, row: usize| match (at, engine) {
        (None, _) => "NULL".to_owned(),
        (Some("none"), Engine::Sqlite) => "''".to_owned(),
        (Some("none"), Engine::Mariadb) => "'0000-00-00 00:00:00'".to_owned(),
        (Some("none"), Engine::Postgres) => "'infinity'".to_owned(),
        (Some(at), Engine::Sqlite) if case.is_joined && row.is_multiple_of(2) => format!("'{}'", at.replace(' ', "T")),
        (Some(at), _) => format!("'{at}'"),
    };
    let values: Vec<String> = (case.rows.iter().enumerate())
        .map(|(at, row)| {
            let status = row.status.map_or_else(|| "NULL".to_owned(), |status| status.to_string());
            let (created, updated) = (literal(&row.created, at), literal(&row.updated, at));
            let ours = i32::from(row.ours);
            format!("({}, '{}', '{}', {status}, {created}, {updated}, {ours})", at + 1, row.key, row.r#type)
        })
        .collect();
    let mut script = format!(
        "DROP TABLE IF EXISTS rows_of;\nCREATE TABLE rows_of (id INTEGER NOT NULL PRIMARY KEY, biz_id {key} NOT NULL, \
         biz_type VARCHAR(9) NOT NULL, status INT, created {time}, updated {time}, ours INT NOT NULL);\n"
    );
    if engine == Engine::Mariadb {
        script.insert_str(0, "SET sql_mode = '';\n");
    }
    for (at, columns) in case.indexes.iter().enumerate() {
        script += &format!("CREATE INDEX rows_of_{at} ON rows_of ({columns});\n");
    }
    if !values.is_empty() {
        script += &format!("INSERT INTO rows_of VALUES {};\n", values.join(", "));
    }
    table.run(&script).await;
    let id = if case.has_id { "id = \"id\"" } else { "" };
    let filter = if case.is_mixed { "where = [ { column = \"ours\", equals = 1 } ]" } else { "" };
    let toml = format!(
        "[[source]]\nname = \"t\"\n[source.records]\nurl = {:?}\ntable = \"rows_of\"\nkey = [\"biz_id\"]\ntype = \"biz_type\"\n\
         created = \"created\"\nupdated = \"updated\"\n{id}\n{filter}\n[source.records.status]\ncolumn = \"status\"\n\
         processing = [1]\ncompleted = [2]\nfailed = [3, 5]\ndead = [4]\n",
        table.url()
    );
    let mut config = from_toml(&toml, &Environment::default()).unwrap();
    config.limits.statement_timeout = Duration::from_secs(20);
    crate::cases::store_of(&config)
}

fn references(rows: &[Row]) -> BTreeSet<String> {
    rows.iter().map(|row| row.reference.to_string()).collect()
}

async fn holds(engine: Engine, table: &Table, case: &Case) {
    let store = made(engine, table, case).await;
    let all = there_and_back(&*store, RecordsQuery { limit: 9, ..RecordsQuery::default() }).await;
    let ours = case.rows.iter().filter(|row| row.ours || !case.is_mixed).count();
    assert_eq!(all.len(), ours);
    for (query, _) in &case.searches {
        let wanted = Wanted::of(query, SystemClock.now(), &|wall| wall.and_utc());
        let expected: Vec<Row> = all.iter().filter(|row| wanted.matches(&row.record)).cloned().collect();
        let found = there_and_back(&*store, query.clone()).await;
        assert_eq!(references(&found), references(&expected), "{query:?}\n{case:?}");
        assert_eq!(found.len(), expected.len(), "doubled: {query:?}");
    }
}

fn pages_are_a_filter_over_all_rows(engine: Engine, cases: u32) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let table = runtime.block_on(Table::textbook(engine, super::table::Indexed::No));
    let config = Config { cases, max_shrink_iters: 200, failure_persistence: None, ..Config::default() };
    let run = |case: Case| {
        let held =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| runtime.block_on(holds(engine, &table, &case))));
        held.map_err(|panic| {
            let said = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            TestCaseError::fail(said)
        })
    };
    if let Err(error) = TestRunner::new(config).run(&case(), run) {
        panic!("{error}");
    }
}

#[test]
fn sqlite_pages_are_a_filter_over_all_rows() {
    pages_are_a_filter_over_all_rows(Engine::Sqlite, 60);
}

#[test]
fn mariadb_pages_are_a_filter_over_all_rows() {
    pages_are_a_filter_over_all_rows(Engine::Mariadb, 6);
}

#[test]
fn postgres_pages_are_a_filter_over_all_rows() {
    pages_are_a_filter_over_all_rows(Engine::Postgres, 6);
}
