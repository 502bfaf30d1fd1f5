//! What `check` finds besides problems: worth knowing, nothing that must be mended.

use super::{ArchiveWarning, Fault, Status};
use serde::{Deserialize, Serialize};

/// A finding of `check` that leaves its exit code at 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Note {
    /// How long records are kept, beside how old a message may still come.
    ArchiveRetention {
        warning: ArchiveWarning,
    },
    /// The archive is configured, and there is no such table.
    ArchiveNotYet {
        table: String,
    },
    /// No index of the archive serves a look-up by key.
    ArchiveUnindexed {
        table: String,
    },
    /// What consumers have reported in the last minutes.
    Reports {
        /// Of their Redis.
        address: String,
        minutes: u64,
        deliveries: u64,
        /// That said that they are there.
        instances: u64,
        /// Fields that are none of the convention's.
        unreadable: u64,
    },
    /// The table would be read better with this index.
    IndexWouldHelp {
        serves: IndexPurpose,
        suggested_ddl: String,
    },
    /// The account may change the table; one that only reads is enough.
    MayWrite {
        privileges: Vec<String>,
    },
    /// The database is a replica.
    Replica {
        /// `None`: it does not say, or not to this account.
        behind_ms: Option<u64>,
    },
    /// Texts that differ are one to the column's collation, and so to its unique index.
    Folding {
        columns: Vec<String>,
        collation: String,
        /// Empty: nobody knows which.
        folds: Vec<Fold>,
    },
    /// A character set of three bytes: it cannot hold every character.
    NarrowCharset {
        column: String,
        charset: String,
    },
    /// Keys of exactly the column's length among shorter ones: longer ones may have been cut.
    KeysFillColumn {
        column: String,
        length: u64,
        keys: u64,
    },
    /// What was made of the newest rows.
    NewestRows {
        rows: u64,
        statuses: Vec<StatusCount>,
        /// An id or a time gives the newest; else they are any rows.
        in_order: bool,
        /// Of the newest time among them; below zero: in the future. `None`: there is no time.
        age_ms: Option<i64>,
        /// Rows that `where` leaves out.
        left_out: u64,
    },
    /// Codes among the newest rows that nothing maps, most frequent first; `null` stands for NULL.
    UnmappedCodes {
        rows: u64,
        codes: Vec<CodeCount>,
    },
    /// The newest row is a whole number of hours old, as a wrong time zone would make it.
    WholeHoursOld {
        minutes: i64,
        timezone: String,
    },
    /// The Redis of the locks.
    LockStore {
        version: String,
        role: String,
        policy: String,
        max_memory: u64,
    },
    /// Locks are read from a replica, which may not have the newest yet.
    LockReplica,
    /// A policy that would drop locks, were there a limit of memory.
    EvictionPolicy {
        policy: String,
    },
    /// What a bounded sample of the key space holds.
    LockSample {
        matching: u64,
        /// Of those, values that mean "already consumed".
        done: u64,
        examined: u64,
        total: u64,
        longest_ttl_ms: Option<u64>,
    },
    /// Nobody consumes from it just now.
    NoConsumer {
        queue: String,
    },
    DeadLetterFound {
        queue: String,
        messages: Option<u64>,
    },
    /// A stream that its first entry will make; until then a slip in the name looks the same.
    DeadLetterNotYet {
        queue: String,
    },
    /// Redis does not know how much waits for this group.
    LagUnknown {
        group: String,
    },
    /// There may be more streams than were found.
    StreamsNotSearched,
    /// The broker takes deliveries back after another time than `retry.consumer_timeout` says.
    ConsumerTimeout {
        queue: String,
        broker_ms: u64,
        configured_ms: u64,
    },
    /// Something could not be looked at.
    Unaudited {
        what: Audited,
        fault: Fault,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusCount {
    pub status: Status,
    pub count: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeCount {
    /// As stored; `None`: NULL.
    pub code: Option<String>,
    pub count: u64,
}

/// What an index is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IndexPurpose {
    /// Open records by status, oldest first.
    Status,
    /// The newest records where no id grows.
    Time,
}

/// What a collation does not tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fold {
    Case,
    Accents,
    /// Spaces at the end.
    Padding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audited {
    Grants,
    Replica,
    Collations,
    Ids,
    NewestRows,
    Clock,
    LockStore,
    LockSample,
    Archiving,
}
