//! What the consumers report, by the convention that `docs/instrumenting.md` describes: a hash for each minute, and a
//! list for each message that was no plain success.

use super::SOURCE;
use super::message::Message;
use anyhow::Context;
use chrono::{DateTime, SecondsFormat, Utc};
use redis::aio::ConnectionManager;
use std::time::{Duration, Instant};

/// Upper bounds of the handling time in milliseconds.
const BOUNDS: [u64; 28] = [
    1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000, 7_000,
    10_000, 15_000, 20_000, 30_000, 60_000,
];
const KEPT_FOR_S: i64 = 48 * 3_600;
const TRACE_KEPT_FOR_S: i64 = 24 * 3_600;
const TRACE_ENTRIES: isize = 20;

/// What one delivery came to.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// An outcome of the convention, or `deferred`.
    pub signal: &'static str,
    /// What the lock said.
    pub lock: &'static str,
    /// What the record said, where it was asked.
    pub record: Option<&'static str>,
}

/// `None`: there is no Redis, and nothing is reported.
#[derive(Debug, Clone)]
pub struct Reporter(Option<ConnectionManager>);

impl Reporter {
    pub fn new(redis: Option<ConnectionManager>) -> Self {
        Self(redis)
    }

    /// How a delivery was settled, or that it was given back.
    pub async fn delivery(&self, message: &Message, outcome: Outcome) -> anyhow::Result<()> {
        let Outcome { signal, lock, record } = outcome;
        let mut fields = vec![signal.to_owned()];
        if lock == "held" {
            fields.push("conflict".into());
        }
        if signal.starts_with("dup_") {
            fields.push(format!("from|{}", message.biz_type.queue()));
            fields.push("cause|producer".into());
        }
        self.count(message, &fields).await?;
        if signal == "first" { Ok(()) } else { self.trace(message, lock, record, signal).await }
    }

    /// How the handling of a first delivery ended.
    pub async fn ended(&self, message: &Message, signal: &'static str, took: Duration) -> anyhow::Result<()> {
        let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let bound = BOUNDS.iter().find(|bound| ms <= **bound);
        let bound = bound.map_or_else(|| "inf".to_owned(), u64::to_string);
        self.count(message, &[signal.to_owned(), format!("ms|{bound}")]).await?;
        if signal == "completed" { Ok(()) } else { self.trace(message, "taken", Some("inserted"), signal).await }
    }

    async fn count(&self, message: &Message, fields: &[String]) -> anyhow::Result<()> {
        let Some(redis) = &self.0 else { return Ok(()) };
        let minute = now().format("%Y%m%d%H%M");
        let key = format!("idem_stat:{SOURCE}:{minute}:0");
        let mut report = redis::pipe();
        for field in fields {
            report.cmd("HINCRBY").arg(&key).arg(format!("{}|{field}", message.biz_type.as_str())).arg(1).ignore();
        }
        report.cmd("HSET").arg(&key).arg(format!("|alive|{}", worker(message))).arg(1).ignore();
        report.cmd("EXPIRE").arg(&key).arg(KEPT_FOR_S).ignore();
        report.exec_async(&mut redis.clone()).await.context("report a delivery")
    }

    async fn trace(&self, message: &Message, lock: &str, record: Option<&str>, outcome: &str) -> anyhow::Result<()> {
        let Some(redis) = &self.0 else { return Ok(()) };
        let list = format!("idem_trace:{SOURCE}:{}:{}", message.biz_type.as_str(), message.biz_id);
        let at = now().to_rfc3339_opts(SecondsFormat::Millis, true);
        let entry = serde_json::json!({"at": at, "worker": worker(message), "lock": lock, "record": record, "outcome": outcome});
        let mut trace = redis::pipe();
        trace.cmd("LPUSH").arg(&list).arg(entry.to_string()).ignore();
        trace.cmd("LTRIM").arg(&list).arg(0).arg(TRACE_ENTRIES - 1).ignore();
        trace.cmd("EXPIRE").arg(&list).arg(TRACE_KEPT_FOR_S).ignore();
        trace.exec_async(&mut redis.clone()).await.context("write down what happened to a message")
    }
}

/// The consumers' clock.
#[expect(clippy::disallowed_methods, reason = "a consumer has no clock but its machine's")]
fn now() -> DateTime<Utc> {
    Utc::now()
}

/// As long as a handler took.
#[expect(clippy::disallowed_methods, reason = "a consumer has no clock but its machine's")]
pub fn instant() -> Instant {
    Instant::now()
}

/// One instance for each queue.
fn worker(message: &Message) -> String {
    format!("{}-1", message.biz_type.queue())
}
