//! A team's idempotent-record table, or several that are one source.

use app::model::{Capability, Count, Fault, Pk, Problem, RecordRef, RecordsPage, RecordsQuery, Row, StrategyChoice};
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

/// An order in which a table without a growing id can be walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Course {
    /// By what tells rows apart.
    Identity,
    /// By the indexed time, oldest first; rows without one are not met.
    Time,
}

/// Where a row stands on a course. Opaque: the stored values, as the adapter writes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stand(pub String);

/// A stretch of a course as read.
#[derive(Debug, Clone)]
pub struct Swept {
    /// Those that are of the source.
    pub rows: Vec<Row>,
    /// Where the last row stands, also one of another source; `None`: there was no row.
    pub last: Option<Stand>,
    /// The limit was reached: there may be more.
    pub full: bool,
}

/// Processing and failed rows, as an index on status gives them; dead and unmapped ones are only counted.
#[derive(Debug, Clone)]
pub struct OpenRows {
    /// Without their errors. Oldest first, at most the limit asked for. Where it cuts, the oldest processing rows are kept before any failed.
    pub rows: Vec<Row>,
    /// Since when processing rows are as they are; `None`: it does not say. The oldest 10,000 by the index, or, where
    /// that does not say it, 1,000 of them.
    pub since: Vec<Option<DateTime<Utc>>>,
    pub processing: Count,
    pub failed: Count,
    pub dead: Count,
    pub unmapped: Count,
}

/// What the collector follows a table by. A source may have several tables; each method names the one it is about, and
/// fails with `TableMissing` for one that is not there any more.
#[async_trait]
pub trait Follow: Send + Sync {
    /// The source's tables, by name: the only one, or those in the catalogue that match, looked up again each minute.
    async fn tables(&self) -> Result<Vec<String>, Fault>;

    /// Rows of a span in id order, at most `limit` (≤ 10,000), with no more than status, type and times. Only for tables
    /// with a growing id.
    async fn scan(&self, table: &str, span: &Span, limit: u32) -> Result<Scanned, Fault>;

    /// The largest id; `None` for an empty table. Only for tables with a growing id.
    async fn last_id(&self, table: &str) -> Result<Option<i128>, Fault>;

    /// Rows of a course after a place, at most `limit` (≤ 10,000), with no more than status, type and times.
    async fn sweep(&self, table: &str, course: Course, after: Option<&Stand>, limit: u32) -> Result<Swept, Fault>;

    /// Where the newest row stands on the course of time; `None` for a table in which no row has one.
    async fn newest(&self, table: &str) -> Result<Option<Stand>, Fault>;

    /// Rows of one table by primary key, in one statement, with no more than status, type and times; those that are gone
    /// are missing. At most 500 keys.
    async fn look(&self, table: &str, pks: &[Pk]) -> Result<Vec<Row>, Fault>;

    /// Open rows of all tables by their indexes on status, at most `limit`; counts are capped at 10,000 for each table.
    /// Only under *status index*.
    async fn open(&self, limit: u32) -> Result<OpenRows, Fault>;
}

#[async_trait]
pub trait RecordStore: Follow {
    /// Reads the catalogue and chooses a strategy. Fails with `TableMissing` or `ColumnMissing`.
    async fn describe(&self) -> Result<Description, Fault>;

    /// The database's own clock: ages are counted from it.
    async fn clock(&self) -> Result<DateTime<Utc>, Fault>;

    /// One keyset page, newest first. Without an index for the filter it examines a bounded number of rows and says so.
    async fn list(&self, query: &RecordsQuery) -> Result<RecordsPage, Fault>;

    /// By business key, with or without type, through the unique key. At most 100 rows.
    async fn find(&self, r#type: Option<&str>, key: &str) -> Result<Vec<Row>, Fault>;

    /// By primary key, in one statement for each table; rows that are gone, and those of tables that are no more, are
    /// missing from the answer. At most 500 references.
    async fn get(&self, references: &[RecordRef]) -> Result<Vec<Row>, Fault>;
}
