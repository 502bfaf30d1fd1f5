//! Locks of kind `string` in one Redis: the value is the owner, or a done marker.
//!
//! How it is connected is [`crate::adapters::redis`]'s.

use crate::adapters::redis::Redis as Server;
use crate::config;
use crate::ports::locks::{LockServer, LockStore, Reading, Released, Scanned};
use crate::ports::permit::Permit;
use ::redis::aio::MultiplexedConnection;
use ::redis::{Pipeline, RedisResult};
use app::model::{Fault, Layer};
use async_trait::async_trait;
use oncewatch_consumer::lease::{LeaseError, Outcome, script};
use std::sync::Arc;

/// Keys of one `read`, by the port's contract.
const MOST_KEYS: usize = 1_000;

/// `SCAN … COUNT`: blocks Redis for about 1 ms a call; ten times as many would block it ten times as long.
const SCAN_COUNT: u64 = 1_000;

/// Connects when it is first asked.
///
/// # Errors
/// [`Fault::BadInput`] for an address that is none; its text is not repeated, it may hold a password.
pub fn connect(locks: &config::Locks, limits: &config::Limits) -> Result<Arc<dyn LockStore>, Fault> {
    Ok(Arc::new(Redis(Server::new(&locks.url, "locks.url", Layer::Lock, limits)?)))
}

struct Redis(Server);

#[async_trait]
impl LockStore for Redis {
    fn address(&self) -> String {
        self.0.address.clone()
    }

    async fn read(&self, keys: &[String]) -> Result<Vec<Reading>, Fault> {
        if keys.len() > MOST_KEYS {
            return Err(Fault::BadInput {
                what: "keys".into(),
                detail: format!("{} at once, at most {MOST_KEYS}", keys.len()),
            });
        }
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let mut connection = self.0.connection().await?;
        let readings = read_all(&mut connection, keys).await;
        self.0.kept(readings).await
    }

    async fn scan(&self, glob: &str, cursor: u64) -> Result<Scanned, Fault> {
        let mut connection = self.0.connection().await?;
        let mut pipeline = Pipeline::new();
        pipeline.cmd("SCAN").arg(cursor).arg("MATCH").arg(glob).arg("COUNT").arg(SCAN_COUNT).cmd("DBSIZE");
        let answer: RedisResult<((u64, Vec<Vec<u8>>), u64)> = pipeline.query_async(&mut connection).await;
        let ((next, keys), total) = self.0.kept(answer).await?;
        Ok(Scanned {
            // A key that is no text cannot have been made from the pattern, a type and a key.
            keys: keys.into_iter().filter_map(|key| String::from_utf8(key).ok()).collect(),
            next: (next != 0).then_some(next),
            examined: SCAN_COUNT,
            total,
        })
    }

    /// By INFO, which managed services allow where they forbid CONFIG.
    async fn server(&self) -> Result<LockServer, Fault> {
        let mut connection = self.0.connection().await?;
        let mut pipeline = Pipeline::new();
        for section in ["server", "replication", "memory"] {
            pipeline.cmd("INFO").arg(section);
        }
        let answer: RedisResult<Vec<String>> = pipeline.query_async(&mut connection).await;
        let info = self.0.kept(answer).await?.concat();
        let field = |name: &str| {
            info.lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
                .map(|value| value.trim().to_owned())
        };
        let needed = |name: &str| {
            let detail = || format!("INFO has no {name}");
            field(name).ok_or_else(|| Fault::Unreadable { layer: Layer::Lock, detail: detail() })
        };
        Ok(LockServer {
            version: needed("redis_version")?,
            role: needed("role")?,
            policy: needed("maxmemory_policy")?,
            max_memory: field("maxmemory").and_then(|bytes| bytes.parse().ok()).unwrap_or(0),
        })
    }

    async fn release(&self, _permit: &Permit, key: &str, owner: &str) -> Result<Released, Fault> {
        let mut connection = self.0.connection().await?;
        match script::run(&mut connection, script::RELEASE, key, owner, None).await {
            Ok(Outcome::Ok) => Ok(Released::Yes),
            Ok(Outcome::Gone) => Ok(Released::Gone),
            Ok(Outcome::Other { value }) => Ok(Released::OwnerChanged { owner: value }),
            Err(LeaseError::Redis(error)) => self.0.kept(Err(error)).await,
            Err(error) => Err(Fault::Unreadable { layer: Layer::Lock, detail: error.to_string() }),
        }
    }
}

async fn read_all(connection: &mut MultiplexedConnection, keys: &[String]) -> RedisResult<Vec<Reading>> {
    let mut pipeline = Pipeline::new();
    pipeline.ignore_errors();
    for key in keys {
        // The value first: when the key goes away in between, the PTTL says so and the pair reads as absent.
        pipeline.cmd("GET").arg(key).cmd("PTTL").arg(key);
    }
    let answers: Vec<RedisResult<::redis::Value>> = pipeline.query_async(connection).await?;
    let mut readings = Vec::with_capacity(keys.len());
    let mut of_other_type = Vec::new();
    for (at, pair) in answers.chunks_exact(2).enumerate() {
        let ttl: i64 = ::redis::from_redis_value(pair[1].clone()?)?;
        let reading = match &pair[0] {
            _ if ttl == GONE => Reading::Absent,
            Err(error) if error.code() == Some("WRONGTYPE") => {
                of_other_type.push(at);
                Reading::OtherType { redis_type: String::new(), ttl_ms: left(ttl) }
            }
            Err(error) => return Err(error.clone()),
            Ok(value) => match ::redis::from_redis_value::<Option<Vec<u8>>>(value.clone())? {
                None => Reading::Absent,
                Some(value) => {
                    Reading::Value { value: String::from_utf8_lossy(&value).into_owned(), ttl_ms: left(ttl) }
                }
            },
        };
        readings.push(reading);
    }
    name_types(connection, keys, &of_other_type, &mut readings).await?;
    Ok(readings)
}

/// Asks the types of keys that hold no string; usually there are none.
async fn name_types(
    connection: &mut MultiplexedConnection,
    keys: &[String],
    at: &[usize],
    readings: &mut [Reading],
) -> RedisResult<()> {
    if at.is_empty() {
        return Ok(());
    }
    let mut pipeline = Pipeline::new();
    for at in at {
        pipeline.cmd("TYPE").arg(&keys[*at]);
    }
    let types: Vec<String> = pipeline.query_async(connection).await?;
    for (at, name) in at.iter().zip(types) {
        match &mut readings[*at] {
            gone if name == "none" => *gone = Reading::Absent,
            Reading::OtherType { redis_type, .. } => *redis_type = name,
            Reading::Absent | Reading::Value { .. } => {}
        }
    }
    Ok(())
}

/// `PTTL` of a key that does not exist.
const GONE: i64 = -2;

/// `PTTL` of a key without a TTL is -1.
fn left(pttl: i64) -> Option<i64> {
    (pttl >= 0).then_some(pttl)
}
