//! Lock stores, one file each.

pub mod redis;
