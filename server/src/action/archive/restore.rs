//! Puts archived records back, by their key or by when they were changed last, unless their key is there again.
//!
//! What is back is not in the archive any more, so a restore that broke off is simply given again.

use super::{NotBegun, archiver, lease_of, source_of, written};
use crate::action::request::{Actor, Refused, checked_id, checked_reason, needs};
use crate::ports::archive::Restored;
use crate::ports::archive_runs::ArchiveCursor;
use crate::ports::changes::ChangeError;
use crate::ports::records::{Course, RecordStore, Stand};
use crate::ports::state::{Begin, Lease};
use crate::system::{SourceSystem, System};
use app::model::{ArchiveRestored, Fault, Layer, RecordRef, Row};
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

/// Archived rows that are read at once.
const STRETCH: u32 = 2_000;
/// Rows of one transaction.
const CHUNK: usize = 200;
/// Rows that a look counts.
const COUNTED: u64 = 100_000;

/// What somebody wants to have back.
#[derive(Debug, Clone)]
pub struct RestoreAsk {
    pub operation_id: String,
    pub source: String,
    pub which: Which,
    pub actor: Actor,
    pub reason: String,
}

#[derive(Debug, Clone)]
pub enum Which {
    Key {
        r#type: Option<String>,
        key: String,
    },
    /// Changed last in `from..to`.
    Span {
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    },
}

impl Which {
    fn holds(&self, row: &Row) -> bool {
        match self {
            Self::Key { .. } => true,
            Self::Span { from, to } => row.record.since().is_some_and(|since| (*from..*to).contains(&since)),
        }
    }
}

fn archive(source: &SourceSystem) -> Result<&dyn RecordStore, Fault> {
    source.archive.as_deref().ok_or(Fault::NotConfigured { layer: Layer::Archive })
}

/// Where a search through the archive stands.
struct Search<'a> {
    archive: &'a dyn RecordStore,
    which: &'a Which,
    /// Those that are left, the next one last.
    tables: Vec<String>,
    after: Option<Stand>,
}

impl<'a> Search<'a> {
    async fn new(archive: &'a dyn RecordStore, which: &'a Which) -> Result<Self, Fault> {
        let tables = match which {
            // Its index finds it in all of them at once.
            Which::Key { .. } => vec![String::new()],
            Which::Span { .. } => archive.tables().await?.into_iter().rev().collect(),
        };
        Ok(Self { archive, which, tables, after: None })
    }

    /// `None`: that was all. May be empty where there is more.
    async fn next(&mut self) -> Result<Option<Vec<Row>>, Fault> {
        let Some(table) = self.tables.last() else { return Ok(None) };
        let rows = match self.which {
            Which::Key { r#type, key } => {
                let mut rows = self.archive.find(r#type.as_deref(), key).await?;
                // Of a key that was archived twice only one can be back.
                rows.sort_by_key(|row| std::cmp::Reverse(row.record.since()));
                self.tables.pop();
                rows
            }
            Which::Span { .. } => {
                let swept = self.archive.sweep(table, Course::Identity, self.after.as_ref(), STRETCH).await?;
                match swept.full {
                    true => self.after = swept.last,
                    false => {
                        self.after = None;
                        self.tables.pop();
                    }
                }
                swept.rows
            }
        };
        Ok(Some(rows.into_iter().filter(|row| self.which.holds(row)).collect()))
    }
}

/// How many archived records would be put back, and the first of them.
pub async fn to_restore(system: &System, source: &str, which: &Which) -> Result<(u64, Vec<Row>), NotBegun> {
    let source = source_of(system, source)?;
    refuse(source).await?;
    let mut search = Search::new(archive(source)?, which).await?;
    let (mut count, mut sample) = (0, Vec::new());
    while let Some(rows) = search.next().await? {
        count += rows.len() as u64;
        sample.extend(rows.into_iter().take(20 - Ord::min(20, sample.len())));
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
        let mut search = Search::new(archive(self.source)?, &self.ask.which).await?;
        while let Some(rows) = search.next().await? {
            let mut tables: BTreeMap<String, Vec<RecordRef>> = BTreeMap::new();
            for row in rows {
                tables.entry(self.table_of(&row.reference.table)?).or_default().push(row.reference);
            }
            for (table, rows) in tables {
                for chunk in rows.chunks(CHUNK) {
                    self.chunk(&table, chunk).await?;
                }
            }
        }
        Ok(())
    }

    fn table_of(&self, archive: &str) -> Result<String, Fault> {
        let config = &self.source.config;
        let table = config.archive.as_ref().and_then(|found| found.table_of(&config.records.table, archive));
        table.ok_or_else(|| Fault::TableMissing { table: archive.to_owned() })
    }

    async fn chunk(&mut self, table: &str, rows: &[RecordRef]) -> Result<(), NotBegun> {
        let state = &self.system.state;
        self.lease = state.leases.renew(&self.lease).await?.ok_or(Refused::Unfinished)?;
        // They come back behind the place where the next run would begin.
        let beginning = ArchiveCursor { table: table.to_owned(), place: None };
        state.archive_runs.put(&self.lease, None, &self.ask.source, Some(&beginning)).await?;
        self.number += 1;
        let begin = Begin {
            operation_id: format!("{}/{}", self.ask.operation_id, self.number),
            operation: "restore".to_owned(),
            source: self.ask.source.clone(),
            actor: self.ask.actor.name.clone(),
            origin: self.ask.actor.origin.clone(),
            reason: self.reason.clone(),
            at: self.system.clock.now(),
            target: serde_json::json!({ "table": table, "archived": rows }).to_string(),
        };
        let permit = state.audit.begin(&begin).await?;
        let restored = archiver(self.source)?.restore(&permit, table, rows).await;
        let (outcome, detail) = match &restored {
            Ok(restored) => ("restored", written(&counted(restored))?),
            Err(ChangeError::Fault(fault)) => ("failed", written(fault)?),
            Err(ChangeError::Unknown(fault)) => ("uncertain", written(fault)?),
        };
        state.audit.complete(permit.operation_id(), self.system.clock.now(), outcome, &detail).await?;
        let ArchiveRestored { done, exists, gone, locked } = match restored {
            Ok(restored) => counted(&restored),
            Err(ChangeError::Fault(fault) | ChangeError::Unknown(fault)) => return Err(fault.into()),
        };
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
