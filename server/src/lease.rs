//! The lease of one background task: taken when it is free, renewed while the process lives, given back at the end.
//!
//! ```no_run
//! # fn example(system: &server::system::System, shutdown: tokio_util::sync::CancellationToken) {
//! let name = "collect/points/records".to_owned();
//! let (lease, keeping) = server::lease::keep(&system.state.leases, &system.clock, name, "this process".to_owned(), shutdown);
//! server::telemetry::task::spawn("lease", keeping);
//! # drop(lease); }
//! ```
//! The task then asks [`Keeper::current`] before each round (or waits in [`Keeper::held`]) and hands the lease to every
//! write, where the state database checks its fence: whatever this process believes about the time, somebody who took
//! over is never overwritten.

use crate::clock::Clock;
use crate::ports::state::{Lease, Leases, StateError};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// A lease lasts ten seconds, so that two renewals may fail before it is lost.
const RENEWED_EVERY: Duration = Duration::from_secs(3);
const AFTER_FAILURE: Duration = Duration::from_secs(1);
/// A renewal that hangs must leave time for another try.
const ANSWER_WITHIN: Duration = Duration::from_secs(3);

/// What a background task knows of its lease. Dropping it does not end the lease; the shutdown does.
#[derive(Clone)]
pub struct Keeper {
    held: watch::Receiver<Option<Lease>>,
    clock: Arc<dyn Clock>,
}

impl Keeper {
    /// `None`: another instance holds it, the state database is away for longer than it lasts, or it was given back.
    #[must_use]
    pub fn current(&self) -> Option<Lease> {
        self.held.borrow().clone().filter(|lease| self.clock.instant() < lease.deadline)
    }

    /// Waits until the lease is held. Never returns when it no longer can be: use it together with the shutdown.
    pub async fn held(&mut self) -> Lease {
        loop {
            if let Some(lease) = self.current() {
                return lease;
            }
            if self.held.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

/// Names one process: a holder that comes back after a restart is another one.
#[must_use]
pub fn holder() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// The second half must be spawned; it ends after `shutdown`, when the lease has been given back.
pub fn keep(
    leases: &Arc<dyn Leases>,
    clock: &Arc<dyn Clock>,
    name: String,
    holder: String,
    shutdown: CancellationToken,
) -> (Keeper, impl Future<Output = ()> + Send + use<>) {
    let (tell, held) = watch::channel(None);
    let keeper = Keeper { held, clock: clock.clone() };
    let keeping = Keeping { leases: leases.clone(), name, holder, tell, failing: false };
    (keeper, keeping.run(shutdown))
}

struct Keeping {
    leases: Arc<dyn Leases>,
    name: String,
    holder: String,
    tell: watch::Sender<Option<Lease>>,
    failing: bool,
}

impl Keeping {
    async fn run(mut self, shutdown: CancellationToken) {
        loop {
            let wait = self.step().await;
            if shutdown.run_until_cancelled(tokio::time::sleep(wait)).await.is_none() {
                break;
            }
        }
        self.give_back().await;
    }

    /// Takes or renews; returns how long to wait for the next step.
    async fn step(&mut self) -> Duration {
        let before = self.tell.borrow().clone();
        let answer = match &before {
            Some(lease) => in_time(self.leases.renew(lease)).await,
            None => in_time(self.leases.acquire(&self.name, &self.holder)).await,
        };
        match answer {
            Ok(now) => {
                self.note_change(before.as_ref(), now.as_ref());
                // What was lost may be free: nobody else need have taken it.
                let lost = before.is_some() && now.is_none();
                self.tell.send_replace(now);
                if lost { AFTER_FAILURE } else { RENEWED_EVERY }
            }
            Err(error) => {
                // The lease stays what it was: its own deadline ends it when the database does not come back.
                if !self.failing {
                    tracing::warn!(lease = self.name, %error, "the lease cannot be kept, trying again");
                }
                self.failing = true;
                AFTER_FAILURE
            }
        }
    }

    fn note_change(&mut self, before: Option<&Lease>, now: Option<&Lease>) {
        match (before, now) {
            (None, Some(lease)) => tracing::info!(lease = self.name, fence = lease.fence, "lease taken"),
            (Some(lease), None) => tracing::warn!(lease = self.name, fence = lease.fence, "lease lost"),
            (Some(_), Some(_)) | (None, None) if self.failing => {
                tracing::info!(lease = self.name, "the lease answers again");
            }
            (Some(_), Some(_)) | (None, None) => {}
        }
        self.failing = false;
    }

    async fn give_back(self) {
        let Some(lease) = self.tell.send_replace(None) else { return };
        if let Err(error) = in_time(self.leases.release(&lease)).await {
            tracing::warn!(lease = self.name, %error, "the lease was not given back; it ends by itself");
        }
    }
}

async fn in_time<T>(call: impl Future<Output = Result<T, StateError>>) -> Result<T, StateError> {
    let late = |_| StateError::Failed(format!("no answer within {} s", ANSWER_WITHIN.as_secs()));
    tokio::time::timeout(ANSWER_WITHIN, call).await.map_err(late)?
}
