//! SQLite. The team's file is opened read-only, but for what operations change.

use super::catalogue::{Catalogue, Column, Index, Kind, Part, indexes};
use super::dialect::{Dialect, Statement};
use super::raw::Raw;
use super::select::Cells;
use super::slots::{self, Slot, Slots};
use super::store::{Engine, Failure, beginning_with, names};
use crate::clock::{Clock, millis};
use crate::config::{Limits, TableName};
use app::model::{Fault, Layer};
use async_trait::async_trait;
use sea_query::Value;
use sea_query_sqlx::SqlxValues;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, ConnectOptions, Row, TypeInfo, ValueRef};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Virtual machine steps between two looks at the clock: some tens of microseconds.
const STEPS: i32 = 1_000;
/// KiB, negative by SQLite's convention. Its own 2 MiB are too few for the scattered rows of one page by a status index.
const PAGE_CACHE: &str = "-24000";

pub struct Sqlite {
    slots: Slots<SqliteConnection>,
    statement_timeout: Duration,
    clock: Arc<dyn Clock>,
}

impl Sqlite {
    pub fn new(url: &Url, limits: &Limits, clock: Arc<dyn Clock>) -> Result<Self, Fault> {
        Self::opened(url, limits, clock, true)
    }

    pub fn for_writing(url: &Url, limits: &Limits, clock: Arc<dyn Clock>) -> Result<Self, Fault> {
        Self::opened(url, limits, clock, false)
    }

    fn opened(url: &Url, limits: &Limits, clock: Arc<dyn Clock>, read_only: bool) -> Result<Self, Fault> {
        let options = SqliteConnectOptions::from_url(url).map_err(|error| slots::fault(&error))?;
        let options = options
            .read_only(read_only)
            .create_if_missing(false)
            .busy_timeout(limits.statement_timeout)
            .pragma("cache_size", PAGE_CACHE)
            .disable_statement_logging();
        Ok(Self {
            slots: Slots::new(options, limits.pool_size, limits.connect_timeout),
            statement_timeout: limits.statement_timeout,
            clock,
        })
    }

    pub(super) async fn slot(&self) -> Result<Slot<'_, SqliteConnection>, Failure> {
        self.slots.take().await.map_err(|error| match error {
            Some(error) => self.failure(&error),
            None => self.slots.too_late().into(),
        })
    }

    pub(super) async fn keep(&self, slot: Slot<'_, SqliteConnection>) {
        self.slots.keep(slot).await;
    }

    /// The next statement ends at its deadline because the progress handler says so: dropping the future would not stop it.
    pub(super) async fn limit(&self, connection: &mut SqliteConnection) -> Result<(), Failure> {
        let (clock, deadline) = (Arc::clone(&self.clock), self.clock.instant() + self.statement_timeout);
        let mut handle = connection.lock_handle().await.map_err(|error| self.failure(&error))?;
        handle.set_progress_handler(STEPS, move || clock.instant() < deadline);
        Ok(())
    }

    async fn run(&self, connection: &mut SqliteConnection, statement: &Statement) -> Result<Vec<Cells>, Failure> {
        self.limit(connection).await?;
        let sql = AssertSqlSafe(statement.sql.clone());
        let query = sqlx::query_with(sql, SqlxValues(statement.values.clone())).persistent(false);
        let rows = query.fetch_all(connection).await.map_err(|error| self.failure(&error))?;
        rows.iter().map(|row| cells(row, statement.kinds.len())).collect()
    }

    pub(super) fn failure(&self, error: &sqlx::Error) -> Failure {
        let layer = Layer::Records;
        let Some(database) = error.as_database_error() else { return slots::fault(error).into() };
        let detail = database.message().to_owned();
        // Extended result codes; the primary one is the low byte.
        let code = database.code().and_then(|code| code.parse::<i32>().ok()).map(|code| code & 0xff);
        match code {
            Some(9) => Fault::TimedOut { layer, after_ms: millis(self.statement_timeout) }.into(),
            Some(3 | 23) => Fault::Refused { layer }.into(),
            // Locked, busy, I/O error, cannot open.
            Some(5 | 6 | 10 | 14) => Fault::Unreachable { layer, detail }.into(),
            // SQLite has one code for all that a statement may name wrongly.
            Some(1) if detail.starts_with("no such table") || detail.starts_with("no such column") => Failure::Gone,
            _ => slots::fault(error).into(),
        }
    }
}

/// Each value by its own storage class, whatever the column declares. Text that is not UTF-8 is shown as far as it is.
pub(super) fn cells(row: &SqliteRow, width: usize) -> Result<Cells, Failure> {
    let cell = |at: usize| -> Result<Raw, sqlx::Error> {
        let value = row.try_get_raw(at)?;
        if value.is_null() {
            return Ok(Raw::Null);
        }
        let class = value.type_info().name().to_owned();
        Ok(match class.as_str() {
            "INTEGER" => Raw::Int(i128::from(row.try_get_unchecked::<i64, _>(at)?)),
            "REAL" => Raw::Real(row.try_get_unchecked(at)?),
            "BLOB" => Raw::Bytes(row.try_get_unchecked(at)?),
            _ => Raw::Text(String::from_utf8_lossy(&row.try_get_unchecked::<Vec<u8>, _>(at)?).into_owned()),
        })
    };
    (0..width).map(|at| cell(at).map_err(|error| slots::fault(&error).into())).collect()
}

#[async_trait]
impl Engine for Sqlite {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    async fn fetch(&self, statement: &Statement) -> Result<Vec<Cells>, Failure> {
        let mut slot = self.slot().await?;
        let rows = self.run(&mut slot.connection, statement).await?;
        self.slots.keep(slot).await;
        Ok(rows)
    }

    async fn catalogue(&self, table: &TableName) -> Result<Option<Catalogue>, Failure> {
        let schema = table.schema.as_deref().unwrap_or("main");
        let names = || vec![Value::from(table.table.clone()), Value::from(schema)];
        let ask = |sql: &str, width: usize| Statement::fixed(sql, names(), vec![Kind::Text; width]);
        let rows = self.fetch(&ask(COLUMNS, 5)).await?;
        if rows.is_empty() {
            return Ok(None);
        }
        let primary = primary(&rows);
        let row_id = row_id(&rows, &primary);
        let columns: Vec<Column> = rows.iter().filter_map(|cells| column(cells, row_id.as_deref())).collect();
        let parts = self.fetch(&ask(INDEXES, 3)).await?;
        let parts = (parts.iter())
            .filter_map(|cells| Some((text(cells, 0)?, cells.get(1)?.as_int()? == 1, part(cells))))
            .collect();
        let mut indexes = indexes(parts, row_id.is_some());
        if let Some(row_id) = row_id {
            // The table itself: the row id needs no index of its own, so none is listed.
            let columns = vec![row_id];
            indexes.insert(
                0,
                Index { name: "rowid".into(), unique: true, columns, carries_primary: false, alike: Vec::new() },
            );
        }
        Ok(Some(Catalogue {
            engine: "SQLite".to_owned(),
            version: self.scalar("SELECT sqlite_version()").await?.unwrap_or_default(),
            columns,
            indexes,
            primary,
            estimated_rows: self.estimate(&table.table, schema).await?,
        }))
    }

    async fn tables(&self, schema: Option<&str>, prefix: &str) -> Result<Vec<String>, Failure> {
        let schema = Dialect::Sqlite.quote(schema.unwrap_or("main"));
        let sql = format!(
            "SELECT name FROM {schema}.sqlite_master WHERE type = 'table' AND name LIKE ? ESCAPE '!' LIMIT 5000"
        );
        Ok(names(
            &self.fetch(&Statement::fixed(&sql, vec![Value::from(beginning_with(prefix))], vec![Kind::Text])).await?,
        ))
    }
}

impl Sqlite {
    async fn scalar(&self, sql: &str) -> Result<Option<String>, Failure> {
        let rows = self.fetch(&Statement::fixed(sql, Vec::new(), vec![Kind::Text])).await?;
        Ok(rows.first().and_then(|cells| text(cells, 0)))
    }

    /// From ANALYZE, where somebody ran it.
    async fn estimate(&self, table: &str, schema: &str) -> Result<Option<u64>, Failure> {
        let quoted = Dialect::Sqlite.quote(schema);
        let sql = format!("SELECT stat FROM {quoted}.sqlite_stat1 WHERE tbl = ? AND stat <> '' LIMIT 1");
        let statement = Statement::fixed(&sql, vec![Value::from(table)], vec![Kind::Text]);
        let rows = match self.fetch(&statement).await {
            Ok(rows) => rows,
            // Nothing was ever analysed.
            Err(Failure::Gone) => Vec::new(),
            Err(failure) => return Err(failure),
        };
        let stat = rows.first().and_then(|cells| text(cells, 0));
        match stat.and_then(|stat| stat.split(' ').next()?.parse().ok()) {
            Some(rows) => Ok(Some(rows)),
            None => self.most_rows(table, schema).await,
        }
    }

    /// The largest rowid: one step in the table's tree. Never analysed, a table has at most so many rows, unless it counts
    /// below zero; one without rowids does not say.
    async fn most_rows(&self, table: &str, schema: &str) -> Result<Option<u64>, Failure> {
        let quote = |name| Dialect::Sqlite.quote(name);
        let sql = format!("SELECT COALESCE(MAX(rowid), 0) FROM {}.{}", quote(schema), quote(table));
        match self.fetch(&Statement::fixed(&sql, Vec::new(), vec![Kind::Int])).await {
            Ok(rows) => {
                Ok(rows.first().and_then(|cells| cells.first()?.as_int()).and_then(|id| u64::try_from(id).ok()))
            }
            Err(Failure::Gone) => Ok(None),
            Err(failure) => Err(failure),
        }
    }
}

fn part(cells: &Cells) -> Part {
    text(cells, 2).map_or(Part::Expression, Part::Column)
}

fn text(cells: &Cells, at: usize) -> Option<String> {
    cells.get(at)?.show(Kind::Text)
}

fn primary(rows: &[Cells]) -> Vec<String> {
    let mut parts: Vec<(i128, String)> =
        rows.iter().filter_map(|cells| Some((cells.get(3)?.as_int().filter(|at| *at > 0)?, text(cells, 0)?))).collect();
    parts.sort();
    parts.into_iter().map(|(_, name)| name).collect()
}

/// The column that is another name of the row id: `INTEGER PRIMARY KEY`, exactly so.
fn row_id(rows: &[Cells], primary: &[String]) -> Option<String> {
    let [name] = primary else { return None };
    let declared = rows.iter().find(|cells| text(cells, 0).as_ref() == Some(name)).and_then(|cells| text(cells, 1))?;
    declared.eq_ignore_ascii_case("integer").then(|| name.clone())
}

fn column(cells: &Cells, row_id: Option<&str>) -> Option<Column> {
    let name = text(cells, 0)?;
    let is_row_id = row_id == Some(name.as_str());
    Some(Column {
        kind: Kind::Loose,
        declared: text(cells, 1).unwrap_or_default(),
        nullable: !is_row_id && cells.get(2)?.as_int() == Some(0),
        assigned: is_row_id,
        // 2: virtual, 3: stored.
        generated: cells.get(4).and_then(Raw::as_int).is_some_and(|hidden| matches!(hidden, 2 | 3)),
        name,
    })
}

const COLUMNS: &str = r#"SELECT name, type, "notnull", pk, hidden FROM pragma_table_xinfo(?, ?)
    WHERE EXISTS (SELECT 1 FROM sqlite_master WHERE name = ?1 UNION ALL SELECT 1 WHERE ?2 <> 'main')"#;

const INDEXES: &str = r#"SELECT l.name, l."unique", i.name FROM pragma_index_list(?1, ?2) l, pragma_index_info(l.name, ?2) i
    WHERE l.partial = 0 ORDER BY l.origin <> 'pk', l.seq, i.seqno"#;
