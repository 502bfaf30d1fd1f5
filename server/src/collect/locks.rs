//! The locks of one source: those of its open records, those that were seen held before, and those that the search of
//! the key space has found.
//!
//! Records are read before their locks. Where a lock is missing, its record is read once more: only one that is still
//! processing, unchanged, was without a lock in between.

use super::brokers;
use super::handling::{Handlings, as_reported};
use super::judged::{Judged, Owners, count, kind_name, owners, rows, verdicts};
use super::keyspace::{Keyspace, Took};
use super::targets::{Cycle, Targets};
use super::{Collector, minute_of, signed};
use crate::clock::{Clock, millis};
use crate::diagnose::sight;
use crate::diagnose::{ArchiveSight, BrokerSight, Facets, Handling, LockRules, judge};
use crate::live::{self, Shared};
use crate::ports::locks::{LockStore, Reading};
use crate::system::{SourceSystem, System};
use app::model::{
    BrokerPanel, Fault, Freshness, Layer, LockRow, LockState, LocksPanel, LocksQuery, Minute, Panel, PanelName,
    Quality, RecordRef, Row, SignalsPanel, Status, TtlFit, first_of_each,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// Redis keys of one pipeline, by the port's contract.
const KEYS: usize = 1_000;

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
    handlings: Handlings,
    /// Seen at some time; until locks are seen that tell their holders apart.
    shared_owner: Option<String>,
    problem: Option<Fault>,
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
            handlings: Handlings::default(),
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

    fn judge(
        &self,
        cycle: &Cycle,
        readings: &[Reading],
        unprotected: &HashSet<RecordRef>,
        fits: &[TtlFit],
        reported: Option<&SignalsPanel>,
    ) -> Vec<Judged> {
        let types: HashSet<&Option<String>> =
            cycle.targets.values().filter_map(|target| Some(&target.named.first()?.r#type)).collect();
        let rules_of = |r#type: &Option<String>| {
            let handling = Handling::of(fits, r#type.as_deref());
            self.rules.with(handling.or_as_reported(reported, r#type.as_deref()))
        };
        let of_type: HashMap<&Option<String>, LockRules> = types.into_iter().map(|of| (of, rules_of(of))).collect();
        let (broker, local) = (self.broker().by_clock_ahead(cycle.ahead), self.clock.instant());
        let judged = cycle.targets.iter().zip(readings).map(|((key, target), reading)| {
            let record = target.row.as_ref().map(|row| &row.record);
            let behind = sight::behind(record, cycle.now);
            let seen_for = self.targets.watch.seen_for(key, reading, local);
            let named = target.named.first();
            let rules = named.and_then(|named| of_type.get(&named.r#type)).unwrap_or(&self.rules);
            let (mut lock, sight) = sight::lock(rules, key, reading, behind, seen_for);
            let not_releasable = rules.not_releasable(&lock, behind, seen_for, None);
            let verdict = record.filter(|_| target.open).map(|record| {
                let facets = Facets {
                    records: vec![record.clone()],
                    archive: ArchiveSight::NotAsked,
                    lock: sight,
                    broker: broker.clone(),
                    // One message's trace is read when somebody looks it up.
                    trace: Vec::new(),
                    now: cycle.now,
                    minimum_age: rules.minimum_age,
                    handling: rules.handling,
                };
                (judge(&facets).code, record.since())
            });
            if target.row.as_ref().is_some_and(|row| unprotected.contains(&row.reference)) {
                lock.state = LockState::Unprotected;
            }
            Judged {
                row: LockRow {
                    lock,
                    r#type: named.and_then(|named| named.r#type.clone()),
                    key: named.map_or_else(|| key.clone(), |named| named.key.clone()),
                    record_status: record.map(|record| record.status),
                    reference: target.row.as_ref().map(|row| row.reference.clone()),
                    count: rules.count(reading),
                    watched_ms: millis(seen_for),
                    not_releasable,
                },
                verdict,
            }
        });
        judged.collect()
    }

    fn panel(&mut self, judged: Vec<Judged>, sampled: bool, fits: Vec<TtlFit>) -> LocksPanel {
        // More locks than are watched: what is beyond them is not counted.
        let asked = if sampled || self.targets.watch.is_full() { Quality::Capped } else { Quality::Exact };
        let searched = if self.keyspace.quality() == Quality::Exact { asked } else { self.keyspace.quality() };
        if self.rules.kind.owners_are_unique() {
            match owners(judged.iter().map(|judged| &judged.row.lock)) {
                Owners::Few => {}
                Owners::Distinct => self.shared_owner = None,
                Owners::Shared(owner) => self.shared_owner = Some(owner.to_owned()),
            }
        }
        let count = |state, quality| count(&judged, state, quality);
        let mut panel = LocksPanel {
            store: self.store.address(),
            kind: kind_name(self.rules.kind).to_owned(),
            pattern: self.pattern.clone(),
            ttl_ms: self.rules.ttl.map(millis),
            held: count(LockState::Held, asked),
            expiring: count(LockState::Expiring, asked),
            done: self.keyspace.done(),
            eternal: count(LockState::Eternal, searched),
            orphan: count(LockState::Orphan, searched),
            unprotected: count(LockState::Unprotected, asked),
            unknown: Some(count(LockState::Unknown, asked)),
            verdicts: verdicts(&judged),
            scan: Some(self.keyspace.pass()),
            scan_slow_ms: self.keyspace.slow().map(millis),
            fits,
            rows: Vec::new(),
            next: None,
            shared_owner: self.shared_owner.clone(),
            problems: self.problem.iter().chain(self.handlings.problem()).cloned().collect(),
        };
        let rows: Arc<[LockRow]> = rows(judged, self.shared_owner.as_deref()).into();
        panel.rows = first_of_each(rows.iter(), LocksQuery::MOST).cloned().collect();
        self.system.lock_rows.put(&self.source, live::Judged { read_at: self.clock.now(), rows });
        panel
    }

    /// What has become a done marker is no longer watched.
    fn remember(&mut self, cycle: Cycle, readings: &[Reading], done: &HashSet<String>) {
        let now = self.clock.instant();
        for ((key, target), reading) in cycle.targets.into_iter().zip(readings) {
            let reference = target.row.map(|row| row.reference);
            let held_by = reading.held_by().filter(|_| !done.contains(&key));
            self.targets.watch.note(&key, target.named, reference, held_by.as_deref(), now);
        }
    }

    /// One step of the search; returns how long to rest.
    async fn search(&mut self) -> Result<Duration, Fault> {
        let began = self.clock.instant();
        self.keyspace.begin_round(self.clock.now());
        let scanned = self.store.scan(&self.targets.keys.glob(), self.keyspace.cursor()).await?;
        let answered = self.clock.instant();
        let new: Vec<String> = scanned.keys.into_iter().filter(|key| !self.targets.watch.contains(key)).collect();
        let readings = self.readings(&new).await?;
        let now = self.clock.instant();
        let mut done = 0;
        for (key, reading) in new.iter().zip(&readings) {
            // Most marks stand for finished records; which do not is found out with their records.
            done += u64::from(self.rules.is_done_by_itself(reading) || matches!(reading, Reading::Mark { .. }));
            if let Some(owner) = reading.held_by().filter(|_| !self.rules.is_done_by_itself(reading)) {
                let named = self.targets.keys.parse(key);
                if !named.is_empty() {
                    self.targets.watch.note(key, named, None, Some(&owner), now);
                }
            }
        }
        let took = Took { step: answered.saturating_duration_since(began), all: now.saturating_duration_since(began) };
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
        self.handlings = Handlings::default();
    }

    async fn read(&mut self) -> Result<LocksPanel, Fault> {
        let cycle = self.targets.cycle().await?;
        let keys: Vec<String> = cycle.targets.keys().cloned().collect();
        let readings = self.readings(&keys).await?;
        let unprotected = self.without_lock(&cycle, &readings).await?;
        self.handlings.refresh(self.targets.records.as_ref(), self.clock.instant()).await;
        let fits = self.handlings.fits(self.rules.ttl);
        let signals: Option<Panel<SignalsPanel>> = self.system.board.panel(&self.source, PanelName::Signals.as_str());
        let reported = signals.and_then(|panel| panel.body);
        let judged = self.judge(&cycle, &readings, &unprotected, &fits, reported.as_ref());
        let fits = as_reported(fits, reported.as_ref(), self.rules.ttl);
        let done = |judged: &&Judged| judged.row.lock.state == LockState::Done;
        let done: HashSet<String> = judged.iter().filter(done).map(|judged| judged.row.lock.key.clone()).collect();
        let panel = self.panel(judged, cycle.sampled, fits);
        self.remember(cycle, &readings, &done);
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
