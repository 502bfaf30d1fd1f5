//! What the audit keeps of attempts that were refused, and of what somebody asks of a run.

use super::{Actor, Refused};
use crate::ports::state::{Begin, StateError};
use crate::ports::trail::{Event, EventKind};
use crate::system::System;
use app::model::AuditRefusal;

/// What somebody tried.
pub(super) struct Attempt<'a> {
    /// The operation's own id; it may still be run under it.
    pub id: &'a str,
    pub operation: &'a str,
    pub source: &'a str,
    pub actor: &'a Actor,
}

pub(super) async fn note(
    system: &System,
    id: &str,
    actor: &Actor,
    kind: EventKind,
    body: String,
) -> Result<(), Refused> {
    let event = Event {
        operation_id: id.to_owned(),
        kind,
        actor: actor.name.clone(),
        origin: actor.origin.clone(),
        at: system.clock.now(),
        body,
    };
    Ok(system.state.trail.note(&event).await?)
}

/// Hands an answer on, and keeps it where it says that somebody may not. What cannot be done for other reasons is no attempt
/// at anything.
pub(super) async fn noted<T>(system: &System, attempt: &Attempt<'_>, answer: Result<T, Refused>) -> Result<T, Refused> {
    let refusal = match &answer {
        Err(Refused::Role { needed }) => AuditRefusal::Role { needed: *needed },
        Err(Refused::NotAllowed(why)) => AuditRefusal::NotAllowed { why: why.clone() },
        Err(Refused::Phrase { phrase }) => AuditRefusal::Phrase { phrase: phrase.clone() },
        _ => return answer,
    };
    refused(system, attempt, &refusal).await?;
    answer
}

/// The same of a job's plan, where only its id is known.
pub(super) async fn noted_of_job<T>(
    system: &System,
    id: &str,
    actor: &Actor,
    answer: Result<T, Refused>,
) -> Result<T, Refused> {
    if !matches!(&answer, Err(Refused::Role { .. } | Refused::NotAllowed(_) | Refused::Phrase { .. })) {
        return answer;
    }
    let job = system.state.jobs.job(id).await?;
    let (operation, source) =
        job.as_ref().map_or(("", ""), |job| (job.new.operation.as_str(), job.new.source.as_str()));
    noted(system, &Attempt { id, operation, source, actor }, answer).await
}

/// An entry of its own, a part of the operation's: begun, and ended by the refusal.
async fn refused(system: &System, attempt: &Attempt<'_>, refusal: &AuditRefusal) -> Result<(), Refused> {
    let now = system.clock.now();
    let begin = Begin {
        operation_id: format!("{}/refused/{}", attempt.id, uuid::Uuid::now_v7().simple()),
        operation: attempt.operation.to_owned(),
        source: attempt.source.to_owned(),
        actor: attempt.actor.name.clone(),
        origin: attempt.actor.origin.clone(),
        reason: String::new(),
        at: now,
        target: "{}".to_owned(),
    };
    let detail = serde_json::to_string(&serde_json::json!({ "refused": refusal }))
        .map_err(|error| StateError::Failed(error.to_string()))?;
    system.state.audit.begin(&begin).await?;
    Ok(system.state.audit.complete(&begin.operation_id, now, "refused", &detail).await?)
}
