//! Records that were retried, until one is seen to be taken up.

use super::changes::Image;
use super::state::StateError;
use app::model::RecordRef;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retried {
    pub job: String,
    pub at: i64,
    pub reference: RecordRef,
    pub r#type: Option<String>,
    pub key: Option<String>,
    /// What the retry left; `None`: it deleted the row.
    pub after: Option<Image>,
    pub retried_at: DateTime<Utc>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Somebody took it up, or nobody will know any more: it is looked at no longer.
    Over,
    /// There is time left.
    Open,
    /// Somebody should have taken it up.
    None,
}

#[async_trait]
pub trait Retries: Send + Sync {
    /// Those that were not looked at for the longest time, at most 200.
    async fn retried(&self, source: &str) -> Result<Vec<Retried>, StateError>;
    async fn looked(&self, job: &str, at: i64, effect: Effect, now: DateTime<Utc>) -> Result<(), StateError>;
    /// How many had none.
    async fn without_effect(&self, source: &str) -> Result<u64, StateError>;
}
