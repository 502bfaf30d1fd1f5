use super::{BrokerFacet, Layer, Lock, Row, TraceEntry, Verdict};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum OperationName {
    ReleaseLock,
}

impl OperationName {
    pub const ALL: [Self; 1] = [Self::ReleaseLock];
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
