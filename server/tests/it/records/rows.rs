//! Rows by primary key, spans of the id, open rows, the clock.

use super::pages::there_and_back;
use super::table::{Engine, Indexed, Table, insert};
use super::{TABLE, ids, query, references};
use app::model::{Fault, Pk, Quality, Status};
use chrono::TimeDelta;
use server::adapters::records::catalogue::Kind;
use server::adapters::records::dialect::Statement;
use server::adapters::records::store;
use server::clock::{Clock, SystemClock};
use server::ports::records::{RecordStore, Span};
use std::collections::HashSet;
use std::sync::Arc;

conformance!(
    rows_are_read_by_primary_key,
    the_largest_ids_survive,
    open_rows_come_oldest_first_with_their_counts,
    the_clock_is_the_database_s,
    statements_stay_prepared,
);

async fn rows_are_read_by_primary_key(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    table.fill(50, |id| insert(id, "A", &format!("k{id}"), 2, "2026-11-29 08:00:00")).await;
    let store = table.store();
    let mut found = ids(&store.get(&references([Pk::Int(7), Pk::Int(9999), Pk::Int(1), Pk::Int(-1)])).await.unwrap());
    found.sort_unstable();
    assert_eq!(found, [1, 7]);
    assert_eq!(store.get(&[]).await.unwrap(), []);
    assert_eq!(
        store.get(&references([Pk::Int(i128::MAX), Pk::Composite(vec![Pk::Int(1), Pk::Int(2)])])).await.unwrap(),
        []
    );
    let span = |after, up_to| Span { after, up_to };
    assert_eq!(ids(&store.scan(TABLE, &span(None, None), 5).await.unwrap().rows), [1, 2, 3, 4, 5]);
    assert_eq!(ids(&store.scan(TABLE, &span(Some(46), None), 500).await.unwrap().rows), [47, 48, 49, 50]);
    assert_eq!(ids(&store.scan(TABLE, &span(Some(3), Some(5)), 500).await.unwrap().rows), [4, 5]);
    let beyond = store.scan(TABLE, &span(Some(i128::from(u64::MAX)), None), 5).await.unwrap();
    assert_eq!((beyond.rows.as_slice(), beyond.last, beyond.full), ([].as_slice(), None, false));
    let first = store.scan(TABLE, &span(None, None), 5).await.unwrap();
    assert_eq!((first.last, first.full), (Some(5), true));
    assert_eq!(store.last_id(TABLE).await.unwrap(), Some(50));
    table.run("DELETE FROM idempotent_record").await;
    assert_eq!(store.last_id(TABLE).await.unwrap(), None);
}

async fn the_largest_ids_survive(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    let largest = match engine {
        Engine::Mariadb => i128::from(u64::MAX),
        Engine::Postgres | Engine::Sqlite => i128::from(i64::MAX),
    };
    let store = table.store();
    for id in [largest, largest - 1, 9_007_199_254_740_993, 1] {
        table
            .run(&format!("INSERT INTO idempotent_record VALUES ({id}, 'k{id}', 'A', 1, '2026-11-29 08:00:00', NULL)"))
            .await;
    }
    assert_eq!(store.last_id(TABLE).await.unwrap(), Some(largest));
    assert_eq!(ids(&there_and_back(&*store, query(None, 1)).await), [largest, largest - 1, 9_007_199_254_740_993, 1]);
    assert_eq!(ids(&store.get(&references([Pk::Int(largest)])).await.unwrap()), [largest]);
    let span = Span { after: Some(largest - 1), up_to: Some(largest) };
    assert_eq!(ids(&store.scan(TABLE, &span, 5).await.unwrap().rows), [largest]);
}

async fn open_rows_come_oldest_first_with_their_counts(engine: Engine) {
    let table = Table::textbook(engine, Indexed::StatusAndTime).await;
    let status = |id: usize| [2, 2, 2, 2, 2, 1, 3, 5, 4, 77][id % 10];
    table
        .fill(300, |id| {
            insert(id, "A", &format!("k{id}"), status(id), &format!("2026-11-29 08:{:02}:00", 59 - id % 60))
        })
        .await;
    let store = table.store();
    let open = store.open(1_000).await.unwrap();
    assert_eq!([open.processing.value, open.failed.value, open.dead.value, open.unmapped.value], [30, 60, 30, 30]);
    assert!(open.processing.quality == Quality::Exact && open.rows.is_sorted_by_key(|row| row.record.updated_at));
    let expected: HashSet<i128> = (1..=300).filter(|id| [5, 6, 7].contains(&(id % 10))).collect();
    assert_eq!(ids(&open.rows).into_iter().collect::<HashSet<_>>(), expected);
    let few = store.open(5).await.unwrap();
    assert_eq!((few.rows.len(), few.failed.value), (5, 60));
    // The cut keeps the oldest processing rows, however many failed ones are older.
    let processing = open.rows.iter().filter(|row| row.record.status == Status::Processing);
    assert!(few.rows.iter().eq(processing.take(5)));
    let without = Table::textbook(engine, Indexed::No).await;
    assert!(matches!(without.store().open(5).await, Err(Fault::BadInput { .. })));
}

async fn the_clock_is_the_database_s(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    let apart = table.store().clock().await.unwrap() - SystemClock.now();
    assert!(apart.abs() < TimeDelta::seconds(5), "{apart}");
}

/// A statement that is closed after each use makes the next one wait for the network.
async fn statements_stay_prepared(engine: Engine) {
    if engine != Engine::Mariadb {
        return;
    }
    let table = Table::textbook(engine, Indexed::No).await;
    table.fill(600, |id| insert(id, "A", &format!("k{id}"), 2, "2026-11-29 08:00:00")).await;
    let config = table.config();
    let engine = table.engine_with(|_| {});
    let store = store::Store::new(engine.clone(), &config.sources[0], &config.limits, Arc::new(SystemClock));
    for keys in 1..=500 {
        let found = store.get(&references((1..=keys).map(Pk::Int))).await.unwrap();
        assert_eq!(found.len(), usize::try_from(keys).unwrap());
    }
    let ask = "SELECT variable_name, variable_value FROM information_schema.session_status
        WHERE variable_name IN ('COM_STMT_CLOSE', 'COM_STMT_PREPARE', 'COM_STMT_EXECUTE') ORDER BY 1";
    let status = engine.fetch(&Statement::fixed(ask, Vec::new(), vec![Kind::Text; 2])).await.unwrap();
    let count = |at: usize| status[at][1].as_int().unwrap();
    assert_eq!(count(0), 0, "closed: {status:?}");
    assert!(count(1) >= 500, "executed: {status:?}");
    assert!(count(2) < 25, "prepared: {status:?}");
}
