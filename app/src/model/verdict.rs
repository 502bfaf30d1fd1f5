//! What is going on with one key. The rules that reach a verdict are in the server (`diagnose`); these are their words' codes.

use super::{Layer, MessageState, time};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum VerdictCode {
    NotUnique,
    Unmapped,
    Leaked,
    MarkerContradicts,
    DuplicateInDeadLetter,
    FinishedLockHeld,
    Healthy,
    Dead,
    Unclear,
    InProgressAcked,
    InProgress,
    Swallowed,
    ProcessingInDeadLetter,
    Unprotected,
    WaitingBehindRecord,
    Stuck,
    StuckOrUnprotected,
    Retrying,
    FailedInDeadLetter,
    FailedWaiting,
    FailedMessageGone,
    Failed,
    Claiming,
    UnrecordedInDeadLetter,
    NotConsumed,
    Archived,
    UnknownKey,
}

impl VerdictCode {
    /// As the table has them, from top to bottom.
    pub const ALL: [Self; 27] = [
        Self::NotUnique,
        Self::Unmapped,
        Self::Leaked,
        Self::MarkerContradicts,
        Self::DuplicateInDeadLetter,
        Self::FinishedLockHeld,
        Self::Healthy,
        Self::Dead,
        Self::Unclear,
        Self::InProgressAcked,
        Self::InProgress,
        Self::Swallowed,
        Self::ProcessingInDeadLetter,
        Self::Unprotected,
        Self::WaitingBehindRecord,
        Self::Stuck,
        Self::StuckOrUnprotected,
        Self::Retrying,
        Self::FailedInDeadLetter,
        Self::FailedWaiting,
        Self::FailedMessageGone,
        Self::Failed,
        Self::Claiming,
        Self::UnrecordedInDeadLetter,
        Self::NotConsumed,
        Self::Archived,
        Self::UnknownKey,
    ];
}

/// Facts that a verdict rests on, in the order in which they are shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(tag = "fact", rename_all = "snake_case")]
pub enum Evidence {
    Records {
        count: u64,
    },
    NoRecord,
    /// In this status since then.
    RecordSince {
        status: super::Status,
        #[serde(with = "time::option")]
        since: Option<DateTime<Utc>>,
        age_ms: Option<i64>,
    },
    /// The archive has it, in this status since then.
    InArchive {
        table: String,
        status: super::Status,
        #[serde(with = "time::option")]
        since: Option<DateTime<Utc>>,
    },
    LeaseUntil {
        #[serde(with = "time")]
        until: DateTime<Utc>,
        live: bool,
    },
    LockHeld {
        owner: Option<String>,
        ttl_ms: Option<i64>,
    },
    LockDone {
        #[serde(with = "time::option")]
        at: Option<DateTime<Utc>>,
    },
    NoLock,
    LockUnknown,
    /// Its key contains the type, and neither the question nor a record names one.
    LockNotNamed,
    Queues {
        ready: u64,
        unacked: u64,
        dead: Option<u64>,
    },
    QueuesEmpty,
    /// This very message was found.
    Message {
        state: MessageState,
        /// The queue, stream with its group, or dead letter that it is in.
        queue: String,
        deliveries: Option<u64>,
        /// Since it was handed out for the last time, while it is unacked.
        idle_ms: Option<u64>,
    },
    /// Everything that the broker holds was looked through, and this message is not there.
    MessageNotFound,
    /// Effects that the trace shows for this one message.
    Effects {
        count: u64,
    },
    /// Deliveries that were settled as duplicates since the record began.
    SettledAsDuplicates {
        count: u64,
    },
    /// What this verdict could not see.
    NotSeen {
        layer: Layer,
    },
    /// A record younger than this is never called stuck.
    OldAfter {
        after_ms: u64,
    },
}

/// A code, its parameters and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Verdict {
    pub code: VerdictCode,
    /// `slow`, `at_risk`, `orphan`, and figures such as `age_ms`.
    pub params: serde_json::Map<String, serde_json::Value>,
    pub evidence: Vec<Evidence>,
}

/// How many open records of a source have a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct VerdictCount {
    pub verdict: VerdictCode,
    pub count: u64,
    /// Since when the oldest of them has been as it is, where the table says.
    #[serde(with = "time::option")]
    pub oldest_at: Option<DateTime<Utc>>,
}
