//! One hash for each minute and shard, `<prefix>:<source>:<yyyyMMddHHmm>:<0..7>`, and a list for each message's trace.
//!
//! How many fields a hash has is asked before it is read: types or origins without end are not this console's to hold.

use super::field;
use crate::adapters::redis::Redis;
use crate::config;
use crate::ports::signals::{MinuteSignals, SignalStore};
use ::redis::{FromRedisValue, Pipeline, RedisError, RedisResult, Value};
use app::model::{Fault, Layer, TraceEntry};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::sync::Arc;

const SHARDS: usize = 8;
/// Fields of one minute that are read, of all shards together.
const FIELDS: usize = 20_000;
/// Minutes of one `minutes`, by the port's contract.
const MINUTES: usize = 60;
/// Entries of a trace, by the convention.
const TRACE: isize = 20;

/// Connects when it is first asked.
///
/// # Errors
/// [`Fault::BadInput`] for an address that is none.
pub fn connect(
    source: &str,
    url: &config::Secret,
    prefix: &str,
    limits: &config::Limits,
) -> Result<Arc<dyn SignalStore>, Fault> {
    let redis = Redis::new(url, "signals.url", Layer::Signals, limits)?;
    Ok(Arc::new(Signals { redis, source: source.to_owned(), prefix: prefix.to_owned() }))
}

struct Signals {
    redis: Redis,
    source: String,
    prefix: String,
}

type Fields = Vec<(Vec<u8>, Vec<u8>)>;

#[async_trait]
impl SignalStore for Signals {
    fn address(&self) -> String {
        self.redis.address.clone()
    }

    async fn minutes(&self, minutes: &[DateTime<Utc>]) -> Result<Vec<MinuteSignals>, Fault> {
        if minutes.len() > MINUTES {
            let detail = format!("{} at once, at most {MINUTES}", minutes.len());
            return Err(Fault::BadInput { what: "minutes".into(), detail });
        }
        let mut read = vec![MinuteSignals::default(); minutes.len()];
        let keys: Vec<(usize, String)> = (minutes.iter().enumerate())
            .flat_map(|(at, minute)| (0..SHARDS).map(move |shard| (at, self.key(*minute, shard))))
            .collect();
        let wanted = self.within_bounds(&keys, &mut read).await?;
        let hashes: Vec<&str> = wanted.iter().map(|(_, key)| *key).collect();
        let hashes: Vec<Fields> = self
            .ask(&hashes, |ask, key| {
                ask.cmd("HGETALL").arg(key);
            })
            .await?;
        for ((at, _), fields) in wanted.iter().zip(hashes) {
            let minute = &mut read[*at];
            for (name, value) in &fields {
                if !field::take(minute, name, value) {
                    minute.unreadable += 1;
                }
            }
        }
        Ok(read)
    }

    async fn trace(&self, r#type: Option<&str>, key: &str) -> Result<Vec<TraceEntry>, Fault> {
        let list = format!("idem_trace:{}:{}:{key}", self.source, r#type.unwrap_or_default());
        let range = |ask: &mut Pipeline, key: &str| {
            ask.cmd("LRANGE").arg(key).arg(0).arg(TRACE - 1);
        };
        let entries: Vec<Vec<Vec<u8>>> = self.ask(&[list.as_str()], range).await?;
        // What is no entry is somebody else's; the others still say what happened.
        Ok(entries.iter().flatten().filter_map(|entry| serde_json::from_slice(entry).ok()).collect())
    }
}

impl Signals {
    /// One command for each key.
    async fn ask<T: FromRedisValue>(
        &self,
        keys: &[&str],
        command: impl Fn(&mut Pipeline, &str),
    ) -> Result<Vec<T>, Fault> {
        let connection = self.redis.connection().await?;
        let answered = connection.ask(keys, command).await;
        let answered = answered.and_then(|keys| {
            let read = |answer: RedisResult<Value>| ::redis::from_redis_value(answer?).map_err(RedisError::from);
            keys.into_iter().flatten().map(read).collect()
        });
        self.redis.kept(answered).await
    }

    fn key(&self, minute: DateTime<Utc>, shard: usize) -> String {
        format!("{}:{}:{}:{shard}", self.prefix, self.source, minute.format("%Y%m%d%H%M"))
    }

    /// The hashes that are there and, of one minute together, not too large; those left out mark their minute.
    async fn within_bounds<'a>(
        &self,
        keys: &'a [(usize, String)],
        read: &mut [MinuteSignals],
    ) -> Result<Vec<(usize, &'a str)>, Fault> {
        let names: Vec<&str> = keys.iter().map(|(_, key)| key.as_str()).collect();
        let lengths: Vec<usize> = self
            .ask(&names, |ask, key| {
                ask.cmd("HLEN").arg(key);
            })
            .await?;
        let mut fields = vec![0; read.len()];
        let mut wanted = Vec::new();
        for ((at, key), length) in keys.iter().zip(lengths).filter(|(_, length)| *length > 0) {
            if fields[*at] + length > FIELDS {
                read[*at].cut = true;
                continue;
            }
            fields[*at] += length;
            wanted.push((*at, key.as_str()));
        }
        Ok(wanted)
    }
}
