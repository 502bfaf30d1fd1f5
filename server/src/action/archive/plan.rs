//! What a run would do. It changes nothing.

use super::begin::phrase;
use super::retention::retention;
use super::walk::Walk;
use super::{archiver, source_of};
use crate::action::request::Refused;
use crate::clock::millis;
use crate::ports::archive::{Examined, Ripe};
use crate::system::{SourceSystem, System};
use app::model::{ArchiveLeft, ArchivePlan, ArchiveRefusal, ArchiveStanding, ArchiveTable, Fault};
use std::time::Duration;

/// Rows that a plan looks at in one table: seconds, not minutes.
const EXAMINED: u64 = 200_000;
const STRETCH: u32 = 5_000;

pub async fn plan(system: &System, source: &str) -> Result<ArchivePlan, Refused> {
    let source = source_of(system, source)?;
    let archiver = archiver(source)?;
    let keep = source.config.archive.as_ref().and_then(|archive| archive.keep);
    let mut tables = Vec::new();
    for table in source.records.tables().await? {
        let mut examined = archiver.examine(&table).await?;
        if keep.is_none() {
            examined.refusals.insert(0, ArchiveRefusal::NoKeep);
        }
        tables.push(count(system, source, table, examined, keep).await?);
    }
    let keep_ms = keep.map_or(0, millis);
    let warnings = retention(source, system.clock.as_ref()).await;
    Ok(ArchivePlan { source: source.config.name.clone(), keep_ms, tables, warnings, phrase: phrase(source) })
}

/// What the catalogue says, without a look at any row.
pub async fn standing(source: &SourceSystem) -> Result<Vec<ArchiveStanding>, Fault> {
    let archiver = archiver(source)?;
    let keep = source.config.archive.as_ref().and_then(|archive| archive.keep);
    let mut tables = Vec::new();
    for table in source.records.tables().await? {
        let Examined { archive, mut refusals, .. } = archiver.examine(&table).await?;
        if keep.is_none() {
            refusals.insert(0, ArchiveRefusal::NoKeep);
        }
        tables.push(ArchiveStanding { table, archive, refusals });
    }
    Ok(tables)
}

/// What stands in the way of moving a row does not stand in the way of counting it.
async fn count(
    system: &System,
    source: &SourceSystem,
    table: String,
    examined: Examined,
    keep: Option<Duration>,
) -> Result<ArchiveTable, Refused> {
    let mut counted = ArchiveTable {
        archive: examined.archive.clone(),
        refusals: examined.refusals.clone(),
        ripe: 0,
        left: ArchiveLeft::default(),
        examined: 0,
        more: false,
        table,
    };
    let blind = |refusal: &ArchiveRefusal| {
        matches!(refusal, ArchiveRefusal::NoTime { .. } | ArchiveRefusal::NoPrimaryKey { .. } | ArchiveRefusal::NoKeep)
    };
    let Some(keep) = keep.filter(|_| !counted.refusals.iter().any(blind)) else { return Ok(counted) };
    let mut at = system.state.archive_runs.cursor(&source.config.name, &counted.table).await?;
    let (records, name) = (source.records.as_ref(), counted.table.clone());
    let walk = Walk { records, table: &name, examined: &examined, ripe: Ripe { keep }, stretch: STRETCH };
    let mut kept = at.clone();
    loop {
        let resumed = match kept.take() {
            Some(kept) => walk.resume(&kept).await?,
            None => Some(walk.next(at.as_deref()).await?),
        };
        let Some(walked) = resumed else {
            at = None;
            continue;
        };
        counted.ripe += walked.ripe.len() as u64;
        counted.left += walked.left;
        counted.examined += walked.ripe.len() as u64 + walked.left.all();
        if walked.is_last {
            return Ok(counted);
        }
        if counted.examined >= EXAMINED {
            counted.more = true;
            return Ok(counted);
        }
        at = walked.last.or(at);
    }
}
