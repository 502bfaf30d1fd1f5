//! A broker's statistics.

use app::model::{BrokerPanel, Fault};
use async_trait::async_trait;

#[async_trait]
pub trait BrokerStats: Send + Sync {
    /// The queues that match the configuration, and the dead letter. One bounded request for the former.
    async fn queues(&self) -> Result<BrokerPanel, Fault>;

    /// How far the broker's statistics lag behind what happened, in milliseconds.
    fn lag_ms(&self) -> u64;
}
