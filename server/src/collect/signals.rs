//! What consumers report, minute by minute. The present minute and the one before are read each cycle; the hour before
//! that one minute each second, for consumers that were cut off from Redis report late.

use super::{Collector, minute_of};
use crate::clock::millis;
use crate::ports::signals::{MinuteSignals, OTHER, SignalStore, TYPE_LENGTH, TYPES, TypeMinute};
use crate::ports::state::{Lease, Reported, Reports, StateError};
use crate::system::{SourceSystem, System};
use crate::telemetry::metric::{self, Metric};
use app::model::{Counts, Fault, Handling, HandlingFigures, Layer, Minute, Origin, Signal, SignalsPanel, TypeSignals};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// The present one and those before.
const HOUR: i64 = 60;
/// Of one type on the panel.
const SHOWN_ORIGINS: usize = 5;
/// Whole minutes that a percentile of now is of.
const RECENT: i64 = 5;
const STEP: Duration = Duration::from_secs(1);

pub(super) struct Signals {
    system: Arc<System>,
    source: String,
    /// `None`: they come by HTTP, into the history.
    store: Option<Arc<dyn SignalStore>>,
    reports: Arc<dyn Reports>,
    /// The last hour.
    minutes: BTreeMap<DateTime<Utc>, MinuteSignals>,
    ttl_ms: Option<u64>,
    /// Types that have a name of their own here.
    named: BTreeSet<String>,
    /// Read or reread, and not yet in the history.
    changed: BTreeSet<DateTime<Utc>>,
    /// Minutes ago.
    reread: i64,
}

impl Signals {
    pub(super) fn new(source: &SourceSystem, system: &Arc<System>) -> Option<Self> {
        source.config.signals.as_ref()?;
        Some(Self {
            system: system.clone(),
            source: source.config.name.clone(),
            store: source.signals.clone(),
            reports: system.state.reports.clone(),
            minutes: BTreeMap::new(),
            ttl_ms: source.config.locks.as_ref().and_then(|locks| locks.ttl).map(millis),
            named: BTreeSet::new(),
            changed: BTreeSet::new(),
            reread: 0,
        })
    }

    fn this_minute(&self) -> DateTime<Utc> {
        minute_of(self.system.clock.now())
    }

    async fn take(&mut self, minutes: &[DateTime<Utc>]) -> Result<(), Fault> {
        let Some(store) = &self.store else { return self.take_kept(minutes).await };
        let read = store.minutes(minutes).await?;
        // What Redis has lost meanwhile was reported all the same.
        let is_new = |(at, minute): &(&DateTime<Utc>, MinuteSignals)| {
            !minute.is_empty() && self.minutes.get(*at) != Some(minute)
        };
        let new: BTreeMap<_, _> = minutes.iter().zip(read).filter(is_new).map(|(at, minute)| (*at, minute)).collect();
        self.changed.extend(new.keys());
        self.take_in(new);
        Ok(())
    }

    /// Minutes as they are now. What they have more than before is counted, but for what was there at the first look.
    fn take_in(&mut self, minutes: BTreeMap<DateTime<Utc>, MinuteSignals>) {
        let is_first = self.reread == 0;
        let before: Vec<_> =
            minutes.keys().map(|at| (*at, self.minutes.get(at).cloned().unwrap_or_default())).collect();
        self.minutes.extend(minutes);
        self.keep_the_hour();
        for (at, before) in before.iter().filter(|_| !is_first) {
            if let Some(now) = self.minutes.get(at) {
                self.count(&self.by_name(before), &self.by_name(now));
            }
        }
    }

    fn count(&self, before: &BTreeMap<String, TypeMinute>, now: &BTreeMap<String, TypeMinute>) {
        let nothing = TypeMinute::default();
        for (r#type, now) in now {
            let before = before.get(r#type).unwrap_or(&nothing);
            for signal in Signal::OUTCOMES {
                let more = now.counts.get(signal).saturating_sub(before.counts.get(signal));
                if more > 0 {
                    let labels = &[("source", self.source.as_str()), ("type", r#type), ("decision", signal.as_str())];
                    metric::count_many(Metric::Decisions, labels, more);
                }
            }
            for (bound, more) in now.handling.more_than(&before.handling) {
                // Longer than the last bound has none of its own; that it is longer is all that is known.
                let longest = Handling::bounds().last().map_or(0, |last| last + 1);
                let took = Duration::from_millis(bound.unwrap_or(longest));
                let labels = &[("source", self.source.as_str()), ("type", r#type)];
                metric::observe_many(Metric::HandlingSeconds, labels, took, more);
            }
        }
    }

    /// What came by HTTP is in the history already.
    async fn take_kept(&mut self, minutes: &[DateTime<Utc>]) -> Result<(), Fault> {
        let (Some(from), Some(to)) = (minutes.iter().min(), minutes.iter().max()) else { return Ok(()) };
        let rows = self.reports.every(&self.source, *from, *to + TimeDelta::minutes(1)).await;
        let unread = |error: StateError| Fault::Unreachable { layer: Layer::State, detail: error.to_string() };
        let mut read: BTreeMap<DateTime<Utc>, MinuteSignals> = BTreeMap::new();
        let mut all: BTreeMap<DateTime<Utc>, TypeMinute> = BTreeMap::new();
        for row in rows.map_err(unread)? {
            let minute = read.entry(row.at).or_default();
            if row.r#type.is_empty() {
                minute.alive = row.alive;
                all.insert(row.at, row.minute);
            } else {
                minute.types.insert(row.r#type, row.minute);
            }
        }
        for (at, all) in all {
            let minute = read.entry(at).or_default();
            // Where the source has no types, that one is all.
            if minute.types.is_empty() && all != TypeMinute::default() {
                minute.types.insert(String::new(), all);
            }
        }
        self.take_in(read);
        Ok(())
    }

    fn keep_the_hour(&mut self) {
        let oldest = self.this_minute() - TimeDelta::minutes(HOUR);
        self.minutes = self.minutes.split_off(&oldest);
        self.name_types();
    }

    /// The first that come keep their names; of those that come together, the larger.
    fn name_types(&mut self) {
        let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
        for (name, of) in self.minutes.values().flat_map(|minute| &minute.types) {
            if name.len() <= TYPE_LENGTH && !self.named.contains(name) {
                *sums.entry(name).or_default() += of.counts.deliveries();
            }
        }
        let mut new: Vec<(&str, u64)> = sums.into_iter().collect();
        new.sort_by_key(|(_, deliveries)| std::cmp::Reverse(*deliveries));
        let room = TYPES.saturating_sub(self.named.len());
        let names: Vec<String> = new.into_iter().take(room).map(|(name, _)| name.to_owned()).collect();
        self.named.extend(names);
    }

    /// One minute by the types that have a name here.
    fn by_name(&self, minute: &MinuteSignals) -> BTreeMap<String, TypeMinute> {
        let mut types: BTreeMap<String, TypeMinute> = BTreeMap::new();
        for (name, of) in &minute.types {
            let name = if self.named.contains(name) { name.as_str() } else { OTHER };
            types.entry(name.to_owned()).or_default().add(of);
        }
        types
    }

    fn rows(&self, at: DateTime<Utc>) -> Vec<Reported> {
        let Some(minute) = self.minutes.get(&at) else { return Vec::new() };
        let types = self.by_name(minute);
        let mut all = TypeMinute::default();
        types.values().for_each(|of| all.add(of));
        let row = |r#type: String, minute, alive: BTreeSet<String>| Reported { at, r#type, minute, alive };
        let mut rows = vec![row(String::new(), all, minute.alive.clone())];
        // Where the source has no types, that one is all.
        rows.extend(
            types.into_iter().filter(|(name, _)| !name.is_empty()).map(|(name, of)| row(name, of, BTreeSet::new())),
        );
        rows
    }

    fn panel(&self) -> SignalsPanel {
        let now = self.this_minute();
        let mut types: BTreeMap<String, TypeMinute> = BTreeMap::new();
        for minute in self.minutes.values() {
            for (name, of) in self.by_name(minute) {
                types.entry(name).or_default().add(&of);
            }
        }
        let (mut total, mut handling) = (Counts::default(), Handling::default());
        for of in types.values() {
            total.add(&of.counts);
            handling.add(&of.handling);
        }
        let whole = [now - TimeDelta::minutes(1), now - TimeDelta::minutes(2)];
        let alive: BTreeSet<&String> =
            whole.iter().filter_map(|at| self.minutes.get(at)).flat_map(|minute| &minute.alive).collect();
        let mut recent = Handling::default();
        for ago in 1..=RECENT {
            let minute = self.minutes.get(&(now - TimeDelta::minutes(ago)));
            minute.into_iter().flat_map(|minute| minute.types.values()).for_each(|of| recent.add(&of.handling));
        }
        let last = self.minutes.get(&(now - TimeDelta::minutes(1))).map(|minute| {
            let mut counts = Counts::default();
            minute.types.values().for_each(|of| counts.add(&of.counts));
            counts
        });
        let mut types: Vec<TypeSignals> = types.into_iter().map(|(name, of)| type_signals(name, &of)).collect();
        types.sort_by_key(|of| std::cmp::Reverse(of.counts.deliveries()));
        SignalsPanel {
            kind: if self.store.is_some() { "redis" } else { "http" }.into(),
            address: self.store.as_ref().map(|store| store.address()),
            reported_at: self.minutes.keys().next_back().copied(),
            alive: alive.len() as u64,
            total,
            handling: HandlingFigures::from(&handling),
            last,
            recent: HandlingFigures::from(&recent),
            ttl_ms: self.ttl_ms,
            types,
            unreadable: self.minutes.values().map(|minute| minute.unreadable).sum(),
            cut_minutes: self.minutes.values().filter(|minute| minute.cut).count() as u64,
        }
    }
}

fn type_signals(name: String, of: &TypeMinute) -> TypeSignals {
    let origin = |(name, count): (&String, &u64)| Origin { name: name.clone(), duplicates: *count };
    let mut origins: Vec<Origin> = of.origins.from.iter().map(origin).collect();
    origins.sort_by_key(|origin| std::cmp::Reverse(origin.duplicates));
    origins.truncate(SHOWN_ORIGINS);
    TypeSignals { r#type: name, counts: of.counts, handling: HandlingFigures::from(&of.handling), origins }
}

#[async_trait]
impl Collector for Signals {
    type Body = SignalsPanel;
    const LAYER: Layer = Layer::Signals;

    fn start(&mut self) {
        self.minutes.clear();
        self.changed.clear();
        self.reread = 0;
    }

    async fn read(&mut self) -> Result<SignalsPanel, Fault> {
        let now = self.this_minute();
        // The whole hour when it begins.
        let wanted = if self.reread == 0 { HOUR } else { 2 };
        let minutes: Vec<_> = (0..wanted).map(|ago| now - TimeDelta::minutes(ago)).collect();
        self.take(&minutes).await?;
        self.reread = self.reread.max(2);
        Ok(self.panel())
    }

    async fn step(&mut self) -> Result<Duration, Fault> {
        if self.reread > 0 {
            let ago = self.this_minute() - TimeDelta::minutes(self.reread);
            self.take(&[ago]).await?;
            self.reread = if self.reread + 1 < HOUR { self.reread + 1 } else { 2 };
        }
        Ok(STEP)
    }

    async fn keep(&mut self, lease: &Lease) -> Result<(), StateError> {
        while let Some(at) = self.changed.first().copied() {
            self.reports.put(lease, &self.source, &self.rows(at)).await?;
            self.changed.remove(&at);
        }
        Ok(())
    }

    fn minute(&self, _at: DateTime<Utc>, _body: &SignalsPanel) -> Option<Minute> {
        None
    }
}
