//! Half a million rows as teams have them: nearly all completed, one type hot, many in one second. Every statement is
//! run under the engine's own measuring, and may look at no more rows than a page, a chunk or an index's ends need.
//! The cliffs are those that were measured at ten million rows: each costs a hundred to a hundred thousand times.

use super::table::{Engine, Indexed, Table};
use super::{ids, search};
use app::model::{RecordsQuery, Status, Window};
use async_trait::async_trait;
use sea_query_sqlx::SqlxValues;
use server::adapters::records::catalogue::{Catalogue, Kind};
use server::adapters::records::dialect::{Dialect, Statement};
use server::adapters::records::raw::Raw;
use server::adapters::records::store::{self, Failure, Store};
use server::clock::SystemClock;
use server::config::TableName;
use server::ports::records::{Follow, RecordStore};
use sqlx::{AssertSqlSafe, Connection, SqliteConnection};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

conformance!(no_statement_falls_off_a_cliff);

const ROWS: usize = 500_000;
/// Rows of one second.
const SAME_SECOND: usize = 500;

/// Virtual machine steps of SQLite that a row takes at least, where a handful of its columns is read.
const STEPS: u64 = 10;

/// An engine that has what it runs measured.
struct Measuring {
    engine: Arc<dyn store::Engine>,
    url: String,
    seen: Mutex<Vec<Seen>>,
}

#[derive(Debug)]
struct Seen {
    statement: String,
    plan: String,
    /// Rows that the engine looked at, wherever in the plan; in SQLite, at most so many.
    rows: u64,
}

#[async_trait]
impl store::Engine for Measuring {
    fn dialect(&self) -> Dialect {
        self.engine.dialect()
    }

    async fn fetch(&self, statement: &Statement) -> Result<Vec<Vec<Raw>>, Failure> {
        let (measure, kinds) = match self.dialect() {
            Dialect::MySql => ("ANALYZE FORMAT=JSON ", vec![Kind::Text]),
            Dialect::Postgres => ("EXPLAIN (ANALYZE, FORMAT JSON) ", vec![Kind::Text]),
            Dialect::Sqlite => ("EXPLAIN QUERY PLAN ", vec![Kind::Loose; 4]),
        };
        let sql = format!("{measure}{}", statement.sql);
        let lines = self.engine.fetch(&Statement { sql, values: statement.values.clone(), kinds }).await?;
        let text = |cells: &Vec<Raw>| cells.last().and_then(|raw| raw.show(Kind::Text)).unwrap_or_default();
        let plan = lines.iter().map(text).collect::<Vec<_>>().join("\n");
        let rows = match self.dialect() {
            Dialect::MySql => mariadb_rows(&serde_json::from_str(&plan).unwrap()),
            Dialect::Postgres => postgres_rows(&serde_json::from_str(&plan).unwrap()),
            Dialect::Sqlite => sqlite_steps(&self.url, statement).await / STEPS,
        };
        self.seen.lock().unwrap().push(Seen { statement: statement.sql.clone(), plan, rows });
        self.engine.fetch(statement).await
    }

    async fn catalogue(&self, table: &TableName) -> Result<Option<Catalogue>, Failure> {
        self.engine.catalogue(table).await
    }

    async fn tables(&self, schema: Option<&str>, prefix: &str) -> Result<Vec<String>, Failure> {
        self.engine.tables(schema, prefix).await
    }
}

async fn sqlite_steps(url: &str, statement: &Statement) -> u64 {
    let mut connection = SqliteConnection::connect(url).await.unwrap();
    // Reading the schema takes steps of its own.
    sqlx::raw_sql("SELECT 1 FROM idempotent_record LIMIT 1").execute(&mut connection).await.unwrap();
    let steps = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&steps);
    let count = move || {
        counted.fetch_add(STEPS, Ordering::Relaxed);
        true
    };
    connection.lock_handle().await.unwrap().set_progress_handler(i32::try_from(STEPS).unwrap(), count);
    let query = sqlx::query_with(AssertSqlSafe(statement.sql.clone()), SqlxValues(statement.values.clone()));
    query.fetch_all(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    steps.load(Ordering::Relaxed)
}

fn children(plan: &serde_json::Value) -> Vec<&serde_json::Value> {
    match plan {
        serde_json::Value::Object(parts) => parts.values().collect(),
        serde_json::Value::Array(parts) => parts.iter().collect(),
        _ => Vec::new(),
    }
}

/// Rows read from the table itself, filtered away or not: `r_rows` of each reading of it.
fn mariadb_rows(plan: &serde_json::Value) -> u64 {
    let here = match (&plan["table_name"], plan["r_rows"].as_f64()) {
        (serde_json::Value::String(name), Some(rows)) if !name.starts_with('<') => {
            rows * plan["r_loops"].as_f64().unwrap_or(1.0)
        }
        _ => 0.0,
    };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts of rows")]
    let here = here as u64;
    here + children(plan).into_iter().map(mariadb_rows).sum::<u64>()
}

/// Rows that scans gave or threw away.
fn postgres_rows(plan: &serde_json::Value) -> u64 {
    let number = |name: &str| plan[name].as_f64().unwrap_or(0.0);
    let is_scan =
        plan["Node Type"].as_str().is_some_and(|node| node.contains("Scan") && plan["Relation Name"].is_string());
    let rows = number("Actual Rows") + number("Rows Removed by Filter") + number("Rows Removed by Index Recheck");
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts of rows")]
    let here = if is_scan { (rows * number("Actual Loops").max(1.0)) as u64 } else { 0 };
    here + children(plan).into_iter().map(postgres_rows).sum::<u64>()
}

/// Twenty types of which one has most rows; of a thousand rows five are not completed; five hundred in each second. Keys
/// begin with the year. Two thousand rows of the middle were never changed.
async fn skewed(engine: Engine) -> Table {
    let table = Table::textbook(engine, Indexed::StatusAndTime).await;
    let mysql = engine == Engine::Mariadb;
    let numbers = match engine {
        Engine::Mariadb => format!("(SELECT seq AS n FROM seq_1_to_{ROWS}) AS numbers"),
        Engine::Postgres => format!("generate_series(1, {ROWS}) AS numbers(n)"),
        Engine::Sqlite => "numbers".to_owned(),
    };
    let before = match engine {
        Engine::Sqlite => {
            format!("WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {ROWS})")
        }
        _ => String::new(),
    };
    let padded = if mysql {
        "LPAD(n, 7, '0')"
    } else if engine == Engine::Postgres {
        "lpad(n::text, 7, '0')"
    } else {
        "printf('%07d', n)"
    };
    let joined =
        |one: &str, other: &str| if mysql { format!("CONCAT({one}, {other})") } else { format!("({one} || {other})") };
    let key = joined("CASE WHEN n <= 1500 THEN '2023' ELSE '2026' END", padded);
    let of_type = joined(
        "'T'",
        if engine == Engine::Postgres {
            "(CASE WHEN n % 10 < 7 THEN 0 ELSE n % 20 END)::text"
        } else {
            "CASE WHEN n % 10 < 7 THEN 0 ELSE n % 20 END"
        },
    );
    let status = "CASE WHEN n % 500 = 0 THEN 1 WHEN n % 500 = 1 THEN 3 WHEN n % 1000 = 2 THEN 4 WHEN n % 1000 = 3 THEN 77 ELSE 2 END";
    let second = match engine {
        Engine::Mariadb => format!("TIMESTAMP'2026-11-29 00:00:00' + INTERVAL (n DIV {SAME_SECOND}) SECOND"),
        Engine::Postgres => format!("timestamp '2026-11-29 00:00:00' + (n / {SAME_SECOND}) * interval '1 second'"),
        Engine::Sqlite => format!("datetime('2026-11-29 00:00:00', (n / {SAME_SECOND}) || ' seconds')"),
    };
    let updated = format!("CASE WHEN n BETWEEN 200001 AND 202000 THEN NULL ELSE {second} END");
    table
        .run(&format!(
            "INSERT INTO idempotent_record (id, biz_id, biz_type, status, create_time, update_time) {before} \
             SELECT n, {key}, {of_type}, {status}, {second}, {updated} FROM {numbers}"
        ))
        .await;
    table.run(if mysql { "ANALYZE TABLE idempotent_record" } else { "ANALYZE" }).await;
    table
}

/// What a list looks at: its statements' rows, and in SQLite how it reads the table.
struct Watch<'a> {
    engine: Engine,
    measuring: &'a Measuring,
    store: &'a Store,
}

impl Watch<'_> {
    /// At most `most` rows may be looked at by all statements together.
    fn looked_at(&self, what: &str, most: u64) {
        let seen = std::mem::take(&mut *self.measuring.seen.lock().unwrap());
        assert!(!seen.is_empty(), "{what}: nothing was asked");
        let all: u64 = seen.iter().map(|seen| seen.rows).sum();
        let story =
            || seen.iter().map(|seen| format!("{}\n{}", seen.statement, seen.plan)).collect::<Vec<_>>().join("\n\n");
        assert!(all <= most, "{what}: {all} rows were looked at, {most} are enough\n{}", story());
        if self.engine == Engine::Sqlite {
            for seen in &seen {
                let through_all = |line: &str| {
                    let scan = line.trim().strip_prefix("SCAN record");
                    // From one end of the table's own order, which a limit ends.
                    scan.is_some_and(|rest| {
                        !seen.statement.contains("LIMIT")
                            || (seen.plan.contains("TEMP B-TREE") && !rest.contains("USING"))
                    })
                };
                assert!(!seen.plan.lines().any(through_all), "{what}: {}\n{}", seen.statement, seen.plan);
                assert!(!seen.plan.contains("TEMP B-TREE FOR ORDER BY"), "{what}: {}\n{}", seen.statement, seen.plan);
            }
        }
    }

    /// The first page, the one behind it and back; gives the first.
    async fn list(&self, text: &str, most: u64) -> Vec<i128> {
        let query = search(text, 50);
        let first = self.store.list(&query).await.unwrap();
        self.looked_at(text, most);
        if let Some(next) = &first.next {
            let second = self.store.list(&RecordsQuery { cursor: Some(next.clone()), ..query.clone() }).await.unwrap();
            self.looked_at(&format!("{text}, second page"), most);
            let back = self.store.list(&RecordsQuery { cursor: second.previous, ..query }).await.unwrap();
            // A page that ends at the newest row is read again from there.
            self.looked_at(&format!("{text}, back"), 2 * most);
            assert_eq!(ids(&back.items), ids(&first.items), "{text}");
        }
        ids(&first.items)
    }
}

async fn no_statement_falls_off_a_cliff(engine: Engine) {
    let table = skewed(engine).await;
    let config = table.config();
    let measuring =
        Arc::new(Measuring { engine: table.engine_with(|_| {}), url: table.url().to_owned(), seen: Mutex::default() });
    let store = Store::new(measuring.clone(), &config.sources[0], &config.limits, Arc::new(SystemClock));
    store.describe().await.unwrap();
    measuring.seen.lock().unwrap().clear();
    let watch = Watch { engine, measuring: &measuring, store: &store };
    // A page, a second that it cuts through in each stream, and finding the codes.
    // PostgreSQL also counts the rows without a time, which its index does not order, up to ten thousand.
    let without_time = if engine == Engine::Postgres { 2_000 } else { 0 };
    let page = 4 * SAME_SECOND as u64 + 500 + without_time;

    // 1. A status that most rows have, older than a time: not from the newest on, and not all of the status.
    assert_eq!(watch.list("status:completed updated:<=2026-11-29T00:10:00", page).await[0], 300_499);
    assert_eq!(watch.list("status:completed updated:2026-11-29T00:02:00..2026-11-29T00:03:00", page).await.len(), 50);
    watch.list("status:failed updated:<2026-11-29T00:10", page).await;
    watch.list("status:processing updated:>2026-11-29T00:10", page).await;
    // 2. The key alone: the types first, then all of them at once.
    assert_eq!(watch.list("20260250000", 200).await, [250_000]);
    assert_eq!(ids(&store.find(None, "20260250000").await.unwrap()), [250_000]);
    watch.looked_at("find by key alone", 200);
    assert_eq!(ids(&store.find(Some("T0"), "20260250000").await.unwrap()), [250_000]);
    watch.looked_at("find by type and key", 20);
    // 3. Deep in a list, by keyset.
    let deep = search("status:completed", 50);
    let at_depth = store.list(&search("status:completed updated:<=2026-11-29T00:08", 50)).await.unwrap();
    measuring.seen.lock().unwrap().clear();
    let further = store.list(&RecordsQuery { cursor: at_depth.next, ..deep }).await.unwrap();
    watch.looked_at("deep in a status", page);
    assert_eq!(further.items.len(), 50);
    watch.list("status:completed", page).await;
    watch.list("", 200).await;
    // 4. Open rows with their counts, which stop at ten thousand.
    let open = store.open(2_000).await.unwrap();
    assert_eq!((open.processing.value, open.failed.value), (1_000, 1_000));
    watch.looked_at("open rows", 10_000);
    // 5. A time alone: the statuses are enumerated.
    assert_eq!(watch.list("updated:<=2026-11-29T00:10:00", 6 * page).await.len(), 50);
    assert_eq!(watch.list("age:<1m", page + 2 * without_time).await.len(), 0);
    assert_eq!(watch.list("age:>1m", 6 * page).await.len(), 50);

    // Keys that begin alike: so many rows, and finding the types.
    assert_eq!(watch.list("key:2023*", 3_500).await.len(), 50);
    assert_eq!(watch.list("key:20260250* type:T0", 1_500).await.len(), 50);
    assert_eq!(watch.list("key:2026025000* status:processing", 100).await, [250_000]);
    // Too many of them: found among the newest.
    assert_eq!(watch.list("key:2026*", 5_000).await[0], 500_000);
    // Rows without a time: those of the status that have none, and no others.
    let unchanged = store.list(&search("status:completed updated:<=2026-11-29T00:00:00", 50)).await.unwrap();
    measuring.seen.lock().unwrap().clear();
    let without =
        store.list(&RecordsQuery { cursor: unchanged.next.clone(), ..search("status:completed", 50) }).await.unwrap();
    watch.looked_at("at the end of a status", page + 2_000);
    assert_eq!(without.items.len(), 50);
    // Many without a time, far from the newest: only where the index orders them too are they read by it.
    table.run("UPDATE idempotent_record SET update_time = NULL WHERE id BETWEEN 200001 AND 240000").await;
    table.run(if engine == Engine::Mariadb { "ANALYZE TABLE idempotent_record" } else { "ANALYZE" }).await;
    let heap = store.list(&search("status:completed", 50)).await.unwrap();
    watch.looked_at("a heap without a time", 10_500 + page);
    assert_eq!(heap.items.len(), 50);

    // What no index serves looks at what it says, and no more.
    let rare = store.list(&search("type:T19 status:dead", 50)).await.unwrap();
    // Numbering rows takes SQLite steps of its own, which count here.
    watch.looked_at("a rare type of a rare status", if engine == Engine::Sqlite { 2_500 } else { 2_000 });
    assert!(rare.items.iter().all(|row| row.record.status == Status::Dead));
    let lost = store.list(&search("type:T0 key:9*", 50)).await.unwrap();
    watch.looked_at("keys that nobody has", 100);
    assert_eq!((lost.items.len(), lost.window), (0, Window::All));
}
