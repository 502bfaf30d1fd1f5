//! The Overview of a source, from its panels and its minutes: nothing is asked of the source itself.

use super::{LiveReads, state_fault};
use crate::system::SourceSystem;
use app::model::{
    Attention, BrokerPanel, Course, Freshness, Layer, LocksPanel, Overview, Panel, RecordsPanel, SignalsPanel, Status,
    TimeRange, VerdictCode,
};
use chrono::{DateTime, TimeDelta, Utc};

impl LiveReads {
    pub(super) async fn overview_of(&self, source: &SourceSystem, range: TimeRange) -> Overview {
        let mut overview = self.standing_of(source);
        let (course, failed) = self.course_of(source, range, overview.now).await;
        if let Some(error) = failed {
            tracing::warn!(source = source.config.name, fault = %state_fault(&error), "no course for the overview");
            overview.attention.insert(0, Attention::NotSeen { layer: Layer::State, since: overview.now });
        }
        overview.course = course;
        if let Some(count) = self.retries_without_effect(source).await.filter(|count| *count > 0) {
            overview.attention.push(Attention::RetryNoEffect { count });
        }
        overview
    }

    /// `None`: the state does not say.
    async fn retries_without_effect(&self, source: &SourceSystem) -> Option<u64> {
        let name = &source.config.name;
        let ask = async {
            let asked = self.system.state.retries.without_effect(name).await;
            let untold = |error| tracing::warn!(source = name, fault = %state_fault(&error), "retries are not known");
            asked.map_err(untold).ok()
        };
        self.retries.get(name.clone(), || self.system.clock.instant(), ask).await
    }

    pub(super) fn standing_of(&self, source: &SourceSystem) -> Overview {
        let now = self.system.clock.now();
        let records: Panel<RecordsPanel> = self.panel(source, "records");
        let locks = self.locks_panel(source);
        let brokers = self.broker_panels(source);
        let signals = self.signals_panel(source);
        let mut attention = attention(&records, locks.as_ref(), &brokers, now);
        if let Some(signals) = &signals {
            attention.extend(reported(signals));
            attention.sort_by_key(|finding| !matches!(finding, Attention::NotSeen { .. }));
        }
        let name = source.config.name.clone();
        let course = Course::empty(TimeRange::default(), now);
        Overview { source: name, now, records, locks, signals, brokers, course, attention }
    }
}

/// What needs a person, worst first: what is not seen, then lost messages, then what may run twice, then the rest.
fn attention(
    records: &Panel<RecordsPanel>,
    locks: Option<&Panel<LocksPanel>>,
    brokers: &[Panel<BrokerPanel>],
    now: DateTime<Utc>,
) -> Vec<Attention> {
    let mut list = Vec::new();
    list.extend(not_seen(Layer::Records, records));
    list.extend(locks.and_then(|panel| not_seen(Layer::Lock, panel)));
    list.extend(brokers.iter().find_map(|panel| not_seen(Layer::Broker, panel)));
    let layer = |finding: &Attention| if let Attention::NotSeen { layer, .. } = finding { Some(*layer) } else { None };
    list.dedup_by_key(|finding| layer(finding));
    let verdicts = open_records(records, locks, brokers, now);
    let seen_locks = locks.and_then(seen);
    let lock_gone =
        |code| matches!(code, VerdictCode::Stuck | VerdictCode::StuckOrUnprotected | VerdictCode::Unprotected);
    let explained: u64 = verdicts.iter().filter(|line| lock_gone(line.0)).map(|line| line.1).sum();
    list.extend(verdicts.into_iter().map(|(verdict, count, oldest_at)| Attention::Records {
        verdict,
        count,
        oldest_at,
    }));
    if let Some(locks) = seen_locks {
        let unprotected = locks.unprotected.value.saturating_sub(explained);
        list.extend((unprotected > 0).then_some(Attention::UnprotectedRecords { count: unprotected }));
        list.extend((locks.eternal.value > 0).then_some(Attention::EternalLocks { count: locks.eternal.value }));
        list.extend(locks.shared_owner.clone().map(|owner| Attention::SharedOwner { owner }));
    }
    let dead_letters: u64 = brokers.iter().filter_map(seen).filter_map(BrokerPanel::dead_letters).sum();
    list.extend((dead_letters > 0).then_some(Attention::DeadLetters { count: dead_letters }));
    let unmapped = seen(records).and_then(|body| body.unmapped).map_or(0, |count| count.value);
    list.extend((unmapped > 0).then_some(Attention::UnmappedRecords { count: unmapped }));
    let orphan = seen_locks.map_or(0, |locks| locks.orphan.value);
    list.extend((orphan > 0).then_some(Attention::OrphanLocks { count: orphan }));
    list
}

/// What consumers report that needs a person.
fn reported(panel: &Panel<SignalsPanel>) -> Vec<Attention> {
    let mut list: Vec<Attention> = not_seen(Layer::Signals, panel).into_iter().collect();
    let Some(body) = seen(panel) else { return list };
    list.extend((body.total.leaked > 0).then_some(Attention::Leaked { count: body.total.leaked }));
    if let (Some(p99_ms), Some(ttl_ms)) = (body.recent.p99_ms, body.ttl_ms)
        && p99_ms > ttl_ms
    {
        list.push(Attention::OutlivesLock { p99_ms, ttl_ms });
    }
    list.extend((body.total.degraded > 0).then_some(Attention::Degraded { count: body.total.degraded }));
    list
}

/// What a panel says, unless it is known from before a failure only: that is no finding of now.
fn seen<T>(panel: &Panel<T>) -> Option<&T> {
    panel.body.as_ref().filter(|_| panel.trouble.is_none())
}

fn not_seen<T>(layer: Layer, panel: &Panel<T>) -> Option<Attention> {
    let trouble = panel.trouble.as_ref()?;
    // Locks are judged with their records: it may be the database that they miss.
    let layer = trouble.fault.layer().unwrap_or(layer);
    Some(Attention::NotSeen { layer, since: trouble.since })
}

/// Verdicts of open records that need a person, worst first, with how many and since when.
///
/// The locks collector judges each record whose lock it asks. Without locks, age and queues decide; with locks that
/// cannot be read, old records are unclear.
fn open_records(
    records: &Panel<RecordsPanel>,
    locks: Option<&Panel<LocksPanel>>,
    brokers: &[Panel<BrokerPanel>],
    now: DateTime<Utc>,
) -> Vec<(VerdictCode, u64, Option<DateTime<Utc>>)> {
    let aging = |verdict| {
        let body = seen(records)?;
        let count = body.aging?.value;
        let oldest =
            body.oldest.iter().find(|row| row.record.status == Status::Processing).and_then(|row| row.record.since());
        (count > 0).then_some((verdict, count, oldest))
    };
    match locks {
        None => aging(without_locks(records, brokers, now)).into_iter().collect(),
        Some(panel) => match (&panel.body, panel.freshness(now)) {
            (Some(body), Freshness::Live | Freshness::Stale) => {
                let mut lines: Vec<_> = body
                    .verdicts
                    .iter()
                    .filter_map(|line| Some((danger(line.verdict)?, line)))
                    .map(|(danger, line)| (danger, (line.verdict, line.count, line.oldest_at)))
                    .collect();
                lines.sort_by_key(|(danger, _)| *danger);
                lines.into_iter().map(|(_, line)| line).collect()
            }
            (_, Freshness::Waiting) => Vec::new(),
            _ => aging(VerdictCode::Unclear).into_iter().collect(),
        },
    }
}

fn without_locks(records: &Panel<RecordsPanel>, brokers: &[Panel<BrokerPanel>], now: DateTime<Utc>) -> VerdictCode {
    let seen: Option<Vec<BrokerPanel>> =
        brokers.iter().map(|panel| panel.body.clone().filter(|_| panel.freshness(now) == Freshness::Live)).collect();
    let oldest_reading = brokers.iter().filter_map(|panel| panel.read_at).min();
    // By our clock, which the brokers' panels carry too.
    let age_ms = records.body.as_ref().and_then(|body| body.oldest_age_ms).and_then(|ms| i64::try_from(ms).ok());
    let change = records.read_at.zip(age_ms).map(|(read_at, age_ms)| read_at - TimeDelta::milliseconds(age_ms));
    match (seen, oldest_reading) {
        (Some(panels), Some(read_at))
            if crate::diagnose::sight::Sums::of(&panels).sight(read_at, 0).nothing_since(change) =>
        {
            VerdictCode::Stuck
        }
        _ => VerdictCode::StuckOrUnprotected,
    }
}

/// `None`: it goes by itself.
fn danger(verdict: VerdictCode) -> Option<u8> {
    match verdict {
        VerdictCode::NotUnique => Some(0),
        VerdictCode::MarkerContradicts | VerdictCode::Leaked => Some(1),
        VerdictCode::Stuck | VerdictCode::Swallowed => Some(2),
        VerdictCode::FailedMessageGone => Some(3),
        VerdictCode::StuckOrUnprotected => Some(4),
        VerdictCode::Unprotected => Some(5),
        VerdictCode::InProgressAcked => Some(6),
        VerdictCode::ProcessingInDeadLetter | VerdictCode::FailedInDeadLetter => Some(7),
        VerdictCode::UnrecordedInDeadLetter => Some(8),
        VerdictCode::DuplicateInDeadLetter => Some(9),
        VerdictCode::Unclear => Some(10),
        VerdictCode::Unmapped
        | VerdictCode::FinishedLockHeld
        | VerdictCode::Healthy
        | VerdictCode::Dead
        | VerdictCode::InProgress
        | VerdictCode::WaitingBehindRecord
        | VerdictCode::Retrying
        | VerdictCode::FailedWaiting
        | VerdictCode::Failed
        | VerdictCode::Claiming
        | VerdictCode::NotConsumed
        | VerdictCode::Archived
        | VerdictCode::UnknownKey => None,
    }
}

#[cfg(test)]
#[path = "overview_tests.rs"]
mod tests;
