use super::{ArchiveRefusal, Fault, Freshness, Panel, RecordsPanel, SignalsPanel, Unreported};
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

/// Where the audit is not what was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(tag = "audit", rename_all = "snake_case")]
pub enum AuditBreak {
    /// A row was changed after it was written, or what it stands for was.
    Changed { operation_id: String, id: i64 },
    /// A row of this number was taken away. `operation_id`: of the row that comes after it.
    Removed { operation_id: Option<String>, id: i64 },
}

/// A finding of `check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Problem {
    Fault {
        fault: Fault,
    },
    /// Of Oncewatch's own state.
    AuditBroken {
        at: AuditBreak,
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
    /// The ids that the engine hands out come to their end.
    IdsNearEnd {
        column: String,
        used_percent: u8,
        left: u64,
    },
    /// The account may not read what the mapping names.
    MissingGrant {
        statement: String,
    },
    /// The database's clock and this machine's differ.
    ClockApart {
        /// The database is ahead; below zero: behind.
        ahead_ms: i64,
    },
    /// The newest record lies in the future.
    InFuture {
        ahead_ms: i64,
        /// How times without a zone are read; `None`: there are none, so it is a clock that is wrong.
        timezone: Option<String>,
    },
    /// The newest record is exactly as old as the source's time zone is away from UTC.
    ZoneOld {
        minutes: i64,
        timezone: String,
    },
    /// Among the newest rows, last changes lie before the creation, all by the same time.
    ChangedBeforeCreated {
        rows: u64,
        by_ms: i64,
    },
    /// Among the newest rows, some have no key.
    KeysMissing {
        nulls: u64,
        empty: u64,
        rows: u64,
    },
    /// Among the newest rows, keys that stand several times.
    DuplicateKeys {
        keys: u64,
        example: String,
        rows: u64,
    },
    /// Redis may drop locks to make room.
    LockEviction {
        policy: String,
        max_memory: u64,
    },
    /// Locks live longer than the configuration says.
    LockTtlLonger {
        configured_ms: u64,
        seen_ms: u64,
    },
    /// Nothing of the table is archived, or put back, as things stand.
    ArchiveRefused {
        refusal: ArchiveRefusal,
    },
    /// Keys of the pattern hold something else than a text.
    LockOfOtherType {
        redis_type: String,
        count: u64,
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
    /// What consumers report.
    pub signals: Health,
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
    /// `None`: not configured.
    pub signals: Option<SignalsSettings>,
}

/// How consumers report, and what they leave out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct SignalsSettings {
    /// Of the names of Redis hashes; `None`: they report by HTTP.
    pub prefix: Option<String>,
    /// As far as the last hour tells; empty also while nothing was read.
    pub missing: Vec<Unreported>,
    pub panel: Panel<SignalsPanel>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Settings {
    pub version: String,
    pub config_path: Option<String>,
    pub sources: Vec<SourceSettings>,
}
