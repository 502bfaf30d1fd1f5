//! Makes the rows of a run what they were before it, each as long as nobody has touched it since.

use super::plan::options_of;
use super::{changes, lease_of};
use crate::action::request::{Actor, Refused, checked_id, checked_reason, needs};
use crate::action::trail::{Attempt, noted};
use crate::lease;
use crate::ports::changes::{ChangeError, RecordChanges, Undone};
use crate::ports::jobs::{ItemOutcome, Job, JobItem, Settled};
use crate::ports::permit::Permit;
use crate::ports::state::{Begin, Lease, StateError};
use crate::system::System;
use app::model::{Fault, PanelName, RowOperation, Undo};

const BATCH: u32 = 100;

/// Once for its operation id: asked again it answers the same. What could not be undone may be tried under another one.
pub async fn undo(
    system: &System,
    job: &str,
    operation_id: &str,
    actor: &Actor,
    reason: &str,
) -> Result<Undo, Refused> {
    checked_id(operation_id)?;
    let job = system.state.jobs.job(job).await?.ok_or(Refused::NoPlan)?;
    let attempt = Attempt { id: operation_id, operation: "undo", source: &job.new.source, actor };
    noted(system, &attempt, needs(actor)).await?;
    let reason = checked_reason(reason)?;
    let target = serde_json::json!({ "undo": job.new.id }).to_string();
    if let Some(earlier) = earlier(system, operation_id, &target).await? {
        return Ok(earlier);
    }
    if !job.state.is_over() {
        return Err(Refused::NotOver);
    }
    let name = &job.new.source;
    let source = system.source(name).ok_or_else(|| Fault::NoSource { source_name: name.clone() })?;
    let changes = changes(source)?;
    let operation = options_of(&job)?.operation;
    let holder = lease::holder();
    let Some(mut lease) = system.state.leases.acquire(&lease_of(&job.new.id), &holder).await? else {
        return Err(Refused::Unfinished);
    };
    let begin = Begin {
        operation_id: operation_id.to_owned(),
        operation: "undo".into(),
        source: name.clone(),
        actor: actor.name.clone(),
        origin: actor.origin.clone(),
        reason,
        at: system.clock.now(),
        target,
    };
    let done = match system.state.audit.begin(&begin).await {
        Ok(permit) => Undoing { system, changes, job: &job, operation, permit }.all(&mut lease).await,
        Err(StateError::Exists(_)) => Err(Refused::Unfinished),
        Err(error) => Err(error.into()),
    };
    system.state.leases.release(&lease).await?;
    let (undo, fault) = done?;
    let detail = serde_json::to_string(&undo).map_err(|error| StateError::Failed(error.to_string()))?;
    let word = if fault.is_some() { "failed" } else { "done" };
    system.state.audit.complete(operation_id, system.clock.now(), word, &detail).await?;
    for panel in [PanelName::Records, PanelName::Locks] {
        system.pokes.poke(name, panel.as_str());
    }
    fault.map_or(Ok(undo), |fault| Err(fault.into()))
}

async fn earlier(system: &System, operation_id: &str, target: &str) -> Result<Option<Undo>, Refused> {
    let Some(earlier) = system.state.audit.get(operation_id).await? else { return Ok(None) };
    if earlier.target != target {
        return Err(Refused::IdTaken);
    }
    let detail = earlier.detail.ok_or(Refused::Unfinished)?;
    let undo = serde_json::from_str(&detail).map_err(|error| StateError::Failed(error.to_string()))?;
    Ok(Some(undo))
}

struct Undoing<'a> {
    system: &'a System,
    changes: &'a dyn RecordChanges,
    job: &'a Job,
    operation: RowOperation,
    permit: Permit,
}

impl Undoing<'_> {
    /// With what ended it early: what was undone before stays so, and is counted.
    async fn all(&self, lease: &mut Lease) -> Result<(Undo, Option<Fault>), Refused> {
        let (mut undo, mut after) = (Undo::default(), None);
        loop {
            *lease = self.system.state.leases.renew(lease).await?.ok_or(Refused::Unfinished)?;
            let items = self.system.state.jobs.items(&self.job.new.id, Some(ItemOutcome::Done), after, BATCH).await?;
            let Some(last) = items.last() else { return Ok((undo, None)) };
            after = Some(last.at);
            let mut settled = Vec::new();
            let mut fault = None;
            for item in &items {
                match self.one(item).await {
                    Ok(None) => undo.not_undoable += 1,
                    Ok(Some(Undone::Differs)) => undo.differs += 1,
                    Ok(Some(Undone::Gone)) => undo.gone += 1,
                    Ok(Some(Undone::Locked)) => undo.locked += 1,
                    Ok(Some(Undone::Done)) => {
                        undo.undone += 1;
                        settled.push(undone(item.at));
                    }
                    Err(ChangeError::Fault(found) | ChangeError::Unknown(found)) => {
                        fault = Some(found);
                        break;
                    }
                }
            }
            self.system.state.jobs.settle(lease, &self.job.new.id, &settled, self.system.clock.now()).await?;
            if fault.is_some() {
                return Ok((undo, fault));
            }
        }
    }

    /// `None`: a record that was opened for its next delivery by its status may be on its way already.
    async fn one(&self, item: &JobItem) -> Result<Option<Undone>, ChangeError> {
        let Some(before) = &item.before else { return Ok(None) };
        if self.operation == RowOperation::Retry && item.after.is_some() {
            return Ok(None);
        }
        self.changes.undo(&self.permit, &item.reference, before, item.after.as_ref()).await.map(Some)
    }
}

/// It keeps the result of what was done.
fn undone(at: i64) -> Settled {
    Settled { at, outcome: ItemOutcome::Undone, why: None, before: None, after: None }
}
