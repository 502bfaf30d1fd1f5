//! Reads the audit's chains again in the background, a thousand rows at a time, and keeps how far it is and what it found:
//! every instance shows it.

use crate::lease;
use crate::ports::audit_log::{Verified, Walked};
use crate::ports::state::StateError;
use crate::system::System;
use crate::telemetry::task;
use app::model::{AuditBreak, ChainCheck, ChainState};
use chrono::{DateTime, TimeDelta, Utc};
use std::sync::Arc;
use std::time::Duration;

const LEASE: &str = "audit/check";
/// Between two steps, so that others get their turn.
const REST: Duration = Duration::from_millis(10);
const WRITTEN_EVERY: TimeDelta = TimeDelta::seconds(1);
/// A small audit is through at once: whoever asked sees what came of it.
const PATIENCE: Duration = Duration::from_secs(2);

/// The last time that they were read; `None`: never.
pub async fn last(system: &System) -> Result<Option<ChainCheck>, StateError> {
    let kept = system.state.audit_log.checked().await?;
    kept.map(|body| serde_json::from_str(&body).map_err(unreadable)).transpose()
}

/// Begins to read them, unless somebody does already; a moment later it has ended or goes on by itself.
pub async fn check(system: &Arc<System>, by: &str) -> Result<(), StateError> {
    let holder = lease::holder();
    let Some(held) = system.state.leases.acquire(LEASE, &holder).await? else { return Ok(()) };
    let now = system.clock.now();
    let begun = ChainCheck { begun_at: now, at: now, by: by.to_owned(), rows: 0, of: 0, state: ChainState::Checking };
    keep(system, &begun).await?;
    let (working, ended) = (Arc::clone(system), begun.clone());
    let mut reading = task::spawn("audit check", async move {
        if let Err(error) = read(&working, held, ended.clone()).await {
            tracing::error!(%error, "the audit's chains could not be read to their end");
            let failed = ChainCheck { at: working.clock.now(), state: ChainState::Failed, ..ended };
            if let Err(error) = keep(&working, &failed).await {
                tracing::error!(%error, "that it failed could not be kept: the page goes on saying that it is checked");
            }
        }
    });
    tokio::time::timeout(PATIENCE, &mut reading).await.ok();
    Ok(())
}

async fn read(system: &System, mut held: crate::ports::state::Lease, mut check: ChainCheck) -> Result<(), StateError> {
    let mut walked = Walked::default();
    loop {
        let fenced = || StateError::Fenced { name: LEASE.to_owned() };
        held = system.state.leases.renew(&held).await?.ok_or_else(fenced)?;
        let now = system.clock.now();
        match system.state.audit_log.verify(walked).await? {
            Verified::On(further) => {
                if now - check.at >= WRITTEN_EVERY {
                    check = far(check, &further, now, ChainState::Checking);
                    keep(system, &check).await?;
                }
                walked = further;
            }
            Verified::Whole(whole) => {
                keep(system, &far(check, &whole, now, ChainState::Whole)).await?;
                break;
            }
            Verified::Broken(at) => {
                tell(&at);
                keep(system, &ChainCheck { at: now, state: ChainState::Broken { at }, ..check }).await?;
                break;
            }
        }
        tokio::time::sleep(REST).await;
    }
    system.state.leases.release(&held).await
}

fn far(check: ChainCheck, walked: &Walked, at: DateTime<Utc>, state: ChainState) -> ChainCheck {
    let rows = unsigned(walked.beginnings.id) + unsigned(walked.events.id);
    let given = [&walked.beginnings, &walked.events].map(|chain| chain.given.unwrap_or(0)).into_iter().sum();
    ChainCheck { at, rows, of: unsigned(given).max(rows), state, ..check }
}

fn tell(at: &AuditBreak) {
    tracing::error!(?at, "the audit is not what was written");
}

async fn keep(system: &System, check: &ChainCheck) -> Result<(), StateError> {
    let body = serde_json::to_string(check).map_err(unreadable)?;
    system.state.audit_log.keep_check(&body).await
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn unreadable(error: serde_json::Error) -> StateError {
    StateError::Failed(format!("what is kept of the audit's check: {error}"))
}
