//! The only way to change anything outside: form, `/api` and command line all come through [`run`].
//!
//! `run` → role → reason → operation id → guard on freshly read state → `audit.begin` → mutation (compare-and-set, with a
//! [`Permit`]) → `audit.complete` → poke the collector. A crash in between leaves an entry that was begun and not ended.

pub mod archive;
mod release_lock;
mod request;
pub mod rows;
mod trail;

pub use request::{Actor, Operation, Outcome, Refused, Request, Target};

use crate::ports::permit::Permit;
use crate::ports::state::{Begin, StateError};
use crate::system::System;
use app::model::{Fault, PanelName};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use trail::Attempt;

/// A double click sends the second form while the first one runs, and shows only the second answer.
const LOOKS: u32 = 30;
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// What the audit keeps of an operation that has ended.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Ended {
    Outcome(Outcome),
    /// Whether anything happened is not known when the answer was lost on its way.
    Failed(Fault),
}

/// Runs an operation once for its id: a second run answers what the first did.
pub async fn run(system: &System, request: Request) -> Result<Outcome, Refused> {
    let (id, operation) = (request.operation_id.clone(), request.operation.name());
    let (source, actor) = (request.source.clone(), request.actor.clone());
    let answer = allowed(system, request).await;
    // What cannot be an id is none of an entry either.
    if request::checked_id(&id).is_err() {
        return answer;
    }
    trail::noted(system, &Attempt { id: &id, operation, source: &source, actor: &actor }, answer).await
}

async fn allowed(system: &System, request: Request) -> Result<Outcome, Refused> {
    let request = request.checked()?;
    if let Some(outcome) = earlier_outcome(system, &request).await? {
        return Ok(outcome);
    }
    let name = &request.source;
    let source = system.source(name).ok_or_else(|| Fault::NoSource { source_name: name.clone() })?;
    let Operation::ReleaseLock(target) = &request.operation;
    let locks = release_lock::store(source)?;
    let guarded = release_lock::guard(system, source, locks, target).await;
    if !matches!(guarded, Ok(None)) {
        // What the guard sees may be the work of the same form, sent twice: then that one's outcome is the answer.
        return match (earlier_outcome(system, &request).await?, guarded?) {
            (Some(outcome), _) | (None, Some(outcome)) => Ok(outcome),
            (None, None) => Err(Refused::Unfinished),
        };
    }

    let Some(permit) = begin(system, &request).await? else {
        return earlier_outcome(system, &request).await?.ok_or(Refused::Unfinished);
    };
    let ended = match release_lock::mutate(locks, &permit, target).await {
        Ok(outcome) => Ended::Outcome(outcome),
        Err(fault) => Ended::Failed(fault),
    };
    complete(system, &permit, &ended).await?;
    system.pokes.poke(name, PanelName::Locks.as_str());
    match ended {
        Ended::Outcome(outcome) => Ok(outcome),
        Ended::Failed(fault) => Err(fault.into()),
    }
}

/// `None`: two of the same id came at once, and the other was first.
async fn begin(system: &System, request: &Request) -> Result<Option<Permit>, Refused> {
    let begin = Begin {
        operation_id: request.operation_id.clone(),
        operation: request.operation.name().to_owned(),
        source: request.source.clone(),
        actor: request.actor.name.clone(),
        origin: request.actor.origin.clone(),
        reason: request.reason.clone(),
        at: system.clock.now(),
        target: json(&request.operation)?,
    };
    match system.state.audit.begin(&begin).await {
        Ok(permit) => Ok(Some(permit)),
        Err(StateError::Exists(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

async fn complete(system: &System, permit: &Permit, ended: &Ended) -> Result<(), Refused> {
    let word = match ended {
        Ended::Outcome(outcome) => outcome.word(),
        Ended::Failed(_) => "failed",
    };
    let detail = json(ended)?;
    let id = permit.operation_id();
    let completed = system.state.audit.complete(id, system.clock.now(), word, &detail).await;
    // What happened must not be lost with the entry that should have said it.
    completed.inspect_err(|error| tracing::error!(operation = id, outcome = detail, %error, "an operation ran and could not be closed in the audit"))?;
    Ok(())
}

/// What the first run under this id did; waits a little while it is still running. `None`: there was none.
async fn earlier_outcome(system: &System, request: &Request) -> Result<Option<Outcome>, Refused> {
    for _ in 0..LOOKS {
        let Some(earlier) = system.state.audit.get(&request.operation_id).await? else { return Ok(None) };
        if earlier.target != json(&request.operation)? || earlier.source != request.source {
            return Err(Refused::IdTaken);
        }
        if let Some(detail) = earlier.detail {
            return match serde_json::from_str(&detail).map_err(unwritable)? {
                Ended::Outcome(outcome) => Ok(Some(outcome)),
                Ended::Failed(fault) => Err(fault.into()),
            };
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
    Err(Refused::Unfinished)
}

fn json<T: Serialize>(value: &T) -> Result<String, Refused> {
    serde_json::to_string(value).map_err(unwritable)
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn unwritable(error: serde_json::Error) -> Refused {
    StateError::Failed(format!("an audit entry is no JSON of ours: {error}")).into()
}
