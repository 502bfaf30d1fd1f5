//! Begins runs when their time has come, and takes up those that wait or were left, on whichever instance is first.

use super::begin::{Ask, Missing, Speed, begin};
use super::{NotBegun, work_off};
use crate::action::request::Actor;
use crate::lease;
use crate::system::{SourceSystem, System};
use crate::telemetry;
use app::model::{ArchiveNote, Role};
use chrono::TimeDelta;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

const EVERY: Duration = Duration::from_secs(1);
/// What could not be begun for a fault is tried again.
const AFTER_FAILURE: Duration = Duration::from_secs(30);

/// The tracker is closed and empty when it has ended after `shutdown`, between two chunks of each run.
pub fn start(system: &Arc<System>, shutdown: &CancellationToken) -> TaskTracker {
    let tracker = TaskTracker::new();
    let holder = lease::holder();
    // Each source has its own, so that one night's run does not keep another from its window.
    for at in 0..system.sources.len() {
        if system.sources[at].archiver.is_some() {
            let task = look(Arc::clone(system), at, holder.clone(), shutdown.clone());
            telemetry::task::spawn_on(&tracker, "archive", task);
        }
    }
    tracker.close();
    tracker
}

async fn look(system: Arc<System>, at: usize, holder: String, shutdown: CancellationToken) {
    let source = &system.sources[at];
    // Of a run that cannot begin tonight: it is told once.
    let mut refused = None;
    loop {
        let mut wait = EVERY;
        if let Some((id, begun)) = begin_scheduled(&system, source, refused.as_deref()).await {
            match begun {
                Ok(()) => refused = Some(id),
                Err(NotBegun::Archive(refusal)) => {
                    tracing::error!(source = source.config.name, ?refusal, "tonight's archiving is refused");
                    refused = Some(id);
                }
                Err(error) => {
                    tracing::warn!(source = source.config.name, %error, "archiving does not begin yet");
                    wait = AFTER_FAILURE;
                }
            }
        }
        work_all(&system, source, &holder, &shutdown).await;
        if shutdown.run_until_cancelled(tokio::time::sleep(wait)).await.is_none() {
            return;
        }
    }
}

async fn work_all(system: &System, source: &SourceSystem, holder: &str, shutdown: &CancellationToken) {
    let runs = match system.state.archive_runs.to_run().await {
        Ok(runs) => runs,
        Err(error) => return tracing::warn!(%error, "whether there is something to archive is not known"),
    };
    for run in runs.into_iter().filter(|run| run.new.source == source.config.name) {
        let tell = |note: &ArchiveNote| tracing::info!(source = source.config.name, ?note, "archiving");
        if let Err(error) = work_off(system, &run.new.id, holder, shutdown, &tell).await {
            tracing::error!(run = run.new.id, %error, "a run that archives broke off; it is taken up again");
        }
    }
}

/// Each occurrence has one id, so that of several instances one begins it. `None`: it is not time, or this one is done.
async fn begin_scheduled(
    system: &System,
    source: &SourceSystem,
    done: Option<&str>,
) -> Option<(String, Result<(), NotBegun>)> {
    let archive = source.config.archive.as_ref()?;
    let came = archive.schedule.as_ref()?.last(system.clock.now(), source.config.timezone, archive.window)?;
    let id = format!("schedule/{}/{}", source.config.name, came.timestamp());
    if done == Some(id.as_str()) {
        return None;
    }
    let ask = Ask {
        operation_id: id.clone(),
        source: source.config.name.clone(),
        speed: Speed::Usual,
        missing: Missing::Refuse,
        planned: None,
        until: Some(came + TimeDelta::from_std(archive.window).ok()?),
        actor: Actor { name: "schedule".to_owned(), role: Role::Operator, origin: "schedule".to_owned() },
        reason: format!("schedule of [source.archive], {}", app::model::time::text(came)),
    };
    Some((id, begin(system, ask).await.map(drop)))
}
