//! The Redis lock keyspace of a source.

use crate::action::Permit;
use app::model::Fault;
use async_trait::async_trait;

/// What one key holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    Absent,
    /// A string value. `ttl_ms: None` means that it never expires.
    Value { value: String, ttl_ms: Option<i64> },
    /// Another Redis type than the configured kind expects, by its Redis name.
    OtherType { redis_type: String, ttl_ms: Option<i64> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Released {
    Yes,
    /// The owner is another one now; nothing was deleted.
    OwnerChanged { owner: String },
    /// The key was gone already.
    Gone,
}

#[async_trait]
pub trait LockStore: Send + Sync {
    /// `host:port/db`, without credentials.
    fn address(&self) -> String;

    /// Reads all keys in one pipeline, in the order given. At most 1,000.
    async fn read(&self, keys: &[String]) -> Result<Vec<Reading>, Fault>;

    /// Deletes the key if `owner` still holds it, compared and deleted in one script.
    async fn release(&self, permit: &Permit, key: &str, owner: &str) -> Result<Released, Fault>;
}
