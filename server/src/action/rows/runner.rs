//! Takes confirmed plans up, one after the other, on whichever instance is first, and forgets those that nobody confirmed.

use super::work_off;
use crate::lease;
use crate::system::System;
use crate::telemetry;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

const EVERY: Duration = Duration::from_secs(1);
/// Looks between two times that old plans are forgotten.
const EXPIRE_EVERY: u32 = 60;

/// The tracker is closed and empty when it has ended after `shutdown`, between two batches of a run.
pub fn start(system: Arc<System>, shutdown: CancellationToken) -> TaskTracker {
    let tracker = TaskTracker::new();
    telemetry::task::spawn_on(&tracker, "operations", look(system, lease::holder(), shutdown));
    tracker.close();
    tracker
}

async fn look(system: Arc<System>, holder: String, shutdown: CancellationToken) {
    let mut looks = 0_u32;
    loop {
        if looks.is_multiple_of(EXPIRE_EVERY)
            && let Err(error) = system.state.jobs.expire(system.clock.now()).await
        {
            tracing::warn!(%error, "old plans were not forgotten");
        }
        looks = looks.wrapping_add(1);
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
