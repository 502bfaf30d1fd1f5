//! Record tables, by one suite for MariaDB, PostgreSQL and SQLite.

/// Each test of a list, for every engine.
macro_rules! conformance {
    ($($test:ident),+ $(,)?) => {
        mod sqlite { $(#[tokio::test] async fn $test() { super::$test(super::Engine::Sqlite).await })+ }
        mod mariadb { $(#[tokio::test] async fn $test() { super::$test(super::Engine::Mariadb).await })+ }
        mod postgres { $(#[tokio::test] async fn $test() { super::$test(super::Engine::Postgres).await })+ }
    };
}

mod cliffs;
mod describe;
mod extremes;
mod faults;
mod keys;
mod model;
mod pages;
mod plans;
mod rows;
mod search;
mod table;

use app::model::{Pk, RecordRef, RecordsQuery, Row, Search, Status};

const TABLE: &str = "idempotent_record";

fn references(pks: impl IntoIterator<Item = Pk>) -> Vec<RecordRef> {
    pks.into_iter().map(|pk| RecordRef { table: TABLE.to_owned(), pk }).collect()
}

fn ids(rows: &[Row]) -> Vec<i128> {
    rows.iter().map(|row| row.record.id.as_ref().unwrap().parse().unwrap()).collect()
}

/// The first page of what a search asks for.
fn search(text: &str, limit: u32) -> RecordsQuery {
    Search::parse(text).unwrap().query(limit)
}

fn query(status: Option<Status>, limit: u32) -> RecordsQuery {
    RecordsQuery { status, limit, ..RecordsQuery::default() }
}
