//! The search for locks that no open record explains, with a budget: a `SCAN` of a thousand keys, a rest, and a long
//! rest after each round. The first round is brisk, three million keys in half a minute, later ones have time. It rests
//! longer when Redis answers slowly, stands still while it answers far more slowly than it did, and never blocks it for
//! more than a millisecond.

use crate::ports::locks::Cursor;
use app::model::{Count, Pass, Quality};
use chrono::{DateTime, Utc};
use std::time::Duration;

/// How long it rests between two steps, and how many times as long as the step took: a third of the time, while nothing
/// is known yet and Redis answers at once, else a twentieth.
const FIRST_ROUND: (Duration, u32) = (Duration::from_millis(5), 2);
const LATER_ROUNDS: (Duration, u32) = (Duration::from_millis(200), 19);
const AT_ONCE: Duration = Duration::from_millis(10);
const AFTER_A_ROUND: Duration = Duration::from_secs(60);
/// A step that takes so many times the quickest one, and this long at least, finds Redis busy with other things.
const SLOWER: u32 = 5;
const SLOW: Duration = Duration::from_millis(50);
/// How long the search then stands still; twice as long each time that it finds no change.
const FIRST_STOP: Duration = Duration::from_secs(2);
const LONGEST_STOP: Duration = Duration::from_secs(60);

/// How long a step took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Took {
    /// Its `SCAN`, which is the same work each time.
    pub step: Duration,
    /// With the reading of what it found.
    pub all: Duration,
}

/// Where the search stands.
#[derive(Debug, Default)]
pub(super) struct Keyspace {
    cursor: Cursor,
    walked: u64,
    total: Option<u64>,
    done: u64,
    /// Done markers of the last whole round.
    done_before: Option<u64>,
    began: Option<DateTime<Utc>>,
    complete_as_of: Option<DateTime<Utc>>,
    /// The quickest `SCAN` of this round.
    quickest: Option<Duration>,
    /// The last `SCAN`, where it was slow, and for how long the search stands still because of it.
    stopped: Option<(Duration, Duration)>,
}

impl Keyspace {
    pub(super) fn cursor(&self) -> &Cursor {
        &self.cursor
    }

    /// How long Redis took for the last step, while the search stands still because of it.
    pub(super) fn slow(&self) -> Option<Duration> {
        self.stopped.map(|(took, _)| took)
    }

    /// Takes one step's result in; returns the rest before the next.
    pub(super) fn note(&mut self, next: Option<Cursor>, examined: u64, total: u64, done: u64, took: Took) -> Duration {
        let rest = self.advance(next, examined, total, done, took);
        let quickest = self.quickest.map_or(took.step, |quickest| quickest.min(took.step));
        self.quickest = Some(quickest);
        if took.step < SLOW.max(quickest * SLOWER) {
            self.stopped = None;
            return rest;
        }
        let stop = self.stopped.map_or(FIRST_STOP, |(_, before)| (before * 2).min(LONGEST_STOP));
        self.stopped = Some((took.step, stop));
        rest.max(stop)
    }

    fn advance(&mut self, next: Option<Cursor>, examined: u64, total: u64, done: u64, took: Took) -> Duration {
        self.walked = (self.walked + examined).min(total);
        self.total = Some(total);
        self.done += done;
        match next {
            Some(cursor) => {
                self.cursor = cursor;
                let is_brisk = self.complete_as_of.is_none() && took.step < AT_ONCE;
                let (shortest, times) = if is_brisk { FIRST_ROUND } else { LATER_ROUNDS };
                (took.all * times).max(shortest)
            }
            None => {
                *self = Self {
                    done_before: Some(self.done),
                    complete_as_of: self.began,
                    // Each step looked at about so many; together they looked at all.
                    walked: total,
                    total: self.total,
                    stopped: self.stopped,
                    ..Self::default()
                };
                AFTER_A_ROUND
            }
        }
    }

    /// A round begins: what the last one walked no longer counts.
    pub(super) fn begin_round(&mut self, now: DateTime<Utc>) {
        if self.cursor == Cursor::default() {
            (self.walked, self.began) = (0, Some(now));
        }
    }

    pub(super) fn pass(&self) -> Pass {
        Pass { walked: self.walked, estimated: self.total, complete_as_of: self.complete_as_of }
    }

    pub(super) fn done(&self) -> Count {
        match self.done_before {
            Some(value) => Count { value, quality: Quality::Estimated },
            None => Count { value: self.done, quality: Quality::Partial },
        }
    }

    /// How sure a count of what only the search can find is.
    pub(super) fn quality(&self) -> Quality {
        if self.complete_as_of.is_some() { Quality::Exact } else { Quality::Partial }
    }
}

#[cfg(test)]
mod tests {
    use super::{Keyspace, Took};
    use crate::ports::locks::Cursor;
    use app::model::Quality;
    use chrono::DateTime;
    use std::time::Duration;

    fn at(at: u64) -> Option<Cursor> {
        Some(Cursor { at, ..Cursor::default() })
    }

    fn took(ms: u64) -> Took {
        Took { step: Duration::from_millis(ms), all: Duration::from_millis(ms) }
    }

    #[test]
    fn counts_are_partial_until_a_round_is_whole() {
        let (mut keyspace, began) = (Keyspace::default(), DateTime::UNIX_EPOCH);
        keyspace.begin_round(began);
        assert_eq!(keyspace.note(at(7), 1_000, 1_500, 3, took(1)), Duration::from_millis(5));
        assert_eq!((keyspace.cursor().at, keyspace.done().value, keyspace.quality()), (7, 3, Quality::Partial));
        assert_eq!(keyspace.note(None, 1_000, 1_500, 1, took(1)), Duration::from_secs(60));
        assert_eq!((keyspace.cursor().at, keyspace.done().value, keyspace.quality()), (0, 4, Quality::Exact));
        assert_eq!((keyspace.pass().walked, keyspace.pass().complete_as_of), (1_500, Some(began)));
        assert_eq!(keyspace.note(at(7), 1_000, 1_500, 3, took(1)), Duration::from_millis(200), "now it has time");
    }

    #[test]
    fn a_slow_redis_is_asked_less_often() {
        let rest = |ms| Keyspace::default().note(at(7), 1_000, 9_000, 0, took(ms));
        assert_eq!([rest(1), rest(4), rest(40)].map(|rest| rest.as_millis()), [5, 8, 760]);
    }

    #[test]
    fn the_search_stands_still_while_redis_is_slower_than_it_was_and_goes_on_after() {
        let mut keyspace = Keyspace::default();
        let mut rests = Vec::new();
        for ms in [2, 70, 70, 70, 3, 40] {
            rests.push(keyspace.note(at(7), 1_000, 9_000, 0, took(ms)).as_millis());
        }
        assert_eq!(rests, [5, 2_000, 4_000, 8_000, 6, 760]);
        assert_eq!(keyspace.slow(), None);
        for _ in 0..9 {
            keyspace.note(at(7), 1_000, 9_000, 0, took(70));
        }
        assert_eq!(keyspace.slow(), Some(Duration::from_millis(70)));
        assert_eq!(keyspace.note(at(7), 1_000, 9_000, 0, took(70)), Duration::from_secs(60));
    }

    #[test]
    fn a_redis_that_is_always_slow_is_walked_slowly() {
        let mut keyspace = Keyspace::default();
        for _ in 0..3 {
            assert_eq!(keyspace.note(at(7), 1_000, 9_000, 0, took(120)), Duration::from_millis(2_280));
        }
        assert_eq!(keyspace.slow(), None);
    }
}
