//! A team's idempotent-record table.

use app::model::{Capability, Count, Fault, Pk, Problem, RecordsPage, RecordsQuery, Row, StrategyChoice};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// What the catalogue says about the table; read at start and again each hour.
#[derive(Debug, Clone)]
pub struct Description {
    /// `MariaDB 10.11.11`.
    pub engine: String,
    pub version: String,
    pub choice: StrategyChoice,
    pub estimated_rows: Option<u64>,
    pub capabilities: Vec<Capability>,
    pub problems: Vec<Problem>,
}

/// A stretch of a growing id: `after < id <= up_to`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// `None`: from the beginning.
    pub after: Option<i128>,
    /// `None`: to the end.
    pub up_to: Option<i128>,
}

/// A stretch as read.
#[derive(Debug, Clone)]
pub struct Scanned {
    /// Those that are of the source.
    pub rows: Vec<Row>,
    /// The largest id that was met, also of other rows; `None`: there was no row.
    pub last: Option<i128>,
    /// The limit was reached: there may be more.
    pub full: bool,
}

/// Processing and failed rows, as an index on status gives them; dead and unmapped ones are only counted.
#[derive(Debug, Clone)]
pub struct OpenRows {
    /// Without their errors. Oldest first, at most the limit asked for. Where it cuts, the oldest processing rows are kept before any failed.
    pub rows: Vec<Row>,
    pub processing: Count,
    pub failed: Count,
    pub dead: Count,
    pub unmapped: Count,
}

#[async_trait]
pub trait RecordStore: Send + Sync {
    /// Reads the catalogue and chooses a strategy. Fails with `TableMissing` or `ColumnMissing`.
    async fn describe(&self) -> Result<Description, Fault>;

    /// The database's own clock: ages are counted from it.
    async fn clock(&self) -> Result<DateTime<Utc>, Fault>;

    /// One keyset page, newest first. Without an index for the filter it examines a bounded number of rows and says so.
    async fn list(&self, query: &RecordsQuery) -> Result<RecordsPage, Fault>;

    /// By business key, with or without type, through the unique key. At most 100 rows.
    async fn find(&self, r#type: Option<&str>, key: &str) -> Result<Vec<Row>, Fault>;

    /// By primary key, in one statement; rows that are gone are missing from the answer. At most 500 keys.
    async fn get(&self, pks: &[Pk]) -> Result<Vec<Row>, Fault>;

    /// Rows of a span in id order, at most `limit` (≤ 10,000), with no more than status, type and times. Only for tables
    /// with a growing id.
    async fn scan(&self, span: &Span, limit: u32) -> Result<Scanned, Fault>;

    /// The largest id; `None` for an empty table. Only for tables with a growing id.
    async fn last_id(&self) -> Result<Option<i128>, Fault>;

    /// Open rows by the index on status, at most `limit`; counts are capped at 10,000. Only under *status index*.
    async fn open(&self, limit: u32) -> Result<OpenRows, Fault>;
}
