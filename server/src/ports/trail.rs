//! What became of operations: a row for each item, for whoever refused, paused or stopped something, and for the end. Each row
//! carries the hash of the one before, so that a row that was changed or taken away shows.

use super::state::StateError;
use app::model::AuditBreak;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// One item came to its end.
    Item,
    /// Somebody tried it, and was not let.
    Refused,
    Paused,
    Resumed,
    Stopped,
    Ended,
    /// It was begun so long ago that it should have ended.
    Unfinished,
}

impl EventKind {
    pub const ALL: [Self; 7] =
        [Self::Item, Self::Refused, Self::Paused, Self::Resumed, Self::Stopped, Self::Ended, Self::Unfinished];

    /// As it is stored.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Item => "item",
            Self::Refused => "refused",
            Self::Paused => "paused",
            Self::Resumed => "resumed",
            Self::Stopped => "stopped",
            Self::Ended => "ended",
            Self::Unfinished => "unfinished",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub operation_id: String,
    pub kind: EventKind,
    /// Empty where nobody did it but the run itself.
    pub actor: String,
    pub origin: String,
    pub at: DateTime<Utc>,
    /// JSON.
    pub body: String,
}

#[async_trait]
pub trait Trail: Send + Sync {
    async fn note(&self, event: &Event) -> Result<(), StateError>;
    /// Of one operation, oldest first, at most 1,000; behind an id.
    async fn of(&self, operation_id: &str, after: Option<i64>) -> Result<Vec<(i64, Event)>, StateError>;
    /// The first place at which the audit is not what was written; every row is read. `None`: there is none, or no schema yet.
    async fn broken(&self) -> Result<Option<AuditBreak>, StateError>;
    /// Marks operations among the newest 1,000 that were begun before a time, have not ended and are no run that goes on; how
    /// many were not marked yet.
    async fn sweep(&self, begun_before: DateTime<Utc>, now: DateTime<Utc>) -> Result<u64, StateError>;
}
