//! The high-water mark as a history: ids commit out of order (long transactions, sequence caches, hi/lo allocators), so
//! a stretch of ids that was read once is read again at growing ages, until nothing late is to be expected.

use super::tally::Tally;
use std::collections::VecDeque;
use std::time::Duration;

/// Ages at which a stretch of ids, or of time, is read again.
pub(super) const AGES: [Duration; 6] = [
    Duration::from_secs(1),
    Duration::from_secs(5),
    Duration::from_secs(30),
    Duration::from_secs(120),
    Duration::from_secs(600),
    Duration::from_secs(3_600),
];

/// Neighbours of the same stage that are nearly due are read together: a table that grows each second has thousands of
/// stretches.
const NEARLY: f64 = 0.9;

/// `after < id <= up_to`, with what was counted in it when it was last read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretch {
    pub after: i128,
    pub up_to: i128,
    born: Duration,
    stage: usize,
    pub tally: Tally,
}

/// Stretches without gaps or overlaps, lowest ids first. Times count from when the collector started.
#[derive(Debug)]
pub(super) struct Marks {
    stretches: VecDeque<Stretch>,
    mark: i128,
}

impl Marks {
    /// From a table whose largest id is `mark`. The ids just below it are followed too: they may still be committing.
    pub(super) fn new(mark: i128, recent: i128, now: Duration) -> Self {
        let mut marks = Self { stretches: VecDeque::new(), mark: mark - recent };
        marks.advance(mark, Tally::default(), now);
        marks
    }

    /// The largest id that was seen.
    pub(super) fn mark(&self) -> i128 {
        self.mark
    }

    /// Everything up to here is settled: no stretch covers it any more.
    pub(super) fn floor(&self) -> i128 {
        self.stretches.front().map_or(self.mark, |stretch| stretch.after)
    }

    /// Rows up to `up_to` were read for the first time.
    pub(super) fn advance(&mut self, up_to: i128, tally: Tally, now: Duration) {
        if up_to > self.mark {
            self.stretches.push_back(Stretch { after: self.mark, up_to, born: now, stage: 0, tally });
            self.mark = up_to;
        }
    }

    /// The newest rows were deleted: ids above `last` are free to come again.
    pub(super) fn retreat(&mut self, last: i128) {
        self.mark = self.mark.min(last);
        while self.stretches.back().is_some_and(|stretch| stretch.after >= last) {
            self.stretches.pop_back();
        }
        if let Some(stretch) = self.stretches.back_mut() {
            stretch.up_to = stretch.up_to.min(last);
        }
    }

    /// The count of the lowest stretch, read once more without waiting for its age.
    pub(super) fn set_first(&mut self, tally: Tally) {
        if let Some(first) = self.stretches.front_mut() {
            first.tally = tally;
        }
    }

    /// What is to be read again now: the first stretch that is due, with its nearly due neighbours.
    pub(super) fn due(&self, now: Duration) -> Option<(i128, i128)> {
        let first =
            self.stretches.iter().position(|stretch| now.saturating_sub(stretch.born) >= AGES[stretch.stage])?;
        let stage = self.stretches[first].stage;
        let nearly = AGES[stage].mul_f64(NEARLY);
        let together = self
            .stretches
            .range(first..)
            .take_while(|stretch| stretch.stage == stage && now.saturating_sub(stretch.born) >= nearly);
        let last = together.last()?;
        Some((self.stretches[first].after, last.up_to))
    }

    /// `after..=up_to` (as [`Marks::due`] gave it) was read again with this count. What has passed its last age is
    /// settled and returned.
    pub(super) fn reread(&mut self, after: i128, up_to: i128, tally: Tally) -> Option<Tally> {
        let first = self.stretches.iter().position(|stretch| stretch.after == after)?;
        let count = self.stretches.range(first..).take_while(|stretch| stretch.up_to <= up_to).count();
        let last = first + count.checked_sub(1)?;
        // By the youngest birth, so that no id is read less often than promised.
        let (born, stage) = (self.stretches[last].born, self.stretches[last].stage + 1);
        self.stretches.drain(first..=last);
        if stage < AGES.len() {
            self.stretches.insert(first, Stretch { after, up_to, born, stage, tally });
            return None;
        }
        Some(tally)
    }

    /// Counts a row that left the open set, in the stretch it lies in. `false`: none covers it.
    pub(super) fn count(&mut self, id: i128, add: impl FnOnce(&mut Tally)) -> bool {
        let found = self.stretches.iter_mut().find(|stretch| stretch.after < id && id <= stretch.up_to);
        found.map(|stretch| add(&mut stretch.tally)).is_some()
    }

    /// Counts of all stretches together.
    pub(super) fn tally(&self) -> Tally {
        self.stretches.iter().fold(Tally::default(), |mut sum, stretch| {
            sum += stretch.tally;
            sum
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{AGES, Marks};
    use crate::collect::tally::Tally;
    use proptest::prelude::*;
    use std::time::Duration;

    /// Drives marks for a while: new ids each second, all due stretches read at once; returns when each id was read.
    fn drive(growth: &[i128], seconds: u64) -> (Marks, Vec<(u64, i128, i128)>) {
        let mut marks = Marks::new(100, 10, Duration::ZERO);
        let mut read = Vec::new();
        for second in 0..seconds {
            let now = Duration::from_secs(second);
            let grown = growth.get(usize::try_from(second).unwrap()).copied().unwrap_or(0);
            marks.advance(marks.mark() + grown, Tally::default(), now);
            while let Some((after, up_to)) = marks.due(now) {
                read.push((second, after, up_to));
                marks.reread(after, up_to, Tally::default());
            }
        }
        (marks, read)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn every_id_is_read_again_at_every_age(growth in prop::collection::vec(0..5_i128, 1..40)) {
            let (marks, read) = drive(&growth, 4_000);
            prop_assert_eq!(marks.floor(), marks.mark());
            let mut id = 100;
            for (born, grown) in growth.iter().enumerate() {
                for _ in 0..*grown {
                    id += 1;
                    let times: Vec<u64> = read.iter().filter(|(_, after, up_to)| *after < id && id <= *up_to).map(|(at, ..)| at - born as u64).collect();
                    prop_assert_eq!(times.len(), AGES.len(), "id {} at {:?}", id, times);
                    for (age, at) in AGES.iter().zip(times) {
                        // Never more than a tenth early, and late only by what merging adds.
                        prop_assert!(at as f64 >= age.as_secs_f64() * 0.9 - 1.0, "{at} for {age:?}");
                        prop_assert!(at as f64 <= age.as_secs_f64() * 1.3 + 2.0, "{at} for {age:?}");
                    }
                }
            }
        }

        #[test]
        fn stretches_have_no_gap_and_no_overlap(growth in prop::collection::vec(0..5_i128, 1..60), seconds in 1..700_u64) {
            let (marks, _) = drive(&growth, seconds);
            let mut edge = marks.floor();
            for stretch in &marks.stretches {
                prop_assert_eq!(stretch.after, edge);
                prop_assert!(stretch.up_to > stretch.after);
                edge = stretch.up_to;
            }
            prop_assert_eq!(edge, marks.mark());
        }
    }

    #[test]
    fn a_count_is_replaced_when_its_stretch_is_read_again() {
        let tally = |completed| Tally { completed, ..Tally::default() };
        let mut marks = Marks::new(100, 10, Duration::ZERO);
        marks.advance(110, tally(4), Duration::ZERO);
        assert!(marks.count(105, |tally| tally.completed += 1));
        assert!(!marks.count(7, |tally| tally.completed += 1));
        assert_eq!(marks.tally().completed, 5);
        let (after, up_to) = marks.due(Duration::from_secs(1)).unwrap();
        marks.reread(after, up_to, tally(6));
        assert_eq!(marks.tally().completed, 6);
    }

    #[test]
    fn deleted_newest_rows_take_the_mark_back() {
        let mut marks = Marks::new(100, 10, Duration::ZERO);
        marks.advance(110, Tally::default(), Duration::ZERO);
        marks.retreat(105);
        assert_eq!((marks.mark(), marks.floor()), (105, 90));
        marks.retreat(95);
        assert_eq!((marks.mark(), marks.floor(), marks.due(Duration::from_secs(1))), (95, 90, Some((90, 95))));
    }
}
