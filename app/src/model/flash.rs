use super::{ArchiveRefusal, ArchiveRestored, Fault, Undo, WhyNot};
use serde::{Deserialize, Serialize};

/// What became of the form that led to a page; shown there once. `key` is shortened when it is very long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Flash {
    LockReleased {
        key: String,
    },
    /// Not released: somebody else holds it now.
    LockOwnerChanged {
        key: String,
    },
    /// Not released: it was gone already.
    LockGone {
        key: String,
    },
    /// Not released: the lock as it is now does not allow it.
    LockNotReleasable {
        key: String,
        why: WhyNot,
    },
    /// Nothing was done: every operation needs a reason.
    ReasonMissing,
    /// The same form was sent before and has not ended; the audit shows it as unfinished.
    Unfinished,
    /// Nothing was done: the phrase was not the plan's.
    PhraseWrong {
        phrase: String,
    },
    ArchiveBegun {
        number: i64,
    },
    /// `wish`: `pause`, `stop` or `resume`.
    ArchiveSteered {
        number: i64,
        wish: String,
    },
    /// Nothing was done: what stands in its way.
    ArchiveRefused {
        refusal: ArchiveRefusal,
    },
    /// Nothing was done: another run of the source has not ended.
    ArchiveAnother,
    /// Nothing was done: the run has ended already.
    ArchiveOver,
    Restored {
        /// `None`: it goes on.
        restored: Option<ArchiveRestored>,
    },
    /// No plan was made: no record was picked.
    NothingPicked,
    /// No plan was made, or nothing was asked of a run.
    OperationRefused {
        why: WhyNot,
    },
    /// The run is over, or nobody confirmed it: there is nothing to pause, stop or go on with.
    NotRunning,
    Undone {
        undo: Undo,
    },
    /// It takes longer than a page waits; the run's page shows how far it is.
    Undoing,
    /// Nothing was done, or it is not known what: a system did not answer.
    Failed {
        fault: Fault,
    },
}
