//! Redis Streams: the groups of the streams that match, what is pending in them, and one message looked for.
//!
//! Everything is asked by known names and with a count: `XLEN`, `XINFO GROUPS`, `XPENDING`, `XRANGE`. Not by
//! `XINFO CONSUMERS`: consumers stay until somebody deletes them, and where each process has a name of its own their list
//! has no bound. Counts are Redis's own at this moment, so they lag behind nothing.

mod dead_letter;
mod discovery;
mod entry;
mod groups;
mod oldest;
mod search;

use crate::adapters::redis::Redis;
use crate::config::{self, EntryPart, Limits};
use crate::ports::brokers::{BrokerStats, Oldest, Sighting};
use app::model::{BrokerPanel, Fault, Layer};
use async_trait::async_trait;
pub use dead_letter::dead_letter;
use discovery::Discovery;
use std::sync::Arc;

/// Connects when it is first asked.
///
/// # Errors
/// [`Fault::BadInput`] for an address that is none; its text is not repeated, it may hold a password.
pub fn connect(broker: &config::RedisStreams, limits: &Limits) -> Result<Arc<dyn BrokerStats>, Fault> {
    Ok(Arc::new(open(broker, limits)?))
}

fn open(broker: &config::RedisStreams, limits: &Limits) -> Result<RedisStreams, Fault> {
    Ok(RedisStreams {
        redis: Redis::new(&broker.url, "broker.url", Layer::Broker, limits)?,
        discovery: Discovery::new(&broker.streams, broker.dead_letter.as_deref()),
        group: broker.group.clone(),
        dead_letter: broker.dead_letter.clone(),
        key: broker.key.clone(),
        r#type: broker.r#type.clone(),
        message_search: limits.message_search as usize,
    })
}

struct RedisStreams {
    redis: Redis,
    discovery: Discovery,
    /// A glob.
    group: String,
    dead_letter: Option<String>,
    key: Vec<EntryPart>,
    r#type: Vec<EntryPart>,
    /// Entries that one look-up reads.
    message_search: usize,
}

#[async_trait]
impl BrokerStats for RedisStreams {
    async fn queues(&self) -> Result<BrokerPanel, Fault> {
        self.panel().await
    }

    async fn message(&self, r#type: Option<&str>, key: &str) -> Result<Sighting, Fault> {
        self.look_for(r#type, key).await
    }

    async fn oldest(&self) -> Result<Oldest, Fault> {
        self.oldest_held().await
    }

    fn lag_ms(&self) -> u64 {
        0
    }
}
