//! Brokers, one file or folder each.

mod amqp;
pub mod rabbitmq;
pub mod redis_streams;

use crate::clock::Clock;
use crate::config::{Broker, Limits, RetryMode};
use crate::ports::brokers::BrokerStats;
use crate::ports::redelivery::Redelivery;
use app::model::{Fault, Layer};
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

/// What makes a message come again by one of these brokers; `None`: this mode does without.
///
/// # Errors
/// [`Fault::NotConfigured`] where none of them can.
pub fn redelivery(
    brokers: &[Broker],
    mode: &RetryMode,
    limits: &Limits,
    http: &Client,
    clock: Arc<dyn Clock>,
) -> Result<Option<Arc<dyn Redelivery>>, Fault> {
    let missing = || Fault::NotConfigured { layer: Layer::Broker };
    match mode {
        RetryMode::Release | RetryMode::Webhook(_) => Ok(None),
        RetryMode::DeadLetter => match brokers.iter().find(|broker| broker.moves_dead_letters()).ok_or_else(missing)? {
            Broker::RabbitMq(broker) => {
                let stats = rabbitmq::connect(broker, limits, http.clone())?;
                amqp::dead_letter(broker, stats, limits, clock).map(Some)
            }
            Broker::RedisStreams(broker) => redis_streams::dead_letter(broker, limits, clock).map(Some),
        },
        RetryMode::Republish(to) => match brokers.iter().find(|broker| broker.publishes()).ok_or_else(missing)? {
            Broker::RabbitMq(broker) => amqp::republish(broker, to, limits, clock).map(Some),
            Broker::RedisStreams(_) => Err(missing()),
        },
    }
}

/// Parts of a message's key or type with `:` between, as keys of records are joined: a missing part is empty, all missing is
/// `None`.
fn joined(parts: Vec<Option<String>>) -> Option<String> {
    if parts.iter().all(Option::is_none) {
        return None;
    }
    Some(parts.into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>().join(":"))
}
