//! One background task for each (source, panel): period, poke, status.
//!
//! It reads when its period is over or somebody pokes it, works in small paced steps in between, and writes what it
//! knows as one panel under its lease. A failure keeps the last body, adds the trouble and waits longer each time; the
//! other tasks do not notice. A step that fails, waits by itself, and is a problem on the panel, not its trouble.

use super::{Collector, backoff};
use crate::clock::millis;
use crate::lease::{self, Keeper};
use crate::ports::state::{Lease, StateError};
use crate::system::System;
use crate::telemetry::metric::{self, Metric};
use crate::telemetry::task;
use app::model::{Fault, Panel, Trouble};
use chrono::TimeDelta;
use futures::FutureExt;
use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// A reading that takes longer has hung somewhere; each statement in it is bounded far below.
const LONGEST_READING: Duration = Duration::from_secs(60);

/// How often a task looks whether it may run here.
const LOOK: Duration = Duration::from_millis(500);

/// Between two steps: long enough for a poke to be heard, and for a collector that had nothing to do, not too long.
const SHORTEST_REST: Duration = Duration::from_millis(5);
const LONGEST_REST: Duration = Duration::from_secs(600);

pub(super) struct Task<C: Collector> {
    pub system: Arc<System>,
    pub source: String,
    pub panel: String,
    pub holder: String,
    pub tracker: TaskTracker,
    pub shutdown: CancellationToken,
    pub collector: C,
    pub steps: Steps,
}

/// When the next step is due: reading in between does not shorten its rest.
#[derive(Debug, Default)]
pub(super) struct Steps {
    /// `None`: at once.
    next: Option<Instant>,
    failures: u32,
}

impl<C: Collector> Task<C> {
    /// Until the shutdown.
    pub(super) async fn run(mut self) {
        let mut panics = 0;
        while self.allowed().await.is_continue() {
            let tenure = self.shutdown.child_token();
            // Gives the lease back, also after a panic.
            let _end = tenure.clone().drop_guard();
            let name = format!("collect/{}/{}", self.source, self.panel);
            let leases = &self.system.state.leases;
            let (keeper, keeping) = lease::keep(leases, &self.system.clock, name, self.holder.clone(), tenure.clone());
            task::spawn_on(&self.tracker, "lease", keeping);
            // Whatever the collector has in memory is forgotten before it is used again.
            let ended = match AssertUnwindSafe(self.collect(keeper)).catch_unwind().await {
                Ok(ended) => ended,
                Err(_) => {
                    panics += 1;
                    self.note_panic();
                    let wait = backoff::after(panics, self.system.config.collect.period, &mut rand::rng());
                    within(&self.shutdown, tokio::time::sleep(wait)).await
                }
            };
            self.collector.stop();
            if ended.is_break() {
                return;
            }
        }
    }

    fn note_panic(&self) {
        let name = format!("collect/{}/{}", self.source, self.panel);
        metric::count(Metric::TaskPanics, &[("task", &name)]);
        tracing::error!(task = name, "a collector panicked and starts anew");
    }

    async fn allowed(&self) -> ControlFlow<()> {
        while !self.collector.may_run() {
            within(&self.shutdown, tokio::time::sleep(LOOK)).await?;
        }
        ControlFlow::Continue(())
    }

    /// Reads and writes while it may run here. `Break`: shutdown.
    async fn collect(&mut self, mut keeper: Keeper) -> ControlFlow<()> {
        let mut fence = None;
        let mut panel = self.known();
        let mut failures = 0;
        while self.collector.may_run() {
            let Some(lease) = self.lease(&mut keeper).await? else {
                fence = None;
                continue;
            };
            if fence.replace(lease.fence) != Some(lease.fence) {
                // Somebody else may have worked in between: what is in memory is from another time.
                self.collector.start();
                self.steps = Steps::default();
                panel = self.known();
            }
            let started = self.system.clock.instant();
            let read = self.read().await?;
            let pause = self.note(&mut panel, &mut failures, read, started);
            if let Err(error) = self.publish(&lease, &mut panel).await {
                tracing::warn!(source = self.source, panel = self.panel, %error, "a panel was not written");
            }
            if failures == 0
                && let Err(error) = self.collector.keep(&lease).await
            {
                tracing::warn!(source = self.source, panel = self.panel, %error, "progress was not kept");
            }
            self.pause(&keeper, started + pause, failures == 0).await?;
        }
        ControlFlow::Continue(())
    }

    /// The lease; `None` when there is none for now. The collector is told, so that nobody rests on its memory.
    async fn lease(&mut self, keeper: &mut Keeper) -> ControlFlow<(), Option<Lease>> {
        if let Some(lease) = keeper.current() {
            return ControlFlow::Continue(Some(lease));
        }
        self.collector.stop();
        let waited = within(&self.shutdown, tokio::time::timeout(LOOK, keeper.held())).await?;
        ControlFlow::Continue(waited.ok())
    }

    async fn read(&mut self) -> ControlFlow<(), Result<C::Body, Fault>> {
        let read = within(&self.shutdown, tokio::time::timeout(LONGEST_READING, self.collector.read())).await?;
        let hung = |_| Err(Fault::TimedOut { layer: C::LAYER, after_ms: millis(LONGEST_READING) });
        ControlFlow::Continue(read.unwrap_or_else(hung))
    }

    /// What the board has from before: a restart or another instance's work. Its trouble is found anew.
    fn known(&self) -> Panel<C::Body> {
        let mut panel = self.system.board.panel(&self.source, &self.panel).unwrap_or_else(|| Panel::waiting(0));
        panel.period_ms = millis(self.system.config.collect.period);
        panel
    }

    /// Takes the result into the panel; returns how long after `started` the next reading is due.
    fn note(
        &self,
        panel: &mut Panel<C::Body>,
        failures: &mut u32,
        read: Result<C::Body, Fault>,
        started: Instant,
    ) -> Duration {
        let labels = &[("source", self.source.as_str()), ("panel", self.panel.as_str())];
        let took = self.system.clock.instant().saturating_duration_since(started);
        let now = self.system.clock.now();
        let period = self.system.config.collect.period;
        match read {
            Ok(body) => {
                metric::observe(Metric::CollectSeconds, labels, took);
                if panel.trouble.is_some() {
                    tracing::info!(source = self.source, panel = self.panel, "reading works again");
                }
                *failures = 0;
                (panel.read_at, panel.trouble, panel.body) = (Some(now), None, Some(body));
                period.max(took)
            }
            Err(fault) => {
                metric::count(Metric::CollectFailures, labels);
                if panel.trouble.is_none() {
                    tracing::warn!(source = self.source, panel = self.panel, %fault, "a panel could not be read");
                }
                *failures += 1;
                let wait = took + backoff::after(*failures, period, &mut rand::rng());
                let since = panel.trouble.as_ref().map_or(now, |trouble| trouble.since);
                let next_try_at = now + TimeDelta::from_std(wait.saturating_sub(took)).unwrap_or_default();
                panel.trouble = Some(Trouble { fault, since, attempts: *failures, next_try_at });
                wait
            }
        }
    }

    async fn publish(&self, lease: &Lease, panel: &mut Panel<C::Body>) -> Result<(), StateError> {
        let json = serde_json::to_string(panel).map_err(|error| StateError::Failed(error.to_string()))?;
        panel.version = self.system.state.snapshots.put(lease, &self.source, &self.panel, &json).await?;
        self.system.board.put(&self.source, &self.panel, panel.version, &json);
        if let (Some(at), None, Some(body)) = (panel.read_at, &panel.trouble, &panel.body)
            && let Some(minute) = self.collector.minute(at, body)
        {
            self.system.state.history.put(lease, &self.source, &minute).await?;
        }
        Ok(())
    }

    /// Until `next` or a poke. Meanwhile, while reading works, the collector works in steps.
    async fn pause(&mut self, keeper: &Keeper, next: Instant, steps: bool) -> ControlFlow<()> {
        let bell = self.system.pokes.bell(&self.source, &self.panel);
        loop {
            let now = self.system.clock.instant();
            let left = next.saturating_duration_since(now);
            if left.is_zero() || keeper.current().is_none() {
                return ControlFlow::Continue(());
            }
            let mut rest = left.min(LOOK);
            if steps {
                let due_in = self.steps.next.map_or(Duration::ZERO, |due| due.saturating_duration_since(now));
                if due_in.is_zero() {
                    self.step().await?;
                    continue;
                }
                rest = rest.min(due_in);
            }
            if within(&self.shutdown, tokio::time::timeout(rest, bell.notified())).await?.is_ok() {
                return ControlFlow::Continue(());
            }
        }
    }

    /// One step, and when the next one is due.
    async fn step(&mut self) -> ControlFlow<()> {
        let stepped = within(&self.shutdown, self.collector.step()).await?;
        let rest = match stepped {
            Ok(rest) => {
                self.steps.failures = 0;
                rest
            }
            Err(fault) => {
                if self.steps.failures == 0 {
                    tracing::warn!(source = self.source, panel = self.panel, %fault, "background reading failed");
                }
                metric::count(Metric::CollectFailures, &[("source", &self.source), ("panel", &self.panel)]);
                self.steps.failures += 1;
                backoff::after(self.steps.failures, self.system.config.collect.period, &mut rand::rng())
            }
        };
        let rest = rest.clamp(SHORTEST_REST, LONGEST_REST);
        self.steps.next = Some(self.system.clock.instant() + rest);
        ControlFlow::Continue(())
    }
}

async fn within<T>(shutdown: &CancellationToken, work: impl Future<Output = T>) -> ControlFlow<(), T> {
    shutdown.run_until_cancelled(work).await.map_or(ControlFlow::Break(()), ControlFlow::Continue)
}
