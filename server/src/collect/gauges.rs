//! What `/metrics` says of the sources: only of panels that are live, and as long as they are. Every instance says it, so
//! several are put together by `max`, not `sum`.

use super::brokers;
use crate::live::Body;
use crate::system::{SourceSystem, System};
use crate::telemetry::metric::{self, Metric};
use app::model::{BrokerPanel, Freshness, LocksPanel, PanelName, RecordsPanel, Status};
use std::time::Duration;

/// Sets the gauges of everything that is live on the board.
pub fn set(system: &System) {
    for source in &system.sources {
        let name = source.config.name.as_str();
        if let Some(body) = live(system, source, PanelName::Records.as_str()) {
            records(name, &body);
        }
        if let Some(body) = live(system, source, PanelName::Locks.as_str()) {
            locks(name, &body);
        }
        for at in 0..source.brokers.len() {
            if let Some(body) = live(system, source, &brokers::panel(at)) {
                messages(name, &body);
            }
        }
    }
}

fn live<T: Body>(system: &System, source: &SourceSystem, panel: &str) -> Option<T> {
    let panel = system.board.panel::<T>(&source.config.name, panel)?;
    if panel.freshness(system.clock.now()) == Freshness::Live { panel.body } else { None }
}

fn records(source: &str, body: &RecordsPanel) {
    if !body.counts_are_whole() {
        return;
    }
    for (status, count) in [
        (Status::Processing, body.processing),
        (Status::Completed, body.completed),
        (Status::Failed, body.failed),
        (Status::Dead, body.dead),
        (Status::Unmapped, body.unmapped),
    ] {
        if let Some(count) = count {
            metric::set(Metric::Records, &[("source", source), ("status", status.as_str())], gauge(count.value));
        }
    }
    if let Some(age_ms) = body.oldest_age_ms {
        let seconds = Duration::from_millis(age_ms).as_secs_f64();
        metric::set(Metric::OldestProcessingAge, &[("source", source)], seconds);
    }
}

fn locks(source: &str, body: &LocksPanel) {
    for (state, count) in [
        ("held", body.held),
        ("expiring", body.expiring),
        ("done", body.done),
        ("eternal", body.eternal),
        ("orphan", body.orphan),
        ("unprotected", body.unprotected),
    ] {
        metric::set(Metric::Locks, &[("source", source), ("state", state)], gauge(count.value));
    }
}

fn messages(source: &str, body: &BrokerPanel) {
    for queue in &body.queues {
        let name = queue.full_name();
        for (state, count) in [("ready", queue.ready), ("unacked", queue.unacked)] {
            if let Some(count) = count {
                let labels = &[("source", source), ("queue", name.as_str()), ("state", state)];
                metric::set(Metric::BrokerMessages, labels, gauge(count));
            }
        }
    }
}

/// A gauge is a double: exact up to 2^53.
#[expect(clippy::cast_precision_loss, reason = "counts beyond 2^53 do not occur")]
fn gauge(count: u64) -> f64 {
    count as f64
}
