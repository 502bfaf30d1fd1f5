//! Durations as people write them: `500ms`, `5s`, `10m`, `2h`, `7d`.

use std::time::Duration;

const UNITS: [(&str, u64); 5] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

/// What a message names as accepted.
pub(super) const ACCEPTED: &str = "a duration such as \"500ms\", \"5s\", \"10m\", \"2h\" or \"7d\"";

/// A whole number above 0 and its unit.
#[must_use]
pub fn parse(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let (_, factor) = UNITS.into_iter().find(|(name, _)| *name == unit.trim())?;
    let millis = number.parse::<u64>().ok()?.checked_mul(factor)?;
    // A hundred years: sums of two durations and conversions to signed milliseconds cannot overflow.
    (1..=3_155_760_000_000).contains(&millis).then(|| Duration::from_millis(millis))
}

/// As it would be written: `90s` as `90s`, `300s` as `5m`.
pub fn text(duration: Duration) -> String {
    let millis = duration.as_millis();
    let (unit, factor) =
        UNITS.into_iter().rev().find(|(_, factor)| millis.is_multiple_of(u128::from(*factor))).unwrap_or(UNITS[0]);
    format!("{}{unit}", millis / u128::from(factor))
}

#[cfg(test)]
mod tests {
    use super::parse;
    use std::time::Duration;

    #[test]
    fn durations_are_read_and_nonsense_is_not() {
        assert_eq!(parse("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(parse("5s"), Some(Duration::from_secs(5)));
        assert_eq!(parse("10 m"), Some(Duration::from_secs(600)));
        assert_eq!(parse("7d"), Some(Duration::from_secs(604_800)));
        for wrong in ["", "5", "0s", "s", "-5s", "1.5s", "5 weeks", "99999999999999999999d", "18446744073709551615d"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
