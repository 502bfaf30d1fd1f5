//! One table that is followed: by its growing id ([`Tail`]), or without one ([`Sweep`]).

use super::ground::{Counted, Did, Ground};
use super::progress::Progress;
use super::recheck::Answer;
use super::sweep::Sweep;
use super::tail::Tail;
use crate::live::{Entry, Id};
use app::model::{Fault, Pk, Row, Strategy};
use chrono::{DateTime, TimeDelta, Utc};
use std::time::Duration;

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
