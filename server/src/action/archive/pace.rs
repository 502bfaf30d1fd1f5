//! How many rows at once, and how long to rest between: by how long the last ones took, since no fixed number fits two
//! databases, or one of them at noon and at night.

use app::model::ArchiveNote;
use std::time::Duration;

/// Where a run begins, knowing nothing.
const FIRST: usize = 100;
const SMALLEST: usize = 10;
/// A row that takes so many times what the best ones took, so many times in a row, is production's way to say stop.
const SLOWER: f64 = 5.0;
const SLOW_IN_A_ROW: u32 = 3;
const REST_WHEN_SLOW: Duration = Duration::from_secs(2);
const REST_WHEN_LOCKED: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct Pace {
    target: Duration,
    /// Of the time that a chunk took.
    rest: f64,
    ceiling: usize,
    size: usize,
    /// Milliseconds of the best row so far.
    best: Option<f64>,
    slow: u32,
}

/// What to do before the next chunk.
#[derive(Debug, PartialEq)]
pub struct Rest {
    pub time: Duration,
    pub why: Option<ArchiveNote>,
}

impl Pace {
    /// Most of the time the run works; a polite one mostly rests.
    pub fn new(polite: bool, ceiling: u32) -> Self {
        let (target, rest) = if polite { (Duration::from_millis(20), 4.0) } else { (Duration::from_millis(200), 0.25) };
        let ceiling = ceiling.max(1) as usize;
        Self { target, rest, ceiling, size: FIRST.min(ceiling), best: None, slow: 0 }
    }

    pub fn size(&self) -> usize {
        self.size
    }

    /// After a chunk that had so many rows, of which others held some.
    pub fn took(&mut self, rows: usize, locked: u64, time: Duration) -> Rest {
        let factor = (self.target.as_secs_f64() / time.as_secs_f64().max(1e-6)).clamp(0.5, 2.0);
        // A chunk that was not full says little about a fuller one.
        if factor < 1.0 || rows >= self.size {
            self.resize(factor);
        }
        let usual = time.mul_f64(self.rest);
        if locked > 0 {
            self.resize(0.5);
            return Rest { time: REST_WHEN_LOCKED.max(usual), why: Some(ArchiveNote::LockWaits { rows: locked }) };
        }
        match self.is_slow(rows, time) {
            Some(usual_ms) => {
                let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
                Rest { time: REST_WHEN_SLOW.max(usual), why: Some(ArchiveNote::Latency { ms, usual_ms }) }
            }
            None => Rest { time: usual, why: None },
        }
    }

    fn resize(&mut self, factor: f64) {
        #[expect(clippy::cast_possible_truncation, reason = "at most twice a number of rows")]
        let size = (self.size as f64 * factor) as usize;
        self.size = size.max(SMALLEST).min(self.ceiling);
    }

    /// What so many rows usually take, in milliseconds, where they keep taking far more.
    fn is_slow(&mut self, rows: usize, time: Duration) -> Option<u64> {
        // What a transaction costs without its rows is in the first few.
        let rows = rows.max(50) as f64;
        let each = time.as_secs_f64() * 1_000.0 / rows;
        let best = self.best.map_or(each, |best| best.min(each));
        self.best = Some(best);
        let is_slow = time > self.target && each > best * SLOWER;
        self.slow = if is_slow { self.slow + 1 } else { 0 };
        if self.slow < SLOW_IN_A_ROW {
            return None;
        }
        self.slow = 0;
        #[expect(clippy::cast_possible_truncation, reason = "a time that was measured")]
        let usual_ms = (best * rows) as u64;
        Some(usual_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::{Pace, SMALLEST};
    use app::model::ArchiveNote;
    use proptest::prelude::*;
    use std::time::Duration;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn it_finds_the_size_that_takes_as_long_as_it_may() {
        let mut pace = Pace::new(false, 2_000);
        for _ in 0..20 {
            let rows = pace.size();
            // Half a millisecond each.
            pace.took(rows, 0, MS(rows as u64 / 2));
        }
        assert!((300..=500).contains(&pace.size()), "{pace:?}");
        let mut polite = Pace::new(true, 2_000);
        for _ in 0..20 {
            let rows = polite.size();
            let rest = polite.took(rows, 0, MS(rows as u64 / 2));
            assert_eq!(rest.time, MS(rows as u64 / 2) * 4);
        }
        assert!((30..=50).contains(&polite.size()), "{polite:?}");
    }

    #[test]
    fn rows_that_take_longer_and_longer_make_it_rest() {
        let mut pace = Pace::new(false, 2_000);
        for _ in 0..10 {
            assert_eq!(pace.took(100, 0, MS(20)).why, None);
        }
        // One slow chunk is a hiccup.
        assert_eq!(pace.took(100, 0, MS(400)).why, None);
        assert_eq!(pace.took(100, 0, MS(20)).why, None);
        for _ in 0..2 {
            assert_eq!(pace.took(100, 0, MS(400)).why, None);
        }
        let rest = pace.took(100, 0, MS(400));
        assert_eq!(rest.why, Some(ArchiveNote::Latency { ms: 400, usual_ms: 20 }));
        assert!(rest.time >= Duration::from_secs(2), "{rest:?}");
    }

    #[test]
    fn rows_that_others_hold_make_it_rest() {
        let mut pace = Pace::new(false, 2_000);
        let rest = pace.took(100, 3, MS(20));
        assert_eq!(rest.why, Some(ArchiveNote::LockWaits { rows: 3 }));
        assert!(pace.size() <= 100 && rest.time >= Duration::from_secs(1), "{pace:?} {rest:?}");
    }

    proptest! {
        #[test]
        fn it_never_leaves_its_bounds(ceiling in 1..10_000_u32, chunks in prop::collection::vec((0..10_000_usize, 0..3_u64, 0..60_000_u64), 0..50)) {
            let mut pace = Pace::new(false, ceiling);
            for (rows, locked, ms) in chunks {
                prop_assert!(pace.size() >= SMALLEST.min(ceiling as usize) && pace.size() <= ceiling as usize);
                pace.took(rows, locked, MS(ms));
            }
        }
    }
}
