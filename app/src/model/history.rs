use super::{Counts, HandlingFigures, time};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// One minute of one source. What was not read in that minute is absent, never 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Minute {
    /// Its first instant.
    #[serde(with = "time")]
    pub at: DateTime<Utc>,
    pub processing: Option<i64>,
    pub aging: Option<i64>,
    pub oldest_ms: Option<i64>,
    pub failed: Option<i64>,
    pub locks_held: Option<i64>,
    /// Eternal, orphan and unprotected together.
    pub locks_wrong: Option<i64>,
    pub ready: Option<i64>,
    pub unacked: Option<i64>,
    pub dead_letter: Option<i64>,
    /// What consumers reported; `None`: nobody did.
    pub signals: Option<Counts>,
    /// Of what ended in this minute; `None`: nobody reported.
    pub handling: Option<HandlingFigures>,
    /// Instances that said that they are there; `None`: nobody reported.
    pub alive: Option<u64>,
}

impl Minute {
    #[must_use]
    pub fn empty(at: DateTime<Utc>) -> Self {
        Self {
            at,
            processing: None,
            aging: None,
            oldest_ms: None,
            failed: None,
            locks_held: None,
            locks_wrong: None,
            ready: None,
            unacked: None,
            dead_letter: None,
            signals: None,
            handling: None,
            alive: None,
        }
    }
}
