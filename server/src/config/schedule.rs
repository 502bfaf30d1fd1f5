//! When something is done by itself, as cron says it.

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use std::time::Duration;

/// Five fields: minute, hour, day of month, month, day of week.
#[derive(Debug, Clone)]
pub struct Schedule {
    text: String,
    cron: Cron,
}

impl Schedule {
    /// # Errors
    /// When it is no schedule, or names a time that never comes.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
        let cron = parser.parse(text).map_err(|error| error.to_string())?;
        // The 31st of February.
        cron.find_next_occurrence(&DateTime::UNIX_EPOCH, true).map_err(|error| error.to_string())?;
        Ok(Self { text: text.trim().to_owned(), cron })
    }

    /// As it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// `None`: the zone's clock does not say.
    #[must_use]
    pub fn next(&self, now: DateTime<Utc>, zone: Tz) -> Option<DateTime<Utc>> {
        let comes = self.cron.find_next_occurrence(&now.with_timezone(&zone), false).ok()?;
        Some(comes.with_timezone(&Utc))
    }

    /// The last time that it came, where that is no longer ago than this.
    #[must_use]
    pub fn last(&self, now: DateTime<Utc>, zone: Tz, within: Duration) -> Option<DateTime<Utc>> {
        let came = self.cron.find_previous_occurrence(&now.with_timezone(&zone), true).ok()?.with_timezone(&Utc);
        (now - came < TimeDelta::from_std(within).ok()?).then_some(came)
    }
}

#[cfg(test)]
mod tests {
    use super::Schedule;
    use chrono::{DateTime, Utc};
    use chrono_tz::Tz;
    use std::time::Duration;

    const TWO_HOURS: Duration = Duration::from_secs(7_200);

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn a_time_of_the_day_comes_in_the_zone_of_the_source() {
        let nightly = Schedule::parse("0 3 * * *").unwrap();
        let last = |now| nightly.last(at(now), Tz::Asia__Shanghai, TWO_HOURS);
        assert_eq!(last("2026-11-29T19:00:00Z"), Some(at("2026-11-29T19:00:00Z")));
        assert_eq!(last("2026-11-29T20:59:59Z"), Some(at("2026-11-29T19:00:00Z")));
        assert_eq!(last("2026-11-29T21:00:00Z"), None, "the window is over");
        assert_eq!(last("2026-11-29T18:59:59Z"), None);
        let next = |now| nightly.next(at(now), Tz::Asia__Shanghai);
        assert_eq!(next("2026-11-29T19:00:00Z"), Some(at("2026-11-30T19:00:00Z")));
    }

    /// 0 and 7 are Sunday, as everywhere but in one library.
    #[test]
    fn weekdays_count_from_sunday() {
        let sundays = Schedule::parse("30 1 * * 0").unwrap();
        assert!(sundays.last(at("2026-11-29T01:45:00Z"), Tz::UTC, TWO_HOURS).is_some(), "a Sunday");
        assert!(sundays.last(at("2026-11-30T01:45:00Z"), Tz::UTC, TWO_HOURS).is_none());
    }

    /// 02:30 comes twice on one night and not at all on another: neither is missed, and it never fails.
    #[test]
    fn nights_on_which_the_clocks_change() {
        let nightly = Schedule::parse("30 2 * * *").unwrap();
        for morning in ["2026-10-25T04:00:00Z", "2026-03-29T03:00:00Z"] {
            assert!(
                nightly.last(at(morning), Tz::Europe__Berlin, Duration::from_secs(4 * 3_600)).is_some(),
                "{morning}"
            );
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for wrong in ["", "3", "0 3 * *", "0 0 3 * * *", "61 3 * * *", "0 3 31 2 *", "every night"] {
            assert!(Schedule::parse(wrong).is_err(), "{wrong}");
        }
    }
}
