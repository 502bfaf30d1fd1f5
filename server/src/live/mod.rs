//! What collectors leave in memory for everybody: the latest panels, the open records, and bells that wake a collector.

mod board;
mod open_set;
mod pokes;
mod shared;

pub use board::{Board, Body, Changed};
pub use open_set::{Entry, Id, Open, OpenSet, Place};
pub use pokes::Pokes;
pub use shared::{OpenSets, Shared};
