//! A broker's statistics, and what it says of one message.

use app::model::{BrokerPanel, Fault, MessageState};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[async_trait]
pub trait BrokerStats: Send + Sync {
    /// The queues that match the configuration, and the dead letter. Bounded requests only.
    ///
    /// # Errors
    /// When it cannot be asked; a count that it does not have is `None`, never 0.
    async fn queues(&self) -> Result<BrokerPanel, Fault>;

    /// Where the message with this key is. `type` `None`: the key alone decides.
    ///
    /// # Errors
    /// When it cannot be asked.
    async fn message(&self, r#type: Option<&str>, key: &str) -> Result<Sighting, Fault>;

    /// The oldest message that it can still deliver, its dead letter among them.
    ///
    /// # Errors
    /// When it cannot be asked.
    async fn oldest(&self) -> Result<Oldest, Fault>;

    /// How far the broker's statistics lag behind what happened, in milliseconds.
    fn lag_ms(&self) -> u64;
}

/// How old the oldest message is that can still be delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oldest {
    /// The broker does not say.
    Unknown,
    /// It holds none.
    Nothing,
    Since(DateTime<Utc>),
}

/// What a broker says of one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sighting {
    Message(Found),
    /// It cannot look for one message, or there is more than it may look through: only its counts speak.
    Queue,
    /// Everything that waits, is handed out or lies in the dead letter was looked through: it is not there. A message
    /// that moves meanwhile may be missed, so that this proves less than empty queues do.
    NotThere,
}

/// Of several copies the one that is nearest to being worked on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub state: MessageState,
    /// As [`app::model::Queue::full_name`] has it.
    pub queue: String,
    /// How often it was handed out; `None`: the broker does not say.
    pub deliveries: Option<u64>,
    /// Since it was handed out for the last time, while it is unacked.
    pub idle_ms: Option<u64>,
}
