//! Tables in numbers.

use super::{body, processing, value, whole};
use crate::team::{Engine, Index, Team};
use app::model::{Fault, Record, RecordsPage, RecordsQuery, Status, Strategy};
use chrono::{DateTime, Utc};
use server::adapters::records::connect;
use server::clock::{Clock, SystemClock};
use server::ports::records::RecordStore;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The machine's clock, and as many seconds more as a test says.
#[derive(Debug, Default)]
struct Later(AtomicU64);

impl Clock for Later {
    fn now(&self) -> DateTime<Utc> {
        SystemClock.now()
    }

    fn instant(&self) -> Instant {
        SystemClock.instant() + Duration::from_secs(self.0.load(Ordering::Relaxed))
    }
}

async fn numbered(engine: Engine, index: Index, tables: &[&str]) -> Team {
    let mut team = Team::new(engine, index).await;
    team.tables = "consume_log_*";
    for table in tables {
        team.sql(&team.table(table)).await;
    }
    team
}

fn store(team: &Team, clock: Arc<dyn Clock>) -> Arc<dyn RecordStore> {
    let config = team.config();
    connect(&config.sources[0], &config.limits, clock).unwrap()
}

async fn pages(store: &dyn RecordStore, limit: u32) -> Vec<RecordsPage> {
    let mut query = RecordsQuery { limit, ..RecordsQuery::default() };
    let mut pages = Vec::new();
    loop {
        let page = store.list(&query).await.unwrap();
        query.cursor = page.next.clone();
        pages.push(page);
        if query.cursor.is_none() {
            return pages;
        }
    }
}

fn ids(page: &RecordsPage) -> Vec<String> {
    page.items.iter().map(|row| row.record.id.clone().unwrap()).collect()
}

async fn lists_are_merged_and_rows_are_found_in_every_table(engine: Engine) {
    let tables = ["consume_log_00", "consume_log_01", "consume_log_202611"];
    let team = numbered(engine, Index::None, &tables).await;
    // Ids repeat from table to table; ages interleave.
    for at in 0..30_u32 {
        let table = tables[at as usize % 3];
        team.sql(&team.row_of(table, u64::from(30 - at / 3), &format!("k{at}"), if at == 7 { 3 } else { 2 }, at * 10))
            .await;
    }
    let store = store(&team, Arc::new(SystemClock));
    assert_eq!(store.tables().await.unwrap(), tables);
    let description = store.describe().await.unwrap();
    assert_eq!(description.choice.strategy, Strategy::Tail);
    assert_eq!(description.problems, []);

    for limit in [1, 4, 7, 200] {
        let found = pages(&*store, limit).await;
        let keys: Vec<String> =
            found.iter().flat_map(|page| &page.items).map(|row| row.record.key.clone().unwrap()).collect();
        assert_eq!(keys, (0..30).map(|at| format!("k{at}")).collect::<Vec<_>>(), "{limit} a page");
        // And back.
        for pair in found.windows(2).rev() {
            let query = RecordsQuery { limit, cursor: pair[1].previous.clone(), ..RecordsQuery::default() };
            assert_eq!(ids(&store.list(&query).await.unwrap()), ids(&pair[0]), "{limit} a page");
        }
        assert_eq!(found[0].previous, None);
    }
    let failed = RecordsQuery { status: Some(Status::Failed), limit: 10, ..RecordsQuery::default() };
    let page = store.list(&failed).await.unwrap();
    assert_eq!(ids(&page), ["consume_log_01/28"]);

    let found = store.find(Some("ORDER_DONE"), "k5").await.unwrap();
    let [row] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(
        (row.reference.table.as_str(), row.record.id.as_deref()),
        ("consume_log_202611", Some("consume_log_202611/29"))
    );
    assert_eq!(store.find(None, "k5").await.unwrap(), found);
    let references: Vec<_> = page.items.iter().chain(&found).map(|row| row.reference.clone()).collect();
    let again: BTreeSet<_> = store.get(&references).await.unwrap().into_iter().map(|row| row.record.id).collect();
    assert_eq!(again.len(), 2);
}

async fn tables_are_followed_together_and_each_by_its_own_ids(engine: Engine) {
    let team = numbered(engine, Index::None, &["consume_log_00", "consume_log_01"]).await;
    team.sql(&team.row_of("consume_log_00", 5, "a", 1, 30)).await;
    team.sql(&team.row_of("consume_log_01", 900, "b", 1, 60)).await;
    team.sql(&team.row_of("consume_log_01", 901, "c", 2, 60)).await;
    let console = team.collecting().await;
    let panel = console.records(whole).await;
    assert_eq!((processing(&panel), value(body(&panel).completed)), (Some(2), Some(1)));
    let oldest: Vec<_> = body(&panel).oldest.iter().map(|row| row.record.id.clone().unwrap()).collect();
    assert_eq!(oldest, ["consume_log_01/900", "consume_log_00/5"]);
    team.sql(&team.row_of("consume_log_00", 6, "d", 1, 0)).await;
    console.records(|panel| processing(panel) == Some(3)).await;
    team.sql("UPDATE consume_log_01 SET status = 2").await;
    let panel = console.records(|panel| processing(panel) == Some(2)).await;
    assert_eq!(value(body(&panel).completed), Some(2));
    let query = RecordsQuery { status: Some(Status::Processing), limit: 1, ..RecordsQuery::default() };
    let first = app::reads::Reads::records(&console.reads, crate::team::SOURCE, &query).await.unwrap();
    assert_eq!(ids(&first), ["consume_log_00/6"]);
    let query = RecordsQuery { cursor: first.next, ..query };
    let second = app::reads::Reads::records(&console.reads, crate::team::SOURCE, &query).await.unwrap();
    assert_eq!(ids(&second), ["consume_log_00/5"]);
}

async fn a_table_that_appears_at_midnight_is_taken_up(engine: Engine) {
    let team = numbered(engine, Index::None, &["consume_log_202611"]).await;
    let clock = Arc::new(Later::default());
    let store = store(&team, clock.clone());
    assert_eq!(store.tables().await.unwrap(), ["consume_log_202611"]);
    team.sql(&team.table("consume_log_202612")).await;
    team.sql(&team.row_of("consume_log_202612", 1, "new", 1, 0)).await;
    clock.0.store(61, Ordering::Relaxed);
    assert_eq!(store.tables().await.unwrap(), ["consume_log_202611", "consume_log_202612"]);
    let keys = |page: RecordsPage| page.items.into_iter().map(|row| row.record).map(key).collect::<Vec<_>>();
    assert_eq!(keys(store.list(&RecordsQuery { limit: 5, ..RecordsQuery::default() }).await.unwrap()), ["new"]);
    team.sql("DROP TABLE consume_log_202611").await;
    clock.0.store(122, Ordering::Relaxed);
    assert_eq!(store.tables().await.unwrap(), ["consume_log_202612"]);
}

fn key(record: Record) -> String {
    record.key.unwrap()
}

async fn what_matches_by_name_and_not_by_columns_is_named_and_left_out(engine: Engine) {
    let team = numbered(engine, Index::None, &["consume_log_00"]).await;
    team.sql("CREATE TABLE consume_log_notes (note VARCHAR(20))").await;
    team.sql(&team.row_of("consume_log_00", 1, "a", 1, 0)).await;
    let store = store(&team, Arc::new(SystemClock));
    assert_eq!(store.tables().await.unwrap(), ["consume_log_00"]);
    let problems = store.describe().await.unwrap().problems;
    assert!(
        problems.iter().any(|problem| serde_json::to_string(problem).unwrap().contains("consume_log_notes")),
        "{problems:?}"
    );
    team.sql("DROP TABLE consume_log_00").await;
    team.sql("DROP TABLE consume_log_notes").await;
    let fault = store.describe().await.unwrap_err();
    assert!(matches!(fault, Fault::TableMissing { .. }), "{fault:?}");
}

macro_rules! on_engines {
    ($($test:ident),+ $(,)?) => {
        mod sqlite { $(#[tokio::test] async fn $test() { super::$test(crate::team::Engine::Sqlite).await; })+ }
        mod mariadb { $(#[tokio::test] async fn $test() { super::$test(crate::team::Engine::Mariadb).await; })+ }
        mod postgres { $(#[tokio::test] async fn $test() { super::$test(crate::team::Engine::Postgres).await; })+ }
    };
}

on_engines!(
    lists_are_merged_and_rows_are_found_in_every_table,
    tables_are_followed_together_and_each_by_its_own_ids,
    a_table_that_appears_at_midnight_is_taken_up,
    what_matches_by_name_and_not_by_columns_is_named_and_left_out,
);
