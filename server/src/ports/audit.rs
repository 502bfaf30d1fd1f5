//! What `check` asks of a record table beyond reading it. Nothing here is asked by a page or a collector.

use app::model::{Fault, Fold, IndexPurpose, Problem, Record};
use async_trait::async_trait;

/// Percent of the ids from which on their end is near: months, for most tables.
const NEAR_END_PERCENT: i128 = 80;

/// What the account may do with the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Account {
    /// How it may change it: `INSERT`, `superuser`, ….
    pub may_change: Vec<String>,
    /// GRANT statements for what the mapping names and the account may not read.
    pub missing: Vec<String>,
}

/// Whether the database is a replica.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Primary,
    Replica {
        /// `None`: it does not say, or not to this account.
        behind_ms: Option<u64>,
    },
}

/// How a column of key or type compares texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    pub column: String,
    pub collation: String,
    pub folds: Folds,
    /// A character set of three bytes.
    pub narrow_charset: Option<String>,
    /// In characters, where the column has a limit.
    pub length: Option<u64>,
}

/// What a collation takes for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Folds {
    /// It tells everything apart.
    Nothing,
    /// Empty: it folds, and nobody knows what.
    Some(Vec<Fold>),
}

/// The ids that the engine hands out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ids {
    pub column: String,
    /// The largest so far.
    pub used: i128,
    /// The largest that there can be.
    pub end: i128,
}

impl Ids {
    /// From 80 % on.
    #[must_use]
    pub fn problem(&self) -> Option<Problem> {
        let percent = self.used.checked_mul(100)?.checked_div(self.end)?;
        (percent >= NEAR_END_PERCENT).then(|| Problem::IdsNearEnd {
            column: self.column.clone(),
            used_percent: u8::try_from(percent).unwrap_or(100),
            left: u64::try_from(self.end - self.used).unwrap_or(0),
        })
    }
}

/// An index that would help, with the DDL for a person to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexAdvice {
    pub serves: IndexPurpose,
    pub suggested_ddl: String,
}

/// The newest rows, as stored and as read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    pub rows: Vec<Sampled>,
    /// The columns of the key's parts; `None`: it lies inside JSON.
    pub key_columns: Vec<Option<String>>,
    /// A growing id or an indexed time says which rows are the newest; else they are any rows.
    pub in_order: bool,
    /// Rows among them that `where` leaves out.
    pub left_out: u64,
    /// How times without a zone are read; `None`: there are none.
    pub zone: Option<chrono_tz::Tz>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sampled {
    pub record: Record,
    /// What the status column holds; `None`: no column says the status.
    pub code: Option<Code>,
    /// What the parts of the type are, without constants.
    pub r#type: Vec<Option<String>>,
    /// What the parts of the key are, without constants.
    pub key: Vec<Option<String>>,
}

/// A status code as stored; `None`: NULL.
pub type Code = Option<String>;

#[async_trait]
pub trait RecordAudit: Send + Sync {
    /// Works also where the table cannot be read.
    async fn account(&self) -> Result<Account, Fault>;

    async fn standing(&self) -> Result<Standing, Fault>;

    /// Columns of key and type that hold text.
    async fn texts(&self) -> Result<Vec<Text>, Fault>;

    /// `None`: the engine hands no ids out.
    async fn ids(&self) -> Result<Option<Ids>, Fault>;

    async fn indexes(&self) -> Result<Vec<IndexAdvice>, Fault>;

    /// The newest rows, at most `limit` (≤ 200).
    async fn newest(&self, limit: u32) -> Result<Sample, Fault>;
}
