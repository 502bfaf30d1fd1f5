//! Background reading: one task for each (source, panel), period + poke + status, no input.
//! What they read goes to the state database as snapshot rows and from there, on every instance, to the [`crate::live::Board`].
//!
//! [`start`] starts them all. A [`Collector`] knows how to read one panel; [`task`] knows when, under which lease, and
//! what to do when it fails; [`follow`] brings what other instances wrote.

mod ages;
mod backoff;
mod brokers;
mod follow;
pub mod gauges;
mod ground;
mod handling;
mod judged;
mod keyspace;
mod locks;
mod marks;
mod progress;
mod purge;
mod recheck;
mod records;
mod signals;
mod sweep;
mod tail;
mod tally;
mod targets;
mod task;
mod track;
mod tracks;
mod watch;

use crate::lease;
use crate::live::Body;
use crate::ports::state::{Lease, StateError};
use crate::system::{SourceSystem, System};
use crate::telemetry;
use app::model::{Fault, Layer, Minute, RecordsPanel};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use task::Task;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Reads one panel. Only its task calls it, and only while it holds the panel's lease.
#[async_trait]
trait Collector: Send + Sync {
    type Body: Serialize + Body;
    /// Blamed when a reading hangs.
    const LAYER: Layer;

    /// Whether this instance is the right one to ask for the lease.
    fn may_run(&self) -> bool {
        true
    }

    /// The lease was taken: forget what was known.
    fn start(&mut self) {}

    /// The lease is gone.
    fn stop(&mut self) {}

    async fn read(&mut self) -> Result<Self::Body, Fault>;

    /// A small piece of background work, at most one bounded question; returns how long to rest before the next. A fault
    /// is the collector's to show among its panel's problems.
    async fn step(&mut self) -> Result<Duration, Fault> {
        Ok(Duration::MAX)
    }

    /// Writes what the next start should know, after a reading that worked.
    async fn keep(&mut self, _lease: &Lease) -> Result<(), StateError> {
        Ok(())
    }

    /// What of it belongs into the minute's history.
    fn minute(&self, at: DateTime<Utc>, body: &Self::Body) -> Option<Minute>;
}

/// The reading of one source's records by hand, without a task around it: benches measure its cycles.
pub struct RecordsReading(records::Records);

impl RecordsReading {
    #[must_use]
    pub fn new(source: &SourceSystem, system: &System) -> Self {
        let mut records = records::Records::new(source, system, system.open_sets.of(&source.config.name));
        records.start();
        Self(records)
    }

    /// What is done once each period.
    pub async fn cycle(&mut self) -> Result<RecordsPanel, Fault> {
        self.0.read().await
    }

    /// What is done in between; returns how long to rest.
    pub async fn step(&mut self) -> Result<Duration, Fault> {
        self.0.step().await
    }
}

/// Starts all background reading; the tracker is closed and empty when all of it has ended after `shutdown`.
pub fn start(system: Arc<System>, shutdown: CancellationToken) -> TaskTracker {
    let tracker = TaskTracker::new();
    let starter = Starter { holder: lease::holder(), system, tracker: tracker.clone(), shutdown };
    for source in &starter.system.sources {
        starter.source(source);
    }
    let follow = follow::run(starter.system.clone(), starter.shutdown.clone());
    telemetry::task::spawn_on(&tracker, "collect/follow", follow);
    let purge = purge::run(starter.system.clone(), starter.holder.clone(), tracker.clone(), starter.shutdown.clone());
    telemetry::task::spawn_on(&tracker, "collect/purge", purge);
    tracker.close();
    tracker
}

struct Starter {
    system: Arc<System>,
    /// Of all leases of this process.
    holder: String,
    tracker: TaskTracker,
    shutdown: CancellationToken,
}

impl Starter {
    fn source(&self, source: &SourceSystem) {
        let open = self.system.open_sets.of(&source.config.name);
        self.panel(source, "records".into(), records::Records::new(source, &self.system, open.clone()));
        if let Some(collector) = locks::Locks::new(source, &self.system, open) {
            self.panel(source, "locks".into(), collector);
        }
        if let Some(collector) = signals::Signals::new(source, &self.system) {
            self.panel(source, "signals".into(), collector);
        }
        for at in 0..source.brokers.len() {
            let collector = brokers::Broker::new(source, &self.system, at);
            self.panel(source, brokers::panel(at), collector);
        }
    }

    fn panel<C: Collector + 'static>(&self, source: &SourceSystem, panel: String, collector: C) {
        let name = format!("collect/{}/{panel}", source.config.name);
        let task = Task {
            system: self.system.clone(),
            source: source.config.name.clone(),
            panel,
            holder: self.holder.clone(),
            tracker: self.tracker.clone(),
            shutdown: self.shutdown.clone(),
            collector,
            steps: task::Steps::default(),
        };
        telemetry::task::spawn_on(&self.tracker, name, task.run());
    }
}

/// The first instant of the minute of `at`.
fn minute_of(at: DateTime<Utc>) -> DateTime<Utc> {
    at - chrono::TimeDelta::nanoseconds(at.timestamp_nanos_opt().unwrap_or(0).rem_euclid(60_000_000_000))
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
