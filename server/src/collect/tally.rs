use app::model::Status;
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// Rows that were read, and of them those that are counted and not kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tally {
    pub rows: u64,
    pub completed: u64,
    pub dead: u64,
    pub unmapped: u64,
}

impl Tally {
    /// One row that was read in this status. Open ones are kept elsewhere.
    pub(super) fn add(&mut self, status: Status) {
        self.rows += 1;
        self.left(status);
    }

    /// A row that was read when it was open, and is in this status now.
    pub(super) fn left(&mut self, status: Status) {
        match status {
            Status::Completed => self.completed += 1,
            Status::Dead => self.dead += 1,
            Status::Unmapped => self.unmapped += 1,
            Status::Processing | Status::Failed => {}
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.rows += other.rows;
        self.completed += other.completed;
        self.dead += other.dead;
        self.unmapped += other.unmapped;
    }
}
