//! What a run would do. It changes nothing.

use super::walk::Walk;
use super::{archiver, source_of};
use crate::action::request::Refused;
use crate::clock::millis;
use crate::config::ArchiveMode;
use crate::ports::archive::{Examined, Ripe};
use crate::ports::brokers::Oldest;
use crate::system::{SourceSystem, System};
use app::model::{ArchiveLeft, ArchivePlan, ArchiveRefusal, ArchiveTable, ArchiveWarning};
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
    let warnings = warnings(system, source, keep_ms).await;
    Ok(ArchivePlan { source: source.config.name.clone(), keep_ms, tables, warnings })
}

/// What a message would run into whose record is archived.
async fn warnings(system: &System, source: &SourceSystem, keep_ms: u64) -> Vec<ArchiveWarning> {
    let deletes = source.config.archive.as_ref().is_some_and(|archive| archive.mode == ArchiveMode::Delete);
    let mut warnings: Vec<ArchiveWarning> = deletes.then_some(ArchiveWarning::Deletes).into_iter().collect();
    let (mut unknown, mut oldest_ms) = (source.brokers.is_empty(), 0);
    for broker in &source.brokers {
        match broker.oldest().await {
            Ok(Oldest::Nothing) => {}
            Ok(Oldest::Unknown) => unknown = true,
            Ok(Oldest::Since(at)) => {
                let age_ms = (system.clock.now() - at).num_milliseconds();
                oldest_ms = u64::try_from(age_ms).unwrap_or(0).max(oldest_ms);
            }
            Err(fault) => {
                tracing::warn!(source = source.config.name, %fault, "how old a message the broker has is not known");
                unknown = true;
            }
        }
    }
    if oldest_ms > keep_ms {
        warnings.push(ArchiveWarning::KeepTooShort { keep_ms, oldest_ms });
    }
    if unknown {
        warnings.push(ArchiveWarning::BrokerAgeUnknown { keep_ms });
    }
    warnings
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
