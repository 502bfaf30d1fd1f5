//! One folder for each port, one file for each engine behind it. Named only by `boot.rs`. What engines of several ports
//! share stands beside the folders.

pub mod brokers;
pub mod locks;
pub mod records;
mod redis;
pub mod signals;
pub mod state;
pub mod webhook;
