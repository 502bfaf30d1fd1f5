//! PostgreSQL.

use super::catalogue::{Alike, Catalogue, Column, Kind, Part, indexes};
use super::dialect::{Dialect, Statement};
use super::raw::Raw;
use super::select::Cells;
use super::slots::{self, Slot, Slots};
use super::store::{Engine, Failure, beginning_with, names};
use crate::clock::millis;
use crate::config::{Limits, TableName};
use app::model::{Fault, Layer};
use async_trait::async_trait;
use sea_query::Value;
use sea_query_sqlx::SqlxValues;
use sqlx::error::DatabaseError;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgRow};
use sqlx::{AssertSqlSafe, ConnectOptions, Row, ValueRef};
use std::time::Duration;
use tokio::time::timeout;
use url::Url;

pub struct Postgres {
    slots: Slots<PgConnection>,
    statement_timeout: Duration,
}

impl Postgres {
    pub fn new(url: &Url, limits: &Limits) -> Result<Self, Fault> {
        let options = PgConnectOptions::from_url(url).map_err(|error| slots::fault(&error))?;
        let options = options.application_name("oncewatch").disable_statement_logging();
        Ok(Self {
            slots: Slots::new(options, limits.pool_size, limits.connect_timeout),
            statement_timeout: limits.statement_timeout,
        })
    }

    pub(super) async fn slot(&self) -> Result<Slot<'_, PgConnection>, Failure> {
        self.slots.take().await.map_err(|error| match error {
            Some(error) => self.failure(&error),
            None => self.slots.too_late().into(),
        })
    }

    pub(super) async fn keep(&self, slot: Slot<'_, PgConnection>) {
        self.slots.keep(slot).await;
    }

    pub(super) fn statement_timeout(&self) -> Duration {
        self.statement_timeout
    }

    /// The server ends a statement by itself; this is for a server or a network that has stopped answering.
    pub(super) fn patience(&self) -> Duration {
        self.statement_timeout + Duration::from_secs(1)
    }

    /// In a read-only transaction, so that the time-out is the statement's own also behind a connection pooler.
    async fn run(&self, connection: &mut PgConnection, statement: &Statement) -> Result<Vec<Cells>, Failure> {
        let begin = format!(
            "BEGIN READ ONLY; SET LOCAL statement_timeout = {}; SET LOCAL DateStyle = ISO",
            self.statement_timeout.as_millis()
        );
        let asked = if statement.values.0.is_empty() {
            at_once(connection, &begin, &statement.sql).await
        } else {
            step_by_step(connection, begin, statement).await
        };
        match asked {
            Ok(rows) => rows.iter().map(|row| cells(row, &statement.kinds)).collect(),
            Err(error) if cannot_hold(&error) => {
                let ended = sqlx::raw_sql("ROLLBACK").execute(connection).await;
                ended.map(|_| Vec::new()).map_err(|error| self.failure(&error))
            }
            Err(error) => Err(self.failure(&error)),
        }
    }

    pub(super) fn failure(&self, error: &sqlx::Error) -> Failure {
        let layer = Layer::Records;
        let Some(database) = error.as_database_error() else { return slots::fault(error).into() };
        match database.code().as_deref() {
            Some("28000" | "28P01") => Fault::Refused { layer }.into(),
            // Cancelled by the statement time-out; a lock that was not to be had.
            Some("57014" | "55P03") => self.timed_out().into(),
            Some("42P01" | "42703" | "3F000") => Failure::Gone,
            // No such database, too many connections, starting up or shutting down.
            Some("3D000" | "53300" | "57P01" | "57P02" | "57P03") => {
                Fault::Unreachable { layer, detail: database.message().to_owned() }.into()
            }
            _ => slots::fault(error).into(),
        }
    }

    pub(super) fn timed_out(&self) -> Fault {
        Fault::TimedOut { layer: Layer::Records, after_ms: millis(self.statement_timeout) }
    }
}

/// One message there and one back.
async fn at_once(connection: &mut PgConnection, begin: &str, sql: &str) -> sqlx::Result<Vec<PgRow>> {
    sqlx::raw_sql(AssertSqlSafe(format!("{begin}; {sql}; COMMIT"))).fetch_all(connection).await
}

/// What is bound goes apart from the statement, which takes four messages each way.
async fn step_by_step(connection: &mut PgConnection, begin: String, statement: &Statement) -> sqlx::Result<Vec<PgRow>> {
    sqlx::raw_sql(AssertSqlSafe(begin)).execute(&mut *connection).await?;
    let sql = AssertSqlSafe(statement.sql.clone());
    let query = sqlx::query_with(sql, SqlxValues(statement.values.clone())).persistent(false);
    let rows = query.fetch_all(&mut *connection).await?;
    sqlx::raw_sql("COMMIT").execute(connection).await?;
    Ok(rows)
}

/// A bound text that the column's type cannot hold (no such label of an enum, no such date): no row has it.
fn cannot_hold(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(DatabaseError::code);
    matches!(code.as_deref(), Some("22P02" | "22003" | "22007" | "22008"))
}

fn unreadable(detail: String) -> Fault {
    Fault::Unreadable { layer: Layer::Records, detail }
}

pub(super) fn cells(row: &PgRow, kinds: &[Kind]) -> Result<Cells, Failure> {
    let cell = |(at, kind): (usize, &Kind)| {
        let value = row.try_get_raw(at).map_err(|error| slots::fault(&error))?;
        // All is selected as text, whose bytes are the same however they were asked for. One value in a broken encoding
        // must not hide all the others.
        let text = match value.is_null() {
            true => None,
            false => Some(
                String::from_utf8_lossy(value.as_bytes().map_err(|error| unreadable(error.to_string()))?).into_owned(),
            ),
        };
        // Bits are read as their digits, which is what `Raw` expects of them.
        Raw::from_text(*kind, text).map_err(unreadable)
    };
    kinds.iter().enumerate().map(cell).collect::<Result<_, Fault>>().map_err(Failure::from)
}

#[async_trait]
impl Engine for Postgres {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    async fn fetch(&self, statement: &Statement) -> Result<Vec<Cells>, Failure> {
        let mut slot = self.slot().await?;
        let rows = timeout(self.patience(), self.run(&mut slot.connection, statement))
            .await
            .map_err(|_| self.timed_out())??;
        self.slots.keep(slot).await;
        Ok(rows)
    }

    async fn catalogue(&self, table: &TableName) -> Result<Option<Catalogue>, Failure> {
        let names = vec![Value::from(table.table.clone()), Value::from(table.schema.clone())];
        let tables = self.fetch(&Statement::fixed(TABLE, names, vec![Kind::Text; 3])).await?;
        let Some(found) = tables.first() else { return Ok(None) };
        let Some(oid) = text(found, 0) else { return Ok(None) };
        let ask =
            |sql: &str, width: usize| Statement::fixed(sql, vec![Value::from(oid.clone())], vec![Kind::Text; width]);
        let columns: Vec<Column> = self.fetch(&ask(COLUMNS, 7)).await?.iter().filter_map(column).collect();
        let rows = self.fetch(&ask(INDEXES, 5)).await?;
        let primary: Option<String> =
            rows.iter().find(|cells| text(cells, 3).as_deref() == Some("true")).and_then(|cells| text(cells, 0));
        let parts =
            rows.iter().filter_map(|cells| Some((text(cells, 0)?, text(cells, 1)? == "true", part(cells)))).collect();
        let mut indexes = indexes(parts, false);
        for cells in &rows {
            let alike = match text(cells, 4).as_deref() {
                Some("bytes") => Alike::Bytes,
                Some("code points") => Alike::CodePoints,
                _ => continue,
            };
            let index = indexes.iter_mut().find(|index| Some(&index.name) == text(cells, 0).as_ref());
            if let (Some(index), Some(column)) = (index, text(cells, 2)) {
                index.alike.push((column, alike));
            }
        }
        let primary = indexes.iter().find(|index| Some(&index.name) == primary.as_ref());
        Ok(Some(Catalogue {
            engine: "PostgreSQL".to_owned(),
            version: text(found, 2).unwrap_or_default().split(' ').next().unwrap_or_default().to_owned(),
            columns,
            primary: primary.map(|index| index.columns.clone()).unwrap_or_default(),
            indexes,
            // Never analysed: -1, which is no number of rows.
            estimated_rows: text(found, 1).and_then(|rows| rows.parse().ok()),
        }))
    }

    async fn tables(&self, schema: Option<&str>, prefix: &str) -> Result<Vec<String>, Failure> {
        let values = vec![Value::from(beginning_with(prefix)), Value::from(schema.map(str::to_owned))];
        Ok(names(&self.fetch(&Statement::fixed(NAMES, values, vec![Kind::Text])).await?))
    }
}

fn part(cells: &Cells) -> Part {
    text(cells, 2).map_or(Part::Expression, Part::Column)
}

fn text(cells: &Cells, at: usize) -> Option<String> {
    cells.get(at)?.show(Kind::Text)
}

pub(super) fn column(cells: &Cells) -> Option<Column> {
    let base = text(cells, 1)?;
    let kind = match base.as_str() {
        "int2" | "int4" | "int8" => Kind::Int,
        "numeric" => Kind::Decimal,
        "bool" => Kind::Bool,
        "bit" | "varbit" => Kind::Bits,
        "text" | "varchar" => Kind::Text,
        "bytea" => Kind::Bytes,
        "uuid" => Kind::Uuid,
        "timestamp" => Kind::Wall,
        "timestamptz" => Kind::Instant,
        "date" => Kind::Date,
        _ => Kind::Other,
    };
    // Casts to `character` and `bit` without a length mean length 1 and would cut.
    let declared = match base.as_str() {
        "bpchar" => "bpchar".to_owned(),
        "bit" => "varbit".to_owned(),
        _ => text(cells, 2)?,
    };
    Some(Column {
        name: text(cells, 0)?,
        kind,
        declared,
        nullable: text(cells, 3)? == "false",
        assigned: text(cells, 4)? == "true",
        generated: text(cells, 6).as_deref() == Some("true"),
    })
}

/// A partition is read through the table that it is a part of.
const NAMES: &str = "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    WHERE c.relname::text LIKE $1 ESCAPE '!' AND c.relkind IN ('r', 'p', 'f') AND NOT c.relispartition \
    AND CASE WHEN $2::text IS NULL THEN pg_table_is_visible(c.oid) ELSE n.nspname = $2::text END LIMIT 5000";

/// A table that was never analysed (-1, before version 14 also 0) is estimated by its size, at 64 bytes a row; a
/// partitioned one not at all, and nobody knows how much a view gives.
const TABLE: &str = "SELECT c.oid::text, \
    CASE WHEN c.reltuples > 0 AND c.relkind <> 'v' THEN c.reltuples::bigint \
         WHEN c.relkind IN ('r', 'm') THEN pg_relation_size(c.oid) / 64 END::text, current_setting('server_version') \
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    WHERE c.relname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') \
    AND CASE WHEN $2::text IS NULL THEN pg_table_is_visible(c.oid) ELSE n.nspname = $2::text END";

const COLUMNS: &str = "SELECT a.attname::text, t.typname::text, format_type(t.oid, NULL), a.attnotnull::text, \
    (a.attidentity <> '' OR COALESCE(pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%', false))::text, a.attnum::text, \
    (COALESCE(to_jsonb(a)->>'attgenerated', '') <> '')::text \
    FROM pg_attribute a JOIN pg_type declared ON declared.oid = a.atttypid \
    JOIN pg_type t ON t.oid = CASE declared.typtype WHEN 'd' THEN declared.typbasetype ELSE declared.oid END \
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
    WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum";

/// The last: what keeps text that begins alike together. The collation `default` is the database's; what provides it has
/// no column of its own before version 15.
const INDEXES: &str = "SELECT i.relname::text, x.indisunique::text, a.attname::text, x.indisprimary::text, \
    CASE WHEN o.opcname LIKE '%pattern\\_ops' OR l.name IN ('C', 'POSIX') THEN 'bytes' \
         WHEN l.name IN ('C.UTF-8', 'C.utf8', 'ucs_basic', 'pg_c_utf8') THEN 'code points' END \
    FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am m ON m.oid = i.relam \
    CROSS JOIN LATERAL unnest(x.indkey::int2[], x.indcollation::oid[], x.indclass::oid[]) \
        WITH ORDINALITY AS k(attnum, coll, class, at) \
    LEFT JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.attnum AND k.attnum > 0 \
    LEFT JOIN pg_collation c ON c.oid = k.coll LEFT JOIN pg_opclass o ON o.oid = k.class \
    LEFT JOIN pg_database d ON d.datname = current_database() \
    CROSS JOIN LATERAL (SELECT CASE WHEN c.collname <> 'default' THEN c.collname::text \
        WHEN COALESCE(to_jsonb(d)->>'datlocprovider', 'c') = 'c' THEN d.datcollate::text \
        WHEN to_jsonb(d)->>'datlocprovider' = 'b' THEN to_jsonb(d)->>'datlocale' END AS name) l \
    WHERE x.indrelid = $1::oid AND x.indisvalid AND x.indpred IS NULL AND m.amname = 'btree' AND k.at <= x.indnkeyatts \
    ORDER BY NOT x.indisprimary, i.relname, k.at";
