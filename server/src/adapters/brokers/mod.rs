//! Brokers, one file each.

pub mod rabbitmq;
