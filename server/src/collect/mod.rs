//! Background reading: one task for each (source, panel), period + poke + status, no input.
//! What they read goes to the state database as snapshot rows and from there, on every instance, to the [`Board`].

mod board;

pub use board::{Board, Changed};
