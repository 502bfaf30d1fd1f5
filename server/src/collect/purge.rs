//! Makes hours of minutes that are about to go, and deletes what is older than it is kept; each hour, by whoever holds the
//! lease.

use crate::lease;
use crate::ports::state::{Lease, StateError};
use crate::system::System;
use crate::telemetry;
use app::model::TimeRange;
use chrono::{DateTime, TimeDelta, Utc};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

const EVERY: Duration = Duration::from_secs(3_600);
/// Reports by HTTP may be seven days late.
const SUMMED_UP_AFTER: TimeDelta = TimeDelta::hours(7 * 24 + 2);
/// For undo, and for whoever asks what a run did. The audit keeps it longer.
const RUNS_KEPT: TimeDelta = TimeDelta::days(90);
/// Between two steps, so that other writers get their turn.
const REST: Duration = Duration::from_millis(200);

pub(super) async fn run(system: Arc<System>, holder: String, tracker: TaskTracker, shutdown: CancellationToken) {
    let name = "history/purge".to_owned();
    let (mut keeper, keeping) = lease::keep(&system.state.leases, &system.clock, name, holder, shutdown.clone());
    telemetry::task::spawn_on(&tracker, "lease", keeping);
    loop {
        let Some(lease) = shutdown.run_until_cancelled(keeper.held()).await else { return };
        let rest = match step(&system, &lease, system.clock.now()).await {
            Ok(0) => EVERY,
            Ok(_) => REST,
            Err(error) => {
                tracing::warn!(%error, "old minutes were not summed up and deleted");
                EVERY
            }
        };
        if shutdown.run_until_cancelled(tokio::time::sleep(rest)).await.is_none() {
            return;
        }
    }
}

/// How much was done. No minute is deleted before its hour is made.
async fn step(system: &System, lease: &Lease, now: DateTime<Utc>) -> Result<u64, StateError> {
    let state = &system.state;
    let mut made = 0;
    for source in &system.sources {
        made += u64::from(state.hours.sum_up(lease, &source.config.name, now - SUMMED_UP_AFTER).await?);
    }
    if made > 0 {
        return Ok(made);
    }
    let minutes = state.history.purge(lease, now - TimeRange::MINUTES_KEPT).await?;
    let reports = state.reports.purge(lease, now).await?;
    let jobs = state.jobs.purge(lease, now - RUNS_KEPT).await?;
    Ok(minutes + reports + jobs + state.hours.purge(lease, now - TimeRange::KEPT).await?)
}
