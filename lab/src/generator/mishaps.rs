//! Locks that a correct consumer never leaves behind: those of an older version of the team's program.

use super::message::{Keys, Kind, Message};
use super::table::{Status, Table};
use super::worker::lock_key;
use anyhow::Context;
use oncewatch_consumer::lease::{Leases, Owner};
use redis::aio::ConnectionManager;
use std::sync::Arc;
use std::time::Duration;

const EVERY: Duration = Duration::from_secs(300);
const OLD_TTL: Duration = Duration::from_secs(3600);

/// `SETNX` without a TTL, or one set "to be safe", and then the worker died.
#[derive(Debug, Clone, Copy)]
enum Mishap {
    /// No TTL; the record is processing for ever.
    Eternal,
    /// No TTL; the record was completed.
    EternalAfterCompletion,
    /// An hour's TTL; the record was completed.
    OrphanOfCompleted,
    /// An hour's TTL; it died before the insert.
    OrphanWithoutRecord,
}

const ALL: [Mishap; 4] =
    [Mishap::Eternal, Mishap::OrphanOfCompleted, Mishap::EternalAfterCompletion, Mishap::OrphanWithoutRecord];

/// Each of them at once, then one after the other.
pub async fn happen(
    (mut redis, _): (ConnectionManager, Arc<Leases>),
    table: Table,
    keys: Arc<Keys>,
) -> anyhow::Result<()> {
    for mishap in ALL {
        mishap.happen(&mut redis, &table, &keys).await?;
    }
    for mishap in ALL.into_iter().cycle() {
        tokio::time::sleep(EVERY).await;
        mishap.happen(&mut redis, &table, &keys).await?;
    }
    Ok(())
}

impl Mishap {
    async fn happen(self, redis: &mut ConnectionManager, table: &Table, keys: &Keys) -> anyhow::Result<()> {
        let message = Message::new(Kind::OrderDone, keys.next(Kind::OrderDone));
        let mut set = redis::cmd("SET");
        set.arg(lock_key(&message).as_str()).arg(Owner::unique("demo-old").as_str());
        if matches!(self, Self::OrphanOfCompleted | Self::OrphanWithoutRecord) {
            set.arg("EX").arg(OLD_TTL.as_secs());
        }
        let () = set.query_async(redis).await.context("set the old version's lock")?;
        if !matches!(self, Self::OrphanWithoutRecord) {
            table.claim(&message).await?;
        }
        if matches!(self, Self::OrphanOfCompleted | Self::EternalAfterCompletion) {
            table.set(&message, Status::Processing, Status::Completed).await?;
        }
        Ok(())
    }
}
