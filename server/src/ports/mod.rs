//! What Oncewatch needs of the outside, as object-safe traits of at most eight methods.
//!
//! To add an adapter, for example a broker:
//! 1. write `adapters/brokers/<name>.rs` with a type that implements [`brokers::BrokerStats`];
//! 2. stamp the port's conformance suite for it in `server/tests/it/` (the suite starts the real thing through `lab`; for
//!    brokers it is `brokers/conformance.rs`);
//! 3. give it a kind in `config/` and name it in `adapters/brokers/mod.rs`; of other ports in `boot.rs`, the only file
//!    outside that knows adapters.
//!
//! Rules for every method: bounded (a limit and a time-out on the far side too), no retries inside (the collector backs
//! off), errors as [`app::model::Fault`] with the foreign words but never a credential, and a missing thing is `None`.

pub mod archive;
pub mod archive_runs;
pub mod audit;
pub mod audit_log;
pub mod brokers;
pub mod changes;
pub mod jobs;
pub mod locks;
pub mod permit;
pub mod records;
pub mod redelivery;
pub mod retries;
pub mod signals;
pub mod state;
pub mod survey;
pub mod trail;
