//! Works a confirmed plan off, batch by batch, under a lease. Killed anywhere it is taken up again: [`super::attempt`] reads
//! what was begun back from the rows themselves, [`super::redeliver`] does so with messages, and what cannot be told is left
//! to a person.

use super::plan::{options_of, read_note, written};
use super::{allows, changes, lease_of};
use crate::action::Refused;
use crate::ports::changes::{Possible, RecordChanges};
use crate::ports::jobs::{ItemOutcome, Job, JobState, Tally, Wish};
use crate::ports::permit::Permit;
use crate::ports::redelivery::Redelivery;
use crate::ports::state::{Begin, Lease, StateError};
use crate::system::{SourceSystem, System};
use app::model::{Fault, PanelName, PlanWarning, RowOperation, Run, RunNote};
use tokio_util::sync::CancellationToken;

const BATCH: u32 = 200;
/// The first of them alone: when most are refused the run stops and asks.
const CANARY: u32 = 5;

/// What a run is told of the world.
pub(super) struct Work<'a> {
    pub system: &'a System,
    pub source: &'a SourceSystem,
    pub changes: &'a dyn RecordChanges,
    pub job: &'a Job,
    pub operation: RowOperation,
    pub possible: Possible,
    /// `None`: a message comes by itself, or none is to come.
    pub redelivery: Option<&'a dyn Redelivery>,
    pub permit: Permit,
    shutdown: &'a CancellationToken,
}

/// Why a run ends before its items do.
enum Halt {
    Turned(JobState, Option<RunNote>),
    /// Somebody else has the lease now, or will: the process ends.
    Lost,
}

/// Runs a job to its end, to a pause, or until somebody else has it. `Ok(false)`: somebody else has it already.
pub async fn work_off(system: &System, id: &str, holder: &str, shutdown: &CancellationToken) -> Result<bool, Refused> {
    let Some(mut lease) = system.state.leases.acquire(&lease_of(id), holder).await? else { return Ok(false) };
    let Some(job) = system.state.jobs.job(id).await? else { return Err(Refused::NoPlan) };
    let ended = match matches!(job.state, JobState::Waiting | JobState::Running) {
        true => work(system, &job, &mut lease, shutdown).await,
        false => Ok(()),
    };
    system.state.leases.release(&lease).await?;
    ended.map(|()| true)
}

/// The same to its end, and what became of it.
pub async fn run(system: &System, id: &str, holder: &str) -> Result<Run, Refused> {
    work_off(system, id, holder, &CancellationToken::new()).await?;
    let job = system.state.jobs.job(id).await?.ok_or(Refused::NoPlan)?;
    run_of(system, &job).await
}

async fn work(system: &System, job: &Job, lease: &mut Lease, shutdown: &CancellationToken) -> Result<(), Refused> {
    let name = &job.new.source;
    let source = system.source(name).ok_or_else(|| Fault::NoSource { source_name: name.clone() })?;
    let (changes, options) = (changes(source)?, options_of(job)?);
    let operation = options.operation;
    let permit = match permit(system, job).await? {
        Ok(permit) => permit,
        // It ended before a crash, and only this is missing.
        Err(state) => return turn(system, lease, job, state, None).await,
    };
    turn(system, lease, job, JobState::Running, None).await?;
    let possible = match changes.possible().await {
        Ok(possible) if allows(possible, operation) => possible,
        Ok(_) => return end(system, lease, job, JobState::Failed, Some(RunNote::NotMapped)).await,
        Err(fault) => return turn(system, lease, job, JobState::Paused, Some(RunNote::Fault { fault })).await,
    };
    let is_retry = operation == RowOperation::Retry;
    if is_retry && options.mode != source.config.retry.mode.word() {
        return turn(system, lease, job, JobState::Paused, Some(RunNote::ModeChanged)).await;
    }
    let redelivery = source.redelivery.as_deref().filter(|_| is_retry);
    let work = Work { system, source, changes, job, operation, possible, redelivery, permit, shutdown };
    let halt = loop {
        match work.step(lease).await? {
            None => {}
            Some(halt) => break halt,
        }
    };
    system.pokes.poke(name, PanelName::Records.as_str());
    system.pokes.poke(name, PanelName::Locks.as_str());
    match halt {
        Halt::Lost => Ok(()),
        Halt::Turned(state, note) => end(system, lease, job, state, note).await,
    }
}

/// The audit is closed first: what has an end there is turned by whoever takes it up.
async fn end(system: &System, lease: &Lease, job: &Job, state: JobState, note: Option<RunNote>) -> Result<(), Refused> {
    if state.is_over() {
        close(system, job, state).await?;
    }
    turn(system, lease, job, state, note).await
}

async fn turn(
    system: &System,
    lease: &Lease,
    job: &Job,
    state: JobState,
    note: Option<RunNote>,
) -> Result<(), Refused> {
    let note = note.as_ref().map_or(Ok(String::new()), written)?;
    Ok(system.state.jobs.turn(lease, &job.new.id, state, &note, system.clock.now()).await?)
}

/// The audit's entry is begun once, however often the run is taken up. `Err` inside: it says how the run ended.
async fn permit(system: &System, job: &Job) -> Result<Result<Permit, JobState>, Refused> {
    let new = &job.new;
    let begin = Begin {
        operation_id: new.id.clone(),
        operation: new.operation.clone(),
        source: new.source.clone(),
        actor: new.actor.clone(),
        origin: new.origin.clone(),
        reason: new.reason.clone(),
        at: system.clock.now(),
        target: serde_json::json!({ "job": new.id, "options": new.options }).to_string(),
    };
    match system.state.audit.begin(&begin).await {
        Ok(permit) => return Ok(Ok(permit)),
        Err(StateError::Exists(_)) => {}
        Err(error) => return Err(error.into()),
    }
    if let Some(permit) = system.state.audit.go_on(&new.id).await? {
        return Ok(Ok(permit));
    }
    let ended = system.state.audit.get(&new.id).await?.and_then(|entry| entry.outcome);
    let state = JobState::ALL.into_iter().find(|state| state.is_over() && ended.as_deref() == Some(state.as_str()));
    state.map(Err).ok_or(Refused::Unfinished)
}

async fn close(system: &System, job: &Job, state: JobState) -> Result<(), Refused> {
    let Tally { open, trying, done, skipped, failed, uncertain, undone } = system.state.jobs.tally(&job.new.id).await?;
    let detail = serde_json::json!({
        "state": state.as_str(), "open": open + trying, "done": done, "skipped": skipped, "failed": failed,
        "uncertain": uncertain, "undone": undone,
    });
    let (detail, now) = (detail.to_string(), system.clock.now());
    match system.state.audit.complete(&job.new.id, now, state.as_str(), &detail).await {
        // It was closed before a crash.
        Ok(()) | Err(StateError::Exists(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

impl Work<'_> {
    /// One batch. `None`: there may be more.
    async fn step(&self, lease: &mut Lease) -> Result<Option<Halt>, Refused> {
        let (jobs, id) = (&self.system.state.jobs, &self.job.new.id);
        match self.system.state.leases.renew(lease).await? {
            Some(renewed) => *lease = renewed,
            None => return Ok(Some(Halt::Lost)),
        }
        if self.shutdown.is_cancelled() {
            return Ok(Some(Halt::Lost));
        }
        match jobs.job(id).await?.and_then(|job| job.wish) {
            Some(Wish::Stop) => return Ok(Some(Halt::Turned(JobState::Stopped, None))),
            Some(Wish::Pause) => return Ok(Some(Halt::Turned(JobState::Paused, None))),
            None => {}
        }
        let before = jobs.tally(id).await?;
        let is_first = before.done + before.failed + before.uncertain == 0;
        let mut items = jobs.next(id, self.at_once(is_first)).await?;
        let Some(first) = items.first() else {
            return Ok(Some(Halt::Turned(JobState::Done, None)));
        };
        let how_far = first.outcome;
        items.retain(|item| item.outcome == how_far);
        let worked = match how_far {
            Some(ItemOutcome::Opened) => self.bring_back(lease, &items).await?,
            Some(ItemOutcome::Sending) => Ok(self.interrupted(&items)?),
            Some(ItemOutcome::Copied) => self.clean(lease, &items).await?,
            Some(_) => self.find_out(lease, &items).await?,
            None => self.attempt(lease, &items).await?,
        };
        let settled = match worked {
            Ok(settled) => settled,
            Err(fault) => return Ok(Some(Halt::Turned(JobState::Paused, Some(RunNote::Fault { fault })))),
        };
        jobs.settle(lease, id, &settled, self.system.clock.now()).await?;
        // Messages go out for as long as the run lasts, so each batch of them is looked at.
        if !is_first && self.redelivery.is_none() {
            return Ok(None);
        }
        let after = jobs.tally(id).await?;
        let bad = (after.failed + after.uncertain) - (before.failed + before.uncertain);
        let fine = (after.done + after.skipped) - (before.done + before.skipped);
        let note = if is_first { RunNote::FirstRefused } else { RunNote::LastRefused };
        Ok((bad > fine).then_some(Halt::Turned(JobState::Paused, Some(note))))
    }

    fn at_once(&self, is_first: bool) -> u32 {
        let most = if is_first { CANARY } else { BATCH };
        self.redelivery.map_or(most, |redelivery| most.min(redelivery.at_once()))
    }

    /// Before something that takes its time.
    pub(super) async fn renew(&self, lease: &mut Lease) -> Result<(), Refused> {
        let fenced = || StateError::Fenced { name: lease.name.clone() };
        let renewed = self.system.state.leases.renew(lease).await?.ok_or_else(fenced)?;
        *lease = renewed;
        Ok(())
    }
}

/// How far a confirmed plan is.
pub async fn run_of(system: &System, job: &Job) -> Result<Run, Refused> {
    let tally = system.state.jobs.tally(&job.new.id).await?;
    let Tally { open, trying, done, skipped, failed, uncertain, undone } = tally;
    let options = options_of(job)?;
    let deletes = options.warnings.contains(&PlanWarning::Deletes);
    let asked = job.wish.map(|wish| match wish {
        Wish::Pause => "pause",
        Wish::Stop => "stop",
    });
    Ok(Run {
        id: job.new.id.clone(),
        source: job.new.source.clone(),
        operation: options.operation,
        selected: options.selected,
        state: job.state.as_str().to_owned(),
        asked: asked.map(str::to_owned),
        actor: job.new.actor.clone(),
        reason: job.new.reason.clone(),
        total: open + trying + done + skipped + failed + uncertain + undone,
        eligible: options.eligible,
        open: open + trying,
        done: done + undone,
        undone,
        skipped,
        failed,
        uncertain,
        // One that was opened by its status may be on its way already.
        undoable: options.operation != RowOperation::Retry || deletes,
        warnings: options.warnings,
        note: read_note(job)?,
        begun_at: job.begun_at,
        ended_at: job.ended_at,
    })
}
