//! Works a confirmed plan off, batch by batch, under a lease. Killed anywhere it is taken up again: what was begun and not
//! settled is read back from the rows themselves, and what they cannot tell is left to a person.

use super::plan::{options_of, written};
use super::{allows, change_of, changes, facts, lease_of};
use crate::action::Refused;
use crate::diagnose::eligible::skip;
use crate::ports::changes::{ChangeError, Changed, Found, Frozen, Item, Possible, RecordChanges};
use crate::ports::jobs::{ItemOutcome, Job, JobItem, JobState, Settled, Tally, Wish};
use crate::ports::permit::Permit;
use crate::ports::state::{Begin, Lease, StateError};
use crate::system::{SourceSystem, System};
use app::model::{Fault, PanelName, RecordRef, RowOperation, Run, Skip, Status};
use std::collections::HashMap;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const BATCH: u32 = 200;
/// The first of them alone: when most are refused the run stops and asks.
const CANARY: u32 = 5;
/// How long our lock on a record keeps consumers out, should we die with it.
const OUR_LOCK: Duration = Duration::from_secs(30);

/// What a run is told of the world.
struct Work<'a> {
    system: &'a System,
    source: &'a SourceSystem,
    changes: &'a dyn RecordChanges,
    job: &'a Job,
    operation: RowOperation,
    possible: Possible,
    permit: Permit,
    shutdown: &'a CancellationToken,
}

/// Why a run ends before its items do.
enum Halt {
    Turned(JobState, String),
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
    let (changes, operation) = (changes(source)?, options_of(job)?.operation);
    let permit = permit(system, job).await?;
    turn(system, lease, job, JobState::Running, "").await?;
    let possible = match changes.possible().await {
        Ok(possible) if allows(possible, operation) => possible,
        Ok(_) => return turn(system, lease, job, JobState::Failed, "the mapping does not allow it any more").await,
        Err(fault) => return turn(system, lease, job, JobState::Paused, &fault.to_string()).await,
    };
    let work = Work { system, source, changes, job, operation, possible, permit, shutdown };
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
        Halt::Turned(state, note) => {
            if state.is_over() {
                close(system, job, state).await?;
            }
            turn(system, lease, job, state, &note).await
        }
    }
}

async fn turn(system: &System, lease: &Lease, job: &Job, state: JobState, note: &str) -> Result<(), Refused> {
    Ok(system.state.jobs.turn(lease, &job.new.id, state, note, system.clock.now()).await?)
}

/// The audit's entry is begun once, however often the run is taken up.
async fn permit(system: &System, job: &Job) -> Result<Permit, Refused> {
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
        Ok(permit) => Ok(permit),
        Err(StateError::Exists(_)) => system.state.audit.go_on(&new.id).await?.ok_or(Refused::Unfinished),
        Err(error) => Err(error.into()),
    }
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
            Some(Wish::Stop) => return Ok(Some(Halt::Turned(JobState::Stopped, String::new()))),
            Some(Wish::Pause) => return Ok(Some(Halt::Turned(JobState::Paused, String::new()))),
            None => {}
        }
        let tally = jobs.tally(id).await?;
        let is_first = tally.done + tally.failed + tally.uncertain == 0;
        let items = jobs.next(id, if is_first { CANARY } else { BATCH }).await?;
        if items.is_empty() {
            return Ok(Some(Halt::Turned(JobState::Done, String::new())));
        }
        let was_begun = items.iter().all(|item| item.outcome == Some(ItemOutcome::Trying));
        let worked = if was_begun { self.find_out(lease, &items).await? } else { self.attempt(lease, &items).await? };
        let settled = match worked {
            Ok(settled) => settled,
            Err(fault) => return Ok(Some(Halt::Turned(JobState::Paused, fault.to_string()))),
        };
        let failed = settled.iter().filter(|one| one.outcome == ItemOutcome::Failed).count();
        let is_bad = is_first && failed * 2 > settled.len();
        jobs.settle(lease, id, &settled, self.system.clock.now()).await?;
        let note = || "most of the first items were refused".to_owned();
        Ok(is_bad.then(|| Halt::Turned(JobState::Paused, note())))
    }

    /// Judges the rows as they are now, and changes those that may be. `Err` inside: nothing is known to have been done.
    async fn attempt(&self, lease: &Lease, items: &[JobItem]) -> Result<Result<Vec<Settled>, Fault>, Refused> {
        let references: Vec<RecordRef> = items.iter().map(|item| item.reference.clone()).collect();
        let judged = async {
            let frozen = self.changes.freeze(&references).await?;
            let ours = self.source.locks.as_ref().map(|locks| locks.ours(&self.permit));
            let seen = facts::of(self.system, self.source, &frozen, ours.as_deref()).await?;
            let deletes = self.operation == RowOperation::Retry && self.possible.open_deletes;
            let whole = if deletes { self.changes.whole(&references).await? } else { Vec::new() };
            Ok::<_, Fault>((frozen, seen, whole))
        };
        let (frozen, seen, whole) = match judged.await {
            Ok(judged) => judged,
            Err(fault) => return Ok(Err(fault)),
        };
        let whole: HashMap<RecordRef, _> = whole.into_iter().collect();
        let now: HashMap<RecordRef, (Frozen, facts::Seen)> =
            frozen.into_iter().zip(seen).map(|(frozen, seen)| (frozen.row.reference.clone(), (frozen, seen))).collect();
        let mut settled = Vec::new();
        let mut chosen: Vec<(i64, Item)> = Vec::new();
        for item in items {
            let why = match now.get(&item.reference) {
                None => Some(Skip::Gone),
                Some((frozen, _)) if frozen.stamp != item.stamp => Some(Skip::Changed),
                Some((_, seen)) => skip(self.operation, &seen.standing, self.possible),
            };
            match why {
                Some(why) => settled.push(left_alone(item.at, &why)?),
                None => {
                    let whole = whole.get(&item.reference).cloned();
                    let seen = now.get(&item.reference).map(|(_, seen)| &seen.standing);
                    // Failed and dead rows may be young.
                    let processing = seen.filter(|seen| seen.status == Status::Processing);
                    let minimum_age = processing.map_or(Duration::ZERO, |seen| seen.minimum_age);
                    let of = Item { reference: item.reference.clone(), stamp: item.stamp.clone(), whole, minimum_age };
                    chosen.push((item.at, of));
                }
            }
        }
        let taken = self.take_locks(&now, &mut chosen, &mut settled).await?;
        let begun: Vec<_> = chosen.iter().map(|(at, item)| (*at, item.whole.clone())).collect();
        self.system.state.jobs.trying(lease, &self.job.new.id, &begun).await?;
        let changed = self.change(&chosen).await;
        self.let_go(&taken).await;
        match changed {
            Ok(changed) => {
                for ((at, _), changed) in chosen.iter().zip(changed) {
                    settled.push(of_changed(*at, changed)?);
                }
                Ok(Ok(settled))
            }
            // What was begun is found out from the rows in the next step.
            Err(ChangeError::Unknown(fault)) => {
                tracing::warn!(job = self.job.new.id, %fault, "the answer to a commit was lost; the rows will tell");
                Ok(Ok(settled))
            }
            Err(ChangeError::Fault(fault)) => {
                self.system.state.jobs.settle(lease, &self.job.new.id, &settled, self.system.clock.now()).await?;
                Ok(Err(fault))
            }
        }
    }

    async fn change(&self, chosen: &[(i64, Item)]) -> Result<Vec<Changed>, ChangeError> {
        let items: Vec<Item> = chosen.iter().map(|(_, item)| item.clone()).collect();
        if items.is_empty() {
            return Ok(Vec::new());
        }
        self.changes.change(&self.permit, change_of(self.operation), &items).await
    }

    /// Our own locks keep consumers from starting in between; who holds a key already is at work.
    async fn take_locks(
        &self,
        now: &HashMap<RecordRef, (Frozen, facts::Seen)>,
        chosen: &mut Vec<(i64, Item)>,
        settled: &mut Vec<Settled>,
    ) -> Result<Vec<String>, Refused> {
        let Some(locks) = &self.source.locks else { return Ok(Vec::new()) };
        let key_of = |item: &Item| now.get(&item.reference).and_then(|(_, seen)| seen.lock_key.clone());
        for (_, item) in chosen.iter().filter(|_| self.operation == RowOperation::Retry) {
            let Some((_, seen)) = now.get(&item.reference) else { continue };
            if let (Some(key), Some(owner)) = (&seen.lock_key, &seen.lock_owner) {
                // Of an orphan: who else holds one was sorted out before.
                locks.release(&self.permit, key, owner).await?;
            }
        }
        let keys: Vec<String> = chosen.iter().filter_map(|(_, item)| key_of(item)).collect();
        let Some(taken) = locks.take(&self.permit, &keys, OUR_LOCK).await? else { return Ok(Vec::new()) };
        let refused: Vec<&String> = keys.iter().zip(&taken).filter(|(_, taken)| !**taken).map(|(key, _)| key).collect();
        let mut kept = Vec::with_capacity(chosen.len());
        for (at, item) in chosen.drain(..) {
            match key_of(&item) {
                Some(key) if refused.contains(&&key) => settled.push(left_alone(at, &Skip::Alive)?),
                _ => kept.push((at, item)),
            }
        }
        *chosen = kept;
        Ok(keys.into_iter().zip(taken).filter(|(_, taken)| *taken).map(|(key, _)| key).collect())
    }

    /// They end by themselves as well.
    async fn let_go(&self, keys: &[String]) {
        let Some(locks) = &self.source.locks else { return };
        let owner = locks.ours(&self.permit);
        for key in keys {
            if let Err(fault) = locks.release(&self.permit, key, &owner).await {
                tracing::warn!(key, %fault, "our own lock was not given back; it ends by itself");
            }
        }
    }

    /// What became of items that were begun before a crash, or whose commit's answer was lost.
    async fn find_out(&self, lease: &Lease, items: &[JobItem]) -> Result<Result<Vec<Settled>, Fault>, Refused> {
        let asked: Vec<Item> = (items.iter())
            .map(|item| Item {
                reference: item.reference.clone(),
                stamp: item.stamp.clone(),
                whole: item.whole.clone(),
                minimum_age: Duration::ZERO,
            })
            .collect();
        let found = match self.changes.find_out(change_of(self.operation), &asked).await {
            Ok(found) => found,
            Err(fault) => return Ok(Err(fault)),
        };
        let untouched = items.iter().zip(&found).filter(|(_, found)| **found == Found::Untouched);
        let again: Vec<i64> = untouched.map(|(item, _)| item.at).collect();
        self.system.state.jobs.reopen(lease, &self.job.new.id, &again).await?;
        let settle = |(item, found): (&JobItem, Found)| match found {
            Found::Untouched => None,
            Found::Done { before, after } => {
                Some(Settled { at: item.at, outcome: ItemOutcome::Done, why: None, before: Some(before), after })
            }
            Found::Unclear => Some(Settled {
                at: item.at,
                outcome: ItemOutcome::Uncertain,
                why: None,
                before: Some(item.whole.clone().unwrap_or_else(|| item.stamp.clone())),
                after: None,
            }),
        };
        Ok(Ok(items.iter().zip(found).filter_map(settle).collect()))
    }
}

fn left_alone(at: i64, why: &Skip) -> Result<Settled, Refused> {
    Ok(Settled { at, outcome: ItemOutcome::Skipped, why: Some(written(why)?), before: None, after: None })
}

fn of_changed(at: i64, changed: Changed) -> Result<Settled, Refused> {
    let why = match changed {
        Changed::Done { before, after } => {
            return Ok(Settled { at, outcome: ItemOutcome::Done, why: None, before: Some(before), after });
        }
        Changed::Differs => Skip::Changed,
        Changed::Gone => Skip::Gone,
        Changed::TooYoung => Skip::TooYoung { after_ms: 0 },
        Changed::Locked => Skip::Locked,
        Changed::TooLarge => Skip::TooLarge,
    };
    left_alone(at, &why)
}

/// How far a confirmed plan is.
pub async fn run_of(system: &System, job: &Job) -> Result<Run, Refused> {
    let tally = system.state.jobs.tally(&job.new.id).await?;
    let Tally { open, trying, done, skipped, failed, uncertain, undone } = tally;
    Ok(Run {
        id: job.new.id.clone(),
        source: job.new.source.clone(),
        operation: options_of(job)?.operation,
        state: job.state.as_str().to_owned(),
        actor: job.new.actor.clone(),
        reason: job.new.reason.clone(),
        total: open + trying + done + skipped + failed + uncertain + undone,
        open: open + trying,
        done: done + undone,
        skipped,
        failed,
        uncertain,
        note: job.note.clone(),
        begun_at: job.begun_at,
        ended_at: job.ended_at,
    })
}
