use super::Panel;
use serde::{Deserialize, Serialize};

/// What a broker says about one message, or, where it cannot, about its queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum BrokerView {
    Message,
    Queue,
    NotSeen,
}

/// The broker's part of a look-up. Numbers that the broker did not give are `null`, never 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct BrokerFacet {
    pub view: BrokerView,
    /// `waiting`, `unacked`, `dead`, … under the message view.
    pub state: Option<String>,
    pub deliveries: Option<u64>,
    pub ready: Option<u64>,
    pub unacked: Option<u64>,
    pub dead: Option<u64>,
}

/// One queue of a broker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Queue {
    pub name: String,
    /// `classic`, `quorum`, `stream`.
    pub kind: Option<String>,
    pub ready: Option<u64>,
    pub unacked: Option<u64>,
    pub consumers: Option<u64>,
    /// Messages per second; `None` while the broker has no rate yet.
    pub in_per_second: Option<f64>,
    pub acked_per_second: Option<f64>,
    pub redelivered_per_second: Option<f64>,
    /// It is the configured dead letter: shown, never counted among the queues.
    pub dead_letter: bool,
}

impl Queue {
    /// All that lie in it, waiting or handed out; `None` where the broker did not say.
    #[must_use]
    pub fn messages(&self) -> Option<u64> {
        Some(self.ready? + self.unacked?)
    }
}

/// Body of the `brokers` panel, for one configured broker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct BrokerPanel {
    /// `rabbitmq`.
    pub kind: String,
    /// `host:port`, without credentials.
    pub address: String,
    pub vhost: String,
    pub version: Option<String>,
    /// Globs of the configuration that match no queue.
    pub unmatched: Vec<String>,
    /// Sorted by name, the dead letter last.
    pub queues: Vec<Queue>,
}

impl BrokerPanel {
    /// Messages in the dead letter, waiting or handed out: 0 where none is configured, `None` where the broker did not say.
    #[must_use]
    pub fn dead_letters(&self) -> Option<u64> {
        self.queues.iter().filter(|queue| queue.dead_letter).map(Queue::messages).sum()
    }
}

/// What the Brokers page shows: one panel for each configured broker, in the configuration's order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Brokers {
    pub brokers: Vec<Panel<BrokerPanel>>,
}
