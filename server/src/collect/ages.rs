//! Processing records by age, by the database's clock.

use app::model::AgeBucket;

/// Upper ends in milliseconds: 15 s, 1, 5, 10 and 30 minutes; the last bucket has none.
const ENDS_MS: [u64; 5] = [15_000, 60_000, 300_000, 600_000, 1_800_000];

/// Counts ages into buckets. A negative age (clocks that differ, or a row from the future) counts as 0.
#[derive(Debug, Clone, Default)]
pub(super) struct Ages([u64; ENDS_MS.len() + 1]);

impl Ages {
    pub(super) fn add(&mut self, age_ms: i64) {
        let age_ms = u64::try_from(age_ms).unwrap_or(0);
        self.0[ENDS_MS.partition_point(|end| *end <= age_ms)] += 1;
    }

    /// Youngest first.
    pub(super) fn buckets(&self) -> Vec<AgeBucket> {
        (self.0.iter().enumerate())
            .map(|(at, count)| AgeBucket {
                from_ms: if at == 0 { 0 } else { ENDS_MS[at - 1] },
                to_ms: ENDS_MS.get(at).copied(),
                count: *count,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Ages;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_age_lies_in_the_one_bucket_that_counts_it(age_ms in -10_000..100_000_000_i64) {
            let mut ages = Ages::default();
            ages.add(age_ms);
            let hit: Vec<_> = ages.buckets().into_iter().filter(|bucket| bucket.count > 0).collect();
            prop_assert_eq!(hit.len(), 1);
            let age = u64::try_from(age_ms).unwrap_or(0);
            prop_assert!(hit[0].from_ms <= age && hit[0].to_ms.is_none_or(|to| age < to));
        }
    }

    #[test]
    fn buckets_join_without_gaps() {
        let buckets = Ages::default().buckets();
        assert!(buckets.windows(2).all(|pair| pair[0].to_ms == Some(pair[1].from_ms)));
        assert_eq!((buckets[0].from_ms, buckets[5].to_ms), (0, None));
    }
}
