use super::{Count, Fault, Filter, Quality, RecordRef, Strategy, time};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// What a record's code means. A code that no mapping names is `Unmapped`: counted, shown, never touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Processing,
    Completed,
    Failed,
    Dead,
    Unmapped,
}

impl Status {
    pub const ALL: [Self; 5] = [Self::Processing, Self::Completed, Self::Failed, Self::Dead, Self::Unmapped];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Processing => "processing",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Dead => "dead",
            Self::Unmapped => "unmapped",
        }
    }

    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }
}

/// One idempotent record, normalised: the same shape whatever table it came from. What the table does not have is `null`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Record {
    pub source: String,
    /// Text, because 64 bits do not survive a browser's numbers.
    pub id: Option<String>,
    pub r#type: Option<String>,
    pub key: Option<String>,
    pub status: Status,
    #[serde(with = "time::option")]
    pub created_at: Option<DateTime<Utc>>,
    #[serde(with = "time::option")]
    pub updated_at: Option<DateTime<Utc>>,
    pub attempts: Option<i64>,
    pub error: Option<String>,
    pub owner: Option<String>,
    #[serde(with = "time::option")]
    pub lease_until: Option<DateTime<Utc>>,
}

impl Record {
    /// Since when it is in its state, as far as the table says: its last change, else its creation.
    #[must_use]
    pub fn since(&self) -> Option<DateTime<Utc>> {
        self.updated_at.or(self.created_at)
    }
}

/// A record in a list, with the reference that leads back to its row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Row {
    #[serde(flatten)]
    pub record: Record,
    #[serde(rename = "ref")]
    pub reference: RecordRef,
    /// The status as it is stored, `NULL` included; absent where no single column says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Times whose wall clock came twice, because the clock was set back: each is the earlier instant of the two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ambiguous: Vec<TimeField>,
}

/// A time of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum TimeField {
    CreatedAt,
    UpdatedAt,
    LeaseUntil,
}

/// `status=` of a list's URL.
pub type StatusFilter = Option<Status>;

/// What a list asks for; all of it is in the URL.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordsQuery {
    pub status: StatusFilter,
    pub r#type: Option<String>,
    /// What a search says besides.
    #[serde(default)]
    pub filter: Filter,
    /// Opaque: `next` or `previous` of an earlier page.
    pub cursor: Option<String>,
    /// 1 to 200.
    pub limit: u32,
}

/// How far a list has looked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Window {
    /// Everything that matches is reachable by paging.
    All,
    /// No index serves the filter, so only this many rows were examined; `next` reads on.
    Examined { rows: u64, back_to: Option<DateTime<Utc>> },
    /// Nothing tells the table's rows apart, so there is this page only, from so many rows as the table gave them.
    OnePage { rows: u64 },
    /// Served from the open set of the collector, complete as of the panel's pass.
    OpenSet,
}

/// One keyset page, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct RecordsPage {
    pub items: Vec<Row>,
    /// Cursor of the older page; `None` at the end.
    pub next: Option<String>,
    /// Cursor of the newer page; `None` on the first.
    pub previous: Option<String>,
    pub window: Window,
}

/// Open records whose age lies in `from_ms..to_ms` (no upper bound: `None`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct AgeBucket {
    pub from_ms: u64,
    pub to_ms: Option<u64>,
    pub count: u64,
}

/// How much of the table an open set rests on, or of the key space a search for locks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Pass {
    /// Rows (keys) walked in the current round.
    pub walked: u64,
    /// The engine's estimate of how many there are.
    pub estimated: Option<u64>,
    /// When the last full round ended; `None` during the first pass.
    #[serde(with = "time::option")]
    pub complete_as_of: Option<DateTime<Utc>>,
}

/// What the records collector knows: the body of the `records` panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct RecordsPanel {
    pub strategy: Strategy,
    /// `None`: the mapping has no such code, so it can never be seen.
    pub processing: Option<Count>,
    pub completed: Option<Count>,
    pub failed: Option<Count>,
    pub dead: Option<Count>,
    pub unmapped: Option<Count>,
    /// Processing records by age, youngest bucket first.
    pub ages: Vec<AgeBucket>,
    /// Processing records older than `aging_after_ms`.
    pub aging: Option<Count>,
    pub aging_after_ms: u64,
    /// The longest-processing records, oldest first; at most 20.
    pub oldest: Vec<Row>,
    /// Age of the oldest by the database's clock when this was read: 0 where none is processing, `None` where that is not
    /// known.
    pub oldest_age_ms: Option<u64>,
    /// `None` where an index answers directly and no walk is needed.
    pub pass: Option<Pass>,
    /// Open records that disappeared from the table since this collector started.
    pub vanished: u64,
    /// Things about the table that a person should know, worst first.
    pub problems: Vec<Fault>,
}

impl RecordsPanel {
    /// `None`: no code means it.
    #[must_use]
    pub fn count(&self, status: Status) -> Option<Count> {
        match status {
            Status::Processing => self.processing,
            Status::Completed => self.completed,
            Status::Failed => self.failed,
            Status::Dead => self.dead,
            Status::Unmapped => self.unmapped,
        }
    }

    /// The table has not been walked once yet, so that counts are of what was walked.
    #[must_use]
    pub fn in_first_pass(&self) -> bool {
        self.pass.as_ref().is_some_and(|pass| pass.complete_as_of.is_none())
    }

    /// Whether the counts are those of the table: not only of what the first walk has met so far, or of the newest rows.
    /// A count may still be capped or estimated.
    #[must_use]
    pub fn counts_are_whole(&self) -> bool {
        let quality = self.processing.or(self.completed).map_or(Quality::Exact, |count| count.quality);
        match quality {
            Quality::Partial => false,
            Quality::Capped => self.strategy != Strategy::Bounded,
            Quality::Exact | Quality::Estimated => true,
        }
    }
}
