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

/// Where one message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum MessageState {
    /// Handed out and not settled.
    Unacked,
    Waiting,
    /// In the dead letter.
    Dead,
}

impl MessageState {
    /// As JSON has it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unacked => "unacked",
            Self::Waiting => "waiting",
            Self::Dead => "dead",
        }
    }
}

/// The broker's part of a look-up. Numbers that the broker did not give are `null`, never 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct BrokerFacet {
    pub view: BrokerView,
    /// Under the message view only.
    pub state: Option<MessageState>,
    pub deliveries: Option<u64>,
    pub ready: Option<u64>,
    pub unacked: Option<u64>,
    pub dead: Option<u64>,
}

/// One queue of a broker; of Redis Streams, one group of one stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Queue {
    pub name: String,
    /// `classic`, `quorum`, `stream`; `None` for a dead letter that its first message will make.
    pub kind: Option<String>,
    /// What waits. Of a group its lag, `None` where Redis does not know it; of a dead letter stream its length.
    pub ready: Option<u64>,
    /// What is handed out and not settled. Of a group its pending entries.
    pub unacked: Option<u64>,
    pub consumers: Option<u64>,
    /// Messages per second; `None` while the broker has no rate yet.
    pub in_per_second: Option<f64>,
    pub acked_per_second: Option<f64>,
    pub redelivered_per_second: Option<f64>,
    /// It is the configured dead letter: shown, never counted among the queues.
    pub dead_letter: bool,
    /// After so many returns the broker drops a message, or moves it to the dead letter; `None`: it did not say.
    pub delivery_limit: Option<u64>,
    /// A delivery that is not settled for so long is taken back; `None`: neither queue nor policy says it.
    pub consumer_timeout_ms: Option<u64>,
    /// Of Redis Streams only.
    pub group: Option<Group>,
}

/// A consumer group of a stream, and what its pending entries say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Group {
    pub name: String,
    /// Entries of the whole stream, settled ones among them.
    pub length: u64,
    /// Pending entries that the figures below are of: the oldest ones. Fewer than are pending make them lower bounds.
    pub looked_at: u64,
    /// Of those, how many were delivered once, twice, three times, four to nine times, ten times or more.
    pub by_deliveries: [u64; 5],
    /// Deliveries of the entry that was delivered most often; `None` when nothing is pending, like what follows.
    pub most_deliveries: Option<u64>,
    /// Since the oldest pending entry was handed out for the last time.
    pub oldest_idle_ms: Option<u64>,
    /// The longest of all that were looked at.
    pub longest_idle_ms: Option<u64>,
}

impl Group {
    /// The smallest number of deliveries of each part of [`Group::by_deliveries`].
    pub const DELIVERIES_FROM: [u64; 5] = [1, 2, 3, 4, 10];

    /// Of the pending entries that were looked at, those that were delivered twice or more often.
    #[must_use]
    pub fn delivered_again(&self) -> u64 {
        self.by_deliveries[1..].iter().sum()
    }
}

impl Queue {
    /// Name, and behind a slash the group: what tells two groups of one stream apart.
    #[must_use]
    pub fn full_name(&self) -> String {
        match &self.group {
            Some(group) => format!("{}/{}", self.name, group.name),
            None => self.name.clone(),
        }
    }

    /// Whether figures of the pending entries are lower bounds.
    #[must_use]
    pub fn is_sampled(&self) -> bool {
        self.group.as_ref().is_some_and(|group| self.unacked.is_none_or(|pending| group.looked_at < pending))
    }

    /// All that lie in it, waiting or handed out; `None` where the broker did not say.
    #[must_use]
    pub fn messages(&self) -> Option<u64> {
        Some(self.ready? + self.unacked?)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BrokerKind {
    #[serde(rename = "rabbitmq")]
    RabbitMq,
    RedisStreams,
}

impl BrokerKind {
    /// What people call it.
    #[must_use]
    pub fn brand(self) -> &'static str {
        match self {
            Self::RabbitMq => "RabbitMQ",
            Self::RedisStreams => "Redis Streams",
        }
    }
}

/// Body of the `brokers` panel, for one configured broker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct BrokerPanel {
    pub kind: BrokerKind,
    /// `host:port`, of Redis `host:port/database`, without credentials.
    pub address: String,
    /// Of RabbitMQ only.
    pub vhost: Option<String>,
    pub version: Option<String>,
    /// Globs of the configuration that match no queue; a stream without a group that matches is `stream/glob`.
    pub unmatched: Vec<String>,
    /// The first search of the key space for streams is not at its end: there may be more.
    pub searching: bool,
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
