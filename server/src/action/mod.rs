//! The only way to change anything outside: form, `/api` and command line all come through [`run`].
//!
//! `run` → [`permit`] → guard → operation id → `audit.begin` → mutation (compare-and-set) → `audit.complete` → poke the collector.

mod permit;

pub use permit::Permit;
