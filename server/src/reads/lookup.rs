//! One key in all three layers.
//!
//! Records, broker and, where the key is enough to name it, the lock are asked at the same time; the lock of a key whose
//! type is only known from its record comes after. A layer that fails is unseen, and what depends on it is not offered.

use super::operable::Ability;
use super::{LiveReads, state_fault};
use crate::diagnose::eligible::Standing;
use crate::diagnose::operations::Seen;
use crate::diagnose::sight;
use crate::diagnose::{ArchiveSight, Behind, BrokerSight, Facets, LockRules, LockSight, judge};
use crate::live::Known;
use crate::ports::brokers::Sighting;
use crate::ports::locks::Reading;
use crate::system::SourceSystem;
use app::model::{
    BrokerFacet, BrokerPanel, Fault, Layer, Lock, LockState, Lookup, Operation, RecordRef, Row, Status, TraceEntry,
    WhyNot,
};
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::{OptionFuture, try_join_all};
use std::time::Duration;

/// What the database said, at its own time.
struct Found {
    rows: Vec<Row>,
    now: DateTime<Utc>,
    /// The database's clock minus ours.
    ahead: TimeDelta,
}

/// The lock's part.
struct Locked {
    /// `None`: no lock is configured.
    lock: Option<Lock>,
    sight: LockSight,
    /// `None`: not known.
    reading: Option<Reading>,
    /// Of each record that is judged with it.
    behind: Vec<Behind>,
    watched: Duration,
    /// Of its type.
    rules: Option<LockRules>,
}

impl LiveReads {
    pub(super) async fn look_up(&self, source: &SourceSystem, r#type: Option<&str>, key: &str) -> Lookup {
        let found = self.within(Layer::Records, self.find(source, r#type, key));
        self.join(source, r#type, Some(key), found).await
    }

    pub(super) async fn look_up_row(
        &self,
        source: &SourceSystem,
        reference: &RecordRef,
    ) -> Result<Option<Lookup>, Fault> {
        let references = std::slice::from_ref(reference);
        let rows = self.within(Layer::Records, source.records.get(references)).await?;
        let Some(row) = rows.into_iter().find(|row| row.reference == *reference) else { return Ok(None) };
        let r#type = row.record.r#type.clone();
        let Some(key) = row.record.key.clone() else {
            let found = async {
                let (now, ahead) = self.clock_of(source).await?;
                Ok(Found { rows: vec![row], now, ahead })
            };
            return Ok(Some(self.join(source, r#type.as_deref(), None, self.within(Layer::Records, found)).await));
        };
        let found = async {
            let mut found = self.find(source, r#type.as_deref(), &key).await?;
            // Judged is the row that was asked for; it may have changed its key since it was read.
            found.rows.retain(|other| other.reference != row.reference);
            found.rows.insert(0, row);
            Ok(found)
        };
        Ok(Some(self.join(source, r#type.as_deref(), Some(&key), self.within(Layer::Records, found)).await))
    }

    async fn find(&self, source: &SourceSystem, r#type: Option<&str>, key: &str) -> Result<Found, Fault> {
        let (rows, (now, ahead)) = tokio::try_join!(source.records.find(r#type, key), self.clock_of(source))?;
        Ok(Found { rows, now, ahead })
    }

    /// The database's time, and how far it is ahead of ours, rather too little than too much.
    async fn clock_of(&self, source: &SourceSystem) -> Result<(DateTime<Utc>, TimeDelta), Fault> {
        let now = source.records.clock().await?;
        Ok((now, now - self.system.clock.now()))
    }

    async fn join(
        &self,
        source: &SourceSystem,
        r#type: Option<&str>,
        key: Option<&str>,
        found: impl Future<Output = Result<Found, Fault>>,
    ) -> Lookup {
        let fixed = source.config.records.fixed_type();
        let r#type = r#type.or(fixed.as_deref());
        let lock_key = |r#type| source.lock_keys()?.derive(r#type, key?);
        let early = lock_key(r#type);
        let early: OptionFuture<_> = early.map(|lock_key| self.read_lock(source, lock_key)).into();
        let (found, counted, sighted, reading) =
            tokio::join!(found, self.count_queues(source), self.look_for(source, r#type, key), early);

        let mut unseen = Vec::new();
        let (rows, now, ahead) = match found {
            Ok(found) => (Some(found.rows), found.now, found.ahead),
            Err(fault) => {
                tracing::warn!(source = source.config.name, %fault, "a look-up went on without its records");
                unseen.push(Layer::Records);
                (None, self.system.clock.now(), TimeDelta::zero())
            }
        };
        let judged = rows.as_deref().map(|rows| of_one_type(rows, r#type));
        let asked = (r#type.map(str::to_owned), key.map(str::to_owned));
        let archive = match &rows {
            Some(rows) if rows.is_empty() => self.archived(source, r#type, key, &mut unseen).await,
            _ => ArchiveSight::NotAsked,
        };
        let in_table = judged.as_ref().and_then(|rows| rows.first().copied());
        let known = in_table.or(archive.row()).map(|row| &row.record);
        let r#type = known.and_then(|record| record.r#type.clone()).or(r#type.map(str::to_owned));
        // The lock carries the record's own spelling; the database may have found it under another.
        let found_key = known.and_then(|record| record.key.clone());
        let key = found_key.as_deref().or(key);
        let wanted = source.lock_keys().and_then(|keys| keys.derive(r#type.as_deref(), key?));
        let reading = match (reading, wanted) {
            (Some((read, reading)), Some(wanted)) if read == wanted => Some((read, reading)),
            (_, Some(wanted)) => Some(self.read_lock(source, wanted).await),
            (_, None) => None,
        };
        let locked = self.lock_of(source, judged.as_deref(), now, reading, &mut unseen);
        let wanted = (r#type.clone(), key.map(str::to_owned));
        let sighted = if wanted == asked { sighted } else { self.look_for(source, r#type.as_deref(), key).await };
        let (facet, broker) = self.broker_of(source, counted, sighted, &mut unseen);
        let broker = broker.by_clock_ahead(ahead);
        let trace = self.trace_of(source, r#type.as_deref(), key, &mut unseen).await;
        let handling = self.known(source).handling(r#type.as_deref());
        let standing = in_table.map(|row| Standing {
            status: row.record.status,
            age: row.record.since().map(|since| now - since),
            lease_is_live: row.record.lease_until.is_some_and(|until| until > now),
            lock: locked.sight.clone(),
            broker: broker.clone(),
            minimum_age: source.minimum_age(handling),
            consumer_timeout: source.config.retry.consumer_timeout,
        });
        let ability = match judged {
            // The same database was asked just now.
            None if source.changes.is_some() => Ability::none(&WhyNot::RecordUnknown),
            _ => self.ability(source).await,
        };
        let mut operations = vec![self.release(source, &locked)];
        operations.extend(ability.on(source, standing.as_ref()));
        let verdict = judged.map(|rows| {
            let records = rows.into_iter().map(|row| row.record.clone()).collect();
            let (lock, trace) = (locked.sight.clone(), by_clock_ahead(&trace, ahead));
            let minimum_age = source.minimum_age(handling);
            judge(&Facets { records, archive, lock, broker, trace, now, minimum_age, handling })
        });
        Lookup {
            r#type,
            key: key.unwrap_or_default().to_owned(),
            records: rows.unwrap_or_default(),
            operations,
            lock: locked.lock,
            broker: facet,
            trace,
            verdict,
            unseen,
        }
    }

    /// What the archive has of a key that the table has not.
    async fn archived(
        &self,
        source: &SourceSystem,
        r#type: Option<&str>,
        key: Option<&str>,
        unseen: &mut Vec<Layer>,
    ) -> ArchiveSight {
        let (Some(archive), Some(key)) = (&source.archive, key) else { return ArchiveSight::NotAsked };
        match self.within(Layer::Archive, archive.find(r#type, key)).await {
            Ok(rows) => {
                let last =
                    rows.into_iter().max_by_key(|row| (row.record.status == Status::Completed, row.record.since()));
                last.map_or(ArchiveSight::Nothing, |row| ArchiveSight::Row(Box::new(row)))
            }
            // Made when the first record is moved.
            Err(Fault::TableMissing { .. }) => ArchiveSight::NotAsked,
            Err(fault) => {
                tracing::warn!(source = source.config.name, %fault, "a look-up went on without the archive");
                unseen.push(Layer::Archive);
                ArchiveSight::NotSeen
            }
        }
    }

    /// What consumers wrote down of this message's deliveries.
    async fn trace_of(
        &self,
        source: &SourceSystem,
        r#type: Option<&str>,
        key: Option<&str>,
        unseen: &mut Vec<Layer>,
    ) -> Vec<TraceEntry> {
        let (Some(key), Some(_)) = (key, &source.config.signals) else { return Vec::new() };
        let asked = async {
            match &source.signals {
                Some(store) => store.trace(r#type, key).await,
                None => {
                    let kept = self.system.state.reports.trace(&source.config.name, r#type.unwrap_or_default(), key);
                    kept.await.map_err(|error| state_fault(&error))
                }
            }
        };
        self.within(Layer::Signals, asked).await.unwrap_or_else(|fault| {
            tracing::warn!(source = source.config.name, %fault, "a look-up went on without its trace");
            unseen.push(Layer::Signals);
            Vec::new()
        })
    }

    async fn read_lock(&self, source: &SourceSystem, lock_key: String) -> (String, Result<Reading, Fault>) {
        let Some(locks) = &source.locks else {
            return (lock_key, Err(Fault::NotConfigured { layer: Layer::Lock }));
        };
        let keys = [lock_key];
        let read = self.within(Layer::Lock, locks.read(&keys)).await;
        let [lock_key] = keys;
        let reading = read.and_then(|readings| {
            let missing = || Fault::Unreadable { layer: Layer::Lock, detail: "no answer for the key".into() };
            readings.into_iter().next().ok_or_else(missing)
        });
        (lock_key, reading)
    }

    fn lock_of(
        &self,
        source: &SourceSystem,
        judged: Option<&[&Row]>,
        now: DateTime<Utc>,
        reading: Option<(String, Result<Reading, Fault>)>,
        unseen: &mut Vec<Layer>,
    ) -> Locked {
        let first = judged.map_or(Behind::Unseen, |rows| sight::behind(rows.first().map(|row| &row.record), now));
        let behind: Vec<Behind> = match judged {
            None | Some([]) => vec![first],
            Some(rows) => rows.iter().map(|row| sight::behind(Some(&row.record), now)).collect(),
        };
        let of_type = judged.and_then(|rows| rows.first()).and_then(|row| row.record.r#type.as_deref());
        let rules = self.rules_of(source, of_type);
        let locked = |lock, sight, reading, watched| Locked {
            lock,
            sight,
            reading,
            behind: behind.clone(),
            watched,
            rules: rules.clone(),
        };
        let Some(rules) = &rules else {
            return locked(None, LockSight::NotConfigured, None, Duration::ZERO);
        };
        let mut unknown = |key, sight| {
            unseen.push(Layer::Lock);
            let lock = Lock { state: LockState::Unknown, key, owner: None, ttl_ms: None };
            locked(Some(lock), sight, None, Duration::ZERO)
        };
        match reading {
            // No type was given and no record names one, or the record has no key: which lock to ask is not known.
            None => {
                let pattern = source.config.locks.as_ref().map_or_else(String::new, |locks| locks.pattern.clone());
                unknown(pattern, LockSight::NotNamed)
            }
            Some((key, Err(fault))) => {
                tracing::warn!(source = source.config.name, %fault, "a look-up went on without its lock");
                unknown(key, LockSight::Unknown)
            }
            Some((key, Ok(reading))) => {
                let watched = match reading.held_by() {
                    Some(_) => self.known(source).watched(&key, reading.owner().as_deref()),
                    None => Duration::ZERO,
                };
                let (lock, sight) = sight::lock(rules, &key, &reading, first, watched);
                locked(Some(lock), sight, Some(reading), watched)
            }
        }
    }

    fn rules_of(&self, source: &SourceSystem, of_type: Option<&str>) -> Option<LockRules> {
        Some(source.lock_rules()?.with(self.known(source).handling(of_type)))
    }

    fn known(&self, source: &SourceSystem) -> Known {
        Known::of(&self.system.board, &source.config.name)
    }

    fn release(&self, source: &SourceSystem, locked: &Locked) -> Operation {
        let known = self.known(source);
        let seen = Seen {
            rules: locked.rules.as_ref(),
            reading: locked.reading.as_ref(),
            behind: &locked.behind,
            watched: locked.watched,
            shared_owner: known.shared_owner(),
        };
        seen.release()
    }

    /// Live, not from the panel: a verdict needs counts that are newer than the record's last change. With the time before
    /// they were asked for.
    async fn count_queues(&self, source: &SourceSystem) -> Result<(Vec<BrokerPanel>, DateTime<Utc>), Fault> {
        let read_at = self.system.clock.now();
        let asked = source.brokers.iter().map(|broker| self.within(Layer::Broker, broker.queues()));
        Ok((try_join_all(asked).await?, read_at))
    }

    /// What each broker says of the message; without a key none is looked for.
    async fn look_for(
        &self,
        source: &SourceSystem,
        r#type: Option<&str>,
        key: Option<&str>,
    ) -> Result<Vec<Sighting>, Fault> {
        let Some(key) = key else { return Ok(vec![Sighting::Queue; source.brokers.len()]) };
        try_join_all(source.brokers.iter().map(|broker| self.within(Layer::Broker, broker.message(r#type, key)))).await
    }

    fn broker_of(
        &self,
        source: &SourceSystem,
        counted: Result<(Vec<BrokerPanel>, DateTime<Utc>), Fault>,
        sighted: Result<Vec<Sighting>, Fault>,
        unseen: &mut Vec<Layer>,
    ) -> (Option<BrokerFacet>, BrokerSight) {
        if source.brokers.is_empty() {
            return (None, BrokerSight::NotConfigured);
        }
        match counted.and_then(|counted| Ok((counted, sighted?))) {
            Ok(((panels, read_at), sightings)) => {
                let lag_ms = source.brokers.iter().map(|broker| broker.lag_ms()).max().unwrap_or(0);
                let (facet, sight) = sight::brokers(&panels, &sightings, read_at, lag_ms);
                (Some(facet), sight)
            }
            Err(fault) => {
                tracing::warn!(source = source.config.name, %fault, "a look-up went on without its broker");
                unseen.push(Layer::Broker);
                (Some(sight::NOT_SEEN), BrokerSight::NotSeen)
            }
        }
    }
}

/// By the database's clock, which the record's times are of.
fn by_clock_ahead(trace: &[TraceEntry], ahead: TimeDelta) -> Vec<TraceEntry> {
    let moved = |entry: &TraceEntry| TraceEntry { at: entry.at.map(|at| at + ahead), ..entry.clone() };
    trace.iter().map(moved).collect()
}

/// The rows that are judged together. A key without a type may stand for several messages: then it is the type that
/// needs a person most, and within it what the caller put first.
fn of_one_type<'a>(rows: &'a [Row], r#type: Option<&str>) -> Vec<&'a Row> {
    let first = match r#type {
        Some(_) => rows.first(),
        None => rows.iter().min_by_key(|row| urgency(row.record.status)),
    };
    first.map_or_else(Vec::new, |first| rows.iter().filter(|row| row.record.r#type == first.record.r#type).collect())
}

fn urgency(status: Status) -> u8 {
    match status {
        Status::Processing => 0,
        Status::Failed => 1,
        Status::Unmapped => 2,
        Status::Dead => 3,
        Status::Completed => 4,
    }
}
