//! What the audit keeps of attempts that were refused, and of what somebody asks of a run.

use super::{Actor, Refused};
use crate::ports::trail::{Event, EventKind};
use crate::system::System;

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
pub(super) async fn noted<T>(
    system: &System,
    id: &str,
    actor: &Actor,
    answer: Result<T, Refused>,
) -> Result<T, Refused> {
    if let Err(why @ (Refused::Role { .. } | Refused::NotAllowed(_) | Refused::Phrase { .. })) = &answer {
        let body = serde_json::json!({ "why": why.to_string() }).to_string();
        note(system, id, actor, EventKind::Refused, body).await?;
    }
    answer
}
