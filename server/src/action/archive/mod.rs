//! Archiving: [`plan`] says what a run would do, [`begin`] hands one to a runner, [`work_off`] walks the tables and moves
//! what is ripe, chunk by chunk ([`run`], at the [`pace`] that production bears), [`restore`] puts records back.

mod begin;
mod pace;
mod plan;
mod restore;
mod run;
pub mod runner;
mod walk;

pub use begin::{Ask, begin};
pub use plan::plan;
pub use restore::{RestoreAsk, Which, restore, to_restore};
pub use run::work_off;

use super::request::{Actor, Refused, needs};
use crate::ports::archive::{RecordArchive, Ripe};
use crate::ports::archive_runs::StoredArchiveRun;
use crate::ports::jobs::Wish;
use crate::ports::state::StateError;
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
        table: progress.place.map(|place| place.table),
        moved: progress.moved,
        left: progress.left,
        chunks: progress.chunks,
        note,
        begun_at: run.new.begun_at,
        ended_at: run.ended_at,
    })
}

/// Asks a run to pause, to stop, or (`None`) to go on.
pub async fn wish(system: &System, id: &str, actor: &Actor, wish: Option<Wish>) -> Result<(), Refused> {
    needs(actor)?;
    if system.state.archive_runs.wish(id, wish).await? { Ok(()) } else { Err(Refused::Over) }
}
