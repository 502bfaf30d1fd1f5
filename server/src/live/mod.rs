//! What collectors leave in memory for everybody: the latest panels, the open records, all locks, and bells that wake a collector.

mod board;
mod known;
mod lock_rows;
mod open_set;
mod pokes;
mod shared;

pub use board::{Board, Body, Changed};
pub use known::Known;
pub use lock_rows::{Judged, LockRows};
pub use open_set::{Entry, Id, Open, OpenSet, Place};
pub use pokes::Pokes;
pub use shared::{OpenSets, Shared};
