//! Archiving: what keeps a table from it, what a run waits for, and how far it is.

use super::{Fault, Row, time};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Why nothing of a table is archived, or put back, as things stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum ArchiveRefusal {
    /// The configuration does not say what may be archived.
    NoKeep,
    /// No column says how old a row is.
    NoTime {
        table: String,
    },
    /// Nothing leads back to one row.
    NoPrimaryKey {
        table: String,
    },
    /// Its engine has no transactions: a row could be in both tables, or in none.
    NotTransactional {
        table: String,
        engine: String,
    },
    /// Deleting a row would delete or change rows of another table.
    CascadingForeignKey {
        table: String,
        name: String,
    },
    /// It would do whatever it does with each row.
    Trigger {
        table: String,
        name: String,
    },
    /// What the account needs and does not have.
    MissingGrant {
        statement: String,
    },
    /// The archive is not there; these statements would make it.
    ArchiveMissing {
        table: String,
        ddl: Vec<String>,
    },
    ArchiveLacksColumn {
        table: String,
        column: String,
    },
    ArchiveColumnDiffers {
        table: String,
        column: String,
        found: String,
        wanted: String,
    },
    /// Keys recur, and the second of them would be refused.
    ArchiveKeyUnique {
        table: String,
        index: String,
    },
    /// What is deleted is not there to be put back.
    Deletes,
}

/// What a run waits for, or why it ended before its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum ArchiveNote {
    /// The replica that is read from is behind; `None`: it does not say how far, which counts as far.
    Lag {
        behind_ms: Option<u64>,
    },
    /// Other transactions hold rows that it wants.
    LockWaits {
        rows: u64,
    },
    /// The same work takes longer and longer.
    Latency {
        ms: u64,
        usual_ms: u64,
    },
    /// The low-traffic window is over; the next one goes on.
    WindowEnded,
    Refused {
        refusal: ArchiveRefusal,
    },
    Failed {
        fault: Fault,
    },
}

/// What somebody should know before they archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum ArchiveWarning {
    /// The broker holds a message that is older than what is kept: delivered after its record was archived it runs again.
    KeepTooShort { keep_ms: u64, oldest_ms: u64 },
    /// How old a message the broker can still deliver is not known.
    BrokerAgeUnknown { keep_ms: u64 },
    /// Nothing is kept of what is archived.
    Deletes,
}

/// Rows that stay where they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct ArchiveLeft {
    /// Processing, failed, dead or unmapped, however old.
    pub not_completed: u64,
    pub too_young: u64,
    /// It has no time, so nobody knows how old it is.
    pub no_time: u64,
    /// Another transaction held it.
    pub locked: u64,
}

impl ArchiveLeft {
    #[must_use]
    pub fn all(&self) -> u64 {
        self.not_completed + self.too_young + self.no_time + self.locked
    }
}

impl std::ops::AddAssign for ArchiveLeft {
    fn add_assign(&mut self, other: Self) {
        self.not_completed += other.not_completed;
        self.too_young += other.too_young;
        self.no_time += other.no_time;
        self.locked += other.locked;
    }
}

/// One table and its archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct ArchiveTable {
    pub table: String,
    /// `None`: rows are deleted.
    pub archive: Option<String>,
    /// Empty: it may be archived.
    pub refusals: Vec<ArchiveRefusal>,
    /// Rows that would be archived, of those that were looked at.
    pub ripe: u64,
    pub left: ArchiveLeft,
    pub examined: u64,
    /// There are more rows than a plan looks at.
    pub more: bool,
}

/// What a run would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct ArchivePlan {
    pub source: String,
    pub keep_ms: u64,
    pub tables: Vec<ArchiveTable>,
    pub warnings: Vec<ArchiveWarning>,
    /// To be typed to confirm it.
    pub phrase: String,
}

impl ArchivePlan {
    pub fn refusals(&self) -> impl Iterator<Item = &ArchiveRefusal> {
        self.tables.iter().flat_map(|table| &table.refusals)
    }

    #[must_use]
    pub fn ripe(&self) -> u64 {
        self.tables.iter().map(|table| table.ripe).sum()
    }
}

/// A run, as far as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct ArchiveRun {
    pub id: String,
    pub source: String,
    /// `waiting`, `running`, `paused`, `stopped`, `done`, `failed`.
    pub state: String,
    pub actor: String,
    pub reason: String,
    pub polite: bool,
    /// Grows with each run.
    pub number: i64,
    /// `pause` or `stop`, until it is heeded.
    pub wish: Option<String>,
    /// Rows that its plan had counted; `None`: nobody counted, or not all.
    pub planned: Option<u64>,
    /// The table that it is in; `None` before the first and after the last.
    pub table: Option<String>,
    pub moved: u64,
    pub left: ArchiveLeft,
    pub chunks: u64,
    pub note: Option<ArchiveNote>,
    #[serde(with = "time")]
    pub begun_at: DateTime<Utc>,
    #[serde(with = "time::option")]
    pub ended_at: Option<DateTime<Utc>>,
}

/// What `[source.archive]` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct ArchivePolicy {
    /// Of the archive; a glob, where it is numbered.
    pub table: String,
    /// Nothing is kept of what is archived.
    pub deletes: bool,
    /// `None`: nothing may be archived.
    pub keep_ms: Option<u64>,
    /// Most rows of one chunk.
    pub batch: u32,
    /// As cron has it, in the source's zone; `None`: by hand only.
    pub schedule: Option<String>,
    pub window_ms: u64,
    #[serde(with = "time::option")]
    pub next_at: Option<DateTime<Utc>>,
    /// The source has no `[source.records.write]`.
    pub read_only: bool,
}

/// One table, as far as its catalogue says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct ArchiveStanding {
    pub table: String,
    /// `None`: rows are deleted.
    pub archive: Option<String>,
    /// Empty: it may be archived.
    pub refusals: Vec<ArchiveRefusal>,
}

/// Archiving of one source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Archive {
    pub source: String,
    /// As configured.
    pub table: String,
    /// `None`: no archive is configured.
    pub policy: Option<ArchivePolicy>,
    pub tables: Vec<ArchiveStanding>,
    pub warnings: Vec<ArchiveWarning>,
    /// Why tables and warnings are not known.
    pub trouble: Option<Fault>,
    /// The run that waits, is at work or stands still.
    pub current: Option<ArchiveRun>,
    /// Newest first.
    pub runs: Vec<ArchiveRun>,
    /// `before` of the next page.
    pub next: Option<i64>,
}

/// What a restore would bring back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct RestorePlan {
    pub source: String,
    pub found: u64,
    /// The first of them.
    pub sample: Vec<Row>,
    /// To be typed where a click is not enough; `None`: it is.
    pub phrase: Option<String>,
    /// More than this is brought back by the command line.
    pub most: u64,
}

/// What became of archived records that were to come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct ArchiveRestored {
    pub done: u64,
    /// The key is there again: a redelivery was consumed.
    pub exists: u64,
    /// It is not in the archive any more.
    pub gone: u64,
    /// Another transaction held it.
    pub locked: u64,
}

impl ArchiveRestored {
    #[must_use]
    pub fn all(&self) -> u64 {
        self.done + self.exists + self.gone + self.locked
    }
}
