//! The search for locks that no open record explains, with a budget: a `SCAN` of a thousand keys, a rest, and a long
//! rest after each round. It rests longer when Redis answers slowly, and never blocks it for more than a millisecond.

use app::model::{Count, Pass, Quality};
use chrono::{DateTime, Utc};
use std::time::Duration;

const SHORTEST_REST: Duration = Duration::from_millis(200);
/// At most a twentieth of the time.
const RESTS: u32 = 20;
const AFTER_A_ROUND: Duration = Duration::from_secs(60);

/// Where the search stands.
#[derive(Debug, Default)]
pub(super) struct Keyspace {
    cursor: u64,
    walked: u64,
    total: Option<u64>,
    done: u64,
    /// Done markers of the last whole round.
    done_before: Option<u64>,
    began: Option<DateTime<Utc>>,
    complete_as_of: Option<DateTime<Utc>>,
}

impl Keyspace {
    pub(super) fn cursor(&self) -> u64 {
        self.cursor
    }

    /// Takes one step's result in; returns the rest before the next.
    pub(super) fn note(&mut self, next: Option<u64>, examined: u64, total: u64, done: u64, took: Duration) -> Duration {
        self.walked = (self.walked + examined).min(total);
        self.total = Some(total);
        self.done += done;
        match next {
            Some(cursor) => {
                self.cursor = cursor;
                (took * RESTS).max(SHORTEST_REST)
            }
            None => {
                *self = Self {
                    done_before: Some(self.done),
                    complete_as_of: self.began,
                    walked: self.walked,
                    total: self.total,
                    ..Self::default()
                };
                AFTER_A_ROUND
            }
        }
    }

    /// A round begins: what the last one walked no longer counts.
    pub(super) fn begin_round(&mut self, now: DateTime<Utc>) {
        if self.cursor == 0 {
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
    use super::Keyspace;
    use app::model::Quality;
    use chrono::DateTime;
    use std::time::Duration;

    #[test]
    fn counts_are_partial_until_a_round_is_whole() {
        let (mut keyspace, began) = (Keyspace::default(), DateTime::UNIX_EPOCH);
        keyspace.begin_round(began);
        let quick = Duration::from_millis(1);
        assert_eq!(keyspace.note(Some(7), 1_000, 1_500, 3, quick), Duration::from_millis(200));
        assert_eq!((keyspace.cursor(), keyspace.done().value, keyspace.quality()), (7, 3, Quality::Partial));
        assert_eq!(keyspace.note(None, 1_000, 1_500, 1, quick), Duration::from_secs(60));
        assert_eq!((keyspace.cursor(), keyspace.done().value, keyspace.quality()), (0, 4, Quality::Exact));
        assert_eq!((keyspace.pass().walked, keyspace.pass().complete_as_of), (1_500, Some(began)));
    }

    #[test]
    fn a_slow_redis_is_asked_less_often() {
        let rest = Keyspace::default().note(Some(7), 1_000, 9_000, 0, Duration::from_millis(50));
        assert_eq!(rest, Duration::from_secs(1));
    }
}
