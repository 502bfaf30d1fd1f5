use super::{Key, Lease, LeaseError, Owner, Ttl};
use redis::aio::ConnectionLike;
use redis::{ErrorKind, ServerErrorKind};
use std::sync::atomic::{AtomicBool, Ordering};

/// What came of trying to take a lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Acquired {
    Taken(Lease),
    /// Another attempt holds it. [`Leases::time_left`] says how long a redelivery had better wait.
    Held {
        owner: String,
    },
    /// A done marker: this message was handled to the end. `at_ms`: when, in Unix milliseconds by Redis's clock;
    /// `None` when the marker's text is not a number.
    Done {
        at_ms: Option<i64>,
    },
}

/// Takes, keeps and gives back locks. One for each process; it remembers what its Redis can do.
#[derive(Debug)]
pub struct Leases {
    worker: String,
    /// Redis before 7.0 refuses `NX` together with `GET`.
    nx_get_refused: AtomicBool,
}

impl Default for Leases {
    /// For a process without a name of its own.
    fn default() -> Self {
        Self::new("worker")
    }
}

/// A lock may end between the `SET` that finds it and the `GET` that asks whose it is; so often in a row it is no chance.
const TRIES_WITHOUT_NX_GET: u32 = 3;

impl Leases {
    /// `worker`: stands at the front of each owner, for the people who read locks.
    #[must_use]
    pub fn new(worker: &str) -> Self {
        Self { worker: worker.to_owned(), nx_get_refused: AtomicBool::new(false) }
    }

    /// For a Redis before 7.0, when that is known beforehand: saves the one refused command that finds it out.
    #[must_use]
    pub fn for_redis_before_7(worker: &str) -> Self {
        Self { worker: worker.to_owned(), nx_get_refused: AtomicBool::new(true) }
    }

    /// Takes the lock if nobody has it and nothing is done. Lock and TTL are one command.
    ///
    /// # Errors
    /// What Redis answered, or that it could not be reached: the caller then knows nothing about the lock.
    pub async fn acquire(&self, redis: &mut impl ConnectionLike, key: &Key, ttl: Ttl) -> Result<Acquired, LeaseError> {
        let owner = Owner::unique(&self.worker);
        let found = if self.nx_get_refused.load(Ordering::Relaxed) {
            set_nx_then_get(redis, key, &owner, ttl).await?
        } else {
            match set_nx_get(redis, key, &owner, ttl).await {
                Err(error) if is_syntax_error(&error) => {
                    self.nx_get_refused.store(true, Ordering::Relaxed);
                    set_nx_then_get(redis, key, &owner, ttl).await?
                }
                found => found?,
            }
        };
        Ok(match found {
            None => Acquired::Taken(Lease { key: key.clone(), owner }),
            Some(value) => read(&value),
        })
    }
}

fn read(value: &[u8]) -> Acquired {
    let value = String::from_utf8_lossy(value);
    match value.strip_prefix("done:") {
        Some(ms) => Acquired::Done { at_ms: ms.parse().ok() },
        None => Acquired::Held { owner: value.into_owned() },
    }
}

/// What the key held; `None`: it is ours now.
type Found = Option<Vec<u8>>;

async fn set_nx_get(
    redis: &mut impl ConnectionLike,
    key: &Key,
    owner: &Owner,
    ttl: Ttl,
) -> Result<Found, redis::RedisError> {
    redis::cmd("SET")
        .arg(key.as_str())
        .arg(owner.as_str())
        .arg("NX")
        .arg("GET")
        .arg("PX")
        .arg(ttl.as_millis())
        .query_async(redis)
        .await
}

async fn set_nx_then_get(
    redis: &mut impl ConnectionLike,
    key: &Key,
    owner: &Owner,
    ttl: Ttl,
) -> Result<Found, redis::RedisError> {
    for _ in 0..TRIES_WITHOUT_NX_GET {
        let taken: Option<String> = redis::cmd("SET")
            .arg(key.as_str())
            .arg(owner.as_str())
            .arg("NX")
            .arg("PX")
            .arg(ttl.as_millis())
            .query_async(redis)
            .await?;
        if taken.is_some() {
            return Ok(None);
        }
        let value: Found = redis::cmd("GET").arg(key.as_str()).query_async(redis).await?;
        if value.is_some() {
            return Ok(value);
        }
    }
    // Whoever holds it was gone each time we looked: held, by nobody in particular.
    Ok(Some(Vec::new()))
}

fn is_syntax_error(error: &redis::RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::ResponseError)
        && error.detail().is_some_and(|text| text.contains("syntax error"))
}

#[cfg(test)]
mod tests {
    use super::{Acquired, read};

    #[test]
    fn a_value_is_a_marker_or_an_owner() {
        assert_eq!(read(b"done:1795941066041"), Acquired::Done { at_ms: Some(1_795_941_066_041) });
        assert_eq!(read(b"done:yes"), Acquired::Done { at_ms: None });
        assert_eq!(read(b"worker-2/77c0"), Acquired::Held { owner: "worker-2/77c0".into() });
    }
}
