//! Plans of operations on rows, and the runs that work them off.

use super::changes::Image;
use super::state::{Lease, StateError};
use app::model::{RecordRef, Status};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobState {
    /// Its items are still being frozen.
    Planning,
    /// Not confirmed yet.
    Planned,
    /// For a runner.
    Waiting,
    Running,
    Paused,
    /// By somebody, before its end.
    Stopped,
    Done,
    /// It could not go on; its note says why.
    Failed,
    /// Nobody confirmed it in time.
    Expired,
}

impl JobState {
    pub const ALL: [Self; 9] = [
        Self::Planning,
        Self::Planned,
        Self::Waiting,
        Self::Running,
        Self::Paused,
        Self::Stopped,
        Self::Done,
        Self::Failed,
        Self::Expired,
    ];

    /// As it is stored.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Planning => "planning",
            Self::Planned => "planned",
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Stopped => "stopped",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Expired => "expired",
        }
    }

    /// Nothing more will happen.
    #[must_use]
    pub fn is_over(self) -> bool {
        matches!(self, Self::Stopped | Self::Done | Self::Failed | Self::Expired)
    }
}

/// What somebody asked of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    Pause,
    Stop,
}

/// A plan before it is kept.
#[derive(Debug, Clone)]
pub struct NewJob {
    /// The operation id: the same one is kept once.
    pub id: String,
    pub operation: String,
    pub source: String,
    pub actor: String,
    pub origin: String,
    pub reason: String,
    /// JSON of whoever plans.
    pub options: String,
    pub planned_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

#[derive(Debug, Clone)]
pub struct Job {
    pub new: NewJob,
    /// Grows with each plan.
    pub number: i64,
    pub state: JobState,
    pub wish: Option<Wish>,
    pub note: String,
    pub begun_at: Option<DateTime<Utc>>,
    pub ended_at: Option<DateTime<Utc>>,
}

/// Who confirms a plan, from where, and why.
#[derive(Debug, Clone, Copy)]
pub struct Confirming<'a> {
    pub actor: &'a str,
    pub origin: &'a str,
    pub reason: &'a str,
}

/// One row of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewItem {
    pub reference: RecordRef,
    pub r#type: Option<String>,
    pub key: Option<String>,
    /// When it was frozen.
    pub status: Status,
    pub stamp: Image,
    /// Why it is left alone, as a code and its parameters in JSON; `None`: it is to be changed.
    pub skipped: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ItemOutcome {
    /// A change was begun, and its end is not known yet.
    Trying,
    /// Its record is open, and its message was not sent.
    Opened,
    /// Its message is being sent, and would come twice if it were sent again.
    Sending,
    /// Its message was sent, and what it was copied from is still to be removed.
    Copied,
    Done,
    Skipped,
    /// It was tried and refused.
    Failed,
    /// Nobody can tell whether it was done: for a person.
    Uncertain,
    Undone,
}

impl ItemOutcome {
    pub const ALL: [Self; 9] = [
        Self::Trying,
        Self::Opened,
        Self::Sending,
        Self::Copied,
        Self::Done,
        Self::Skipped,
        Self::Failed,
        Self::Uncertain,
        Self::Undone,
    ];
    /// Something was done, and is not at its end.
    pub const BEGUN: [Self; 4] = [Self::Trying, Self::Opened, Self::Sending, Self::Copied];

    /// As it is stored.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Trying => "trying",
            Self::Opened => "opened",
            Self::Sending => "sending",
            Self::Copied => "copied",
            Self::Done => "done",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
            Self::Uncertain => "uncertain",
            Self::Undone => "undone",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobItem {
    pub at: i64,
    pub reference: RecordRef,
    pub r#type: Option<String>,
    pub key: Option<String>,
    pub status: Status,
    pub stamp: Image,
    pub whole: Option<Image>,
    /// `None`: not tried yet.
    pub outcome: Option<ItemOutcome>,
    pub why: Option<String>,
    pub before: Option<Image>,
    pub after: Option<Image>,
    pub changed_at: Option<DateTime<Utc>>,
}

/// What became of one item.
#[derive(Debug, Clone)]
pub struct Settled {
    pub at: i64,
    pub outcome: ItemOutcome,
    pub why: Option<String>,
    pub before: Option<Image>,
    pub after: Option<Image>,
}

/// How many items of a job have which outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    pub open: u64,
    /// See [`ItemOutcome::BEGUN`].
    pub trying: u64,
    pub done: u64,
    pub skipped: u64,
    pub failed: u64,
    pub uncertain: u64,
    pub undone: u64,
}

/// Every write of a run carries the lease `job/<id>`: whoever lost it writes nothing more.
#[async_trait]
pub trait Jobs: Send + Sync {
    /// Begins a plan, to which [`Jobs::add`] gives its items. Fails with `Exists`.
    async fn plan(&self, job: &NewJob) -> Result<(), StateError>;
    /// Items behind those that it has; at most 1,000. Only while it is being planned.
    async fn add(&self, job: &str, from: i64, items: &[NewItem]) -> Result<(), StateError>;
    /// It has all its items.
    async fn planned(&self, id: &str) -> Result<(), StateError>;
    async fn job(&self, id: &str) -> Result<Option<Job>, StateError>;
    /// Plans that were confirmed, newest first, at most 200; before a number.
    async fn runs(&self, source: &str, before: Option<i64>, limit: u32) -> Result<Vec<Job>, StateError>;
    /// Of the source's newest: those that wait, run or are paused, and those that ended after a time and left something
    /// uncertain.
    async fn pressing(&self, source: &str, ended_after: DateTime<Utc>) -> Result<u64, StateError>;
    /// Those that a runner may take, oldest first: waiting and running ones.
    async fn to_run(&self) -> Result<Vec<Job>, StateError>;
    /// Planned → waiting, in the name of whoever confirms. `false`: it is not planned any more, or too old.
    async fn confirm(&self, id: &str, by: Confirming<'_>, at: DateTime<Utc>) -> Result<bool, StateError>;
    /// For a job that is waiting, running or paused. `None` takes a wish back and lets a paused one wait for a runner.
    async fn wish(&self, id: &str, wish: Option<Wish>) -> Result<bool, StateError>;
    async fn turn(
        &self,
        lease: &Lease,
        id: &str,
        state: JobState,
        note: &str,
        at: DateTime<Utc>,
    ) -> Result<(), StateError>;
    /// In the order of the plan: those that were begun and those that were not tried, at most 1,000.
    async fn next(&self, id: &str, limit: u32) -> Result<Vec<JobItem>, StateError>;
    /// Marks items as begun, with the rows that will be deleted.
    async fn trying(&self, lease: &Lease, id: &str, items: &[(i64, Option<Image>)]) -> Result<(), StateError>;
    /// What became of items, or how far they are; what was written of them before is replaced.
    async fn settle(&self, lease: &Lease, id: &str, items: &[Settled], at: DateTime<Utc>) -> Result<(), StateError>;
    /// Items that were begun and did not happen are tried again.
    async fn reopen(&self, lease: &Lease, id: &str, places: &[i64]) -> Result<(), StateError>;
    /// How many were left alone, by why.
    async fn skipped(&self, id: &str) -> Result<Vec<(String, u64)>, StateError>;
    /// Those behind a place, at most 1,000; of one outcome.
    async fn items(
        &self,
        id: &str,
        outcome: Option<ItemOutcome>,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<JobItem>, StateError>;
    async fn tally(&self, id: &str) -> Result<Tally, StateError>;
    /// Plans that nobody confirmed in time lose their items; their number.
    async fn expire(&self, now: DateTime<Utc>) -> Result<u64, StateError>;
    /// Runs that ended before a time go, a few hundred items with each call; how much went. The audit keeps what they did.
    async fn purge(&self, lease: &Lease, before: DateTime<Utc>) -> Result<u64, StateError>;
}
