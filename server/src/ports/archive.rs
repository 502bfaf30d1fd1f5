//! Moving completed rows of a team's table into its archive, and back.
//!
//! Each call that changes rows is one transaction: it locks the rows by their primary key, judges them again as they are
//! then, moves those that still may be moved, and compares how many were chosen, written and deleted.

use super::changes::ChangeError;
use super::permit::Permit;
use super::records::Course;
use app::model::{ArchiveLeft, ArchiveRefusal, Fault, Pk, Record, RecordRef, Status};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use std::time::Duration;

/// Most rows of one call.
pub const ROWS: usize = 10_000;

/// What may be archived: completed records that did not change for so long. Nothing else ever is, however old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ripe {
    pub keep: Duration,
}

/// Why a row stays where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unripe {
    NotCompleted,
    TooYoung,
    NoTime,
}

impl Ripe {
    /// `now`: by the database's clock.
    ///
    /// # Errors
    /// Why it may not be archived.
    pub fn judge(self, record: &Record, now: DateTime<Utc>) -> Result<(), Unripe> {
        if record.status != Status::Completed {
            return Err(Unripe::NotCompleted);
        }
        let since = record.since().ok_or(Unripe::NoTime)?;
        if self.is_old(since, now) { Ok(()) } else { Err(Unripe::TooYoung) }
    }

    #[must_use]
    pub fn is_old(self, since: DateTime<Utc>, now: DateTime<Utc>) -> bool {
        TimeDelta::from_std(self.keep).is_ok_and(|keep| now - since > keep)
    }
}

impl Unripe {
    pub fn count(self, left: &mut ArchiveLeft) {
        match self {
            Self::NotCompleted => left.not_completed += 1,
            Self::TooYoung => left.too_young += 1,
            Self::NoTime => left.no_time += 1,
        }
    }
}

/// A table as archiving sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examined {
    /// The archive's name; `None`: rows are deleted.
    pub archive: Option<String>,
    /// Empty: it may be archived.
    pub refusals: Vec<ArchiveRefusal>,
    /// The order in which it is walked.
    pub course: Course,
    /// In that order a row is about as old as its neighbours, so that a walk may end where all are young.
    pub by_age: bool,
}

/// What one transaction did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shifted {
    pub moved: u64,
    pub left: ArchiveLeft,
    /// Not there any more: somebody else moved or deleted them.
    pub gone: u64,
}

/// What became of one archived row that was to come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restored {
    Done,
    /// Its key, or its id, is there again.
    Exists,
    Gone,
    Locked,
}

#[async_trait]
pub trait RecordArchive: Send + Sync {
    /// Reads the catalogue, by the account that would archive.
    async fn examine(&self, table: &str) -> Result<Examined, Fault>;

    /// What would keep rows from being put back, by the same account.
    async fn examine_back(&self, table: &str) -> Result<Vec<ArchiveRefusal>, Fault>;

    /// Makes the table's archive, by the statements that `examine` shows.
    async fn create(&self, permit: &Permit, table: &str) -> Result<(), ChangeError>;

    /// Moves those rows that are ripe under their locks; at most [`ROWS`]. Rows that another transaction holds are left.
    async fn shift(&self, permit: &Permit, table: &str, ripe: Ripe, rows: &[Pk]) -> Result<Shifted, ChangeError>;

    /// How many of the rows are not in the table any more, but (where there is one) in its archive: what came of a
    /// transaction whose end nobody saw. It waits for that transaction. At most [`ROWS`].
    async fn moved(&self, table: &str, rows: &[Pk]) -> Result<u64, Fault>;

    /// Puts archived rows, as references into the archive, back into the table, in their order; at most 500.
    async fn restore(&self, permit: &Permit, table: &str, rows: &[RecordRef]) -> Result<Vec<Restored>, ChangeError>;

    /// Deletes archived rows that are ripe under their locks; their number. At most 500.
    async fn purge(&self, permit: &Permit, table: &str, ripe: Ripe, rows: &[RecordRef]) -> Result<u64, ChangeError>;

    /// Archived rows by column, with all their values, in no order; those that are gone are missing. At most 500.
    async fn whole(&self, table: &str, rows: &[RecordRef]) -> Result<Vec<serde_json::Value>, Fault>;
}

#[cfg(test)]
mod tests {
    use super::{Ripe, Unripe};
    use app::model::{Record, Status};
    use chrono::{DateTime, TimeDelta, Utc};
    use proptest::prelude::*;
    use std::time::Duration;

    fn record(status: Status, created_at: Option<DateTime<Utc>>, updated_at: Option<DateTime<Utc>>) -> Record {
        Record {
            source: "points".into(),
            id: None,
            r#type: None,
            key: None,
            status,
            created_at,
            updated_at,
            attempts: None,
            error: None,
            owner: None,
            lease_until: None,
        }
    }

    fn ages() -> impl Strategy<Value = Option<i64>> {
        prop::option::of(-1_000_000..1_000_000_000_i64)
    }

    proptest! {
        /// However old, and whatever its times: only what is completed, and longer ago than it is kept, ever goes.
        #[test]
        fn only_old_completed_records_are_ripe(
            status in prop::sample::select(Status::ALL.to_vec()),
            (created_s, updated_s) in (ages(), ages()),
            keep_s in 1..100_000_000_u64,
        ) {
            let now = DateTime::from_timestamp(2_000_000_000, 0).unwrap();
            let ago = |seconds: Option<i64>| seconds.map(|seconds| now - TimeDelta::seconds(seconds));
            let ripe = Ripe { keep: Duration::from_secs(keep_s) };
            let judged = ripe.judge(&record(status, ago(created_s), ago(updated_s)), now);
            let age_s = updated_s.or(created_s);
            let is_old = age_s.is_some_and(|age_s| age_s > i64::try_from(keep_s).unwrap());
            prop_assert_eq!(judged.is_ok(), status == Status::Completed && is_old);
            prop_assert_eq!(judged == Err(Unripe::NotCompleted), status != Status::Completed);
            prop_assert_eq!(judged == Err(Unripe::NoTime), status == Status::Completed && age_s.is_none());
        }
    }
}
