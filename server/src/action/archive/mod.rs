//! Archiving: [`plan`] says what a run would do, [`begin`] hands one to a runner, [`work_off`] walks the tables and moves
//! what is ripe, chunk by chunk ([`run`], [`chunk`], at the [`pace`] that production bears), [`restore`] puts records back.

mod begin;
mod chunk;
mod export;
mod pace;
mod plan;
mod purge;
mod restore;
mod retention;
mod run;
pub mod runner;
mod search;
mod steer;
mod walk;

pub use begin::{Ask, Missing, Speed, begin, begin_alone, begin_confirmed};
pub use export::{ExportError, export};
pub use plan::{plan, standing};
pub use purge::{PurgeAsk, purge, to_purge};
pub use restore::{MOST, RestoreAsk, plan_restore, restore, restore_confirmed, to_restore};
pub use retention::retention;
pub use run::work_off;
pub use search::{NoSelection, Which};

use super::request::{Actor, Refused, needs};
use super::trail::{Attempt, note, noted};
use crate::ports::archive::{RecordArchive, Ripe};
use crate::ports::archive_runs::StoredArchiveRun;
use crate::ports::changes::ChangeError;
use crate::ports::jobs::{JobState, Wish};
use crate::ports::permit::Permit;
use crate::ports::records::RecordStore;
use crate::ports::state::{Begin, StateError};
use crate::ports::trail::EventKind;
use crate::system::{SourceSystem, System};
use app::model::{ArchiveLeft, ArchiveNote, ArchiveRefusal, ArchiveRun, Fault, Layer, Pk};
use chrono::{DateTime, Utc};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Why a run was not begun.
#[derive(Debug, thiserror::Error)]
pub enum NotBegun {
    #[error("{0:?}")]
    Archive(ArchiveRefusal),
    /// One run of a source at a time.
    #[error("run {id} of this source is {}", state.as_str())]
    Another { id: String, state: JobState },
    #[error(transparent)]
    Refused(#[from] Refused),
}

impl From<Fault> for NotBegun {
    fn from(fault: Fault) -> Self {
        Self::Refused(fault.into())
    }
}

impl From<StateError> for NotBegun {
    fn from(error: StateError) -> Self {
        Self::Refused(error.into())
    }
}

/// What a run was begun with: a change of the configuration concerns the next one.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Options {
    keep_ms: u64,
    batch: u32,
    polite: bool,
    /// The end of its window.
    until: Option<DateTime<Utc>>,
    /// Rows that were counted before it began.
    #[serde(default)]
    planned: Option<u64>,
}

impl Options {
    fn ripe(&self) -> Ripe {
        Ripe { keep: Duration::from_millis(self.keep_ms) }
    }
}

/// How far a run is.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Progress {
    /// Tables that it is through with.
    through: Vec<String>,
    place: Option<Place>,
    moved: u64,
    left: ArchiveLeft,
    chunks: u64,
    in_flight: Option<InFlight>,
}

/// Where it stands in a table.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Place {
    table: String,
    /// Everything up to here was looked at; `None`: it is at the beginning.
    at: Option<String>,
    /// The last place before the first row that was left behind: the next run begins there.
    left_after: Option<Option<String>>,
}

/// A chunk that was begun and whose end is not written down.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct InFlight {
    table: String,
    number: u64,
    rows: Vec<Pk>,
}

/// Who does something to a source, and why.
struct Deed<'a> {
    system: &'a System,
    source: &'a str,
    actor: &'a Actor,
    reason: &'a str,
}

impl Deed<'_> {
    /// One call that changes rows, with an entry of its own in the audit.
    async fn audited<T: Serialize, F>(
        &self,
        operation_id: String,
        operation: &str,
        target: &impl Serialize,
        act: impl FnOnce(Permit) -> F,
    ) -> Result<T, NotBegun>
    where
        F: Future<Output = Result<T, ChangeError>>,
    {
        let audit = &self.system.state.audit;
        let begin = Begin {
            operation_id,
            operation: operation.to_owned(),
            source: self.source.to_owned(),
            actor: self.actor.name.clone(),
            origin: self.actor.origin.clone(),
            reason: self.reason.to_owned(),
            at: self.system.clock.now(),
            target: written(target)?,
        };
        let acted = act(audit.begin(&begin).await?).await;
        let (outcome, detail) = match &acted {
            Ok(done) => ("done", written(done)?),
            Err(ChangeError::Fault(fault)) => ("failed", written(fault)?),
            Err(ChangeError::Unknown(fault)) => ("uncertain", written(fault)?),
        };
        audit.complete(&begin.operation_id, self.system.clock.now(), outcome, &detail).await?;
        acted.map_err(|(ChangeError::Fault(fault) | ChangeError::Unknown(fault))| fault.into())
    }
}

/// One run or restore of a source at a time. Rows are safe without it; their counts are not.
fn lease_of(source: &str) -> String {
    format!("archive/{source}")
}

fn source_of<'a>(system: &'a System, name: &str) -> Result<&'a SourceSystem, Fault> {
    system.source(name).ok_or_else(|| Fault::NoSource { source_name: name.to_owned() })
}

/// Fails where the source has no archive, or is read-only.
fn archiver(source: &SourceSystem) -> Result<&dyn RecordArchive, Fault> {
    let layer = if source.config.archive.is_none() { Layer::Archive } else { Layer::Records };
    source.archiver.as_deref().ok_or(Fault::NotConfigured { layer })
}

fn archive_of(source: &SourceSystem) -> Result<&dyn RecordStore, Fault> {
    source.archive.as_deref().ok_or(Fault::NotConfigured { layer: Layer::Archive })
}

/// The source's table of one of its archives.
fn table_of(source: &SourceSystem, archive: &str) -> Result<String, Fault> {
    let config = source.config.archive.as_ref();
    let table = config.and_then(|config| config.table_of(&source.config.records.table, archive));
    table.ok_or_else(|| Fault::TableMissing { table: archive.to_owned() })
}

fn written<T: Serialize>(value: &T) -> Result<String, StateError> {
    serde_json::to_string(value).map_err(|error| StateError::Failed(error.to_string()))
}

fn read<T: DeserializeOwned>(run: &StoredArchiveRun, text: &str) -> Result<T, StateError> {
    serde_json::from_str(text).map_err(|error| StateError::Failed(format!("archive run {}: {error}", run.new.id)))
}

fn progress_of(run: &StoredArchiveRun) -> Result<Progress, StateError> {
    if run.progress.is_empty() { Ok(Progress::default()) } else { read(run, &run.progress) }
}

/// How far a run is, for people.
pub fn run_of(run: &StoredArchiveRun) -> Result<ArchiveRun, Refused> {
    let options: Options = read(run, &run.new.options)?;
    let progress = progress_of(run)?;
    let note: Option<ArchiveNote> = if run.note.is_empty() { None } else { Some(read(run, &run.note)?) };
    Ok(ArchiveRun {
        id: run.new.id.clone(),
        source: run.new.source.clone(),
        state: run.state.as_str().to_owned(),
        actor: run.new.actor.clone(),
        reason: run.new.reason.clone(),
        polite: options.polite,
        number: run.number,
        wish: run.wish.map(|wish| if wish == Wish::Pause { "pause" } else { "stop" }.to_owned()),
        planned: options.planned,
        table: progress.place.map(|place| place.table),
        moved: progress.moved,
        left: progress.left,
        chunks: progress.chunks,
        note,
        begun_at: run.new.begun_at,
        ended_at: run.ended_at,
    })
}

/// The run of a source that waits, is at work or stands still.
pub async fn current(system: &System, source: &str) -> Result<Option<StoredArchiveRun>, StateError> {
    let runs = system.state.archive_runs.runs(Some(source), None, 200).await?;
    Ok(runs.into_iter().find(|run| !run.state.is_over()))
}

/// Asks a run to pause, to stop, or (`None`) to go on.
pub async fn wish(system: &System, id: &str, actor: &Actor, wish: Option<Wish>) -> Result<(), Refused> {
    let run = system.state.archive_runs.run(id).await?.ok_or(Refused::NoPlan)?;
    let attempt = Attempt { id, operation: "archive", source: &run.new.source, actor };
    noted(system, &attempt, needs(actor)).await?;
    if !system.state.archive_runs.wish(id, wish).await? {
        return Err(Refused::Over);
    }
    let kind = match wish {
        Some(Wish::Pause) => EventKind::Paused,
        Some(Wish::Stop) => EventKind::Stopped,
        None => EventKind::Resumed,
    };
    note(system, id, actor, kind, "{}".to_owned()).await
}
