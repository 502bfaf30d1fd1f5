//! Lock and done marker in one Redis key.
//!
//! ```text
//! SET <prefix>:<type>:<key> <owner> NX GET PX <ttl>
//!     nothing        → taken: this worker goes on
//!     done:<ms>      → a duplicate of something finished: ack it, no database needed
//!     anything else  → somebody holds it: give the message back, do not ack it
//! ```
//! Two commands for each message, one for each duplicate. Taking is a plain `SET`, not a script: the TTL is set by the
//! very command that takes the lock, so no crash can leave a lock that never ends, and Redis spends least on it. What
//! comes after compares the owner first, in scripts that run as one step ([`script`]); each says so when the lock had
//! been lost, and the caller must then not commit anything that rests on holding it.
//!
//! ```no_run
//! # async fn consume(mut redis: redis::aio::MultiplexedConnection) -> Result<(), oncewatch_consumer::lease::LeaseError> {
//! use oncewatch_consumer::lease::{Acquired, Key, Leases, Ttl};
//! use std::time::Duration;
//!
//! let leases = Leases::default();
//! let ttl = Ttl::new(Duration::from_secs(40))?;
//! match leases.acquire(&mut redis, &Key::new("idem_lock", "ORDER_DONE", "20231027001"), ttl).await? {
//!     Acquired::Taken(lease) => {
//!         // insert the record, handle, mark it completed; then:
//!         leases.complete(&mut redis, &lease, Duration::from_secs(24 * 3600)).await?;
//!     }
//!     Acquired::Held { .. } => { /* give it back with a delay */ }
//!     Acquired::Done { .. } => { /* ack: a duplicate */ }
//! }
//! # Ok(())
//! # }
//! ```

mod acquire;
mod held;
pub mod script;

pub use acquire::{Acquired, Leases};

use std::fmt;
use std::time::Duration;

/// A TTL below this ends while an ordinary handler still runs; zero would never lock.
pub const SHORTEST_TTL: Duration = Duration::from_secs(1);

/// The full Redis key of one message's lock.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key(String);

impl Key {
    /// `<prefix>:<type>:<key>`.
    #[must_use]
    pub fn new(prefix: &str, r#type: &str, key: &str) -> Self {
        Self(format!("{prefix}:{}:{key}", r#type))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// How long a lock lives. By the worst handling time, not the average.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ttl(Duration);

impl Ttl {
    /// # Errors
    /// [`LeaseError::TtlTooShort`] below [`SHORTEST_TTL`].
    pub fn new(ttl: Duration) -> Result<Self, LeaseError> {
        if ttl < SHORTEST_TTL { Err(LeaseError::TtlTooShort { ttl }) } else { Ok(Self(ttl)) }
    }

    pub(crate) fn as_millis(self) -> u64 {
        millis(self.0)
    }
}

/// Redis takes 64-bit milliseconds; anything longer is as good as for ever.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX >> 1)
}

/// Proof that a lock was taken, by an owner that no other attempt has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    key: Key,
    owner: Owner,
}

impl Lease {
    #[must_use]
    pub fn key(&self) -> &Key {
        &self.key
    }

    #[must_use]
    pub fn owner(&self) -> &Owner {
        &self.owner
    }
}

/// The value of a held lock: unique for each attempt, so that a worker can never mistake another's lock for its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner(String);

impl Owner {
    /// `<worker>/<uuid>`: the worker's name tells people who it is, the uuid makes the attempt unique.
    #[must_use]
    pub fn unique(worker: &str) -> Self {
        Self(format!("{worker}/{}", uuid::Uuid::now_v7().simple()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether the lock was still this worker's when it was completed, released or extended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Ok,
    /// It had expired, or was deleted (a failover that lost it looks the same).
    Gone,
    /// Somebody else took it meanwhile, or finished: the value that is there now.
    Other {
        value: String,
    },
}

impl Outcome {
    /// The lock did not protect this worker to the end.
    #[must_use]
    pub fn lost(&self) -> bool {
        *self != Self::Ok
    }
}

#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    #[error("a lock's TTL of {ttl:?} is below one second: set it by the longest time a handler takes")]
    TtlTooShort { ttl: Duration },
    #[error("Redis did not do it: {0}")]
    Redis(#[from] redis::RedisError),
    #[error("a lock script answered {0:?}, which is no answer of this version")]
    UnknownAnswer(Vec<String>),
}
