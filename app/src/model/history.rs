use super::{Counts, HandlingFigures, Recent, Stretch, TimeRange, TypeDuplicates, time};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// How a source did over a stretch of time, in steps of equal length.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Course {
    /// As it was asked for; `null`: with `from` and `to`.
    pub range: Option<Recent>,
    /// First instant of the first step.
    #[serde(with = "time")]
    pub from: DateTime<Utc>,
    /// Where the last step ends. The one that still runs is left out.
    #[serde(with = "time")]
    pub to: DateTime<Utc>,
    /// Seconds of a step: 60, 300, 900, 3,600, 21,600 or 86,400; they begin where those of UTC do.
    pub step_s: u32,
    /// Oldest first. A step in which nothing was read has no row.
    pub steps: Vec<Minute>,
    /// All steps together; `null`: nobody reported.
    pub total: Option<Counts>,
    /// Of all that ended in it; `null`: nobody reported.
    pub handling: Option<HandlingFigures>,
    /// Types with most duplicates, most first, at most five.
    pub sources: Vec<TypeDuplicates>,
}

impl Course {
    /// Before anything of it was read.
    #[must_use]
    pub fn empty(range: TimeRange, now: DateTime<Utc>) -> Self {
        let Stretch { from, to, step_s } = range.stretch(now);
        let range = match range {
            TimeRange::Recent(recent) => Some(recent),
            TimeRange::Between { .. } => None,
        };
        Self { range, from, to, step_s, steps: Vec::new(), total: None, handling: None, sources: Vec::new() }
    }

    #[must_use]
    pub fn stretch(&self) -> Stretch {
        Stretch { from: self.from, to: self.to, step_s: self.step_s }
    }

    /// What leads to it again.
    #[must_use]
    pub fn asked(&self) -> TimeRange {
        self.range.map_or(TimeRange::Between { from: self.from, to: self.to }, TimeRange::Recent)
    }
}

/// Figures of one source in one minute, or in one step of a [`Course`]. What was not read is absent, never 0.
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
    /// Of what ended in it; `None`: nobody reported.
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

    /// Of several readings of a gauge the highest stays, so that no short peak is lost. What only one of them has read
    /// stays too.
    pub fn raise(&mut self, reading: &Self) {
        let mut raise = |of: fn(&mut Self) -> &mut Option<i64>, read: Option<i64>| {
            let here = of(self);
            *here = (*here).max(read);
        };
        raise(|minute| &mut minute.processing, reading.processing);
        raise(|minute| &mut minute.aging, reading.aging);
        raise(|minute| &mut minute.oldest_ms, reading.oldest_ms);
        raise(|minute| &mut minute.failed, reading.failed);
        raise(|minute| &mut minute.locks_held, reading.locks_held);
        raise(|minute| &mut minute.locks_wrong, reading.locks_wrong);
        raise(|minute| &mut minute.ready, reading.ready);
        raise(|minute| &mut minute.unacked, reading.unacked);
        raise(|minute| &mut minute.dead_letter, reading.dead_letter);
    }
}
