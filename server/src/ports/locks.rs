//! The Redis lock keyspace of a source.

use super::permit::Permit;
use app::model::Fault;
use async_trait::async_trait;
use std::time::Duration;

/// What one key holds, as its kind reads it. `ttl_ms: None` means that it never expires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    Absent,
    /// Held: the owner as the kind keeps it. Kind `string`: the whole value, which may be a done marker.
    Value {
        value: String,
        ttl_ms: Option<i64>,
    },
    /// Held by several at once, as Redisson's read lock may be; sorted.
    Several {
        owners: Vec<String>,
        ttl_ms: Option<i64>,
    },
    /// It is there, and nothing in it says whose it is. `value`: its text; empty where it holds no text.
    Mark {
        value: String,
        ttl_ms: Option<i64>,
    },
    /// Consumed already, by the kind's own word.
    Done {
        ttl_ms: Option<i64>,
    },
    /// Not what the configured kind keeps: the Redis type of what is there.
    OtherType {
        redis_type: String,
        ttl_ms: Option<i64>,
    },
}

impl Reading {
    /// Milliseconds left; `None`: there is no key, or it never expires.
    #[must_use]
    pub fn ttl_ms(&self) -> Option<i64> {
        match self {
            Self::Absent => None,
            Self::Value { ttl_ms, .. }
            | Self::Several { ttl_ms, .. }
            | Self::Mark { ttl_ms, .. }
            | Self::Done { ttl_ms }
            | Self::OtherType { ttl_ms, .. } => *ttl_ms,
        }
    }

    /// Who holds it, as it is shown; `None`: nobody's name is on it.
    #[must_use]
    pub fn owner(&self) -> Option<String> {
        match self {
            Self::Value { value, .. } => Some(value.clone()),
            Self::Several { owners, .. } => Some(owners.join(", ")),
            Self::Absent | Self::Mark { .. } | Self::Done { .. } | Self::OtherType { .. } => None,
        }
    }

    /// What tells one holding of a key from the next: the owner. A mark has none, and counts as one holding for as
    /// long as it is there. `None`: it is not held.
    #[must_use]
    pub fn held_by(&self) -> Option<String> {
        match self {
            Self::Mark { .. } => Some(String::new()),
            _ => self.owner(),
        }
    }
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

/// Where a walk through the key space stands; the default is its beginning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cursor {
    /// In a cluster: the primary that is walked, by the lowest slot that it serves.
    pub slot: u16,
    /// In a cluster: the node's own id. Another one in its place has other cursors.
    pub node: String,
    /// `SCAN`'s cursor there.
    pub at: u64,
}

/// One step through the key space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scanned {
    pub keys: Vec<String>,
    /// Where to go on; `None`: the round is complete.
    pub next: Option<Cursor>,
    /// Keys that Redis looked at in this step, about.
    pub examined: u64,
    /// Keys in the whole database; in a cluster, of all primaries.
    pub total: u64,
}

/// How the server of the locks is set up; in a cluster, the primary that may drop locks, if one may.
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
    /// `host:port/db`, without credentials; several hosts with what they are.
    fn address(&self) -> String;

    /// Reads all keys in one pipeline (in a cluster: one for each slot), in the order given. At most 1,000.
    async fn read(&self, keys: &[String]) -> Result<Vec<Reading>, Fault>;

    /// One `SCAN` from `cursor` for keys that match the glob. Blocks one Redis for about 1 ms.
    async fn scan(&self, glob: &str, cursor: &Cursor) -> Result<Scanned, Fault>;

    /// How the server is set up.
    async fn server(&self) -> Result<LockServer, Fault>;

    /// Puts [`LockStore::ours`] on keys that nobody holds, for so long; which of them, in their order. `None`: locks of this
    /// kind are not taken. At most 1,000.
    async fn take(&self, permit: &Permit, keys: &[String], ttl: Duration) -> Result<Option<Vec<bool>>, Fault>;

    /// Our name on locks that an operation takes.
    fn ours(&self, permit: &Permit) -> String {
        format!("oncewatch:{}", permit.operation_id())
    }

    /// Deletes the key if `owner`, as [`Reading::owner`] said it, still holds it: compared and deleted in one script.
    /// What has no owner is never deleted.
    async fn release(&self, permit: &Permit, key: &str, owner: &str) -> Result<Released, Fault>;
}
