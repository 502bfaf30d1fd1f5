//! Operations on rows: what a plan says before anything is done, and what a run says of it.

use super::{RecordRef, Row, Status, time};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// What may be done to rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum RowOperation {
    Retry,
    MarkFailed,
    MarkDead,
}

impl RowOperation {
    pub const ALL: [Self; 3] = [Self::Retry, Self::MarkFailed, Self::MarkDead];

    /// As it stands in URLs, JSON and the audit.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::MarkFailed => "mark_failed",
            Self::MarkDead => "mark_dead",
        }
    }

    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }
}

/// Why a row is left alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Skip {
    /// It has had its effect.
    Completed,
    /// Nobody mapped its status, so nobody knows what it means.
    Unmapped,
    /// Not from this status.
    Status,
    /// Somebody works on it: it holds its lock, its lease runs, or both.
    Alive,
    /// The lock may be held.
    LockUnknown,
    /// Redis says that it is finished: redeliveries end at the marker.
    DoneMarker,
    /// By the database's clock it changed less than this ago.
    TooYoung { after_ms: u64 },
    /// The table does not say since when it is as it is.
    NoAge,
    /// Nothing in the table would tell that somebody touched it meanwhile.
    CannotTell,
    /// A configured broker is not seen.
    BrokerNotSeen,
    /// Its message waits or is being handled: it comes by itself.
    DeliveryKnown,
    /// Nothing would deliver it again, so opening it does nothing alone.
    NoRedelivery,
    /// The dead letter, from which it would be brought back, is empty or does not hold it.
    NotInDeadLetter,
    /// Its message cannot be brought back, so it was not opened.
    CannotComeAgain { why: Setback },
    /// It changed since the plan was made.
    Changed,
    /// It is not there any more.
    Gone,
    /// Another transaction holds the row.
    Locked,
    /// Too large to be kept whole, so it is not deleted.
    TooLarge,
}

/// Why a message did not come again, or why nobody can tell.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(tag = "setback", rename_all = "snake_case")]
pub enum Setback {
    /// It is not in the dead letter.
    NotInDeadLetter,
    /// More lies there than one search reads.
    NotFoundAmong { messages: u64 },
    /// The message does not say which of the queues or streams it came from.
    NoOrigin,
    /// The record has no key by which a message is known.
    NoKey,
    /// The record keeps no payload, or one that is too large.
    NoPayload,
    /// No queue takes it at this address.
    Unroutable { routing_key: String },
    /// The broker would not take it.
    NotTaken { detail: String },
    /// The webhook would not.
    Answered { status: u16 },
    /// The webhook may have done it before it failed, or before its answer was lost.
    NoAnswer { detail: String },
    /// It may have been published, and lies in the dead letter as well.
    MayBeTwice { queue: String },
    /// The run ended while it was published; whether it was, nobody can tell.
    Interrupted,
}

/// What somebody should know before they confirm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum PlanWarning {
    /// No broker is configured: that nothing else will deliver it is taken from its age alone.
    NoBroker,
    /// Rows are deleted; the audit keeps them whole.
    Deletes,
    /// Each message is moved from the dead letter to where it came from.
    LeavesDeadLetter,
    /// Each record's payload is published.
    Publishes,
    /// A webhook is asked to send each message again.
    AsksWebhook,
    /// More match than one plan takes; these are the newest.
    Capped { at: u64 },
    /// No index serves the search, so only so many rows were looked at.
    Examined { rows: u64 },
}

/// What a plan was made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Selected {
    /// Rows that were named, one by one. Of more than 200 only their number is kept.
    Rows { count: u64, refs: Vec<RecordRef> },
    /// All that matched this search when it was planned.
    Search { q: String },
}

/// So many rows are left alone for this.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Skipped {
    pub why: Skip,
    pub count: u64,
}

/// What would be done, frozen: a run touches nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Plan {
    /// The operation id, by which it is confirmed.
    pub id: String,
    pub source: String,
    pub operation: RowOperation,
    /// `None`: planned before this was kept.
    pub selected: Option<Selected>,
    /// Whoever planned it.
    pub actor: String,
    /// As far as it was said when it was planned.
    pub reason: String,
    #[serde(with = "time")]
    pub planned_at: DateTime<Utc>,
    pub eligible: u64,
    /// The most frequent reason first.
    pub skipped: Vec<Skipped>,
    /// The first rows that would be changed.
    pub sample: Vec<Row>,
    pub warnings: Vec<PlanWarning>,
    pub estimate_ms: u64,
    /// To be typed where a click is not enough; `None`: it is.
    pub phrase: Option<String>,
    #[serde(with = "time")]
    pub expires_at: DateTime<Utc>,
    /// Nobody confirmed it in time: its rows are forgotten.
    pub expired: bool,
}

/// What became of the rows of a run that was to be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Undo {
    pub undone: u64,
    /// Somebody touched them since, or their keys are there again.
    pub differs: u64,
    pub gone: u64,
    /// Another transaction held them.
    pub locked: u64,
    /// Opened by a status: their next delivery may be on its way.
    pub not_undoable: u64,
}

/// Why a run stands where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum RunNote {
    /// Most of the first items were refused.
    FirstRefused,
    /// Most of the last batch's items were refused.
    LastRefused,
    /// The mapping does not allow it any more.
    NotMapped,
    /// `retry.mode` is not what it was when this was planned.
    ModeChanged,
    /// A system did not answer as it should.
    Fault { fault: super::Fault },
}

/// A plan that was confirmed, as far as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Run {
    pub id: String,
    pub source: String,
    pub operation: RowOperation,
    pub selected: Option<Selected>,
    /// `waiting`, `running`, `paused`, `stopped`, `done`, `failed`.
    pub state: String,
    /// `pause` or `stop`: asked for, and not yet so.
    pub asked: Option<String>,
    pub actor: String,
    pub reason: String,
    /// Rows of its plan.
    pub total: u64,
    /// Those of them that were to be changed.
    pub eligible: u64,
    pub open: u64,
    /// Those that were undone since are among them.
    pub done: u64,
    pub undone: u64,
    /// Left alone, by the plan and in the run.
    pub skipped: u64,
    pub failed: u64,
    /// Whether they were done cannot be proven: for a person.
    pub uncertain: u64,
    /// Its records can be made what they were, once it is over and as long as nobody touched them.
    pub undoable: bool,
    pub warnings: Vec<PlanWarning>,
    pub note: Option<RunNote>,
    #[serde(with = "time::option")]
    pub begun_at: Option<DateTime<Utc>>,
    #[serde(with = "time::option")]
    pub ended_at: Option<DateTime<Utc>>,
}

impl Run {
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.state.as_str(), "stopped" | "done" | "failed")
    }
}

/// Runs, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct RunsPage {
    pub items: Vec<Run>,
    /// `before` of the next page.
    pub next: Option<i64>,
}

/// An operation as far as it has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operated {
    /// Its rows are still being frozen.
    Planning,
    Planned(Box<Plan>),
    Confirmed(Box<Run>),
}

/// What became of one item, or is to become of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Not tried yet.
    Open,
    /// Begun, and not at its end.
    Begun,
    Done,
    Skipped,
    /// It was tried and refused.
    Failed,
    /// Nobody can tell whether it was done: for a person.
    Uncertain,
    Undone,
}

impl Outcome {
    pub const ALL: [Self; 7] =
        [Self::Open, Self::Begun, Self::Done, Self::Skipped, Self::Failed, Self::Uncertain, Self::Undone];
    /// By which a list of items can be narrowed.
    pub const FILTERS: [Self; 4] = [Self::Done, Self::Failed, Self::Skipped, Self::Uncertain];

    /// As it stands in URLs and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Begun => "begun",
            Self::Done => "done",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
            Self::Uncertain => "uncertain",
            Self::Undone => "undone",
        }
    }

    #[must_use]
    pub fn filter(word: &str) -> Option<Self> {
        Self::FILTERS.into_iter().find(|known| known.as_str() == word)
    }
}

/// One row of a plan or a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct RunItem {
    /// Its place in the plan.
    pub at: i64,
    #[serde(rename = "ref")]
    pub reference: RecordRef,
    pub r#type: Option<String>,
    pub key: Option<String>,
    /// When it was frozen.
    pub status: Status,
    pub outcome: Outcome,
    /// Why it was left alone.
    pub skip: Option<Skip>,
    /// Why it was refused, or why nobody can tell.
    pub setback: Option<Setback>,
    #[serde(with = "time::option")]
    pub changed_at: Option<DateTime<Utc>>,
}

/// One keyset page, in the order of the plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct ItemsPage {
    pub items: Vec<RunItem>,
    /// `after` of the next page.
    pub next: Option<i64>,
}

/// Which items are asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ItemsQuery {
    pub outcome: Option<Outcome>,
    pub after: Option<i64>,
    /// 1 to 200.
    pub limit: u32,
}
