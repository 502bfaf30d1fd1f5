//! Deletes minutes that no chart shows any more, once an hour, by whoever holds the lease.

use crate::lease;
use crate::system::System;
use crate::telemetry;
use chrono::TimeDelta;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

const EVERY: Duration = Duration::from_secs(3_600);
const KEPT: TimeDelta = TimeDelta::days(8);
/// Between two deletions of a thousand, so that other writers get their turn.
const REST: Duration = Duration::from_millis(200);

pub(super) async fn run(system: Arc<System>, holder: String, tracker: TaskTracker, shutdown: CancellationToken) {
    let name = "history/purge".to_owned();
    let (mut keeper, keeping) = lease::keep(&system.state.leases, &system.clock, name, holder, shutdown.clone());
    telemetry::task::spawn_on(&tracker, "lease", keeping);
    loop {
        let Some(lease) = shutdown.run_until_cancelled(keeper.held()).await else { return };
        let now = system.clock.now();
        let purged = match system.state.history.purge(&lease, now - KEPT).await {
            Ok(minutes) => system.state.reports.purge(&lease, now).await.map(|reports| minutes + reports),
            failed => failed,
        };
        let rest = match purged {
            Ok(0) => EVERY,
            Ok(_) => REST,
            Err(error) => {
                tracing::warn!(%error, "old minutes were not deleted");
                EVERY
            }
        };
        if shutdown.run_until_cancelled(tokio::time::sleep(rest)).await.is_none() {
            return;
        }
    }
}
