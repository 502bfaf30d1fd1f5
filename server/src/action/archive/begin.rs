//! Hands a run to a runner, once for its operation id.

use super::{Deed, NotBegun, Options, archiver, current, run_of, source_of, written};
use crate::action::request::{Actor, Refused, checked_id, checked_reason, needs};
use crate::action::trail::{Attempt, noted};
use crate::clock::millis;
use crate::config::ArchiveMode;
use crate::ports::archive_runs::NewArchiveRun;
use crate::ports::state::StateError;
use crate::system::{SourceSystem, System};
use app::model::{ArchiveRefusal, ArchiveRun};
use chrono::{DateTime, Utc};

/// What somebody wants to archive.
#[derive(Debug, Clone)]
pub struct Ask {
    pub operation_id: String,
    pub source: String,
    pub speed: Speed,
    pub missing: Missing,
    /// The end of its window; `None`: it goes on to its end.
    pub until: Option<DateTime<Utc>>,
    /// What a plan counted, to tell how far it is.
    pub planned: Option<u64>,
    pub actor: Actor,
    pub reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speed {
    Usual,
    /// Small chunks, and long rests between them.
    Polite,
}

/// What to do where an archive is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    Refuse,
    /// By the statements that the plan shows.
    Create,
}

/// What is typed to begin a run: it moves many rows, or does away with them.
#[must_use]
pub fn phrase(source: &SourceSystem) -> String {
    let deletes = source.config.archive.as_ref().is_some_and(|archive| archive.mode == ArchiveMode::Delete);
    let verb = if deletes { "delete from" } else { "archive" };
    format!("{verb} {}", source.config.name)
}

/// By somebody who types the plan's phrase.
pub async fn begin_confirmed(system: &System, ask: Ask, typed: &str) -> Result<ArchiveRun, NotBegun> {
    let source = source_of(system, &ask.source)?;
    checked_id(&ask.operation_id)?;
    let phrase = phrase(source);
    let allowed = match needs(&ask.actor) {
        Ok(()) if typed.trim() != phrase => Err(Refused::Phrase { phrase }),
        allowed => allowed,
    };
    let attempt = Attempt { id: &ask.operation_id, operation: "archive", source: &ask.source, actor: &ask.actor };
    noted(system, &attempt, allowed).await?;
    begin_alone(system, ask).await
}

/// Where no other run of the source is at work or stands still.
pub async fn begin_alone(system: &System, ask: Ask) -> Result<ArchiveRun, NotBegun> {
    match current(system, &ask.source).await? {
        Some(other) if other.new.id != ask.operation_id => {
            Err(NotBegun::Another { id: other.new.id, state: other.state })
        }
        _ => begin(system, ask).await,
    }
}

pub async fn begin(system: &System, ask: Ask) -> Result<ArchiveRun, NotBegun> {
    needs(&ask.actor)?;
    checked_id(&ask.operation_id)?;
    let reason = checked_reason(&ask.reason)?;
    let runs = &system.state.archive_runs;
    if let Some(run) = runs.run(&ask.operation_id).await? {
        return if run.new.source == ask.source { Ok(run_of(&run)?) } else { Err(Refused::IdTaken.into()) };
    }
    let source = source_of(system, &ask.source)?;
    let archiver = archiver(source)?;
    let archive = source.config.archive.as_ref();
    let Some((keep, archive)) = archive.and_then(|archive| Some((archive.keep?, archive))) else {
        return Err(NotBegun::Archive(ArchiveRefusal::NoKeep));
    };
    for table in source.records.tables().await? {
        let mut refusals = archiver.examine(&table).await?.refusals;
        if ask.missing == Missing::Create && matches!(refusals.as_slice(), [ArchiveRefusal::ArchiveMissing { .. }]) {
            // In the audit with the statements that were shown.
            let id = format!("{}/create/{table}", ask.operation_id);
            let deed = Deed { system, source: &ask.source, actor: &ask.actor, reason: &reason };
            let name = table.as_str();
            let create = |permit| async move { archiver.create(&permit, name).await };
            deed.audited(id, "archive_create", &refusals[0], create).await?;
            refusals = archiver.examine(&table).await?.refusals;
        }
        if let Some(refusal) = refusals.into_iter().next() {
            return Err(NotBegun::Archive(refusal));
        }
    }
    let polite = ask.speed == Speed::Polite;
    let (batch, Ask { until, planned, .. }) = (archive.batch, &ask);
    let options = Options { keep_ms: millis(keep), batch, polite, until: *until, planned: *planned };
    let run = NewArchiveRun {
        id: ask.operation_id,
        source: ask.source,
        actor: ask.actor.name,
        origin: ask.actor.origin,
        reason,
        options: written(&options)?,
        begun_at: system.clock.now(),
    };
    match runs.begin(&run).await {
        // Sent twice at once.
        Ok(()) | Err(StateError::Exists(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let run = runs.run(&run.id).await?.ok_or(Refused::NoPlan)?;
    Ok(run_of(&run)?)
}
