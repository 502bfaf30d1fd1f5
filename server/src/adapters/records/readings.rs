//! How well the values of a source's columns could be read lately: a text that is no time, JSON that is none. They are
//! shown as nothing, so somebody must be told.

use app::model::Problem;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was read so long ago counts no more: the last so many rows do, and up to as many before them.
const ROWS: u64 = 10_000;
/// How much of a bad value is kept, in characters.
const EXAMPLE: usize = 40;

/// What a column is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum For {
    Time,
    Json,
}

/// By column, since the table was last seen to change.
#[derive(Default)]
pub struct Readings(Mutex<BTreeMap<(String, For), Tally>>);

#[derive(Default)]
struct Tally {
    now: Rows,
    before: Rows,
    /// The last bad value.
    example: String,
}

#[derive(Default, Clone, Copy)]
struct Rows {
    read: u64,
    bad: u64,
}

impl Readings {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<(String, For), Tally>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A cell was read; `bad` is what it held when that made no sense.
    pub fn count(&self, column: &str, what: For, bad: Option<&str>) {
        let mut tallies = self.lock();
        let tally = tallies.entry((column.to_owned(), what)).or_default();
        if tally.now.read == ROWS {
            tally.before = std::mem::take(&mut tally.now);
        }
        tally.now.read += 1;
        if let Some(bad) = bad {
            tally.now.bad += 1;
            tally.example = bad.chars().take(EXAMPLE).collect();
        }
    }

    pub fn forget(&self) {
        self.lock().clear();
    }

    /// Whether so many rows were read that a look at the table would tell nothing new.
    pub fn has_seen(&self, rows: u64) -> bool {
        let tallies = self.lock();
        !tallies.is_empty() && tallies.values().all(|tally| tally.now.read + tally.before.read >= rows)
    }

    pub fn problems(&self) -> Vec<Problem> {
        let tallies = self.lock();
        let bad = tallies.iter().filter_map(|((column, what), tally)| {
            let (column, count) = (column.clone(), tally.now.bad + tally.before.bad);
            let of = tally.now.read + tally.before.read;
            (count > 0).then(|| match what {
                For::Time => Problem::TextIsNoTime { column, count, of, example: tally.example.clone() },
                For::Json => Problem::JsonUnreadable { column, count, of },
            })
        });
        bad.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{For, ROWS, Readings};
    use app::model::Problem;

    #[test]
    fn the_last_rows_count_and_old_ones_are_forgotten() {
        let readings = Readings::default();
        assert!(readings.problems().is_empty() && !readings.has_seen(1));
        for row in 0..100 {
            readings.count(
                "at",
                For::Time,
                (row % 10 == 0).then_some("soon, but not yet: this is far too long to show"),
            );
            readings.count("body", For::Json, None);
        }
        let example = "soon, but not yet: this is far too long ".to_owned();
        let found = Problem::TextIsNoTime { column: "at".into(), count: 10, of: 100, example };
        assert_eq!(readings.problems(), [found]);
        assert!(readings.has_seen(100) && !readings.has_seen(101));
        for _ in 0..2 * ROWS {
            readings.count("at", For::Time, None);
        }
        assert_eq!(readings.problems(), []);
        readings.forget();
        assert!(!readings.has_seen(1));
    }
}
