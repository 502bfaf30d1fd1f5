//! MySQL and MariaDB.

use super::catalogue::{Catalogue, Column, Kind, Part, indexes};
use super::dialect::{Dialect, Statement};
use super::raw::Raw;
use super::select::Cells;
use super::slots::{self, Slot, Slots};
use super::store::{Engine, Failure, Shown, beginning_with, names};
use crate::clock::millis;
use crate::config::{Limits, TableName};
use app::model::{Fault, Layer};
use async_trait::async_trait;
use sea_query::Value;
use sea_query_sqlx::SqlxValues;
use sqlx::mysql::{MySqlConnectOptions, MySqlConnection, MySqlDatabaseError};
use sqlx::{AssertSqlSafe, Column as _, ConnectOptions, Row};
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::timeout;
use url::Url;

pub struct MySql {
    slots: Slots<MySqlConnection>,
    statement_timeout: Duration,
    /// What the server says it is: `11.4.2-MariaDB-…`, `8.4.0`.
    version: OnceCell<String>,
}

impl MySql {
    pub fn new(url: &Url, limits: &Limits) -> Result<Self, Fault> {
        // The driver sets the session's time zone to UTC, so that TIMESTAMP columns read as the instants they are.
        let options = MySqlConnectOptions::from_url(url).map_err(|error| slots::fault(&error))?;
        let options = options.timezone(Some("+00:00".to_owned())).disable_statement_logging();
        Ok(Self {
            slots: Slots::new(options, limits.pool_size, limits.connect_timeout),
            statement_timeout: limits.statement_timeout,
            version: OnceCell::new(),
        })
    }

    pub(super) async fn slot(&self) -> Result<Slot<'_, MySqlConnection>, Failure> {
        self.slots.take().await.map_err(|error| match error {
            Some(error) => self.failure(&error),
            None => self.slots.too_late().into(),
        })
    }

    pub(super) async fn keep(&self, slot: Slot<'_, MySqlConnection>) {
        self.slots.keep(slot).await;
    }

    /// The server ends a statement by itself; this is for a server or a network that has stopped answering.
    pub(super) fn patience(&self) -> Duration {
        self.statement_timeout + Duration::from_secs(1)
    }

    async fn version(&self, connection: &mut MySqlConnection) -> Result<&str, sqlx::Error> {
        let ask = || async { sqlx::query_scalar::<_, String>("SELECT VERSION()").fetch_one(connection).await };
        self.version.get_or_try_init(ask).await.map(String::as_str)
    }

    /// The statement under the server's own time-out; each of the two has its own words for it.
    fn limited(&self, sql: &str, version: &str) -> String {
        let millis = self.statement_timeout.as_millis();
        if is_mariadb(version) {
            return format!("SET STATEMENT max_statement_time={}.{:03} FOR {sql}", millis / 1000, millis % 1000);
        }
        match sql.strip_prefix("SELECT ") {
            Some(rest) => format!("SELECT /*+ MAX_EXECUTION_TIME({millis}) */ {rest}"),
            None => sql.to_owned(),
        }
    }

    async fn run(&self, connection: &mut MySqlConnection, statement: &Statement) -> Result<Vec<Cells>, Failure> {
        let version = self.version(connection).await.map_err(|error| self.failure(&error))?;
        let sql = AssertSqlSafe(self.limited(&statement.sql, version));
        let rows = if statement.values.0.is_empty() {
            sqlx::raw_sql(sql).fetch_all(connection).await
        } else {
            // Prepared once for each connection. To close it after its use would be a small packet without an answer,
            // and the next one waits 40 ms behind it: the driver leaves Nagle's algorithm on, the server delays its ACK.
            sqlx::query_with(sql, SqlxValues(statement.values.clone())).fetch_all(connection).await
        };
        let rows = rows.map_err(|error| self.failure(&error))?;
        rows.iter().map(|row| cells(row, &statement.kinds)).collect()
    }

    pub(super) fn failure(&self, error: &sqlx::Error) -> Failure {
        let number = error.as_database_error().and_then(|error| error.try_downcast_ref::<MySqlDatabaseError>());
        let layer = Layer::Records;
        match number.map(MySqlDatabaseError::number) {
            // Access denied: for the user, for the database, by the authentication plugin.
            Some(1045 | 1044 | 1698 | 1251 | 1862) => Fault::Refused { layer }.into(),
            // Statement time-out: MySQL's, MariaDB's; a lock that was waited for; killed by somebody.
            Some(3024 | 1969 | 1205 | 1317) => self.timed_out().into(),
            // No such table, no such column, no such index to force.
            Some(1146 | 1054 | 1176) => Failure::Gone,
            // No such database, too many connections, shutting down.
            Some(1049 | 1040 | 1203 | 1053) => {
                let detail = error.as_database_error().map_or_else(String::new, |error| error.message().to_owned());
                Fault::Unreachable { layer, detail }.into()
            }
            _ => slots::fault(error).into(),
        }
    }

    pub(super) fn timed_out(&self) -> Fault {
        Fault::TimedOut { layer: Layer::Records, after_ms: millis(self.statement_timeout) }
    }
}

fn is_mariadb(version: &str) -> bool {
    version.to_ascii_lowercase().contains("mariadb")
}

/// Everything was selected as text, so the driver's check of types is left out: it refuses text in a `_bin` collation.
pub(super) fn cells(row: &sqlx::mysql::MySqlRow, kinds: &[Kind]) -> Result<Cells, Failure> {
    let cell = |(at, kind): (usize, &Kind)| {
        let bytes = row.try_get_unchecked::<Option<Vec<u8>>, _>(at).map_err(|error| slots::fault(&error))?;
        // One value in a broken encoding must not hide all the others.
        let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Raw::from_text(*kind, text).map_err(|detail| Fault::Unreadable { layer: Layer::Records, detail })
    };
    kinds.iter().enumerate().map(cell).collect::<Result<_, Fault>>().map_err(Failure::from)
}

#[async_trait]
impl Engine for MySql {
    fn dialect(&self) -> Dialect {
        Dialect::MySql
    }

    async fn fetch(&self, statement: &Statement) -> Result<Vec<Cells>, Failure> {
        let mut slot = self.slot().await?;
        let rows = timeout(self.patience(), self.run(&mut slot.connection, statement))
            .await
            .map_err(|_| self.timed_out())??;
        self.slots.keep(slot).await;
        Ok(rows)
    }

    /// In the text protocol, where every value is text. Such statements take no limit of their own: they cost nothing.
    async fn shown(&self, sql: &'static str) -> Result<Vec<Shown>, Failure> {
        let mut slot = self.slot().await?;
        let rows = timeout(self.statement_timeout, sqlx::raw_sql(sql).fetch_all(&mut slot.connection));
        let rows = rows.await.map_err(|_| self.timed_out())?.map_err(|error| self.failure(&error))?;
        self.slots.keep(slot).await;
        let cell = |row: &sqlx::mysql::MySqlRow, column: &sqlx::mysql::MySqlColumn| {
            let text =
                row.try_get_unchecked::<Option<String>, _>(column.ordinal()).map_err(|error| slots::fault(&error))?;
            Ok((column.name().to_owned(), text))
        };
        let shown = |row: &sqlx::mysql::MySqlRow| row.columns().iter().map(|column| cell(row, column)).collect();
        rows.iter().map(shown).collect::<Result<_, Fault>>().map_err(Failure::from)
    }

    async fn catalogue(&self, table: &TableName) -> Result<Option<Catalogue>, Failure> {
        let names = || vec![Value::from(table.schema.clone()), Value::from(table.table.clone())];
        let ask = |sql: &str, width: usize| Statement::fixed(sql, names(), vec![Kind::Text; width]);
        let tables = self.fetch(&ask(TABLES, 3)).await?;
        // `information_schema` compares without case; the server itself often does not.
        let named =
            |cells: &&Cells| text(cells, 0).as_deref() == Some(&table.table) || text(cells, 2).as_deref() != Some("0");
        let Some(found) = tables.iter().find(named) else { return Ok(None) };
        let columns: Vec<Column> = self.fetch(&ask(COLUMNS, 5)).await?.iter().filter_map(column).collect();
        let rows = self.fetch(&ask(INDEXES, 4)).await?;
        let parts =
            (rows.iter()).filter_map(|cells| Some((text(cells, 0)?, text(cells, 1)? == "0", part(cells)))).collect();
        let indexes = indexes(parts, true);
        let primary = indexes.iter().find(|index| index.name == "PRIMARY").map(|index| index.columns.clone());
        let version = self.version.get().cloned().unwrap_or_default();
        Ok(Some(Catalogue {
            engine: if is_mariadb(&version) { "MariaDB" } else { "MySQL" }.to_owned(),
            version: version.split('-').next().unwrap_or_default().to_owned(),
            columns,
            primary: primary.unwrap_or_default(),
            indexes,
            estimated_rows: text(found, 1).and_then(|rows| rows.parse().ok()),
        }))
    }

    async fn tables(&self, schema: Option<&str>, prefix: &str) -> Result<Vec<String>, Failure> {
        let values = vec![Value::from(schema.map(str::to_owned)), Value::from(beginning_with(prefix))];
        Ok(names(&self.fetch(&Statement::fixed(NAMES, values, vec![Kind::Text])).await?))
    }
}

fn text(cells: &Cells, at: usize) -> Option<String> {
    cells.get(at)?.show(Kind::Text)
}

fn part(cells: &Cells) -> Part {
    match (text(cells, 2), text(cells, 3)) {
        (Some(column), None) => Part::Column(column),
        (Some(column), Some(_length)) => Part::Prefix(column),
        (None, _) => Part::Expression,
    }
}

pub(super) fn column(cells: &Cells) -> Option<Column> {
    let base = text(cells, 1)?.to_ascii_lowercase();
    let kind = match base.as_str() {
        "tinyint" | "smallint" | "mediumint" | "int" | "integer" | "bigint" | "year" => Kind::Int,
        "decimal" => Kind::Decimal,
        "bit" => Kind::Bits,
        "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" | "enum" | "set" => Kind::Text,
        "binary" | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" => Kind::Bytes,
        "datetime" => Kind::Wall,
        "timestamp" => Kind::Instant,
        "date" => Kind::Date,
        "uuid" => Kind::Uuid,
        _ => Kind::Other,
    };
    Some(Column {
        name: text(cells, 0)?,
        kind,
        declared: text(cells, 2)?,
        nullable: text(cells, 3)?.eq_ignore_ascii_case("yes"),
        assigned: text(cells, 4).is_some_and(|extra| extra.contains("auto_increment")),
        // "DEFAULT_GENERATED" is a default.
        generated: text(cells, 4).is_some_and(|extra| extra.to_ascii_uppercase().contains(" GENERATED")),
    })
}

const NAMES: &str = "SELECT CAST(table_name AS CHAR) FROM information_schema.tables \
    WHERE table_schema = COALESCE(?, DATABASE()) AND table_name LIKE ? ESCAPE '!' AND table_type <> 'VIEW' LIMIT 5000";

const TABLES: &str = "SELECT CAST(table_name AS CHAR), CAST(table_rows AS CHAR), CAST(@@lower_case_table_names AS CHAR) \
    FROM information_schema.tables WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?";

const COLUMNS: &str = "SELECT CAST(column_name AS CHAR), CAST(data_type AS CHAR), CAST(column_type AS CHAR), \
    CAST(is_nullable AS CHAR), CAST(extra AS CHAR) FROM information_schema.columns \
    WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ? ORDER BY ordinal_position";

const INDEXES: &str = "SELECT CAST(index_name AS CHAR), CAST(non_unique AS CHAR), CAST(column_name AS CHAR), \
    CAST(sub_part AS CHAR) FROM information_schema.statistics \
    WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ? AND index_type = 'BTREE' \
    ORDER BY index_name <> 'PRIMARY', index_name, seq_in_index";
