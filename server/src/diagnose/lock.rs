//! What a lock's value, its record and the time that it was watched say together.

use crate::clock::millis;
use crate::config::DonePattern;
use crate::ports::locks::Reading;
use app::model::{Lock, LockState, Status, WhyNot};
use chrono::{DateTime, TimeDelta, Utc};
use std::time::Duration;

/// A lock that nobody renews is gone after its TTL; with a TTL below this a slow insert may still come.
const SHORTEST_WORST_CASE: Duration = Duration::from_secs(15);

/// Until handling times are known, a lock with less than a fifth of its TTL left is called expiring.
const EXPIRING_PART: u32 = 5;

/// What examples set as a lock's value: it tells no holder from another.
const NO_OWNER: [&str; 6] = ["", "1", "true", "ok", "lock", "locked"];

/// What the configuration says of the locks of one source.
#[derive(Debug, Clone)]
pub struct LockRules {
    pub done: Vec<DonePattern>,
    pub ttl: Option<Duration>,
    /// See [`super::minimum_age`].
    pub minimum_age: Duration,
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
        self.ttl.unwrap_or_default().max(SHORTEST_WORST_CASE)
    }

    #[must_use]
    pub fn is_done(&self, value: &str) -> bool {
        self.done.iter().any(|pattern| pattern.matches(value))
    }

    /// `watched`: for how long at least this owner has been seen to hold it; zero at first sight.
    ///
    /// A finished record's lock is an orphan by the record's age alone: whoever took it since is only turning a
    /// duplicate away. Without a record the lock itself must have been watched, because its holder may be about to insert.
    #[must_use]
    pub fn state(&self, reading: &Reading, behind: Behind, watched: Duration) -> LockState {
        let (value, ttl_ms) = match reading {
            Reading::Absent => return LockState::None,
            Reading::OtherType { .. } => return LockState::Unknown,
            Reading::Value { value, ttl_ms } => (value, *ttl_ms),
        };
        if self.is_done(value) {
            return LockState::Done;
        }
        let Some(ttl_ms) = ttl_ms else { return LockState::Eternal };
        if self.nobody_needs_it(behind, watched) {
            LockState::Orphan
        } else if self.ttl.is_some_and(|ttl| {
            i128::from(ttl_ms) < i128::try_from((ttl / EXPIRING_PART).as_millis()).unwrap_or(i128::MAX)
        }) {
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
        let (owner, ttl_ms) = match reading {
            Reading::Absent => (None, None),
            Reading::OtherType { ttl_ms, .. } => (None, *ttl_ms),
            Reading::Value { value, ttl_ms } => ((state != LockState::Done).then(|| value.clone()), *ttl_ms),
        };
        Lock { state, key: key.to_owned(), owner, ttl_ms }
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
            let owner = lock.owner.as_ref()?;
            let shared = shared_owner == Some(owner) || NO_OWNER.iter().any(|value| owner.eq_ignore_ascii_case(value));
            shared.then(|| WhyNot::SharedOwner { owner: owner.clone() })
        })
    }
}

/// When a marker written by the convention `done:<Unix ms>` was set.
#[must_use]
pub fn done_at(reading: &Reading) -> Option<DateTime<Utc>> {
    match reading {
        Reading::Value { value, .. } => DateTime::from_timestamp_millis(value.strip_prefix("done:")?.parse().ok()?),
        Reading::Absent | Reading::OtherType { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Behind, LockRules};
    use crate::config::DonePattern;
    use crate::ports::locks::Reading;
    use app::model::{LockState, Status, WhyNot};
    use chrono::TimeDelta;
    use proptest::prelude::*;
    use std::time::Duration;

    const NEW: Duration = Duration::ZERO;
    const LONG: Duration = Duration::from_secs(3_600);

    fn rules() -> LockRules {
        LockRules {
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
