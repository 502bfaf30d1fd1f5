use rand::Rng;
use std::time::Duration;

const LONGEST: Duration = Duration::from_secs(60);

/// How long to wait after so many failures in a row: the period, then twice as long each time, at most a minute, and up
/// to a quarter more by chance, so that collectors of one dead system do not knock together when it comes back.
pub(super) fn after(failures: u32, period: Duration, rng: &mut impl Rng) -> Duration {
    let doubled = period.saturating_mul(1_u32.checked_shl(failures.saturating_sub(1)).unwrap_or(u32::MAX));
    let wait = doubled.min(LONGEST.max(period));
    wait + wait.mul_f64(rng.random_range(0.0..0.25))
}

#[cfg(test)]
mod tests {
    use super::after;
    use proptest::prelude::*;
    use std::time::Duration;

    proptest! {
        #[test]
        fn it_doubles_and_stays_below_a_minute_and_a_quarter(failures in 1..1_000_u32, period_ms in 100..10_000_u64) {
            let period = Duration::from_millis(period_ms);
            let wait = after(failures, period, &mut rand::rng());
            prop_assert!(wait >= period);
            prop_assert!(wait <= Duration::from_secs(75));
            if failures > 1 && period * (1 << (failures.min(6) - 1)) < Duration::from_secs(60) && failures <= 6 {
                prop_assert!(wait >= period * (1 << (failures - 1)));
            }
        }
    }
}
