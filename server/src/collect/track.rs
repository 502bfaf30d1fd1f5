//! One table that is followed: by its growing id ([`Tail`]), or without one ([`Sweep`]).

use super::progress::Progress;
use super::recheck::{Answer, insert};
use super::sweep::Sweep;
use super::tail::Tail;
use super::tally::Tally;
use crate::live::{Entry, Id, Open, Shared};
use crate::ports::records::{Course, RecordStore, Scanned, Span, Stand, Swept};
use app::model::{Fault, Pk, Quality, Row, Strategy};
use chrono::{DateTime, TimeDelta, Utc};
use std::sync::Arc;
use std::time::Duration;

/// What one step did, for pacing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Did {
    Nothing,
    /// Follow, reread or recheck: these must keep up.
    Urgent,
    FirstWalk,
    /// Only the walk sees what is new.
    WalkOn,
    /// What is new is followed by other means.
    WalkAgain,
}

/// Counts for the panel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counted {
    pub tally: Tally,
    /// Of the tally.
    pub settled: Quality,
    /// Of the open set.
    pub open: Quality,
    pub walked: u64,
    pub complete_as_of: Option<DateTime<Utc>>,
    pub vanished: u64,
}

impl Counted {
    /// Of both tables: what one does not know, both together do not.
    pub(super) fn and(self, other: Self) -> Self {
        let mut tally = self.tally;
        tally += other.tally;
        Self {
            tally,
            settled: worse(self.settled, other.settled),
            open: worse(self.open, other.open),
            walked: self.walked + other.walked,
            complete_as_of: self.complete_as_of.zip(other.complete_as_of).map(|(one, other)| one.min(other)),
            vanished: self.vanished + other.vanished,
        }
    }
}

pub(super) fn worse(one: Quality, other: Quality) -> Quality {
    let rank = |quality| match quality {
        Quality::Exact => 0,
        Quality::Estimated => 1,
        Quality::Capped => 2,
        Quality::Partial => 3,
    };
    if rank(one) >= rank(other) { one } else { other }
}

/// The table that is followed, and what it is followed with.
#[derive(Clone)]
pub(super) struct Ground {
    pub store: Arc<dyn RecordStore>,
    pub shared: Arc<Shared>,
    pub table: String,
    pub scan_rows: u32,
}

impl Ground {
    pub(super) async fn scan(&self, span: Span) -> Result<Scanned, Fault> {
        self.store.scan(&self.table, &span, self.scan_rows).await
    }

    pub(super) async fn sweep(&self, course: Course, after: Option<&Stand>) -> Result<Swept, Fault> {
        self.store.sweep(&self.table, course, after, self.scan_rows).await
    }

    /// Puts open rows into the set, takes others out of it, and counts the latter.
    pub(super) fn take(&self, rows: &[Row]) -> Tally {
        let mut tally = Tally::default();
        self.shared.change(|set| {
            for row in rows {
                tally.add(row.record.status);
                if Open::of(row.record.status).is_some() {
                    insert(set, row);
                } else {
                    set.remove(&self.table, &row.reference.pk);
                }
            }
        });
        tally
    }
}

#[allow(clippy::large_enum_variant, reason = "one for each table")]
pub(super) enum Track {
    Tail(Tail),
    Sweep(Sweep),
}

impl Track {
    /// From the beginning, or from where an earlier following came to.
    pub(super) async fn begin(
        ground: Ground,
        strategy: Strategy,
        progress: Option<&Progress>,
        now: Duration,
    ) -> Result<Self, Fault> {
        if strategy == Strategy::Tail {
            let last = ground.store.last_id(&ground.table).await?;
            let resumed = progress.and_then(|progress| Tail::resumed(ground.clone(), progress, last, now));
            return Ok(Self::Tail(resumed.unwrap_or_else(|| {
                ground.shared.change(|set| set.forget(&ground.table));
                Tail::new(ground, last, now)
            })));
        }
        let mut sweep = Sweep::new(ground, strategy == Strategy::TimeIndex, now);
        if let Some(progress) = progress {
            sweep.resume(progress);
        }
        Ok(Self::Sweep(sweep))
    }

    /// Everything that a panel must know.
    pub(super) async fn catch_up(&mut self, now: Duration, db_now: DateTime<Utc>) -> Result<(), Fault> {
        match self {
            Self::Tail(tail) => {
                let ground = tail.ground().clone();
                let last = ground.store.last_id(&ground.table).await?;
                if !tail.same_generation(last) {
                    tracing::info!(
                        table = ground.table,
                        "the largest id went back (truncated, restored, failed over): walking anew"
                    );
                    ground.shared.change(|set| set.forget(&ground.table));
                    *tail = Tail::new(ground, last, now).after(Some(tail));
                }
                tail.catch_up(now, db_now).await
            }
            Self::Sweep(sweep) => sweep.catch_up(now, db_now).await,
        }
    }

    pub(super) async fn step(&mut self, now: Duration, db_now: DateTime<Utc>) -> Result<Did, Fault> {
        match self {
            Self::Tail(tail) => tail.step(now, db_now).await,
            Self::Sweep(sweep) => sweep.step(now, db_now).await,
        }
    }

    pub(super) fn rest_walk_until(&mut self, due: Duration) {
        match self {
            Self::Tail(tail) => tail.rest_walk_until(due),
            Self::Sweep(sweep) => sweep.rest_walk_until(due),
        }
    }

    pub(super) fn counted(&self) -> Counted {
        match self {
            Self::Tail(tail) => tail.counted(),
            Self::Sweep(sweep) => sweep.counted(),
        }
    }

    /// Takes in what a `get` of some of its rows said.
    pub(super) fn checked(&mut self, asked: Vec<Pk>, rows: Vec<Row>) {
        let answer = Answer { asked, rows };
        match self {
            Self::Tail(tail) => tail.checked(&answer),
            Self::Sweep(sweep) => sweep.checked(&answer),
        }
    }

    /// For the next start; `None`: nothing worth keeping yet.
    pub(super) fn progress(&self, now: Duration) -> Option<Progress> {
        match self {
            Self::Tail(tail) => tail.progress(),
            Self::Sweep(sweep) => sweep.progress(now),
        }
    }

    /// Whether an open row belongs into the stored set that goes with `progress`.
    pub(super) fn lasts(
        &self,
        progress: &Progress,
        db_now: DateTime<Utc>,
    ) -> Box<dyn Fn(Id<'_>, Entry) -> bool + Send> {
        match self {
            Self::Tail(_) => {
                let below = Tail::lasts(progress);
                Box::new(move |id, _| below(id))
            }
            // Younger ones are met again by following.
            Self::Sweep(sweep) if sweep.follows_time() => {
                let old = (db_now - TimeDelta::minutes(1)).timestamp_millis();
                Box::new(move |_, entry| entry.since_ms.is_none_or(|since| since <= old))
            }
            Self::Sweep(_) => Box::new(|_, _| true),
        }
    }
}
