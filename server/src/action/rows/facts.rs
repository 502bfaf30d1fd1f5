//! What is seen of many rows at once: their locks in one pipeline, the queues' counts, and each message where a broker can
//! look for one.

use crate::diagnose::eligible::Standing;
use crate::diagnose::{BrokerSight, LockSight, sight};
use crate::live::Known;
use crate::ports::brokers::Sighting;
use crate::ports::changes::Frozen;
use crate::ports::locks::Reading;
use crate::system::{SourceSystem, System};
use app::model::{BrokerPanel, Fault};
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::try_join_all;
use futures::{StreamExt, stream};
use std::time::Duration;

/// Messages that are looked for at once.
const LOOKS_AT_ONCE: usize = 8;

/// Of one row.
pub struct Seen {
    pub standing: Standing,
    /// The key of its lock, where it has one.
    pub lock_key: Option<String>,
    /// Who holds it, of an orphan.
    pub lock_owner: Option<String>,
}

/// In the order of the rows. Layers that cannot be asked are unseen, never absent. `ours`: our own name on locks, which
/// keep nobody at work.
pub async fn of(
    system: &System,
    source: &SourceSystem,
    rows: &[Frozen],
    ours: Option<&str>,
) -> Result<Vec<Seen>, Fault> {
    let (now, locks, counted) = tokio::join!(source.records.clock(), read_locks(source, rows), count(system, source));
    let now = now?;
    let ahead = now - system.clock.now();
    let known = Known::of(&system.board, &source.config.name);
    let brokers = look(source, rows, counted, ahead).await;
    let seen = rows.iter().zip(locks).zip(brokers).map(|((frozen, (lock_key, reading)), broker)| {
        let record = &frozen.row.record;
        let handling = known.handling(record.r#type.as_deref());
        let behind = sight::behind(Some(record), now);
        let (lock, lock_owner) = match (source.lock_rules(), &lock_key, reading) {
            (None, ..) => (LockSight::NotConfigured, None),
            (Some(_), None, _) => (LockSight::NotNamed, None),
            (Some(_), Some(_), None) => (LockSight::Unknown, None),
            (Some(rules), Some(key), Some(reading)) => {
                let is_ours = ours.is_some() && reading.owner().as_deref() == ours;
                let reading = if is_ours { Reading::Absent } else { reading };
                let watched = match reading.held_by() {
                    Some(_) => known.watched(key, reading.owner().as_deref()),
                    None => Duration::ZERO,
                };
                let (_, sight) = sight::lock(&rules.with(handling), key, &reading, behind, watched);
                (sight, reading.owner())
            }
        };
        Seen {
            standing: Standing {
                status: record.status,
                age: record.since().map(|since| now - since),
                lease_is_live: record.lease_until.is_some_and(|until| until > now),
                lock,
                broker,
                minimum_age: source.minimum_age(handling),
                consumer_timeout: source.config.retry.consumer_timeout,
            },
            lock_key,
            lock_owner,
        }
    });
    Ok(seen.collect())
}

/// Key and reading of each row's lock; no reading where it could not be asked.
async fn read_locks(source: &SourceSystem, rows: &[Frozen]) -> Vec<(Option<String>, Option<Reading>)> {
    let derive = source.lock_keys();
    let keys: Vec<Option<String>> =
        rows.iter().map(|frozen| derive.as_ref().and_then(|derive| derive.of(&frozen.row.record))).collect();
    let named: Vec<String> = keys.iter().flatten().cloned().collect();
    let read = match &source.locks {
        Some(locks) => locks.read(&named).await,
        None => Ok(Vec::new()),
    };
    let mut readings = match read {
        Ok(readings) => readings.into_iter(),
        Err(fault) => {
            tracing::warn!(source = source.config.name, %fault, "locks are not known, so nothing that depends on them is done");
            Vec::new().into_iter()
        }
    };
    keys.into_iter().map(|key| if key.is_some() { (key, readings.next()) } else { (None, None) }).collect()
}

type Counted = Result<(Vec<BrokerPanel>, DateTime<Utc>), Fault>;

async fn count(system: &System, source: &SourceSystem) -> Counted {
    let read_at = system.clock.now();
    Ok((try_join_all(source.brokers.iter().map(|broker| broker.queues())).await?, read_at))
}

/// What the brokers say of each row's message.
async fn look(source: &SourceSystem, rows: &[Frozen], counted: Counted, ahead: TimeDelta) -> Vec<BrokerSight> {
    if source.brokers.is_empty() {
        return vec![BrokerSight::NotConfigured; rows.len()];
    }
    let (panels, read_at) = match counted {
        Ok(counted) => counted,
        Err(fault) => {
            tracing::warn!(source = source.config.name, %fault, "brokers are not seen, so nothing that depends on them is done");
            return vec![BrokerSight::NotSeen; rows.len()];
        }
    };
    let lag_ms = source.brokers.iter().map(|broker| broker.lag_ms()).max().unwrap_or(0);
    let looks: Vec<_> = rows.iter().map(|frozen| sightings(source, frozen)).collect();
    let sighted: Vec<Result<Vec<Sighting>, Fault>> = stream::iter(looks).buffered(LOOKS_AT_ONCE).collect().await;
    let sight = |sightings: Result<Vec<Sighting>, Fault>| match sightings {
        Ok(sightings) => sight::brokers(&panels, &sightings, read_at, lag_ms).1.by_clock_ahead(ahead),
        Err(fault) => {
            tracing::warn!(source = source.config.name, %fault, "a broker did not answer for one message");
            BrokerSight::NotSeen
        }
    };
    sighted.into_iter().map(sight).collect()
}

async fn sightings(source: &SourceSystem, frozen: &Frozen) -> Result<Vec<Sighting>, Fault> {
    let record = &frozen.row.record;
    let Some(key) = record.key.as_deref() else { return Ok(vec![Sighting::Queue; source.brokers.len()]) };
    try_join_all(source.brokers.iter().map(|broker| broker.message(record.r#type.as_deref(), key))).await
}
