//! A consumer by the textbook: lock, insert, handle, complete, unlock, ack.
//!
//! With the textbook's mistake, on purpose: a record that is `processing` makes it ack the delivery as a duplicate, even
//! when the worker that began it is long dead. That is how messages get lost, and what the console is there to show.

use super::message::Message;
use super::report::{self, Outcome, Reporter};
use super::table::{Claim, Status, Table};
use super::{LOCK_PREFIX, LOCK_TTL};
use anyhow::Context;
use oncewatch_consumer::lease::{Acquired, Key, Lease, Leases, Ttl};
use redis::aio::ConnectionManager;
use std::sync::Arc;
use std::time::Duration;

/// Duplicates that come later than this are stopped by the record.
const DONE_MARKER_FOR: Duration = Duration::from_secs(600);
const RENEW_EVERY: Duration = Duration::from_secs(5);
const CONFLICT_DELAY: Duration = Duration::from_secs(1);

/// What becomes of a delivery.
#[derive(Debug, PartialEq, Eq)]
pub enum Settled {
    Ack,
    /// Somebody else has the lock: to come again, in a while.
    Later(Duration),
    DeadLetter,
}

#[derive(Debug, Clone, Copy)]
enum Fate {
    Fine {
        handling_ms: u64,
    },
    /// Minutes of work under a lock that is renewed.
    Slow {
        seconds: u64,
    },
    /// The business says no.
    Fails,
    /// Dies after the insert; its delivery was acknowledged beforehand.
    Dies,
    /// Dies between the commit and the unlock.
    DiesBeforeUnlock,
}

impl Fate {
    /// About one unhappy one in a minute.
    fn draw() -> Self {
        match rand::random_range(0..1000) {
            0..=1 => Self::Dies,
            2 => Self::DiesBeforeUnlock,
            3..=5 => Self::Fails,
            6..=7 => Self::Slow { seconds: rand::random_range(40..150) },
            // Skewed to the short end, as handling times are.
            _ => Self::Fine { handling_ms: rand::random_range(50..rand::random_range(100..1500)) },
        }
    }
}

#[derive(Debug)]
pub struct Worker {
    table: Table,
    redis: Option<(ConnectionManager, Arc<Leases>)>,
    reporter: Reporter,
}

impl Worker {
    pub fn new(table: Table, redis: Option<(ConnectionManager, Arc<Leases>)>, reporter: Reporter) -> Self {
        Self { table, redis, reporter }
    }

    pub async fn handle(&self, message: &Message) -> anyhow::Result<Settled> {
        let lease = match self.lock(message).await? {
            Some(Acquired::Held { .. }) => {
                self.told(message, "deferred", "held", None).await?;
                return Ok(Settled::Later(CONFLICT_DELAY));
            }
            Some(Acquired::Done { .. }) => {
                self.told(message, "dup_status", "done", None).await?;
                return Ok(Settled::Ack);
            }
            Some(Acquired::Taken(lease)) => Some(lease),
            None => None,
        };
        match self.table.claim(message).await? {
            Claim::Ours => {
                self.told(message, "first", "taken", Some("inserted")).await?;
                self.work(message, lease.as_ref(), Fate::draw()).await
            }
            Claim::Completed => {
                self.told(message, "dup_index", "taken", Some("exists")).await?;
                self.done(lease.as_ref()).await
            }
            Claim::Processing => {
                self.told(message, "dup_index", "taken", Some("exists")).await?;
                self.release(lease.as_ref(), Settled::Ack).await // the textbook's mistake
            }
        }
    }

    async fn told(
        &self,
        message: &Message,
        signal: &'static str,
        lock: &'static str,
        record: Option<&'static str>,
    ) -> anyhow::Result<()> {
        self.reporter.delivery(message, Outcome { signal, lock, record }).await
    }

    async fn work(&self, message: &Message, lease: Option<&Lease>, fate: Fate) -> anyhow::Result<Settled> {
        let began = report::instant();
        match fate {
            Fate::Dies => return Ok(Settled::Ack),
            Fate::Fine { handling_ms } => tokio::time::sleep(Duration::from_millis(handling_ms)).await,
            Fate::Slow { seconds } => self.work_slowly(lease, Duration::from_secs(seconds)).await?,
            Fate::DiesBeforeUnlock | Fate::Fails => {}
        }
        let to = if matches!(fate, Fate::Fails) { Status::Failed } else { Status::Completed };
        if !self.table.set(message, Status::Processing, to).await? {
            tracing::debug!(key = message.biz_id, "an operator has changed this record meanwhile");
        }
        let signal = if matches!(fate, Fate::Fails) { "failed" } else { "completed" };
        self.reporter.ended(message, signal, began.elapsed()).await?;
        match fate {
            Fate::Fails => self.release(lease, Settled::DeadLetter).await,
            Fate::DiesBeforeUnlock => Ok(Settled::Ack),
            _ => self.done(lease).await,
        }
    }

    async fn work_slowly(&self, lease: Option<&Lease>, total: Duration) -> anyhow::Result<()> {
        let mut worked = Duration::ZERO;
        while worked < total {
            tokio::time::sleep(RENEW_EVERY).await;
            worked += RENEW_EVERY;
            if let (Some((redis, leases)), Some(lease)) = (&self.redis, lease) {
                leases.extend(&mut redis.clone(), lease, Ttl::new(LOCK_TTL)?).await.context("renew the lock")?;
            }
        }
        Ok(())
    }

    async fn lock(&self, message: &Message) -> anyhow::Result<Option<Acquired>> {
        let Some((redis, leases)) = &self.redis else { return Ok(None) };
        let acquired = leases.acquire(&mut redis.clone(), &lock_key(message), Ttl::new(LOCK_TTL)?).await;
        acquired.map(Some).context("take the lock")
    }

    async fn done(&self, lease: Option<&Lease>) -> anyhow::Result<Settled> {
        if let (Some((redis, leases)), Some(lease)) = (&self.redis, lease) {
            leases.complete(&mut redis.clone(), lease, DONE_MARKER_FOR).await.context("leave the done marker")?;
        }
        Ok(Settled::Ack)
    }

    async fn release(&self, lease: Option<&Lease>, settled: Settled) -> anyhow::Result<Settled> {
        if let (Some((redis, leases)), Some(lease)) = (&self.redis, lease) {
            leases.release(&mut redis.clone(), lease).await.context("release the lock")?;
        }
        Ok(settled)
    }
}

pub fn lock_key(message: &Message) -> Key {
    Key::new(LOCK_PREFIX, message.biz_type.as_str(), &message.biz_id)
}
