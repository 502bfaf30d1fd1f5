//! Everything that needs the real stores, in one binary, so that they start once and it links once.
#![allow(clippy::unwrap_used, reason = "a test may fail by it")]

mod action;
mod archive;
mod auth;
mod bad_days;
mod brokers;
mod cases;
mod changes;
mod check;
mod cli;
mod collect;
mod config;
mod console;
mod eventually;
mod following;
mod http;
mod init;
mod instrumenting;
mod locks;
mod lookup;
mod mapping;
mod operating;
mod presets;
mod records;
mod redelivery;
mod serve;
mod signals;
mod site;
mod stale;
mod state;
mod team;
mod undoing;
