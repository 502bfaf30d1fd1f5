//! Background reading: one task for each (source, panel), period + poke + status, no input.
//! What they read goes to the state database as snapshot rows and from there, on every instance, to the [`Board`].

mod board;
mod open_set;
mod pokes;

pub use board::{Board, Changed};
pub use open_set::{Entry, Open, OpenSet, OpenSets, Shared};
pub use pokes::Pokes;
