//! One folder for each port, one file for each engine behind it. Named only by `boot.rs`.

pub mod brokers;
mod connection;
pub mod locks;
pub mod records;
pub mod signals;
pub mod state;
