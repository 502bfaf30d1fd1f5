//! The locks of one source: those of its open records, those that were seen held before, and those that the search of
//! the key space has found.
//!
//! Records are read before their locks. Where a lock is missing, its record is read once more: only one that is still
//! processing, unchanged, was without a lock in between.

use super::brokers;
use super::keyspace::Keyspace;
use super::targets::{Cycle, Targets};
use super::{Collector, minute_of, signed};
use crate::clock::{Clock, millis};
use crate::diagnose::sight;
use crate::diagnose::{BrokerSight, Facets, LockRules, judge};
use crate::live::Shared;
use crate::ports::locks::{LockStore, Reading};
use crate::system::{SourceSystem, System};
use app::model::{
    BrokerPanel, Count, Fault, Freshness, Layer, Lock, LockRow, LockState, LocksPanel, Minute, Panel, Quality,
    RecordRef, Row, Status, VerdictCode, VerdictCount,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// Redis keys of one pipeline, by the port's contract.
const KEYS: usize = 1_000;
/// Rows on the panel.
const ROWS: usize = 200;
/// So many locks with one owner are no coincidence.
const SHARED: usize = 3;

pub(super) struct Locks {
    system: Arc<System>,
    source: String,
    store: Arc<dyn LockStore>,
    clock: Arc<dyn Clock>,
    rules: LockRules,
    pattern: String,
    broker_lag_ms: u64,
    brokers: usize,
    targets: Targets,
    keyspace: Keyspace,
    /// Seen at some time; until locks are seen that tell their holders apart.
    shared_owner: Option<String>,
    problem: Option<Fault>,
}

/// One lock as judged.
struct Judged {
    row: LockRow,
    verdict: Option<(VerdictCode, Option<DateTime<Utc>>)>,
}

impl Locks {
    /// `None`: the source has no locks.
    pub(super) fn new(source: &SourceSystem, system: &Arc<System>, open: Arc<Shared>) -> Option<Self> {
        Some(Self {
            system: system.clone(),
            source: source.config.name.clone(),
            store: source.locks.clone()?,
            clock: system.clock.clone(),
            rules: source.lock_rules()?,
            pattern: source.config.locks.as_ref()?.pattern.clone(),
            broker_lag_ms: source.brokers.iter().map(|broker| broker.lag_ms()).max().unwrap_or(0),
            brokers: source.brokers.len(),
            targets: Targets::new(source, system, open)?,
            keyspace: Keyspace::default(),
            shared_owner: None,
            problem: None,
        })
    }

    async fn readings(&self, keys: &[String]) -> Result<Vec<Reading>, Fault> {
        let mut readings = Vec::with_capacity(keys.len());
        for part in keys.chunks(KEYS) {
            readings.extend(self.store.read(part).await?);
        }
        Ok(readings)
    }

    /// Primary keys of records that were processing, unchanged, before and after their lock was found missing.
    async fn without_lock(&self, cycle: &Cycle, readings: &[Reading]) -> Result<HashSet<RecordRef>, Fault> {
        let suspects: Vec<&Row> = cycle
            .targets
            .values()
            .zip(readings)
            .filter(|(_, reading)| **reading == Reading::Absent)
            .filter_map(|(target, _)| target.row.as_ref())
            .filter(|row| {
                row.record.status == Status::Processing && row.record.lease_until.is_none_or(|until| until <= cycle.now)
            })
            .collect();
        let references: Vec<RecordRef> = suspects.iter().map(|row| row.reference.clone()).collect();
        let again: HashMap<RecordRef, Row> =
            self.targets.rows(&references).await?.into_iter().map(|row| (row.reference.clone(), row)).collect();
        Ok(suspects
            .into_iter()
            .filter(|row| again.get(&row.reference) == Some(row))
            .map(|row| row.reference.clone())
            .collect())
    }

    fn broker(&self) -> BrokerSight {
        if self.brokers == 0 {
            return BrokerSight::NotConfigured;
        }
        let now = self.clock.now();
        let panels: Vec<Panel<BrokerPanel>> =
            (0..self.brokers).filter_map(|at| self.system.board.panel(&self.source, &brokers::panel(at))).collect();
        let bodies: Option<Vec<BrokerPanel>> =
            panels.iter().map(|panel| panel.body.clone().filter(|_| panel.freshness(now) == Freshness::Live)).collect();
        match (bodies, panels.iter().filter_map(|panel| panel.read_at).min()) {
            (Some(bodies), Some(read_at)) if bodies.len() == self.brokers => {
                sight::Sums::of(&bodies).sight(read_at, self.broker_lag_ms)
            }
            _ => BrokerSight::NotSeen,
        }
    }

    fn judge(&self, cycle: &Cycle, readings: &[Reading], unprotected: &HashSet<RecordRef>) -> Vec<Judged> {
        let (broker, local) = (self.broker().by_clock_ahead(cycle.ahead), self.clock.instant());
        let judged = cycle.targets.iter().zip(readings).map(|((key, target), reading)| {
            let record = target.row.as_ref().map(|row| &row.record);
            let behind = sight::behind(record, cycle.now);
            let seen_for = self.targets.watch.seen_for(key, reading, local);
            let (mut lock, sight) = sight::lock(&self.rules, key, reading, behind, seen_for);
            let not_releasable = self.rules.not_releasable(&lock, behind, seen_for, None);
            let verdict = record.filter(|_| target.open).map(|record| {
                let facets = Facets {
                    records: vec![record.clone()],
                    lock: sight,
                    broker: broker.clone(),
                    now: cycle.now,
                    minimum_age: self.rules.minimum_age,
                };
                (judge(&facets).code, record.since())
            });
            if target.row.as_ref().is_some_and(|row| unprotected.contains(&row.reference)) {
                lock.state = LockState::Unprotected;
            }
            let named = target.named.first();
            Judged {
                row: LockRow {
                    lock,
                    r#type: named.and_then(|named| named.r#type.clone()),
                    key: named.map_or_else(|| key.clone(), |named| named.key.clone()),
                    record_status: record.map(|record| record.status),
                    reference: target.row.as_ref().map(|row| row.reference.clone()),
                    watched_ms: millis(seen_for),
                    not_releasable,
                },
                verdict,
            }
        });
        judged.collect()
    }

    fn panel(&mut self, judged: Vec<Judged>, sampled: bool) -> LocksPanel {
        let asked = if sampled { Quality::Capped } else { Quality::Exact };
        let searched = if self.keyspace.quality() == Quality::Exact { asked } else { self.keyspace.quality() };
        let count = |state, quality| {
            let value = judged.iter().filter(|judged| judged.row.lock.state == state).count() as u64;
            Count { value, quality }
        };
        match owners(judged.iter().map(|judged| &judged.row.lock)) {
            Owners::Few => {}
            Owners::Distinct => self.shared_owner = None,
            Owners::Shared(owner) => self.shared_owner = Some(owner.to_owned()),
        }
        let mut panel = LocksPanel {
            store: self.store.address(),
            pattern: self.pattern.clone(),
            held: count(LockState::Held, asked),
            expiring: count(LockState::Expiring, asked),
            done: self.keyspace.done(),
            eternal: count(LockState::Eternal, searched),
            orphan: count(LockState::Orphan, searched),
            unprotected: count(LockState::Unprotected, asked),
            verdicts: verdicts(&judged),
            scan: Some(self.keyspace.pass()),
            rows: judged.into_iter().map(|judged| judged.row).filter(|row| danger(row.lock.state).is_some()).collect(),
            shared_owner: self.shared_owner.clone(),
            problems: self.problem.iter().cloned().collect(),
        };
        panel.rows.sort_by(|a, b| {
            let by = |row: &LockRow| (danger(row.lock.state), row.lock.ttl_ms);
            by(a).cmp(&by(b)).then_with(|| a.lock.key.cmp(&b.lock.key))
        });
        panel.rows.truncate(ROWS);
        if let Some(shared) = &panel.shared_owner {
            for row in &mut panel.rows {
                if row.not_releasable.is_none() && row.lock.owner.as_ref() == Some(shared) {
                    row.not_releasable = Some(app::model::WhyNot::SharedOwner { owner: shared.clone() });
                }
            }
        }
        panel
    }

    fn remember(&mut self, cycle: Cycle, readings: &[Reading]) {
        let now = self.clock.instant();
        for ((key, target), reading) in cycle.targets.into_iter().zip(readings) {
            let reference = target.row.map(|row| row.reference);
            self.targets.watch.note(&key, target.named, reference, self.held_by(reading), now);
        }
    }

    fn held_by<'a>(&self, reading: &'a Reading) -> Option<&'a str> {
        match reading {
            Reading::Value { value, .. } if !self.rules.is_done(value) => Some(value),
            Reading::Value { .. } | Reading::Absent | Reading::OtherType { .. } => None,
        }
    }

    /// One step of the search; returns how long to rest.
    async fn search(&mut self) -> Result<Duration, Fault> {
        let began = self.clock.instant();
        self.keyspace.begin_round(self.clock.now());
        let scanned = self.store.scan(&self.targets.keys.glob(), self.keyspace.cursor()).await?;
        let new: Vec<String> = scanned.keys.into_iter().filter(|key| !self.targets.watch.contains(key)).collect();
        let readings = self.readings(&new).await?;
        let now = self.clock.instant();
        let mut done = 0;
        for (key, reading) in new.iter().zip(&readings) {
            match (reading, self.held_by(reading)) {
                (_, Some(owner)) => {
                    let named = self.targets.keys.parse(key);
                    if !named.is_empty() {
                        self.targets.watch.note(key, named, None, Some(owner), now);
                    }
                }
                (Reading::Value { .. }, None) => done += 1,
                (Reading::Absent | Reading::OtherType { .. }, None) => {}
            }
        }
        let took = now.saturating_duration_since(began);
        Ok(self.keyspace.note(scanned.next, scanned.examined, scanned.total, done, took))
    }
}

#[async_trait]
impl Collector for Locks {
    type Body = LocksPanel;
    const LAYER: Layer = Layer::Lock;

    /// Where the open set is.
    fn may_run(&self) -> bool {
        self.targets.lead()
    }

    fn start(&mut self) {
        self.targets.start();
        (self.keyspace, self.shared_owner, self.problem) = (Keyspace::default(), None, None);
    }

    async fn read(&mut self) -> Result<LocksPanel, Fault> {
        let cycle = self.targets.cycle().await?;
        let keys: Vec<String> = cycle.targets.keys().cloned().collect();
        let readings = self.readings(&keys).await?;
        let unprotected = self.without_lock(&cycle, &readings).await?;
        let judged = self.judge(&cycle, &readings, &unprotected);
        let panel = self.panel(judged, cycle.sampled);
        self.remember(cycle, &readings);
        Ok(panel)
    }

    async fn step(&mut self) -> Result<Duration, Fault> {
        let rest = self.search().await;
        self.problem = rest.as_ref().err().cloned();
        rest
    }

    fn minute(&self, at: DateTime<Utc>, body: &LocksPanel) -> Option<Minute> {
        Some(Minute {
            locks_held: Some(signed(body.held.value + body.expiring.value)),
            locks_wrong: Some(signed(body.eternal.value + body.orphan.value + body.unprotected.value)),
            ..Minute::empty(minute_of(at))
        })
    }
}

/// Worst first; `None`: nothing to look at.
fn danger(state: LockState) -> Option<u8> {
    match state {
        LockState::Eternal => Some(0),
        LockState::Unprotected => Some(1),
        LockState::Orphan => Some(2),
        LockState::Unknown => Some(3),
        LockState::Expiring => Some(4),
        LockState::Held => Some(5),
        LockState::Done | LockState::None => None,
    }
}

/// Whether the owners of locks that were seen together tell them apart.
enum Owners<'a> {
    /// Too few to say.
    Few,
    Distinct,
    Shared(&'a str),
}

fn owners<'a>(locks: impl Iterator<Item = &'a Lock>) -> Owners<'a> {
    let owners: Vec<&str> = locks.filter_map(|lock| lock.owner.as_deref()).collect();
    match owners.first() {
        Some(first) if owners.iter().any(|owner| owner != first) => Owners::Distinct,
        Some(first) if owners.len() >= SHARED => Owners::Shared(first),
        _ => Owners::Few,
    }
}

fn verdicts(judged: &[Judged]) -> Vec<VerdictCount> {
    let mut counts: Vec<VerdictCount> = Vec::new();
    for (verdict, since) in judged.iter().filter_map(|judged| judged.verdict) {
        match counts.iter_mut().find(|count| count.verdict == verdict) {
            Some(count) => {
                count.count += 1;
                count.oldest_at = count.oldest_at.into_iter().chain(since).min();
            }
            None => counts.push(VerdictCount { verdict, count: 1, oldest_at: since }),
        }
    }
    counts
}
