//! What a lock's value, its record, the time that it was watched and usual handling times say together.

use super::minimum_age;
use crate::clock::millis;
use crate::config::{DonePattern, LockKind};
use crate::ports::locks::Reading;
use app::model::{Lock, LockState, SignalsPanel, Status, TtlFit, WhyNot};
use chrono::{DateTime, TimeDelta, Utc};
use std::time::Duration;

/// A lock that nobody renews is gone after its TTL; with a TTL below this a slow insert may still come.
const SHORTEST_WORST_CASE: Duration = Duration::from_secs(15);

/// With fewer, one slow message would be the P99.
pub const FEWEST_MEASURED: u64 = 20;

/// Until handling times are known, a lock with less than a fifth of its TTL left is called expiring.
const EXPIRING_PART: u32 = 5;

/// What examples set as a lock's value: it tells no holder from another.
const NO_OWNER: [&str; 6] = ["", "1", "true", "ok", "lock", "locked"];

/// What the configuration says of the locks of one source, and what is known of one type's handling.
#[derive(Debug, Clone)]
pub struct LockRules {
    pub kind: LockKind,
    pub done: Vec<DonePattern>,
    pub ttl: Option<Duration>,
    /// See [`super::minimum_age`].
    pub minimum_age: Duration,
    pub handling: Handling,
}

/// How long handling of one type takes; nothing is known by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Handling {
    pub p99: Option<Duration>,
    /// The longest that was seen.
    pub longest: Option<Duration>,
}

impl Handling {
    /// As the Locks panel has it.
    #[must_use]
    pub fn of(fits: &[TtlFit], r#type: Option<&str>) -> Self {
        let fit = fits.iter().find(|fit| fit.r#type.as_deref() == r#type);
        let known = |ms: fn(&TtlFit) -> u64| fit.map(|fit| Duration::from_millis(ms(fit)));
        Self { p99: known(|fit| fit.p99_ms), longest: known(|fit| fit.longest_ms) }
    }

    /// What consumers measured themselves beats an estimate from records, once it is enough to be a P99.
    #[must_use]
    pub fn or_as_reported(self, panel: Option<&SignalsPanel>, r#type: Option<&str>) -> Self {
        let of_type = panel.and_then(|panel| panel.types.iter().find(|of| of.r#type == r#type.unwrap_or_default()));
        let measured = of_type.filter(|of| of.handling.count >= FEWEST_MEASURED).and_then(|of| of.handling.p99_ms);
        Self { p99: measured.map(Duration::from_millis).or(self.p99), ..self }
    }
}

/// The record that a lock stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behind {
    /// The database could not be asked.
    Unseen,
    Missing,
    /// `age`: since its last change, by the database's clock; `None` where the table does not say.
    Record {
        status: Status,
        age: Option<TimeDelta>,
        lease_is_live: bool,
    },
}

impl LockRules {
    /// The longest that an honest handler may be between lock and insert, or between completion and release: after it
    /// a lock that no open record explains is an orphan.
    #[must_use]
    pub fn worst_case(&self) -> Duration {
        self.ttl.unwrap_or_default().max(self.handling.longest.unwrap_or_default()).max(SHORTEST_WORST_CASE)
    }

    /// The same for a type whose handling times are known.
    #[must_use]
    pub fn with(&self, handling: Handling) -> Self {
        Self { handling, minimum_age: minimum_age(self.minimum_age, self.ttl, handling.p99), ..self.clone() }
    }

    /// Less left than this is called expiring.
    fn expiring_below(&self) -> Option<Duration> {
        self.handling.p99.or_else(|| self.ttl.map(|ttl| ttl / EXPIRING_PART))
    }

    #[must_use]
    pub fn is_done(&self, value: &str) -> bool {
        self.done.iter().any(|pattern| pattern.matches(value))
    }

    /// Whether it says "already consumed" whatever its record says.
    #[must_use]
    pub fn is_done_by_itself(&self, reading: &Reading) -> bool {
        match reading {
            Reading::Done { .. } => true,
            Reading::Value { value, .. } | Reading::Mark { value, .. } => self.is_done(value),
            Reading::Absent | Reading::Several { .. } | Reading::OtherType { .. } => false,
        }
    }

    /// Kind `counter`: how many deliveries have come for it.
    #[must_use]
    pub fn count(&self, reading: &Reading) -> Option<i64> {
        match reading {
            Reading::Mark { value, .. } if self.kind == LockKind::Counter => value.parse().ok(),
            _ => None,
        }
    }

    /// `watched`: for how long at least this owner has been seen to hold it; zero at first sight.
    ///
    /// A finished record's lock is an orphan by the record's age alone: whoever took it since is only turning a
    /// duplicate away. Without a record the lock itself must have been watched, because its holder may be about to insert.
    /// A mark that nobody owns is a done marker once its record is completed: that is what it is for.
    #[must_use]
    pub fn state(&self, reading: &Reading, behind: Behind, watched: Duration) -> LockState {
        match reading {
            Reading::Absent => return LockState::None,
            Reading::OtherType { .. } => return LockState::Unknown,
            _ if self.is_done_by_itself(reading) => return LockState::Done,
            Reading::Mark { .. } if matches!(behind, Behind::Record { status: Status::Completed, .. }) => {
                return LockState::Done;
            }
            _ => {}
        }
        let Some(ttl_ms) = reading.ttl_ms() else { return LockState::Eternal };
        let is_short = |below: Duration| u128::try_from(ttl_ms).is_ok_and(|left| left < below.as_millis());
        if self.nobody_needs_it(behind, watched) {
            LockState::Orphan
        } else if self.expiring_below().is_some_and(is_short) {
            LockState::Expiring
        } else {
            LockState::Held
        }
    }

    fn nobody_needs_it(&self, behind: Behind, watched: Duration) -> bool {
        match behind {
            Behind::Unseen => false,
            Behind::Missing => watched > self.worst_case(),
            Behind::Record { status: Status::Completed | Status::Dead, age, .. } => {
                let finished_for = age.and_then(|age| age.to_std().ok()).unwrap_or_default();
                finished_for.max(watched) > self.worst_case()
            }
            Behind::Record { .. } => false,
        }
    }

    /// The lock as the wire shows it. A done marker has no owner.
    #[must_use]
    pub fn lock(&self, key: &str, reading: &Reading, behind: Behind, watched: Duration) -> Lock {
        let state = self.state(reading, behind, watched);
        let owner = reading.owner().filter(|_| state != LockState::Done);
        Lock { state, key: key.to_owned(), owner, ttl_ms: reading.ttl_ms() }
    }

    /// Why the lock may not be released by owner compare; `None`: it may. Roles are looked at elsewhere.
    ///
    /// `shared_owner`: the value that all locks of the source carry, where they do. Some values (`1`, `locked`) cannot tell
    /// holders apart however few locks are seen.
    #[must_use]
    pub fn not_releasable(
        &self,
        lock: &Lock,
        behind: Behind,
        watched: Duration,
        shared_owner: Option<&str>,
    ) -> Option<WhyNot> {
        let too_young = |after: Duration| WhyNot::TooYoung { after_ms: millis(after) };
        let because = match (lock.state, behind) {
            (LockState::None | LockState::Unprotected, _) => return Some(WhyNot::NoLock),
            (LockState::Unknown, _) => return Some(WhyNot::LockUnknown),
            (LockState::Done, _) => return Some(WhyNot::DoneMarker),
            _ if !self.has_one_owner(lock) => return Some(WhyNot::NoOwner),
            (LockState::Held | LockState::Expiring, Behind::Missing) => Some(too_young(self.worst_case())),
            (
                LockState::Held | LockState::Expiring,
                Behind::Record { status: Status::Completed | Status::Dead, .. },
            ) => Some(too_young(self.worst_case())),
            (LockState::Held | LockState::Expiring, _) | (LockState::Eternal | LockState::Orphan, Behind::Unseen) => {
                Some(WhyNot::HandlerAlive)
            }
            (LockState::Orphan, _) => None,
            (LockState::Eternal, _) if self.nobody_needs_it(behind, watched) => None,
            (LockState::Eternal, Behind::Missing) => Some(too_young(self.worst_case())),
            (LockState::Eternal, Behind::Record { lease_is_live: true, .. }) => Some(WhyNot::HandlerAlive),
            // Its holder can have died at any time; it has been watched for longer than any handler runs.
            (LockState::Eternal, Behind::Record { .. }) if watched > self.minimum_age.max(self.worst_case()) => None,
            (LockState::Eternal, Behind::Record { .. }) => Some(too_young(self.minimum_age.max(self.worst_case()))),
        };
        // Said last, so that a lock which is needed is never explained by its owner.
        because.or_else(|| {
            let owner = lock.owner.as_ref().filter(|_| self.kind.owners_are_unique())?;
            let shared = shared_owner == Some(owner) || NO_OWNER.iter().any(|value| owner.eq_ignore_ascii_case(value));
            shared.then(|| WhyNot::SharedOwner { owner: owner.clone() })
        })
    }
}

/// Between owners that are shown together; part of no id that Redisson makes.
const BETWEEN: &str = ", ";

impl LockRules {
    /// Somebody to compare with before it is deleted.
    fn has_one_owner(&self, lock: &Lock) -> bool {
        let is_one = |owner: &String| self.kind != LockKind::Redisson || !owner.contains(BETWEEN);
        self.kind.has_owner() && lock.owner.as_ref().is_some_and(is_one)
    }
}

/// When a marker written by the convention `done:<Unix ms>` was set.
#[must_use]
pub fn done_at(reading: &Reading) -> Option<DateTime<Utc>> {
    match reading {
        Reading::Value { value, .. } => DateTime::from_timestamp_millis(value.strip_prefix("done:")?.parse().ok()?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Behind, Handling, LockRules};
    use crate::config::{DonePattern, LockKind};
    use crate::ports::locks::Reading;
    use app::model::{LockState, Status, WhyNot};
    use chrono::TimeDelta;
    use proptest::prelude::*;
    use std::time::Duration;

    const NEW: Duration = Duration::ZERO;
    const LONG: Duration = Duration::from_secs(3_600);

    fn rules() -> LockRules {
        LockRules {
            kind: LockKind::String,
            handling: Handling::default(),
            done: vec![DonePattern::Prefix("done:".into()), DonePattern::Exact("2".into())],
            ttl: Some(Duration::from_secs(20)),
            minimum_age: Duration::from_secs(300),
        }
    }

    fn value(value: &str, ttl_ms: Option<i64>) -> Reading {
        Reading::Value { value: value.into(), ttl_ms }
    }

    fn record(status: Status, age_s: i64) -> Behind {
        Behind::Record { status, age: Some(TimeDelta::seconds(age_s)), lease_is_live: false }
    }

    #[test]
    fn a_lock_is_what_its_value_its_ttl_and_its_record_say() {
        let processing = record(Status::Processing, 5);
        let other = Reading::OtherType { redis_type: "hash".into(), ttl_ms: None };
        for (reading, behind, watched, state) in [
            (Reading::Absent, processing, NEW, LockState::None),
            (other, processing, NEW, LockState::Unknown),
            (value("done:1795941066041", Some(9)), record(Status::Completed, 9), NEW, LockState::Done),
            (value("2", None), Behind::Missing, NEW, LockState::Done),
            (value("w", None), processing, NEW, LockState::Eternal),
            (value("w", Some(15_000)), processing, NEW, LockState::Held),
            (value("w", Some(3_999)), processing, NEW, LockState::Expiring),
            (value("w", Some(15_000)), record(Status::Completed, 2), NEW, LockState::Held),
            (value("w", Some(15_000)), record(Status::Completed, 21), NEW, LockState::Orphan),
            (value("w", Some(15_000)), record(Status::Dead, 21), NEW, LockState::Orphan),
            (value("w", Some(15_000)), record(Status::Failed, 2_100), LONG, LockState::Held),
            (value("w", Some(15_000)), Behind::Missing, NEW, LockState::Held),
            (value("w", Some(15_000)), Behind::Missing, Duration::from_secs(21), LockState::Orphan),
            (value("w", Some(15_000)), Behind::Unseen, LONG, LockState::Held),
        ] {
            assert_eq!(rules().state(&reading, behind, watched), state, "{reading:?} {behind:?} {watched:?}");
        }
    }

    #[test]
    fn only_what_nobody_needs_may_be_released() {
        let too_young = |after_s: u64| Some(WhyNot::TooYoung { after_ms: after_s * 1_000 });
        for (reading, behind, watched, why) in [
            (value("w", Some(9_000)), record(Status::Completed, 21), NEW, None),
            (value("w", Some(9_000)), record(Status::Completed, 2), NEW, too_young(20)),
            (value("w", Some(9_000)), record(Status::Processing, 9_000), LONG, Some(WhyNot::HandlerAlive)),
            (value("w", Some(9_000)), record(Status::Failed, 9_000), LONG, Some(WhyNot::HandlerAlive)),
            (value("w", Some(9_000)), Behind::Missing, NEW, too_young(20)),
            (value("w", Some(9_000)), Behind::Missing, LONG, None),
            (value("w", None), Behind::Missing, NEW, too_young(20)),
            (value("w", None), Behind::Missing, LONG, None),
            (value("w", None), record(Status::Completed, 21), NEW, None),
            (value("w", None), record(Status::Failed, 9_000), NEW, too_young(300)),
            (value("w", None), record(Status::Failed, 9_000), LONG, None),
            (value("w", None), Behind::Unseen, LONG, Some(WhyNot::HandlerAlive)),
            (value("done:1", Some(1)), Behind::Missing, LONG, Some(WhyNot::DoneMarker)),
            (Reading::Absent, Behind::Missing, LONG, Some(WhyNot::NoLock)),
        ] {
            let lock = rules().lock("k", &reading, behind, watched);
            assert_eq!(rules().not_releasable(&lock, behind, watched, None), why, "{reading:?} {behind:?} {watched:?}");
        }
    }

    fn mark(ttl_ms: Option<i64>) -> Reading {
        Reading::Mark { value: "3".into(), ttl_ms }
    }

    #[test]
    fn what_nobody_owns_is_judged_by_its_record_and_never_released() {
        for kind in [LockKind::Marker, LockKind::Counter] {
            let rules = LockRules { kind, ..rules() };
            for (ttl_ms, behind, watched, state, why) in [
                (Some(15_000), record(Status::Processing, 5), NEW, LockState::Held, WhyNot::NoOwner),
                (Some(3_000), record(Status::Processing, 5), NEW, LockState::Expiring, WhyNot::NoOwner),
                (None, record(Status::Processing, 5), NEW, LockState::Eternal, WhyNot::NoOwner),
                (Some(15_000), record(Status::Dead, 500), NEW, LockState::Orphan, WhyNot::NoOwner),
                (Some(15_000), Behind::Missing, LONG, LockState::Orphan, WhyNot::NoOwner),
                (Some(15_000), record(Status::Completed, 500), LONG, LockState::Done, WhyNot::DoneMarker),
                (None, record(Status::Completed, 500), LONG, LockState::Done, WhyNot::DoneMarker),
            ] {
                let lock = rules.lock("k", &mark(ttl_ms), behind, watched);
                assert_eq!((lock.state, &lock.owner), (state, &None), "{ttl_ms:?} {behind:?}");
                assert_eq!(rules.not_releasable(&lock, behind, watched, None), Some(why), "{ttl_ms:?} {behind:?}");
            }
        }
    }

    #[test]
    fn known_handling_times_say_what_is_short_and_what_is_old() {
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        let slow = rules().with(Handling { p99: seconds(18), longest: seconds(100) });
        let left = |ttl_ms| value("w", Some(ttl_ms));
        let processing = record(Status::Processing, 5);
        assert_eq!(slow.state(&left(15_000), processing, NEW), LockState::Expiring);
        assert_eq!(slow.state(&left(18_000), processing, NEW), LockState::Held);
        assert_eq!(slow.state(&left(19_000), record(Status::Completed, 99), NEW), LockState::Held);
        assert_eq!(slow.state(&left(19_000), record(Status::Completed, 101), NEW), LockState::Orphan);
        let quick = rules().with(Handling { p99: seconds(1), longest: seconds(2) });
        assert_eq!(quick.state(&left(3_000), processing, NEW), LockState::Held);
    }

    #[test]
    fn several_holders_are_shown_together() {
        let reading = Reading::Several { owners: vec!["a".into(), "b".into()], ttl_ms: Some(15_000) };
        let lock = rules().lock("k", &reading, record(Status::Processing, 5), NEW);
        assert_eq!((lock.state, lock.owner.as_deref()), (LockState::Held, Some("a, b")));
    }

    #[test]
    fn an_owner_that_all_share_is_never_compared() {
        let lock = rules().lock("k", &value("1", None), Behind::Missing, LONG);
        let why = rules().not_releasable(&lock, Behind::Missing, LONG, Some("1"));
        assert_eq!(why, Some(WhyNot::SharedOwner { owner: "1".into() }));
    }

    fn behind() -> impl Strategy<Value = Behind> {
        let status = prop::sample::select(Status::ALL.to_vec());
        let age = prop::option::of((0..100_000_i64).prop_map(TimeDelta::seconds));
        let record = (status, age, any::<bool>()).prop_map(|(status, age, lease_is_live)| Behind::Record {
            status,
            age,
            lease_is_live,
        });
        prop_oneof![Just(Behind::Unseen), Just(Behind::Missing), record]
    }

    proptest! {
        #[test]
        fn what_cannot_be_read_is_never_released(behind in behind(), watched in 0..100_000_u64) {
            let watched = Duration::from_secs(watched);
            let reading = Reading::OtherType { redis_type: "hash".into(), ttl_ms: None };
            let lock = rules().lock("k", &reading, behind, watched);
            prop_assert!(rules().not_releasable(&lock, behind, watched, None).is_some());
        }

        #[test]
        fn a_processing_record_keeps_a_lock_that_will_end(age in 0..100_000_i64, ttl_ms in 0..100_000_i64, watched in 0..100_000_u64) {
            let watched = Duration::from_secs(watched);
            let behind = record(Status::Processing, age);
            let lock = rules().lock("k", &value("w", Some(ttl_ms)), behind, watched);
            prop_assert_eq!(rules().not_releasable(&lock, behind, watched, None), Some(WhyNot::HandlerAlive));
        }
    }
}
