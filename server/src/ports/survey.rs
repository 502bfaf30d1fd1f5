//! The tables of a database, as somebody sees them who does not know yet which of them a team uses.

use crate::config::TableName;
use app::model::Fault;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// What a column holds, as far as its role depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    Integer,
    /// Money and measures.
    Decimal,
    Boolean,
    Text,
    Bytes,
    Uuid,
    /// A time without a zone.
    WallTime,
    Instant,
    /// JSON, enums of PostgreSQL, and whatever else there is.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnSketch {
    pub name: String,
    pub kind: ColumnKind,
    /// As the engine writes the type, lower case.
    pub declared: String,
    pub nullable: bool,
    /// The engine hands its values out.
    pub assigned: bool,
    pub comment: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSketch {
    pub name: TableName,
    pub view: bool,
    pub columns: Vec<ColumnSketch>,
}

impl TableSketch {
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&ColumnSketch> {
        self.columns.iter().find(|column| column.name == name)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexSketch {
    pub unique: bool,
    pub columns: Vec<String>,
}

/// Indexes, the primary key first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Indexes {
    pub indexes: Vec<IndexSketch>,
    /// `None`: nobody knows.
    pub estimated_rows: Option<u64>,
}

#[async_trait]
pub trait Survey: Send + Sync {
    /// Every table and view that the account sees, by the catalogue alone; at most 40,000 columns.
    async fn tables(&self) -> Result<Vec<TableSketch>, Fault>;

    async fn indexes(&self, table: &TableName) -> Result<Indexes, Fault>;

    /// What the columns hold in the newest rows, as text and cut at 200 characters; at most `limit` (≤ 200) rows.
    async fn sample(
        &self,
        table: &TableName,
        columns: &[String],
        limit: u32,
    ) -> Result<Vec<Vec<Option<String>>>, Fault>;

    /// The database's clock.
    async fn clock(&self) -> Result<DateTime<Utc>, Fault>;
}
