//! From what stores answered to the facets that verdicts rest on. Used by look-ups and by the locks collector.

use super::lock::done_at;
use super::{Behind, BrokerSight, LockRules, LockSight};
use crate::ports::locks::Reading;
use app::model::{BrokerFacet, BrokerPanel, BrokerView, Lock, LockState, Record};
use chrono::{DateTime, TimeDelta, Utc};
use std::time::Duration;

/// The record behind a lock, at the database's time `now`.
pub(crate) fn behind(record: Option<&Record>, now: DateTime<Utc>) -> Behind {
    match record {
        None => Behind::Missing,
        Some(record) => Behind::Record {
            status: record.status,
            age: record.since().map(|since| now - since),
            lease_is_live: record.lease_until.is_some_and(|until| until > now),
        },
    }
}

pub(crate) fn lock(
    rules: &LockRules,
    key: &str,
    reading: &Reading,
    behind: Behind,
    watched: Duration,
) -> (Lock, LockSight) {
    let lock = rules.lock(key, reading, behind, watched);
    if matches!(reading, Reading::Mark { .. }) && lock.state != LockState::Done {
        return (lock.clone(), LockSight::Mark(lock));
    }
    let done_at = if lock.state == LockState::Done { done_at(reading) } else { None };
    (lock.clone(), LockSight::Seen { lock, done_at })
}

/// All queues of all brokers of a source together. A sum is only given when every part of it is there.
pub(crate) struct Sums {
    pub ready: Option<u64>,
    pub unacked: Option<u64>,
    pub dead: Option<u64>,
    /// Some part is missing: a count that is not there yet, a queue that does not exist, a dead letter not found.
    incomplete: bool,
}

impl Sums {
    pub(crate) fn of(panels: &[BrokerPanel]) -> Self {
        let all = || panels.iter().flat_map(|panel| &panel.queues);
        let queues = || all().filter(|queue| !queue.dead_letter);
        let dead_letters = || all().filter(|queue| queue.dead_letter);
        // With no queue at all there is nothing to add up: that is no zero.
        let any = queues().next().is_some();
        let ready = queues().map(|queue| queue.ready).sum::<Option<u64>>().filter(|_| any);
        let unacked = queues().map(|queue| queue.unacked).sum::<Option<u64>>().filter(|_| any);
        let has_dead_letter = dead_letters().next().is_some();
        let dead = dead_letters()
            .map(|queue| queue.ready.zip(queue.unacked).map(|(ready, unacked)| ready + unacked))
            .sum::<Option<u64>>();
        let incomplete = ready.is_none()
            || unacked.is_none()
            || dead.is_none()
            || panels.iter().any(|panel| !panel.unmatched.is_empty());
        Self { ready, unacked, dead: dead.filter(|_| has_dead_letter), incomplete }
    }

    pub(crate) fn facet(&self) -> BrokerFacet {
        BrokerFacet {
            view: BrokerView::Queue,
            state: None,
            deliveries: None,
            ready: self.ready,
            unacked: self.unacked,
            dead: self.dead,
        }
    }

    /// `read_at`: when they were read; the broker's own statistics are `lag_ms` older.
    pub(crate) fn sight(&self, read_at: DateTime<Utc>, lag_ms: u64) -> BrokerSight {
        match (self.ready, self.unacked) {
            (Some(ready), Some(unacked)) if !self.incomplete => {
                let lag = TimeDelta::milliseconds(i64::try_from(lag_ms).unwrap_or(i64::MAX / 2));
                BrokerSight::Queue { ready, unacked, dead: self.dead, as_of: read_at - lag }
            }
            _ => BrokerSight::NotSeen,
        }
    }
}

pub(crate) const NOT_SEEN: BrokerFacet =
    BrokerFacet { view: BrokerView::NotSeen, state: None, deliveries: None, ready: None, unacked: None, dead: None };

#[cfg(test)]
mod tests {
    use super::Sums;
    use crate::diagnose::BrokerSight;
    use app::model::{BrokerPanel, Queue};
    use chrono::{DateTime, TimeDelta};

    fn queue(name: &str, ready: Option<u64>, dead_letter: bool) -> Queue {
        Queue {
            name: name.into(),
            kind: None,
            ready,
            unacked: Some(0),
            consumers: None,
            in_per_second: None,
            acked_per_second: None,
            redelivered_per_second: None,
            dead_letter,
        }
    }

    fn panel(queues: Vec<Queue>, unmatched: &[&str]) -> BrokerPanel {
        BrokerPanel {
            kind: "rabbitmq".into(),
            address: "mq:15672".into(),
            vhost: "/".into(),
            version: None,
            unmatched: unmatched.iter().map(|glob| (*glob).to_owned()).collect(),
            queues,
        }
    }

    #[test]
    fn counts_are_added_up_without_the_dead_letter() {
        let sums = Sums::of(&[panel(
            vec![queue("a", Some(2), false), queue("b", Some(3), false), queue("dlq", Some(7), true)],
            &[],
        )]);
        let read_at = DateTime::UNIX_EPOCH;
        let as_of = read_at - TimeDelta::seconds(5);
        assert_eq!(sums.sight(read_at, 5_000), BrokerSight::Queue { ready: 5, unacked: 0, dead: Some(7), as_of });
        assert_eq!((sums.facet().ready, sums.facet().dead), (Some(5), Some(7)));
    }

    #[test]
    fn what_is_not_there_yet_is_no_zero() {
        for panel in [
            panel(vec![], &["a.*"]),
            panel(vec![], &[]),
            panel(vec![queue("a", None, false)], &[]),
            panel(vec![queue("a", Some(0), false)], &["dlq"]),
            panel(vec![queue("a", Some(0), false), queue("dlq", None, true)], &[]),
        ] {
            assert_eq!(
                Sums::of(std::slice::from_ref(&panel)).sight(DateTime::UNIX_EPOCH, 0),
                BrokerSight::NotSeen,
                "{panel:?}"
            );
        }
        assert_eq!(Sums::of(&[panel(vec![], &[])]).facet().ready, None);
    }
}
