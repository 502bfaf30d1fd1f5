use super::{Fault, Undo, WhyNot};
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
