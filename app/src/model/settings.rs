use super::{Fault, Freshness, Panel, RecordsPanel};
use serde::{Deserialize, Serialize};

/// How a table is read, best first. Chosen from its indexes, with a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// An index leads with the status column: open records are asked for directly.
    StatusIndex,
    /// A growing id: new rows are followed, open ones asked again, the whole table walked slowly.
    Tail,
    /// An index leads with a time: new (or changed) rows are followed by it, open ones asked again, the whole table walked slowly.
    TimeIndex,
    /// Only what tells rows apart is indexed: the whole table is walked again and again.
    Walk,
    /// Nothing of it: only the newest rows that the table can cheaply give.
    Bounded,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct StrategyChoice {
    pub strategy: Strategy,
    /// The index that serves it.
    pub index: Option<String>,
    /// Its columns, in order.
    pub columns: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum CapabilityName {
    LookupByKey,
    OneRecordPerKey,
    StuckAndInProgress,
    Ages,
    Attempts,
    LastError,
    FailedAndDead,
    OwnerAndLease,
    /// Operations may change rows.
    Changes,
}

/// Something the table makes possible, or hides by its lack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Capability {
    pub name: CapabilityName,
    pub there: bool,
    /// The index or columns it comes from.
    pub from: Option<String>,
}

/// A finding of `check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Problem {
    Fault {
        fault: Fault,
    },
    /// No unique index covers the key: the last line against duplicates is missing.
    NoUniqueIndex {
        suggested_ddl: String,
    },
    /// No index serves look-ups by key.
    NoKeyIndex {
        suggested_ddl: String,
    },
    /// Key or type are looked up inside JSON, which no index knows.
    KeyInsideJson {
        column: String,
    },
    /// No code means processing: "stuck" can never be shown.
    NoProcessingCode,
    /// `count` of the last `of` values are read as nothing, for example this one.
    TextIsNoTime {
        column: String,
        count: u64,
        of: u64,
        example: String,
    },
    /// The same for JSON that is none, or that ends before what is looked for.
    JsonUnreadable {
        column: String,
        count: u64,
        of: u64,
    },
    SharedLockOwner {
        owner: String,
    },
    LockWithoutTtl {
        count: u64,
    },
    QueueNotFound {
        glob: String,
    },
}

/// A source in the bar's menu, with the health of its layers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct SourceHead {
    pub name: String,
    /// `MySQL`, `MariaDB`, `PostgreSQL`, `SQLite`.
    pub engine: String,
    pub records: Health,
    pub locks: Health,
    pub broker: Health,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Health {
    Reachable,
    Stale,
    Unreachable,
    Waiting,
    NotConfigured,
}

impl From<Freshness> for Health {
    fn from(freshness: Freshness) -> Self {
        match freshness {
            Freshness::Live => Self::Reachable,
            Freshness::Stale => Self::Stale,
            Freshness::Unreachable => Self::Unreachable,
            Freshness::Waiting => Self::Waiting,
        }
    }
}

/// How one source is read and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct SourceSettings {
    pub head: SourceHead,
    /// With the schema, as configured.
    pub table: String,
    pub database_version: Option<String>,
    pub timezone: String,
    pub strategy: Option<StrategyChoice>,
    pub estimated_rows: Option<u64>,
    pub capabilities: Vec<Capability>,
    pub problems: Vec<Problem>,
    /// `(status word, codes as configured)`.
    pub codes: Vec<(String, Vec<String>)>,
    pub lock_pattern: Option<String>,
    pub lock_ttl_ms: Option<u64>,
    pub retry_after_ms: u64,
    pub records: Panel<RecordsPanel>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Settings {
    pub version: String,
    pub config_path: Option<String>,
    pub sources: Vec<SourceSettings>,
}
