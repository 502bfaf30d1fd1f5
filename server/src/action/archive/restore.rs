//! Puts archived records back, by their key or by when they were changed last, unless their key is there again.
//!
//! What is back is not in the archive any more, so a restore that broke off is simply given again.

use super::search::{Search, Which};
use super::{Deed, NotBegun, archiver, lease_of, source_of};
use crate::action::request::{Actor, Refused, checked_id, checked_reason, needs};
use crate::ports::archive::Restored;
use crate::ports::archive_runs::ArchiveCursor;
use crate::ports::state::Lease;
use crate::system::{SourceSystem, System};
use app::model::{ArchiveRestored, Fault, RecordRef, Row};

/// Rows of one transaction.
const CHUNK: usize = 200;
/// Rows that a look counts.
const COUNTED: u64 = 100_000;
const SAMPLE: usize = 20;

/// What somebody wants to have back.
#[derive(Debug, Clone)]
pub struct RestoreAsk {
    pub operation_id: String,
    pub source: String,
    pub which: Which,
    pub actor: Actor,
    pub reason: String,
}

/// How many archived records would be put back, and the first of them.
pub async fn to_restore(system: &System, source: &str, which: &Which) -> Result<(u64, Vec<Row>), NotBegun> {
    let source = source_of(system, source)?;
    refuse(source).await?;
    let mut search = Search::new(source, which).await?;
    let (mut count, mut sample) = (0, Vec::new());
    while let Some(found) = search.next().await? {
        let rows: Vec<Row> = found.into_values().flatten().collect();
        count += rows.len() as u64;
        sample.extend(rows.into_iter().take(SAMPLE - sample.len()));
        if count >= COUNTED {
            break;
        }
    }
    Ok((count, sample))
}

async fn refuse(source: &SourceSystem) -> Result<(), NotBegun> {
    let archiver = archiver(source)?;
    for table in source.records.tables().await? {
        match archiver.examine_back(&table).await {
            Ok(refusals) => {
                if let Some(refusal) = refusals.into_iter().next() {
                    return Err(NotBegun::Archive(refusal));
                }
            }
            // Nothing was ever moved out of this one.
            Err(Fault::TableMissing { .. }) if source.config.records.numbered => {}
            Err(fault) => return Err(fault.into()),
        }
    }
    Ok(())
}

pub async fn restore(system: &System, ask: &RestoreAsk) -> Result<ArchiveRestored, NotBegun> {
    needs(&ask.actor)?;
    checked_id(&ask.operation_id)?;
    let reason = checked_reason(&ask.reason)?;
    let source = source_of(system, &ask.source)?;
    refuse(source).await?;
    let leases = &system.state.leases;
    let Some(lease) = leases.acquire(&lease_of(&ask.source), &ask.operation_id).await? else {
        return Err(Refused::Unfinished.into());
    };
    let mut work = Work { system, source, ask, reason, lease, number: 0, restored: ArchiveRestored::default() };
    let ended = work.all().await;
    leases.release(&work.lease).await?;
    ended.map(|()| work.restored)
}

struct Work<'a> {
    system: &'a System,
    source: &'a SourceSystem,
    ask: &'a RestoreAsk,
    reason: String,
    lease: Lease,
    number: u64,
    restored: ArchiveRestored,
}

impl Work<'_> {
    async fn all(&mut self) -> Result<(), NotBegun> {
        let mut search = Search::new(self.source, &self.ask.which).await?;
        while let Some(found) = search.next().await? {
            for (table, rows) in found {
                let rows: Vec<RecordRef> = rows.into_iter().map(|row| row.reference).collect();
                for chunk in rows.chunks(CHUNK) {
                    self.chunk(&table, chunk).await?;
                }
            }
        }
        Ok(())
    }

    async fn chunk(&mut self, table: &str, rows: &[RecordRef]) -> Result<(), NotBegun> {
        let state = &self.system.state;
        self.lease = state.leases.renew(&self.lease).await?.ok_or(Refused::Unfinished)?;
        // They come back behind the place where the next run would begin.
        let beginning = ArchiveCursor { table: table.to_owned(), place: None };
        state.archive_runs.put(&self.lease, None, &self.ask.source, Some(&beginning)).await?;
        self.number += 1;
        let (ask, archiver) = (self.ask, archiver(self.source)?);
        let deed = Deed { system: self.system, source: &ask.source, actor: &ask.actor, reason: &self.reason };
        let id = format!("{}/{}", ask.operation_id, self.number);
        let target = serde_json::json!({ "table": table, "archived": rows });
        let back = |permit| async move { archiver.restore(&permit, table, rows).await.map(|back| counted(&back)) };
        let ArchiveRestored { done, exists, gone, locked } = deed.audited(id, "restore", &target, back).await?;
        self.restored.done += done;
        self.restored.exists += exists;
        self.restored.gone += gone;
        self.restored.locked += locked;
        Ok(())
    }
}

fn counted(restored: &[Restored]) -> ArchiveRestored {
    let count = |wanted| restored.iter().filter(|one| **one == wanted).count() as u64;
    ArchiveRestored {
        done: count(Restored::Done),
        exists: count(Restored::Exists),
        gone: count(Restored::Gone),
        locked: count(Restored::Locked),
    }
}
