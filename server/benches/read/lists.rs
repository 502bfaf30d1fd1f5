//! Pages of lists at any depth, and look-ups by key alone.

use super::measure::{median, now, ratio, timed};
use super::report::Line;
use super::table::{Engine, Table};
use app::model::{RecordsQuery, Status};
use server::adapters::records::connect;
use server::clock::SystemClock;
use server::ports::records::RecordStore;
use std::sync::Arc;
use std::time::Duration;

const TIMES: usize = 21;
const PAGE: Duration = Duration::from_millis(5);
const RAREST_TYPE_IN_MARIADB: Duration = Duration::from_millis(12);
const LOOKUP: Duration = Duration::from_millis(2);
/// Pages that are turned before a deep one is measured.
const DEEP: usize = 200;

fn store(table: &Table) -> Arc<dyn RecordStore> {
    let config = table.config("5s", "");
    connect(&config.sources[0], &config.limits, Arc::new(SystemClock)).expect("a store")
}

async fn page(store: &dyn RecordStore, query: &RecordsQuery) -> Duration {
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let (page, took) = timed(store.list(query)).await;
        page.expect("a page");
        times.push(took);
    }
    median(times)
}

/// The same list, so many pages further.
async fn deep(store: &dyn RecordStore, query: &RecordsQuery) -> RecordsQuery {
    let mut query = RecordsQuery { limit: 200, ..query.clone() };
    for _ in 0..DEEP {
        let next = store.list(&query).await.expect("a page").next;
        if next.is_none() {
            break;
        }
        query.cursor = next;
    }
    query.limit = 50;
    query
}

pub async fn measured(table: &Table) -> Vec<Line> {
    let (engine, store) = (table.engine.name(), store(table));
    let all = RecordsQuery { limit: 50, ..RecordsQuery::default() };
    let mut lines = vec![Line::at_most(engine, "list: first page", page(&*store, &all).await, PAGE)];
    let far = deep(&*store, &all).await;
    lines.push(Line::at_most(engine, format!("list: page {DEEP} of 200"), page(&*store, &far).await, PAGE));
    lines.extend(lookups(table, &*store).await);
    lines
}

pub async fn by_status(table: &Table) -> Vec<Line> {
    let (engine, store) = (table.engine.name(), store(table));
    let mut lines = Vec::new();
    for status in [Status::Failed, Status::Completed] {
        let query = RecordsQuery { status: Some(status), limit: 50, ..RecordsQuery::default() };
        let first = page(&*store, &query).await;
        lines.push(Line::at_most(engine, format!("list of {}: first page", status.as_str()), first, PAGE));
        let far = page(&*store, &deep(&*store, &query).await).await;
        lines.push(Line::at_most(engine, format!("list of {}: page {DEEP} of 200", status.as_str()), far, PAGE));
    }
    let most = if table.engine == Engine::Mariadb { RAREST_TYPE_IN_MARIADB } else { PAGE };
    let rare = RecordsQuery {
        status: Some(Status::Failed),
        r#type: Some("TYPE_3".into()),
        limit: 50,
        ..RecordsQuery::default()
    };
    lines.push(Line::at_most(engine, "list of failed of a rare type", page(&*store, &rare).await, most));
    lines
}

/// Interleaved with the statement that somebody would type.
async fn lookups(table: &Table, store: &dyn RecordStore) -> Vec<Line> {
    let engine = table.engine.name();
    let (mut first, mut again, mut naive) = (Vec::new(), Vec::new(), Vec::new());
    for at in 0..TIMES as u64 {
        let key = format!("k{}", table.rows / 30 * (at + 1));
        // The first time its pages are in no buffer of the database, and come from the operating system's. The naive
        // statement finds all that it reads where it was left.
        for times in [&mut first, &mut again] {
            let (rows, took) = timed(store.find(None, &key)).await;
            assert_eq!(rows.expect("a look-up").len(), 1, "{key}");
            times.push(took);
        }
        if at % 7 == 0 {
            let began = now();
            table.sql(&format!("SELECT id FROM idempotent_record WHERE biz_id = '{key}'")).await;
            naive.push(now() - began);
        }
    }
    let (first, again, naive) = (median(first), median(again), median(naive));
    let part = |of: Duration| format!("1/{:.0}", ratio(naive, of));
    vec![
        Line::at_most(
            engine,
            format!("look-up by key alone, the first time ({} of the naive one)", part(first)),
            first,
            LOOKUP,
        ),
        Line::at_most(engine, "look-up by key alone, again", again, LOOKUP),
        Line::ratio(
            engine,
            format!("look-up by key alone, again / naive ({:.0} ms)", naive.as_secs_f64() * 1e3),
            part(again),
            ratio(again, naive),
            1.0 / 500.0,
        ),
    ]
}
