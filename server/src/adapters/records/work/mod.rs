//! A transaction on a team's database that may change rows, on connections of its own. Dropped, it is rolled back with its
//! connection.

mod mysql;
mod postgres;
mod sqlite;

use super::dialect::Statement;
use super::select::Cells;
use super::store::Failure;
use crate::ports::changes::ChangeError;
use app::model::{Fault, Layer};
use async_trait::async_trait;

/// How long a statement waits for another transaction, in milliseconds: a consumer must not wait behind us either.
const LOCK_WAIT_MS: u64 = 1_000;

#[async_trait]
pub trait Writer: Send + Sync {
    async fn begin(&self) -> Result<Box<dyn Work + '_>, Trouble>;
}

#[async_trait]
pub trait Work: Send {
    async fn fetch(&mut self, statement: &Statement) -> Result<Vec<Cells>, Trouble>;
    /// How many rows it met.
    async fn execute(&mut self, statement: &Statement) -> Result<u64, Trouble>;
    async fn commit(self: Box<Self>) -> Result<(), Trouble>;
}

/// What went wrong in a transaction. But for [`Trouble::Unknown`], nothing was changed.
#[derive(Debug)]
pub enum Trouble {
    /// Another transaction holds what was asked for.
    Locked,
    /// The database ended this one for another's sake: it can be done again.
    Deadlock,
    /// A row with this unique key is there.
    Taken,
    Failure(Failure),
    /// The answer to the commit was lost.
    Unknown(Fault),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Self::Failure(Failure::Fault(fault))
    }
}

impl Trouble {
    /// Of a commit: what the database refuses is not done, all else may be.
    fn of_commit(self) -> Self {
        match self {
            Self::Failure(Failure::Fault(fault @ (Fault::Unreachable { .. } | Fault::TimedOut { .. }))) => {
                Self::Unknown(fault)
            }
            other => other,
        }
    }

    /// For a caller that cannot do without it.
    pub fn fault(self, table: &str) -> ChangeError {
        let layer = Layer::Records;
        match self {
            Self::Unknown(fault) => ChangeError::Unknown(fault),
            Self::Failure(Failure::Fault(fault)) => fault.into(),
            Self::Failure(Failure::Gone) => Fault::TableMissing { table: table.to_owned() }.into(),
            Self::Locked => {
                Fault::Unreadable { layer, detail: format!("{table} is locked by another transaction") }.into()
            }
            Self::Deadlock => {
                Fault::Unreadable { layer, detail: format!("deadlocks on {table}, again and again") }.into()
            }
            Self::Taken => Fault::Unreadable { layer, detail: format!("the key is there already in {table}") }.into(),
        }
    }
}
