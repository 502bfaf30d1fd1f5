//! What a followed table stands on, and what following it in steps tells.

use super::recheck::insert;
use super::tally::Tally;
use crate::live::{Open, Shared};
use crate::ports::records::{Course, RecordStore, Scanned, Span, Stand, Swept};
use app::model::{Fault, Quality, Row};
use chrono::{DateTime, Utc};
use std::sync::Arc;

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
