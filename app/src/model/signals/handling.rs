use std::fmt::{Display, Formatter};
use std::str::FromStr;

/// Upper bounds of the buckets in milliseconds; one more holds what took longer.
const BOUNDS: [u64; 28] = [
    1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000, 7_000,
    10_000, 15_000, 20_000, 30_000, 60_000,
];
const BUCKETS: usize = BOUNDS.len() + 1;
const LONGER: &str = "inf";

/// A histogram of handling times. As text `5:12 7:3 inf:1`: the upper bound and how many, of buckets that are not empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Handling([u64; BUCKETS]);

impl Handling {
    /// `false`: it is no bound of the convention.
    #[must_use]
    pub fn add_named(&mut self, bound: &str, count: u64) -> bool {
        let at = match bound.parse::<u64>() {
            Ok(bound) => BOUNDS.binary_search(&bound).ok(),
            Err(_) => (bound == LONGER).then_some(BOUNDS.len()),
        };
        let Some(at) = at else { return false };
        self.0[at] = self.0[at].saturating_add(count);
        true
    }

    /// So many that took so many milliseconds.
    pub fn add_ms(&mut self, ms: u64, count: u64) {
        let bucket = &mut self.0[BOUNDS.partition_point(|bound| *bound < ms)];
        *bucket = bucket.saturating_add(count);
    }

    pub fn add(&mut self, other: &Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count = count.saturating_add(more);
        }
    }

    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.iter().copied().fold(0, u64::saturating_add)
    }

    /// Upper bounds in milliseconds of all buckets but the last, which holds what took longer.
    #[must_use]
    pub fn bounds() -> &'static [u64] {
        &BOUNDS
    }

    /// What is more here than in `before`: bucket by bucket its upper bound (`None`: it took longer) and how many.
    pub fn more_than(&self, before: &Self) -> impl Iterator<Item = (Option<u64>, u64)> {
        let more: Vec<_> = self.0.iter().zip(before.0).map(|(now, before)| now.saturating_sub(before)).collect();
        let bounds = BOUNDS.into_iter().map(Some).chain([None]);
        bounds.zip(more).filter(|(_, count)| *count > 0)
    }

    /// In milliseconds, evenly spread within its bucket; the last bound stands for anything longer. `None`: it is empty.
    #[must_use]
    pub fn percentile(&self, share: f64) -> Option<u64> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        let wanted = rank(count, share);
        let mut below = 0_u64;
        for (at, here) in self.0.iter().enumerate() {
            if below.saturating_add(*here) >= wanted {
                let Some(upper) = BOUNDS.get(at) else { break };
                let lower = at.checked_sub(1).map_or(0, |at| BOUNDS[at]);
                let within = u128::from(wanted - below) * u128::from(upper - lower);
                return Some(lower + u64::try_from(within.div_ceil(u128::from(*here))).unwrap_or(upper - lower));
            }
            below += here;
        }
        BOUNDS.last().copied()
    }
}

/// The how-manieth of `count` it is, from 1.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rank")]
fn rank(count: u64, share: f64) -> u64 {
    ((count as f64 * share).ceil() as u64).clamp(1, count)
}

impl Display for Handling {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let mut space = "";
        for (at, count) in self.0.iter().enumerate().filter(|(_, count)| **count > 0) {
            match BOUNDS.get(at) {
                Some(bound) => write!(f, "{space}{bound}:{count}")?,
                None => write!(f, "{space}{LONGER}:{count}")?,
            }
            space = " ";
        }
        Ok(())
    }
}

impl FromStr for Handling {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut handling = Self::default();
        for part in text.split_whitespace() {
            let read = part.split_once(':').and_then(|(bound, count)| Some((bound, count.parse().ok()?)));
            let known = read.is_some_and(|(bound, count)| handling.add_named(bound, count));
            if !known {
                return Err(format!("{part:?} is no bucket of a histogram"));
            }
        }
        Ok(handling)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn percentiles_lie_within_their_bucket() {
        let handling: Handling = "5:98 1000:2".parse().unwrap();
        assert_eq!(handling.percentile(0.5), Some(5), "half of 3 to 5 ms");
        assert_eq!(handling.percentile(0.99), Some(850));
        assert_eq!(handling.percentile(1.0), Some(1_000));
        let long: Handling = "inf:1".parse().unwrap();
        assert_eq!(long.percentile(0.99), Some(60_000));
        assert_eq!(Handling::default().percentile(0.99), None);
        for wrong in ["4:1", "5", "5:x", "INF:1", "5:-1"] {
            assert!(wrong.parse::<Handling>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_more_is_told_by_its_bucket() {
        let (before, now): (Handling, Handling) = ("5:2 10:9".parse().unwrap(), "5:5 10:3 inf:1".parse().unwrap());
        assert_eq!(now.more_than(&before).collect::<Vec<_>>(), [(Some(5), 3), (None, 1)]);
        assert_eq!(Handling::bounds().last(), Some(&60_000));
    }

    proptest! {
        #[test]
        fn text_is_read_back_and_the_bucket_is_the_smallest_that_fits(times in prop::collection::vec(0_u64..100_000, 0..50)) {
            let mut handling = Handling::default();
            times.iter().for_each(|ms| handling.add_ms(*ms, 1));
            prop_assert_eq!(handling.to_string().parse::<Handling>(), Ok(handling));
            prop_assert_eq!(handling.count(), times.len() as u64);
            if let Some(most) = times.iter().max() {
                let found = handling.percentile(1.0).unwrap();
                let bound = BOUNDS.iter().find(|bound| *bound >= most).or(BOUNDS.last()).copied().unwrap();
                prop_assert_eq!(found, bound);
            }
        }
    }
}
