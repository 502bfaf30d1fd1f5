use super::{BrokerFacet, Fault, Layer, Lock, Row, RowOperation, Skip, TraceEntry, Verdict};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum OperationName {
    ReleaseLock,
    Retry,
    MarkFailed,
    MarkDead,
}

impl OperationName {
    /// What it does to rows; `None`: it is about the lock alone.
    #[must_use]
    pub fn on_rows(self) -> Option<RowOperation> {
        match self {
            Self::ReleaseLock => None,
            Self::Retry => Some(RowOperation::Retry),
            Self::MarkFailed => Some(RowOperation::MarkFailed),
            Self::MarkDead => Some(RowOperation::MarkDead),
        }
    }
}

impl From<RowOperation> for OperationName {
    fn from(operation: RowOperation) -> Self {
        match operation {
            RowOperation::Retry => Self::Retry,
            RowOperation::MarkFailed => Self::MarkFailed,
            RowOperation::MarkDead => Self::MarkDead,
        }
    }
}

/// Why an operation is not offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum WhyNot {
    NoLock,
    LockUnknown,
    /// A handler is, or may be, working under it.
    HandlerAlive,
    /// Younger than the longest handling time, so the handler may be between lock and insert.
    TooYoung {
        after_ms: u64,
    },
    /// Many locks carry this owner: comparing it proves nothing.
    SharedOwner {
        owner: String,
    },
    DoneMarker,
    /// Nothing in it says whose it is.
    NoOwner,
    /// The viewer's role does not allow it.
    Role {
        needed: super::Role,
    },
    NotConfigured,
    /// The source has no `[source.records.write]`.
    ReadOnly,
    /// The configuration does not say what would be written.
    MissingMapping {
        /// A key of `[source.records.write]`.
        key: String,
    },
    /// The account that would write may not.
    MissingGrant {
        /// What grants it.
        statement: String,
    },
    /// Nothing in the table leads back to one row.
    NoIdentity,
    NoRecord,
    RecordUnknown,
    /// The record as it is now would be left alone.
    LeftAlone {
        skip: Skip,
    },
    /// Whether it may be done could not be found out.
    NotKnown {
        fault: Fault,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Operation {
    pub name: OperationName,
    pub allowed: bool,
    pub why: Option<WhyNot>,
}

/// One key in all three layers, and what it means. Serialised as `lookup --json` prints it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Lookup {
    pub r#type: Option<String>,
    pub key: String,
    pub records: Vec<Row>,
    /// `null` where the source has no locks configured.
    pub lock: Option<Lock>,
    /// `null` where the source has no broker configured.
    pub broker: Option<BrokerFacet>,
    /// What consumers wrote about it, newest first; empty where they write none.
    pub trace: Vec<TraceEntry>,
    /// `null` when the database could not be asked.
    pub verdict: Option<Verdict>,
    /// Layers that are configured and could not be asked.
    pub unseen: Vec<Layer>,
    pub operations: Vec<Operation>,
}
