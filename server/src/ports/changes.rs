//! Changing rows of a team's table.
//!
//! A row is changed only while it still is what was frozen of it: each call is one transaction for each table that locks
//! the rows, compares them, changes those that are the same, and says of every other one why it was left alone.

use super::permit::Permit;
use app::model::{Fault, RecordRef, Row};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Stored values of a row by column, as JSON that only the adapter reads. Every digit is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Image(pub String);

/// A row as a plan keeps it.
#[derive(Debug, Clone)]
pub struct Frozen {
    pub row: Row,
    /// What must still be so when it is changed: what says its state, when that began, by whom and in which version.
    pub stamp: Image,
}

/// Which row, and what it must still be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub reference: RecordRef,
    pub stamp: Image,
    /// The whole row, as [`RecordChanges::whole`] read it: needed where it is deleted.
    pub whole: Option<Image>,
    /// By the database's clock it must not have changed later than this ago.
    pub minimum_age: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// For its next delivery, as `write.release` says: the failed code, or the row is deleted.
    Open,
    MarkFailed,
    MarkDead,
}

/// What became of one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum Changed {
    Done {
        before: Image,
        /// `None`: it was deleted.
        after: Option<Image>,
    },
    /// Somebody changed it since it was frozen.
    Differs,
    /// It is not there any more.
    Gone,
    /// By the database's clock it changed less than the minimum age ago.
    TooYoung,
    /// Another transaction holds it, and did not let go within a second.
    Locked,
    /// Too large to be kept whole, so it is not deleted.
    TooLarge,
}

/// What a row tells of a change that was begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It is as it was frozen, or somebody else's change is all that happened to it.
    Untouched,
    Done {
        before: Image,
        after: Option<Image>,
    },
    /// It may have been ours.
    Unclear,
}

/// What became of a row that was to be as it was before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Undone {
    Done,
    /// Somebody touched it since, or its key is there again.
    Differs,
    Gone,
    Locked,
}

/// Why a call as a whole did not do what it was to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// Nothing was changed.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The answer to the commit was lost: only the rows can tell.
    #[error("whether it was done is not known: {0}")]
    Unknown(Fault),
}

/// Which changes the mapping makes possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Possible {
    pub open: bool,
    pub mark_failed: bool,
    pub mark_dead: bool,
    /// Opening deletes the row.
    pub open_deletes: bool,
    /// Something besides its status tells that a processing row was touched: a version, an update time, an owner or a lease.
    pub tells_touched: bool,
}

#[async_trait]
pub trait RecordChanges: Send + Sync {
    /// Fails where the table cannot be read, or has no such column as a change would write.
    async fn possible(&self) -> Result<Possible, Fault>;

    /// The statement that grants what the account that writes lacks for a change; `None`: it lacks nothing, or nobody can
    /// tell.
    async fn lacking(&self, change: Change) -> Result<Option<String>, Fault>;

    /// Rows as they are now; those that are gone, or not of this source, are missing. At most 500.
    async fn freeze(&self, references: &[RecordRef]) -> Result<Vec<Frozen>, Fault>;

    /// Whole rows, to be kept before they are deleted; those that are gone or too large are missing. At most 500.
    async fn whole(&self, references: &[RecordRef]) -> Result<Vec<(RecordRef, Image)>, Fault>;

    /// What a whole row keeps of its message; `None`: nothing, or no column is mapped.
    fn payload(&self, whole: &Image) -> Result<Option<Vec<u8>>, Fault>;

    /// In the order of the items, at most 500.
    async fn change(&self, permit: &Permit, change: Change, items: &[Item]) -> Result<Vec<Changed>, ChangeError>;

    /// What became of items whose change was begun and whose end nobody saw, by the rows themselves. At most 500.
    async fn find_out(&self, change: Change, items: &[Item]) -> Result<Vec<Found>, Fault>;

    /// Makes a changed row what it was: a deleted one is inserted again, any other gets its old values back if it still
    /// is what the change left.
    async fn undo(
        &self,
        permit: &Permit,
        reference: &RecordRef,
        before: &Image,
        after: Option<&Image>,
    ) -> Result<Undone, ChangeError>;
}
