//! How each kind of lock is read. A key of another Redis type than the kind keeps is told, never guessed at.

use crate::adapters::redis::connection::Connection;
use crate::config::LockKind;
use crate::ports::locks::Reading;
use ::redis::{Pipeline, RedisResult, Value, from_redis_value};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// `PTTL` of a key that does not exist.
const GONE: i64 = -2;
/// Fields of a hash that are asked for; a big one gives about as many, never all. Locks have one, seldom a few.
const FIELDS: u64 = 10;
/// Redisson's read-write lock says by this field how it is held.
const MODE: &str = "mode";

/// In the order of the keys.
pub(super) async fn read(connection: &Connection, kind: LockKind, keys: &[String]) -> RedisResult<Vec<Reading>> {
    let names: Vec<&str> = keys.iter().map(String::as_str).collect();
    // The value first: when the key goes away in between, the PTTL says so and the pair reads as absent.
    let asked = |pipeline: &mut Pipeline, key: &str| {
        match kind {
            LockKind::Redisson => pipeline.cmd("HSCAN").arg(key).arg(0).arg("COUNT").arg(FIELDS),
            LockKind::String | LockKind::Marker | LockKind::Counter | LockKind::Powertools => {
                pipeline.cmd("GET").arg(key)
            }
        };
        pipeline.cmd("PTTL").arg(key);
    };
    let mut readings = Vec::with_capacity(keys.len());
    let mut of_other_type = Vec::new();
    for (at, answers) in connection.ask(&names, asked).await?.into_iter().enumerate() {
        let mut answers = answers.into_iter();
        let (Some(value), Some(ttl)) = (answers.next(), answers.next()) else {
            return Err((::redis::ErrorKind::UnexpectedReturnType, "a key was not answered").into());
        };
        let ttl: i64 = from_redis_value(ttl?)?;
        let ttl_ms = (ttl >= 0).then_some(ttl);
        let reading = match value {
            _ if ttl == GONE => Reading::Absent,
            // Whatever it holds, it is there.
            Err(error) if error.code() == Some("WRONGTYPE") && kind == LockKind::Marker => {
                Reading::Mark { value: String::new(), ttl_ms }
            }
            Err(error) if error.code() == Some("WRONGTYPE") => {
                of_other_type.push(at);
                Reading::OtherType { redis_type: String::new(), ttl_ms }
            }
            Err(error) => return Err(error),
            Ok(value) => reading(kind, value, ttl_ms)?,
        };
        readings.push(reading);
    }
    name_types(connection, &names, &of_other_type, &mut readings).await?;
    Ok(readings)
}

/// `SET key owner NX PX ttl` for each, in the order of the keys: whether nobody else held it.
pub(super) async fn take(
    connection: &Connection,
    keys: &[String],
    owner: &str,
    ttl: Duration,
) -> RedisResult<Vec<bool>> {
    let names: Vec<&str> = keys.iter().map(String::as_str).collect();
    let ttl_ms = crate::clock::millis(ttl);
    let asked = |pipeline: &mut Pipeline, key: &str| {
        pipeline.cmd("SET").arg(key).arg(owner).arg("NX").arg("PX").arg(ttl_ms);
        pipeline.cmd("GET").arg(key);
    };
    let mut taken = Vec::with_capacity(keys.len());
    for answers in connection.ask(&names, asked).await? {
        let mut answers = answers.into_iter();
        let set = answers.next().unwrap_or(Ok(Value::Nil))?;
        // It may be ours from before a crash.
        let held = answers.next().and_then(Result::ok).and_then(|held| from_redis_value::<Option<String>>(held).ok());
        taken.push(set == Value::Okay || held.flatten().as_deref() == Some(owner));
    }
    Ok(taken)
}

fn reading(kind: LockKind, value: Value, ttl_ms: Option<i64>) -> RedisResult<Reading> {
    if kind == LockKind::Redisson {
        return redisson(value, ttl_ms);
    }
    let Some(value) = from_redis_value::<Option<Vec<u8>>>(value)? else {
        return Ok(Reading::Absent);
    };
    let value = String::from_utf8_lossy(&value).into_owned();
    let is_number = || value.parse::<i64>().is_ok();
    Ok(match kind {
        LockKind::Marker => Reading::Mark { value, ttl_ms },
        LockKind::Counter if is_number() => Reading::Mark { value, ttl_ms },
        LockKind::Counter => Reading::OtherType { redis_type: "string".into(), ttl_ms },
        LockKind::Powertools => powertools(&value, ttl_ms),
        LockKind::String | LockKind::Redisson => Reading::Value { value, ttl_ms },
    })
}

/// Fields of the hash are owners (`<uuid>:<thread>`), their values how often each has entered.
fn redisson(scanned: Value, ttl_ms: Option<i64>) -> RedisResult<Reading> {
    let (_, fields): (u64, BTreeMap<String, Value>) = from_redis_value(scanned)?;
    let mut owners: Vec<String> = fields.into_keys().filter(|field| field != MODE).collect();
    Ok(match owners.len() {
        0 => Reading::Absent,
        1 => Reading::Value { value: owners.swap_remove(0), ttl_ms },
        _ => Reading::Several { owners, ttl_ms },
    })
}

/// What Powertools for AWS Lambda keeps of one execution.
#[derive(Deserialize)]
struct Execution {
    status: String,
    /// Unix seconds: until then the result is kept; the key ends at this time too.
    expiration: Option<serde_json::Number>,
    /// Unix milliseconds: until then nobody else starts.
    in_progress_expiration: Option<serde_json::Number>,
}

/// The key outlives the lock by far: it ends with `expiration`, the lock with `in_progress_expiration`. After that the
/// next delivery takes it over, so it protects nothing. What is left follows from the key's TTL: no clock is asked.
/// The end of the lock is the owner too: each attempt on a key has another.
fn powertools(value: &str, ttl_ms: Option<i64>) -> Reading {
    let other = || Reading::OtherType { redis_type: "string".into(), ttl_ms };
    let Ok(execution) = serde_json::from_str::<Execution>(value) else { return other() };
    let whole = |number: &serde_json::Number| number.as_i64();
    match execution.status.as_str() {
        "COMPLETED" => Reading::Done { ttl_ms },
        "EXPIRED" => Reading::Absent,
        "INPROGRESS" => {
            let Some(until) = execution.in_progress_expiration.as_ref().and_then(whole) else {
                return Reading::Mark { value: execution.status, ttl_ms };
            };
            let key_ends = execution.expiration.as_ref().and_then(whole).map(|seconds| seconds.saturating_mul(1_000));
            match ttl_ms.zip(key_ends).map(|(ttl, ends)| ttl.saturating_sub(ends.saturating_sub(until))) {
                Some(left) if left <= 0 => Reading::Absent,
                left => Reading::Value { value: until.to_string(), ttl_ms: left.or(ttl_ms) },
            }
        }
        _ => other(),
    }
}

/// Asks the types of keys that hold something else; usually there are none.
async fn name_types(connection: &Connection, keys: &[&str], at: &[usize], readings: &mut [Reading]) -> RedisResult<()> {
    if at.is_empty() {
        return Ok(());
    }
    let others: Vec<&str> = at.iter().map(|at| keys[*at]).collect();
    let asked = |pipeline: &mut Pipeline, key: &str| {
        pipeline.cmd("TYPE").arg(key);
    };
    for (at, answers) in at.iter().zip(connection.ask(&others, asked).await?) {
        let answer = answers.into_iter().next().unwrap_or(Ok(Value::Nil))?;
        let name: String = from_redis_value(answer)?;
        match &mut readings[*at] {
            gone if name == "none" => *gone = Reading::Absent,
            Reading::OtherType { redis_type, .. } => *redis_type = name,
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::powertools;
    use crate::ports::locks::Reading;

    #[test]
    fn an_execution_holds_until_its_own_end_not_that_of_its_key() {
        let at = |status: &str, more: &str| format!(r#"{{"status":"{status}","expiration":1795942800{more}}}"#);
        let running = at("INPROGRESS", r#","in_progress_expiration":1795939230000"#);
        for (value, ttl_ms, reading) in [
            // The key ends in an hour, the lock 3,570 s before it.
            (running.clone(), Some(3_600_000), Reading::Value { value: "1795939230000".into(), ttl_ms: Some(30_000) }),
            (running.clone(), Some(3_569_000), Reading::Absent),
            (running, None, Reading::Value { value: "1795939230000".into(), ttl_ms: None }),
            (at("INPROGRESS", ""), Some(9), Reading::Mark { value: "INPROGRESS".into(), ttl_ms: Some(9) }),
            (at("COMPLETED", r#","data":"{\"a\":1}""#), Some(9), Reading::Done { ttl_ms: Some(9) }),
            (at("PAUSED", ""), Some(9), Reading::OtherType { redis_type: "string".into(), ttl_ms: Some(9) }),
            ("worker-1".into(), None, Reading::OtherType { redis_type: "string".into(), ttl_ms: None }),
        ] {
            assert_eq!(powertools(&value, ttl_ms), reading, "{value}");
        }
    }
}
