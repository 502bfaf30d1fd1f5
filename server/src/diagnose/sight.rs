//! From what stores answered to the facets that verdicts rest on. Used by look-ups and by the locks collector.

use super::lock::done_at;
use super::{Behind, BrokerSight, LockRules, LockSight};
use crate::ports::brokers::Sighting;
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
    /// Some part is missing: a count that is not there yet, a queue that does not exist, a dead letter not found, streams
    /// that are still searched for.
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
            || panels.iter().any(|panel| panel.searching || !panel.unmatched.is_empty());
        Self { ready, unacked, dead: dead.filter(|_| has_dead_letter), incomplete }
    }

    /// There is no message anywhere, as far as every part says so.
    fn is_empty(&self) -> bool {
        !self.incomplete && (self.ready, self.unacked) == (Some(0), Some(0)) && matches!(self.dead, None | Some(0))
    }

    fn facet(&self, view: BrokerView) -> BrokerFacet {
        BrokerFacet { view, state: None, deliveries: None, ready: self.ready, unacked: self.unacked, dead: self.dead }
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

/// What the brokers of a source say of one message together, each with its queues and what it said of the message.
///
/// A message that one of them found is what counts, of several copies the one that is nearest to being worked on. Else
/// their counts speak, unless all that they count was looked through.
pub(crate) fn brokers(
    panels: &[BrokerPanel],
    sightings: &[Sighting],
    read_at: DateTime<Utc>,
    lag_ms: u64,
) -> (BrokerFacet, BrokerSight) {
    let sums = Sums::of(panels);
    let found = sightings.iter().filter_map(|sighting| match sighting {
        Sighting::Message(found) => Some(found),
        Sighting::Queue | Sighting::NotThere => None,
    });
    if let Some(found) = found.min_by_key(|found| found.state) {
        let facet = sums.facet(BrokerView::Message);
        let facet = BrokerFacet { state: Some(found.state), deliveries: found.deliveries, ..facet };
        return (facet, BrokerSight::Message(found.clone()));
    }
    let may_hold_it = |(panel, sighting): (&BrokerPanel, &Sighting)| {
        *sighting == Sighting::Queue && !Sums::of(std::slice::from_ref(panel)).is_empty()
    };
    if sums.is_empty() || panels.iter().zip(sightings).any(may_hold_it) {
        return (sums.facet(BrokerView::Queue), sums.sight(read_at, lag_ms));
    }
    (sums.facet(BrokerView::NotSeen), BrokerSight::NotThere)
}

pub(crate) const NOT_SEEN: BrokerFacet =
    BrokerFacet { view: BrokerView::NotSeen, state: None, deliveries: None, ready: None, unacked: None, dead: None };

#[cfg(test)]
mod tests {
    use super::{Sums, brokers};
    use crate::diagnose::BrokerSight;
    use crate::ports::brokers::{Found, Sighting};
    use app::model::{BrokerKind, BrokerPanel, BrokerView, MessageState, Queue};
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
            delivery_limit: None,
            consumer_timeout_ms: None,
            group: None,
        }
    }

    fn panel(queues: Vec<Queue>, unmatched: &[&str]) -> BrokerPanel {
        BrokerPanel {
            kind: BrokerKind::RabbitMq,
            address: "mq:15672".into(),
            vhost: Some("/".into()),
            version: None,
            searching: false,
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
        let facet = sums.facet(BrokerView::Queue);
        assert_eq!((facet.ready, facet.dead), (Some(5), Some(7)));
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
        let first_search = BrokerPanel { searching: true, ..panel(vec![queue("a", Some(0), false)], &[]) };
        assert_eq!(Sums::of(&[first_search]).sight(DateTime::UNIX_EPOCH, 0), BrokerSight::NotSeen);
        assert_eq!(Sums::of(&[panel(vec![], &[])]).facet(BrokerView::Queue).ready, None);
    }

    #[test]
    fn several_brokers_say_together_what_became_of_a_message() {
        let of = |ready| panel(vec![queue("a", Some(ready), false)], &[]);
        let found = |state| Sighting::Message(Found { state, queue: "a".into(), deliveries: Some(3), idle_ms: None });
        let view = |panels: &[BrokerPanel], sightings: &[Sighting]| {
            let (facet, sight) = brokers(panels, sightings, DateTime::UNIX_EPOCH, 0);
            (facet.view, facet.state, sight.nothing_since(None))
        };
        let (dead, unacked) = (found(MessageState::Dead), found(MessageState::Unacked));
        assert_eq!(
            view(&[of(1), of(1)], &[dead.clone(), unacked]),
            (BrokerView::Message, Some(MessageState::Unacked), false)
        );
        assert_eq!(view(&[of(1), of(0)], &[Sighting::Queue, dead]).1, Some(MessageState::Dead));
        assert_eq!(view(&[of(1), of(0)], &[Sighting::Queue, Sighting::NotThere]), (BrokerView::Queue, None, false));
        assert_eq!(view(&[of(0), of(1)], &[Sighting::Queue, Sighting::NotThere]), (BrokerView::NotSeen, None, false));
        assert_eq!(view(&[of(0), of(0)], &[Sighting::Queue, Sighting::NotThere]), (BrokerView::Queue, None, true));
        assert_eq!(view(&[of(0), of(0)], &[Sighting::Queue, Sighting::Queue]), (BrokerView::Queue, None, true));
    }
}
