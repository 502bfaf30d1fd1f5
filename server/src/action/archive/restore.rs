//! Puts archived records back, by their key or by when they were changed last, unless their key is there again.
//!
//! What is back is not in the archive any more, so a restore that broke off is simply given again.

use super::search::{Search, Which};
use super::{Deed, NotBegun, archive_of, archiver, lease_of, source_of};
use crate::action::request::{Actor, Refused, checked_id, checked_reason, needs};
use crate::action::trail::{Attempt, noted};
use crate::lease;
use crate::ports::archive::Restored;
use crate::ports::archive_runs::ArchiveCursor;
use crate::ports::state::Lease;
use crate::system::{SourceSystem, System};
use app::model::{ArchiveRestored, Fault, RecordRef, RestorePlan, Row};

/// Rows of one transaction.
const CHUNK: usize = 200;
/// Rows that a look counts.
const COUNTED: u64 = 100_000;
const SAMPLE: usize = 20;
/// Rows of one restore that is not given on the command line.
pub const MOST: u64 = 10_000;
/// Larger ones are confirmed by typing.
const CLICKS: u64 = 50;

/// What somebody wants to have back.
#[derive(Debug, Clone)]
pub struct RestoreAsk {
    pub operation_id: String,
    pub source: String,
    pub which: Which,
    /// No more than so many; `None`: all.
    pub most: Option<u64>,
    pub actor: Actor,
    pub reason: String,
}

/// What a restore would bring back, for somebody who confirms it in a browser or by `/api`: more than [`MOST`] is for the
/// command line.
pub async fn plan_restore(system: &System, source: &str, which: &Which) -> Result<RestorePlan, NotBegun> {
    let (found, sample) = to_restore_at_most(system, source, which, MOST).await?;
    Ok(RestorePlan { source: source.to_owned(), found, sample, phrase: phrase(found), most: MOST })
}

fn phrase(found: u64) -> Option<String> {
    (found > CLICKS).then(|| format!("restore {found}"))
}

/// As it was planned: no more rows than were shown, and the phrase of so many.
pub async fn restore_confirmed(system: &System, ask: &RestoreAsk, typed: &str) -> Result<ArchiveRestored, NotBegun> {
    checked_id(&ask.operation_id)?;
    let attempt = Attempt { id: &ask.operation_id, operation: "restore", source: &ask.source, actor: &ask.actor };
    let allowed = match (needs(&ask.actor), phrase(ask.most.unwrap_or(MOST))) {
        (Ok(()), Some(phrase)) if typed.trim() != phrase => Err(Refused::Phrase { phrase }),
        (allowed, _) => allowed,
    };
    noted(system, &attempt, allowed).await?;
    restore(system, ask).await
}

/// How many archived records would be put back, and the first of them.
pub async fn to_restore(system: &System, source: &str, which: &Which) -> Result<(u64, Vec<Row>), NotBegun> {
    to_restore_at_most(system, source, which, COUNTED).await
}

async fn to_restore_at_most(
    system: &System,
    source: &str,
    which: &Which,
    most: u64,
) -> Result<(u64, Vec<Row>), NotBegun> {
    let source = source_of(system, source)?;
    refuse(source).await?;
    let mut search = Search::new(source, which).await?;
    let (mut count, mut sample): (u64, Vec<Row>) = (0, Vec::new());
    while let Some(found) = search.next().await? {
        let rows: Vec<Row> = found.into_values().flatten().collect();
        count += rows.len() as u64;
        sample.extend(rows.into_iter().take(SAMPLE - sample.len()));
        if count > most {
            break;
        }
    }
    // A walk reads no more than it judges by: whoever looks wants to see keys.
    let references: Vec<RecordRef> = sample.iter().map(|row| row.reference.clone()).collect();
    let mut whole = archive_of(source)?.get(&references).await?;
    whole.sort_by_key(|row| references.iter().position(|reference| *reference == row.reference));
    Ok((count, whole))
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
    // Sent twice: the first one is at work, or was.
    if system.state.audit.get(&format!("{}/1", ask.operation_id)).await?.is_some() {
        return Err(Refused::Unfinished.into());
    }
    refuse(source).await?;
    let leases = &system.state.leases;
    let Some(lease) = leases.acquire(&lease_of(&ask.source), &lease::holder()).await? else {
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
                    let room = self.ask.most.map_or(CHUNK, |most| {
                        usize::try_from(most.saturating_sub(self.restored.all())).unwrap_or(CHUNK)
                    });
                    match &chunk[..chunk.len().min(room)] {
                        [] => return Ok(()),
                        chunk => self.chunk(&table, chunk).await?,
                    }
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
        let key = match &ask.which {
            Which::Key { key, .. } => Some(key),
            _ => None,
        };
        let target = serde_json::json!({ "table": table, "biz_key": key, "archived": rows });
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
