//! Runs that archive: what was asked for, how far each is, and where the next one begins in each table.

use super::jobs::{JobState, Wish};
use super::state::{Lease, StateError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// A run before it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewArchiveRun {
    /// The operation id: the same one is kept once.
    pub id: String,
    pub source: String,
    pub actor: String,
    pub origin: String,
    pub reason: String,
    /// JSON of the runner.
    pub options: String,
    pub begun_at: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredArchiveRun {
    pub new: NewArchiveRun,
    /// Grows with each run.
    pub number: i64,
    pub state: JobState,
    pub wish: Option<Wish>,
    /// What it waits for, or why it ended, as JSON; empty where there is nothing to say.
    pub note: String,
    /// How far it is, as JSON of the runner; empty before its first step.
    pub progress: String,
    pub ended_at: Option<DateTime<Utc>>,
}

/// Where the next run begins in a table: nothing before this place is left to be archived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveCursor {
    pub table: String,
    /// `None`: at its beginning.
    pub place: Option<String>,
}

/// Every write of a run carries the lease of its source: whoever lost it writes nothing more.
#[async_trait]
pub trait ArchiveRuns: Send + Sync {
    /// For a runner. Fails with `Exists`.
    async fn begin(&self, run: &NewArchiveRun) -> Result<(), StateError>;
    async fn run(&self, id: &str) -> Result<Option<StoredArchiveRun>, StateError>;
    /// Newest first, at most 200; before a number.
    async fn runs(
        &self,
        source: Option<&str>,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<StoredArchiveRun>, StateError>;
    /// Those that a runner may take, oldest first: waiting and running ones.
    async fn to_run(&self) -> Result<Vec<StoredArchiveRun>, StateError>;
    /// For a run that is waiting, running or paused. `None` takes a wish back and lets a paused one wait for a runner.
    async fn wish(&self, id: &str, wish: Option<Wish>) -> Result<bool, StateError>;
    async fn turn(
        &self,
        lease: &Lease,
        id: &str,
        state: JobState,
        note: &str,
        at: DateTime<Utc>,
    ) -> Result<(), StateError>;
    /// How far a run is (`None`: it is none of a run), and with it a table's cursor: both or neither.
    async fn put(
        &self,
        lease: &Lease,
        progress: Option<(&str, &str)>,
        source: &str,
        cursor: Option<&ArchiveCursor>,
    ) -> Result<(), StateError>;
    /// The place of a table's cursor; `None`: at its beginning.
    async fn cursor(&self, source: &str, table: &str) -> Result<Option<String>, StateError>;
}
