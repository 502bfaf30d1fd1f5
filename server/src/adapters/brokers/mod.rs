//! Brokers, one file or folder each.

pub mod rabbitmq;
pub mod redis_streams;

use crate::config::{Broker, Limits};
use crate::ports::brokers::BrokerStats;
use app::model::Fault;
use reqwest::Client;
use std::sync::Arc;

/// Connects when it is first asked. `http`: for brokers with an HTTP API.
///
/// # Errors
/// [`Fault::BadInput`] for an address that is none; its text is not repeated, it may hold a password.
pub fn connect(broker: &Broker, limits: &Limits, http: &Client) -> Result<Arc<dyn BrokerStats>, Fault> {
    match broker {
        Broker::RabbitMq(broker) => rabbitmq::connect(broker, limits, http.clone()),
        Broker::RedisStreams(broker) => redis_streams::connect(broker, limits),
    }
}
