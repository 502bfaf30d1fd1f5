//! Brokers, real ones: what every adapter keeps, and what is its own.

mod conformance;
mod rabbitmq;
mod redis_streams;

pub use rabbitmq::Rabbit;
pub use redis_streams::Streams;

use crate::eventually::eventually;
use app::model::BrokerPanel;
use server::config::{Broker, Config, Environment, Limits, from_toml};
use server::ports::brokers::BrokerStats;
use server::telemetry::http_client;
use std::sync::Arc;
use std::time::Duration;

fn defaults() -> Config {
    from_toml("", &Environment::default()).unwrap()
}

fn limits() -> Limits {
    let (connect_timeout, statement_timeout) = (Duration::from_secs(1), Duration::from_secs(2));
    Limits { connect_timeout, statement_timeout, ..defaults().limits }
}

fn stats(broker: &Broker) -> Arc<dyn BrokerStats> {
    stats_within(broker, &limits())
}

fn stats_within(broker: &Broker, limits: &Limits) -> Arc<dyn BrokerStats> {
    let http = http_client(limits.connect_timeout, limits.statement_timeout).unwrap();
    server::adapters::brokers::connect(broker, limits, &http).unwrap()
}

/// Statistics come some seconds after the queue.
async fn settled(stats: &dyn BrokerStats, holds: impl Fn(&BrokerPanel) -> bool) -> BrokerPanel {
    eventually(async || stats.queues().await.unwrap(), holds).await
}
