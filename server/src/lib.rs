//! Oncewatch: reads the team's systems, keeps history, judges, acts, serves.
//!
//! Folders in flow order: [`boot`] puts adapters behind [`ports`]; [`collect`] reads through them into
//! snapshots, and leaves the latest in [`live`];
//! [`diagnose`] judges; [`reads`] answers pages, `/api` and the command line; [`action`] is the only way to change anything.

pub mod action;
pub mod adapters;
pub mod audit;
pub mod auth;
pub mod boot;
pub mod chain;
pub mod cli;
pub mod clock;
pub mod collect;
pub mod config;
pub mod diagnose;
mod glob;
pub mod http;
pub mod ingest;
mod kept;
pub mod lease;
pub mod live;
pub mod ports;
pub mod proposal;
pub mod reads;
pub mod system;
pub mod telemetry;
mod zone;
