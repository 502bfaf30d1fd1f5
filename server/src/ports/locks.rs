//! The Redis lock keyspace of a source.

use super::permit::Permit;
use app::model::Fault;
use async_trait::async_trait;

/// What one key holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    Absent,
    /// A string value. `ttl_ms: None` means that it never expires.
    Value {
        value: String,
        ttl_ms: Option<i64>,
    },
    /// Another Redis type than the configured kind expects, by its Redis name.
    OtherType {
        redis_type: String,
        ttl_ms: Option<i64>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Released {
    Yes,
    /// The owner is another one now; nothing was deleted.
    OwnerChanged {
        owner: String,
    },
    /// The key was gone already.
    Gone,
}

/// One step through the key space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scanned {
    pub keys: Vec<String>,
    /// Where to go on; `None`: the round is complete.
    pub next: Option<u64>,
    /// Keys that Redis looked at in this step, about.
    pub examined: u64,
    /// Keys in the whole database.
    pub total: u64,
}

/// How the server of the locks is set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockServer {
    pub version: String,
    /// `master` or `slave`, as Redis says it.
    pub role: String,
    /// `maxmemory-policy`.
    pub policy: String,
    /// Bytes; 0: no limit.
    pub max_memory: u64,
}

#[async_trait]
pub trait LockStore: Send + Sync {
    /// `host:port/db`, without credentials.
    fn address(&self) -> String;

    /// Reads all keys in one pipeline, in the order given. At most 1,000.
    async fn read(&self, keys: &[String]) -> Result<Vec<Reading>, Fault>;

    /// One `SCAN` from `cursor` (0: the beginning) for keys that match the glob. Blocks Redis for about 1 ms.
    async fn scan(&self, glob: &str, cursor: u64) -> Result<Scanned, Fault>;

    /// How the server is set up.
    async fn server(&self) -> Result<LockServer, Fault>;

    /// Deletes the key if `owner` still holds it, compared and deleted in one script.
    async fn release(&self, permit: &Permit, key: &str, owner: &str) -> Result<Released, Fault>;
}
