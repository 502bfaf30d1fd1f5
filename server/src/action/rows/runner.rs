//! Takes confirmed plans up, one after the other, on whichever instance is first; forgets those that nobody confirmed, marks
//! operations in the audit that never ended, and looks whether retries had an effect.

use super::{retried, work_off};
use crate::lease;
use crate::ports::state::StateError;
use crate::system::System;
use crate::telemetry;
use chrono::TimeDelta;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

const EVERY: Duration = Duration::from_secs(1);
/// Whatever is no run has ended after a minute; nobody is told of one that is only slow.
const ENDS_WITHIN: TimeDelta = TimeDelta::minutes(15);
const TIDY_EVERY: Duration = Duration::from_secs(60);

/// The tracker is closed and empty when it has ended after `shutdown`, between two batches of a run.
pub fn start(system: Arc<System>, shutdown: CancellationToken) -> TaskTracker {
    let tracker = TaskTracker::new();
    telemetry::task::spawn_on(&tracker, "tidying operations", keep_tidy(system.clone(), shutdown.clone()));
    telemetry::task::spawn_on(&tracker, "operations", look(system, lease::holder(), shutdown));
    tracker.close();
    tracker
}

/// Beside the runs, which may take hours.
async fn keep_tidy(system: Arc<System>, shutdown: CancellationToken) {
    loop {
        if let Err(error) = tidy(&system).await {
            tracing::warn!(%error, "what operations left behind was not looked after");
        }
        if shutdown.run_until_cancelled(tokio::time::sleep(TIDY_EVERY)).await.is_none() {
            return;
        }
    }
}

async fn tidy(system: &System) -> Result<(), StateError> {
    let now = system.clock.now();
    system.state.jobs.expire(now).await?;
    system.state.trail.sweep(now - ENDS_WITHIN, now).await?;
    retried::look(system).await
}

async fn look(system: Arc<System>, holder: String, shutdown: CancellationToken) {
    loop {
        match system.state.jobs.to_run().await {
            Ok(jobs) => {
                for job in jobs {
                    if let Err(error) = work_off(&system, &job.new.id, &holder, &shutdown).await {
                        tracing::error!(job = job.new.id, %error, "a run broke off; it is taken up again");
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "whether there is something to run is not known"),
        }
        if shutdown.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_none() {
            return;
        }
    }
}
