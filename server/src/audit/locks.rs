//! The Redis of the locks: how it is set up, and what a bounded sample of its keys holds.

use super::Findings;
use crate::clock::millis;
use crate::config;
use crate::diagnose::{LockKeys, LockRules};
use crate::ports::locks::{Cursor, LockServer, LockStore, Reading};
use crate::system::SourceSystem;
use app::model::{Audited, Fault, Note, Problem};
use std::collections::BTreeMap;

/// Keys that Redis looks at for one sample: twenty times one millisecond.
const EXAMINED: u64 = 20_000;
/// Locks whose values are read.
const READ: usize = 1_000;
/// So many locks with one owner are no coincidence.
const SHARED: usize = 3;
/// A TTL is read a moment after it was set, and set a moment after it was computed.
const TTL_SLACK_MS: u64 = 1_000;

/// What was read.
pub(super) struct Locks {
    address: String,
    server: Result<LockServer, Fault>,
    sample: Result<Sample, Fault>,
}

#[derive(Debug, Default)]
struct Sample {
    examined: u64,
    total: u64,
    matching: u64,
    readings: Vec<Reading>,
}

/// `None`: the source has no locks.
pub(super) async fn locks(source: &SourceSystem) -> Option<Result<Locks, Fault>> {
    let (config, store) = source.config.locks.as_ref().zip(source.locks.as_ref())?;
    Some(read(config, store.as_ref()).await)
}

async fn read(config: &config::Locks, store: &dyn LockStore) -> Result<Locks, Fault> {
    // A key that nobody has, but that the account must be allowed to read.
    let key = config.pattern.replace("{type}", "oncewatch").replace("{key}", "check");
    store.read(&[key]).await?;
    Ok(Locks { address: store.address(), server: store.server().await, sample: sample(config, store).await })
}

async fn sample(config: &config::Locks, store: &dyn LockStore) -> Result<Sample, Fault> {
    let keys = LockKeys::new(&config.pattern);
    let (glob, mut cursor, mut sample, mut to_read) = (keys.glob(), Cursor::default(), Sample::default(), Vec::new());
    loop {
        let step = store.scan(&glob, &cursor).await?;
        sample.examined += step.examined;
        sample.total = step.total;
        for key in step.keys.into_iter().filter(|key| !keys.parse(key).is_empty()) {
            sample.matching += 1;
            if to_read.len() < READ {
                to_read.push(key);
            }
        }
        match step.next {
            Some(next) if sample.examined < EXAMINED => cursor = next,
            _ => break,
        }
    }
    sample.examined = sample.examined.min(sample.total);
    sample.readings = store.read(&to_read).await?;
    Ok(sample)
}

pub(super) fn judge(source: &SourceSystem, locks: Locks, found: &mut Findings) {
    found.locks = Some(locks.address);
    if let Some(server) = found.seen(Audited::LockStore, locks.server) {
        judge_server(server, found);
    }
    let sample = found.seen(Audited::LockSample, locks.sample);
    if let Some((sample, rules)) = sample.zip(source.lock_rules()) {
        judge_sample(&sample, &rules, found);
    }
}

fn judge_server(server: LockServer, found: &mut Findings) {
    let LockServer { version, role, policy, max_memory } = server;
    if policy != "noeviction" {
        match max_memory {
            0 => found.notes.push(Note::EvictionPolicy { policy: policy.clone() }),
            _ => found.problems.push(Problem::LockEviction { policy: policy.clone(), max_memory }),
        }
    }
    if role == "slave" {
        found.notes.push(Note::LockReplica);
    }
    found.notes.push(Note::LockStore { version, role, policy, max_memory });
}

fn judge_sample(sample: &Sample, rules: &LockRules, found: &mut Findings) {
    let (mut owners, mut done, mut eternal, mut longest) = (Vec::new(), 0, 0, None);
    let mut others: BTreeMap<&str, u64> = BTreeMap::new();
    for reading in &sample.readings {
        match reading {
            // It ended meanwhile.
            Reading::Absent => {}
            Reading::OtherType { redis_type, .. } => *others.entry(redis_type).or_default() += 1,
            _ if rules.is_done_by_itself(reading) => done += 1,
            // Marks may stay as long as their team likes; that they never end is told.
            Reading::Mark { ttl_ms: Some(_), .. } => done += 1,
            _ => {
                owners.extend(reading.owner().filter(|_| rules.kind.owners_are_unique()));
                match reading.ttl_ms().and_then(|ttl| u64::try_from(ttl).ok()) {
                    None => eternal += 1,
                    ttl => longest = longest.max(ttl),
                }
            }
        }
    }
    if let Some(first) = owners.first().filter(|first| owners.len() >= SHARED && owners.iter().all(|one| one == *first))
    {
        found.problem(Problem::SharedLockOwner { owner: first.clone() });
    }
    if eternal > 0 {
        found.problem(Problem::LockWithoutTtl { count: eternal });
    }
    let configured = rules.ttl.map(millis);
    if let Some((configured_ms, seen_ms)) = configured.zip(longest).filter(|(ttl, seen)| *seen > ttl + TTL_SLACK_MS) {
        found.problem(Problem::LockTtlLonger { configured_ms, seen_ms });
    }
    let other =
        |(redis_type, count): (&str, u64)| Problem::LockOfOtherType { redis_type: redis_type.to_owned(), count };
    found.problems.extend(others.into_iter().map(other));
    let Sample { matching, examined, total, .. } = *sample;
    found.notes.push(Note::LockSample { matching, done, examined, total, longest_ttl_ms: longest });
}
