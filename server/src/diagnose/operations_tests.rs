//! No operation is offered on what it must never touch: told by what the world is, not by what the rules make of it.

use super::Seen;
use crate::config::{DonePattern, LockKind};
use crate::diagnose::verdict::tests::{any_broker, facets, now, record};
use crate::diagnose::{BrokerSight, Facets, Handling, LockRules, judge, sight};
use crate::ports::locks::Reading;
use app::model::{Record, Status, VerdictCode};
use chrono::TimeDelta;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::time::Duration;

/// Seconds on both sides of every limit there is.
const MOMENTS: [i64; 9] = [0, 14, 16, 29, 31, 119, 121, 601, 9_000];
const MINIMUM_AGE: Duration = Duration::from_secs(120);

#[derive(Debug)]
struct World {
    kind: LockKind,
    ttl: Option<Duration>,
    longest: Option<Duration>,
    /// `None`: Redis did not answer.
    reading: Option<Reading>,
    records: Vec<Record>,
    watched: Duration,
    shared_owner: Option<&'static str>,
    broker: BrokerSight,
}

fn moment() -> impl Strategy<Value = i64> {
    select(MOMENTS.to_vec())
}

fn any_record() -> impl Strategy<Value = Record> {
    (select(Status::ALL.to_vec()), moment(), prop::option::of(-1_i64..=1)).prop_map(|(status, age, lease)| Record {
        lease_until: lease.map(|minutes| now() + TimeDelta::minutes(minutes)),
        ..record(status, age)
    })
}

/// What a key of this kind can hold.
fn any_reading(kind: LockKind) -> impl Strategy<Value = Reading> {
    let owner = select(vec!["worker-1", "worker-2", "1", "locked", "", "done:1795939200000", "2"]);
    (0..4_u8, owner, prop::option::of(1_i64..600_000)).prop_map(move |(what, owner, ttl_ms)| {
        let value = owner.to_owned();
        match (what, kind) {
            (0, _) => Reading::Absent,
            (1, _) => Reading::OtherType { redis_type: "list".into(), ttl_ms },
            (_, LockKind::Marker | LockKind::Counter) => Reading::Mark { value, ttl_ms },
            (2, LockKind::Redisson) => Reading::Several { owners: vec!["a:1".into(), "b:1".into()], ttl_ms },
            (2, LockKind::Powertools) => Reading::Done { ttl_ms },
            (_, LockKind::String | LockKind::Redisson | LockKind::Powertools) => Reading::Value { value, ttl_ms },
        }
    })
}

fn any_world() -> impl Strategy<Value = World> {
    let kinds = LockKind::ALL.map(|(_, kind)| kind).to_vec();
    let lock = select(kinds).prop_flat_map(|kind| (Just(kind), prop::option::of(any_reading(kind))));
    let seconds = || prop::option::of(select(vec![5_u64, 20, 120, 600])).prop_map(|s| s.map(Duration::from_secs));
    let shared = prop::option::of(Just("worker-2"));
    (lock, seconds(), seconds(), vec(any_record(), 0..3), moment(), shared, any_broker()).prop_map(
        |((kind, reading), ttl, longest, records, watched, shared_owner, broker)| World {
            kind,
            ttl,
            longest,
            reading,
            records,
            watched: Duration::from_secs(u64::try_from(watched).unwrap()),
            shared_owner,
            broker,
        },
    )
}

impl World {
    fn rules(&self) -> LockRules {
        LockRules {
            kind: self.kind,
            done: vec![DonePattern::Prefix("done:".into()), DonePattern::Exact("2".into())],
            ttl: self.ttl,
            minimum_age: MINIMUM_AGE,
            handling: Handling { p99: None, longest: self.longest },
        }
    }

    fn verdict(&self, rules: &LockRules) -> VerdictCode {
        let behind = sight::behind(self.records.first(), now());
        let lock = match &self.reading {
            Some(reading) => sight::lock(rules, "l", reading, behind, self.watched).1,
            None => crate::diagnose::LockSight::Unknown,
        };
        let seen = facets(None, lock, self.broker.clone());
        judge(&Facets { records: self.records.clone(), minimum_age: MINIMUM_AGE, ..seen }).code
    }

    /// The longest that an honest handler may hold a lock that no record explains.
    fn worst_case(&self) -> Duration {
        [self.ttl, self.longest].into_iter().flatten().fold(Duration::from_secs(15), Duration::max)
    }

    /// Why this must not be done here, whatever anybody thinks.
    fn forbids_release(&self) -> Option<&'static str> {
        let (owner, ttl_ms) = match &self.reading {
            Some(Reading::Value { value, ttl_ms }) => (value.as_str(), ttl_ms),
            _ => return Some("nobody's name is on it, or it is not seen"),
        };
        if matches!(self.kind, LockKind::Marker | LockKind::Counter) {
            return Some("a marker or counter");
        }
        if owner.starts_with("done:") || owner == "2" {
            return Some("a done marker");
        }
        let by_key_alone = self.kind == LockKind::Powertools;
        if !by_key_alone && (["1", "locked", ""].contains(&owner) || self.shared_owner == Some(owner)) {
            return Some("an owner that many locks carry");
        }
        if self.records.is_empty() {
            return (self.watched <= self.worst_case()).then_some("its holder may be about to insert");
        }
        self.records.iter().find_map(|record| {
            let age = (now() - record.since().unwrap()).to_std().unwrap();
            match record.status {
                Status::Completed | Status::Dead => {
                    (age.max(self.watched) <= self.worst_case()).then_some("its holder may be about to release it")
                }
                _ if ttl_ms.is_some() => Some("a live handler"),
                _ if record.lease_until.is_some_and(|until| until > now()) => Some("a live handler, by its lease"),
                _ => (self.watched <= self.worst_case().max(MINIMUM_AGE)).then_some("not past the worst handling time"),
            }
        })
    }
}

/// Verdicts beside which a release can stand at all; with any other there is nothing for it to do, or not enough is
/// seen.
fn beside(verdict: VerdictCode) -> bool {
    use VerdictCode as V;
    matches!(
        verdict,
        // A lock without end is held by somebody, as far as it tells; he may be long dead.
        V::InProgress
            | V::InProgressAcked
            | V::Retrying
            | V::Unmapped
            | V::Claiming
            | V::FinishedLockHeld
            | V::DuplicateInDeadLetter
            | V::Dead
            | V::NotUnique
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn nothing_is_offered_that_must_never_be_done(world in any_world()) {
        let rules = world.rules();
        let behind: Vec<_> = match world.records.as_slice() {
            [] => vec![sight::behind(None, now())],
            records => records.iter().map(|record| sight::behind(Some(record), now())).collect(),
        };
        let seen = Seen {
            rules: Some(&rules),
            reading: world.reading.as_ref(),
            behind: &behind,
            watched: world.watched,
            shared_owner: world.shared_owner,
        };
        let verdict = world.verdict(&rules);
        let (release, forbidden) = (seen.release(), world.forbids_release());
        prop_assert_eq!(release.allowed, forbidden.is_none(), "{:?}: {:?}", release, forbidden);
        prop_assert_eq!(release.allowed, release.why.is_none());
        prop_assert!(!release.allowed || beside(verdict), "{:?} beside {:?}", release, verdict);
        // Whatever is not seen, or not there, takes it with it.
        for less in [Seen { behind: &[], ..seen }, Seen { reading: None, ..seen }, Seen { rules: None, ..seen }] {
            prop_assert!(!less.release().allowed, "{:?}", less);
        }
    }
}
