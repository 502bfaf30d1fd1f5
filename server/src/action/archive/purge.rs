//! Deletes archived records that are older than somebody says: the archive has no end of its own.

use super::search::{Search, Which};
use super::{Deed, NotBegun, archiver, lease_of, source_of};
use crate::action::request::{Actor, Refused, checked_id, checked_reason, needs};
use crate::clock::millis;
use crate::ports::archive::Ripe;
use crate::system::System;
use app::model::RecordRef;

/// Rows of one transaction.
const CHUNK: usize = 500;

#[derive(Debug, Clone)]
pub struct PurgeAsk {
    pub operation_id: String,
    pub source: String,
    pub older: Ripe,
    pub actor: Actor,
    pub reason: String,
}

/// How many would be deleted.
pub async fn to_purge(system: &System, source: &str, older: Ripe) -> Result<u64, NotBegun> {
    let which = Which::Older(older);
    let mut search = Search::new(source_of(system, source)?, &which).await?;
    let mut count = 0;
    while let Some(found) = search.next().await? {
        count += found.values().map(Vec::len).sum::<usize>() as u64;
    }
    Ok(count)
}

/// Their number. One that broke off is simply given again.
pub async fn purge(system: &System, ask: &PurgeAsk) -> Result<u64, NotBegun> {
    needs(&ask.actor)?;
    checked_id(&ask.operation_id)?;
    let reason = checked_reason(&ask.reason)?;
    let source = source_of(system, &ask.source)?;
    let leases = &system.state.leases;
    let Some(mut lease) = leases.acquire(&lease_of(&ask.source), &ask.operation_id).await? else {
        return Err(Refused::Unfinished.into());
    };
    let deed = Deed { system, source: &ask.source, actor: &ask.actor, reason: &reason };
    let which = Which::Older(ask.older);
    let ended = async {
        let archiver = archiver(source)?;
        let mut search = Search::new(source, &which).await?;
        let (mut number, mut purged) = (0, 0);
        while let Some(found) = search.next().await? {
            for (table, rows) in found {
                let rows: Vec<RecordRef> = rows.into_iter().map(|row| row.reference).collect();
                for rows in rows.chunks(CHUNK) {
                    lease = leases.renew(&lease).await?.ok_or(Refused::Unfinished)?;
                    number += 1;
                    let (id, table) = (format!("{}/{number}", ask.operation_id), table.as_str());
                    let older_ms = millis(ask.older.keep);
                    let target = serde_json::json!({ "table": table, "older_ms": older_ms, "archived": rows });
                    let purge = |permit| async move { archiver.purge(&permit, table, ask.older, rows).await };
                    purged += deed.audited(id, "archive_purge", &target, purge).await?;
                }
            }
        }
        Ok(purged)
    }
    .await;
    leases.release(&lease).await?;
    ended
}
