//! Archiving over real databases: what is moved and what never is, what is refused, what a crash leaves, what comes back.

mod commands;
mod kill;
mod moves;
mod nights;
mod refusals;
mod runs;
pub mod site;
