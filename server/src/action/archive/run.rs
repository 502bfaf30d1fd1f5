//! Works a run off, chunk by chunk, under its source's lease. Killed anywhere it is taken up again: each chunk is one
//! transaction, and the one in flight is looked for in both tables.

use super::pace::Pace;
use super::walk::Walk;
use super::{Options, Place, Progress, archiver, lease_of, progress_of, read, source_of, written};
use crate::action::request::Refused;
use crate::ports::archive::RecordArchive;
use crate::ports::archive_runs::{ArchiveCursor, StoredArchiveRun};
use crate::ports::jobs::JobState;
use crate::ports::state::{Lease, StateError};
use crate::system::{SourceSystem, System};
use app::model::{ArchiveNote, Fault, PanelName};
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// Rows that are read at once, before they are taken in chunks.
const STRETCH: u32 = 2_000;

/// What a run waits for, told to whoever watches.
pub type Tell<'a> = &'a (dyn Fn(&ArchiveNote) + Send + Sync);

/// Why a run ends before its tables do.
pub enum End {
    Turned(JobState, Option<ArchiveNote>),
    /// Somebody else has the lease now, or will: the process ends.
    Lost,
    Failed(Refused),
}

impl From<Refused> for End {
    fn from(refused: Refused) -> Self {
        Self::Failed(refused)
    }
}

impl From<StateError> for End {
    fn from(error: StateError) -> Self {
        match error {
            StateError::Fenced { .. } => Self::Lost,
            error => Self::Failed(error.into()),
        }
    }
}

impl From<Fault> for End {
    fn from(fault: Fault) -> Self {
        Self::Turned(JobState::Paused, Some(ArchiveNote::Failed { fault }))
    }
}

/// Runs it to its end, to a pause, or until somebody else has it. `Ok(false)`: another run of the source has the lease.
pub async fn work_off(
    system: &System,
    id: &str,
    holder: &str,
    shutdown: &CancellationToken,
    tell: Tell<'_>,
) -> Result<bool, Refused> {
    let runs = &system.state.archive_runs;
    let source = runs.run(id).await?.ok_or(Refused::NoPlan)?.new.source;
    let Some(lease) = system.state.leases.acquire(&lease_of(&source), holder).await? else { return Ok(false) };
    // Read again: before the lease somebody else may have worked on it.
    let run = runs.run(id).await?.ok_or(Refused::NoPlan)?;
    let (lease, ended) = match matches!(run.state, JobState::Waiting | JobState::Running) {
        true => work(system, &run, lease, shutdown, tell).await,
        false => (lease, Ok(())),
    };
    system.state.leases.release(&lease).await?;
    ended.map(|()| true)
}

async fn work(
    system: &System,
    run: &StoredArchiveRun,
    lease: Lease,
    shutdown: &CancellationToken,
    tell: Tell<'_>,
) -> (Lease, Result<(), Refused>) {
    match closed(system, run, &lease).await {
        Ok(false) => {}
        ended => return (lease, ended.map(drop)),
    }
    let begun = Work::begin(system, run, lease.clone(), shutdown, tell).await;
    let mut work = match begun {
        Ok(work) => work,
        Err(refused) => return (lease, Err(refused)),
    };
    let end = match work.all().await {
        Ok(()) => End::Turned(JobState::Done, None),
        Err(end) => end,
    };
    system.pokes.poke(&run.new.source, PanelName::Records.as_str());
    let ended = match end {
        End::Lost => Ok(()),
        End::Failed(refused) => Err(refused),
        End::Turned(state, note) => work.turn(state, note).await,
    };
    (work.lease, ended)
}

/// Somebody died between the audit's end of it and its own.
async fn closed(system: &System, run: &StoredArchiveRun, lease: &Lease) -> Result<bool, Refused> {
    let entry = system.state.audit.get(&run.new.id).await?;
    let Some(outcome) = entry.and_then(|entry| entry.outcome) else { return Ok(false) };
    let state = JobState::ALL.into_iter().find(|state| state.as_str() == outcome).unwrap_or(JobState::Failed);
    system.state.archive_runs.turn(lease, &run.new.id, state, &run.note, system.clock.now()).await?;
    Ok(true)
}

/// A run at work.
pub struct Work<'a> {
    pub system: &'a System,
    pub source: &'a SourceSystem,
    pub archiver: &'a dyn RecordArchive,
    pub run: &'a StoredArchiveRun,
    pub options: Options,
    pub progress: Progress,
    pub pace: Pace,
    pub lease: Lease,
    /// As it stands in the state.
    pub note: Option<ArchiveNote>,
    pub lag_asked: Option<Instant>,
    pub failures: u32,
    pub shutdown: &'a CancellationToken,
    pub tell: Tell<'a>,
}

impl<'a> Work<'a> {
    /// The audit's entry is begun once, however often the run is taken up.
    async fn begin(
        system: &'a System,
        run: &'a StoredArchiveRun,
        lease: Lease,
        shutdown: &'a CancellationToken,
        tell: Tell<'a>,
    ) -> Result<Self, Refused> {
        let source = source_of(system, &run.new.source)?;
        let options: Options = read(run, &run.new.options)?;
        let work = Self {
            system,
            source,
            archiver: archiver(source)?,
            run,
            progress: progress_of(run)?,
            pace: Pace::new(options.polite, options.batch),
            options,
            lease,
            note: None,
            lag_asked: None,
            failures: 0,
            shutdown,
            tell,
        };
        work.permit(run.new.id.clone(), "archive", run.new.options.clone()).await?;
        work.write(JobState::Running, None).await?;
        Ok(work)
    }

    pub(super) async fn write(&self, state: JobState, note: Option<&ArchiveNote>) -> Result<(), StateError> {
        let text = note.map_or(Ok(String::new()), written)?;
        let runs = &self.system.state.archive_runs;
        runs.turn(&self.lease, &self.run.new.id, state, &text, self.system.clock.now()).await
    }

    async fn turn(&self, state: JobState, note: Option<ArchiveNote>) -> Result<(), Refused> {
        if let Some(note) = &note {
            (self.tell)(note);
        }
        if state.is_over() {
            let Progress { moved, left, chunks, .. } = &self.progress;
            let detail = serde_json::json!({ "moved": moved, "left": left, "chunks": chunks, "note": note });
            self.complete(&self.run.new.id, state.as_str(), &detail.to_string()).await?;
        }
        Ok(self.write(state, note.as_ref()).await?)
    }

    async fn all(&mut self) -> Result<(), End> {
        self.look().await?;
        self.land().await?;
        let source = self.source;
        let mut tables = self.patiently(|| source.records.tables()).await?;
        tables.sort();
        for table in tables {
            if !self.progress.through.contains(&table) {
                self.table(&table).await?;
                self.progress.through.push(table);
                self.progress.place = None;
            }
        }
        self.put().await
    }

    async fn table(&mut self, table: &str) -> Result<(), End> {
        let archiver = self.archiver;
        let examined = self.patiently(|| archiver.examine(table)).await?;
        if let Some(refusal) = examined.refusals.first().cloned() {
            return Err(End::Turned(JobState::Failed, Some(ArchiveNote::Refused { refusal })));
        }
        let mut place = match self.progress.place.take().filter(|place| place.table == table) {
            Some(place) => place,
            None => {
                let at = self.system.state.archive_runs.cursor(&self.source.config.name, table).await?;
                Place { table: table.to_owned(), at, left_after: None }
            }
        };
        let (records, ripe) = (self.source.records.as_ref(), self.options.ripe());
        let walk = Walk { records, table, examined: &examined, ripe, stretch: STRETCH };
        let mut kept = place.at.clone();
        loop {
            self.look().await?;
            let resumed = match kept.take() {
                Some(kept) => self.patiently(|| walk.resume(&kept)).await?,
                None => Some(self.patiently(|| walk.next(place.at.as_deref())).await?),
            };
            let Some(walked) = resumed else {
                place.at = None;
                continue;
            };
            self.progress.place = Some(place.clone());
            let mut left = walked.left;
            let mut rows = walked.ripe.as_slice();
            while !rows.is_empty() {
                let (chunk, rest) = rows.split_at(self.pace.size().min(rows.len()));
                left += self.chunk(table, chunk).await?;
                rows = rest;
            }
            if left.all() > 0 && place.left_after.is_none() {
                place.left_after = Some(place.at.clone());
            }
            place.at = walked.last.or(place.at);
            self.progress.left += walked.left;
            self.progress.place = Some(place.clone());
            self.put().await?;
            if walked.is_last {
                return Ok(());
            }
        }
    }

    /// How far it is, and where the next run begins in this table.
    pub(super) async fn put(&self) -> Result<(), End> {
        let progress = written(&self.progress)?;
        let cursor = self.progress.place.as_ref().map(|place| ArchiveCursor {
            table: place.table.clone(),
            place: place.left_after.clone().unwrap_or_else(|| place.at.clone()),
        });
        let runs = &self.system.state.archive_runs;
        let (id, source) = (self.run.new.id.as_str(), self.run.new.source.as_str());
        Ok(runs.put(&self.lease, Some((id, &progress)), source, cursor.as_ref()).await?)
    }
}
