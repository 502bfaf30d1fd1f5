//! Where in a time column's stored values a stretch of time lies, so that an index can be asked for it. What is said here
//! may be more than what is wanted, never less: the rows are held against the instants once they are read.

use super::catalogue::Kind;
use super::dialect::Dialect;
use super::raw::Raw;
use super::time::{Time, wall};
use crate::config::TimeUnit;
use app::model::Within;
use chrono::{DateTime, NaiveDateTime, NaiveTime, Offset, TimeDelta, TimeZone, Timelike, Utc};
use chrono_tz::Tz;

/// Stored values at and above the one and below the other; without an end: all beyond.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stretch {
    pub low: Option<Raw>,
    pub high: Option<Raw>,
}

/// How the times of a text column are written, where that decides which text is the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Style {
    /// `2026-11-29 08:00`
    Spaced,
    /// `2026-11-29T08:00`, greater than any spaced time of the same day.
    Joined,
    /// With an offset of its own: the text says little about the order.
    Offset,
    /// `20261129T0800`, or no time at all.
    Other,
}

/// At either end of a stretch.
#[derive(Debug, Clone, Copy)]
pub struct Styles {
    pub low: Style,
    pub high: Style,
}

impl Style {
    /// Of a stored value.
    pub fn of(text: &str) -> Self {
        let time = text.get(10..).unwrap_or_default();
        match time.chars().next() {
            _ if text.as_bytes().get(4) != Some(&b'-') => Self::Other,
            _ if time.contains(['+', '-']) => Self::Offset,
            Some('T' | 't') => Self::Joined,
            _ => Self::Spaced,
        }
    }
}

/// A clock change moves wall clocks by no more.
const CHANGE: TimeDelta = TimeDelta::hours(3);
/// The eastern-most zone is so far from UTC.
const EAST: TimeDelta = TimeDelta::hours(14);

impl Time {
    /// Whether the column holds text, so that its [`Style`] must be known.
    pub fn is_text(&self) -> bool {
        let text = matches!(self.column.kind, Kind::Text | Kind::Loose);
        text && matches!(self.reading.unit, TimeUnit::Datetime | TimeUnit::Text) && self.reading.format.is_none()
    }

    /// `None`: the order of the stored values is not that of time.
    pub fn stretch(&self, dialect: Dialect, within: Within, styles: Styles) -> Option<Stretch> {
        if self.is_text() && (styles.low == Style::Other || styles.high == Style::Other) {
            return None;
        }
        let plus = TimeDelta::from_std(self.reading.plus).ok()?;
        let stored = |at: DateTime<Utc>| at.checked_sub_signed(plus);
        let low = within.from.and_then(stored);
        let high = within.to.and_then(stored);
        let value = |at: Option<DateTime<Utc>>, one: &dyn Fn(DateTime<Utc>) -> Option<Raw>| match at {
            None => Some(None),
            Some(at) => one(at).map(Some),
        };
        // The database keeps microseconds.
        let high = high.map(|at| at + TimeDelta::nanoseconds(i64::from((1_000 - at.nanosecond() % 1_000) % 1_000)));
        Some(Stretch {
            low: value(low, &|at| self.low(dialect, at, styles.low))?,
            high: value(high, &|at| self.high(dialect, at, styles.high))?,
        })
    }

    /// Text: the day in which what is at and after `from` begins, and the day behind the one in which what is before `to`
    /// ends.
    pub fn days(&self, within: Within) -> (Option<Raw>, Option<Raw>) {
        let plus = TimeDelta::from_std(self.reading.plus).unwrap_or_default();
        let day = |wall: NaiveDateTime| Raw::Text(wall.format("%Y-%m-%d").to_string());
        let first = within.from.map(|from| day(self.earliest(from - plus)));
        let behind = within.to.map(|to| day(self.latest(to - plus) + TimeDelta::days(1)));
        (first, behind)
    }

    /// Text may be local, or in UTC with a Z.
    fn earliest(&self, at: DateTime<Utc>) -> NaiveDateTime {
        (at.naive_utc() + self.east(at) - self.slack(at)).min(at.naive_utc())
    }

    fn latest(&self, at: DateTime<Utc>) -> NaiveDateTime {
        (at.naive_utc() + self.east(at) + self.slack(at)).max(at.naive_utc())
    }

    /// Below this only what means "none" is stored: zero dates, epoch 0, empty text. A year is left for zones.
    pub fn floor(&self, dialect: Dialect) -> Option<Raw> {
        self.low(dialect, DateTime::UNIX_EPOCH + TimeDelta::days(366), Style::Spaced)
    }

    /// Above this only what means "none" is stored: infinity, and words. `None`: nothing of that kind fits there.
    pub fn ceiling(&self, dialect: Dialect) -> Option<Raw> {
        match (dialect, self.column.kind) {
            (Dialect::Postgres, Kind::Wall | Kind::Instant | Kind::Date) => Some(Raw::Text("9999-12-31".into())),
            (_, Kind::Text | Kind::Loose) if self.is_text() => Some(Raw::Text("99".into())),
            _ => None,
        }
    }

    fn low(&self, dialect: Dialect, at: DateTime<Utc>, style: Style) -> Option<Raw> {
        match self.reading.unit {
            TimeUnit::EpochSeconds | TimeUnit::EpochMillis | TimeUnit::EpochMicros => self.epoch(at, i64::div_euclid),
            TimeUnit::Datetime | TimeUnit::Text if self.is_text() => {
                let earliest = if style == Style::Offset { at.naive_utc() - EAST } else { self.earliest(at) };
                // In the shortest of its forms, which is the least.
                let format = match (style, earliest.num_seconds_from_midnight(), earliest.second()) {
                    (_, 0, _) | (Style::Offset | Style::Other, ..) => "%Y-%m-%d",
                    (Style::Spaced, _, 0) => "%Y-%m-%d %H:%M",
                    (Style::Spaced, ..) => "%Y-%m-%d %H:%M:%S",
                    (Style::Joined, _, 0) => "%Y-%m-%dT%H:%M",
                    (Style::Joined, ..) => "%Y-%m-%dT%H:%M:%S",
                };
                Some(Raw::Text(earliest.format(format).to_string()))
            }
            TimeUnit::Datetime | TimeUnit::Text => self.written(dialect, at, -CHANGE),
        }
    }

    fn high(&self, dialect: Dialect, at: DateTime<Utc>, style: Style) -> Option<Raw> {
        match self.reading.unit {
            TimeUnit::EpochSeconds | TimeUnit::EpochMillis | TimeUnit::EpochMicros => {
                self.epoch(at, |micros, each| -(-micros).div_euclid(each))
            }
            TimeUnit::Datetime | TimeUnit::Text if self.is_text() => {
                let latest = if style == Style::Offset { at.naive_utc() + EAST } else { self.latest(at) };
                let format = if style == Style::Spaced { "%Y-%m-%d %H:%M:%S" } else { "%Y-%m-%dT%H:%M:%S" };
                // A whole second: whatever stands behind the seconds (a fraction, a zone) is greater than nothing.
                Some(Raw::Text(whole_second(latest).format(format).to_string()))
            }
            TimeUnit::Datetime | TimeUnit::Text => self.written(dialect, at, CHANGE),
        }
    }

    fn epoch(&self, at: DateTime<Utc>, round: impl Fn(i64, i64) -> i64) -> Option<Raw> {
        let each = match self.reading.unit {
            TimeUnit::EpochSeconds => 1_000_000,
            TimeUnit::EpochMillis => 1_000,
            _ => 1,
        };
        // Digits in a text column sort as text does.
        let numbers = match self.column.kind {
            Kind::Int | Kind::Decimal => true,
            Kind::Loose => self.column.is_number(),
            _ => false,
        };
        numbers.then(|| Raw::Int(i128::from(round(at.timestamp_micros(), each))))
    }

    /// As the engine writes the column's values. Where the clocks change nearby, `change` further.
    fn written(&self, dialect: Dialect, at: DateTime<Utc>, change: TimeDelta) -> Option<Raw> {
        if self.reading.format.is_some() {
            return None;
        }
        let is_high = change > TimeDelta::zero();
        let local = || -> NaiveDateTime {
            let near = if self.slack(at).is_zero() { TimeDelta::zero() } else { change };
            at.naive_utc() + self.east(at) + near
        };
        let text = match (self.column.kind, dialect) {
            (Kind::Wall, _) => local().format("%Y-%m-%d %H:%M:%S%.6f").to_string(),
            // Midnight of the day itself is stored as the day.
            (Kind::Date, _) if is_high && local().time() != NaiveTime::MIN => {
                (local() + TimeDelta::days(1)).format("%Y-%m-%d").to_string()
            }
            (Kind::Date, _) => local().format("%Y-%m-%d").to_string(),
            (Kind::Instant, Dialect::Postgres) => at.format("%Y-%m-%d %H:%M:%S%.6f+00").to_string(),
            // The session's zone is UTC.
            (Kind::Instant, _) => at.format("%Y-%m-%d %H:%M:%S%.6f").to_string(),
            _ => return None,
        };
        // Years of more digits sort differently and are not needed.
        wall(text.trim_end_matches("+00")).is_some().then_some(Raw::Text(text))
    }

    /// How far east the zone's wall clock stands.
    fn east(&self, at: DateTime<Utc>) -> TimeDelta {
        TimeDelta::seconds(i64::from(east(self.reading.zone, at)))
    }

    /// What a clock change nearby may add.
    fn slack(&self, at: DateTime<Utc>) -> TimeDelta {
        let day = TimeDelta::days(1);
        let is_steady =
            [at - day, at + day].into_iter().all(|other| east(self.reading.zone, other) == east(self.reading.zone, at));
        if is_steady { TimeDelta::zero() } else { CHANGE }
    }
}

/// The second itself, or the next where it has begun.
fn whole_second(at: NaiveDateTime) -> NaiveDateTime {
    let begun = at.nanosecond() > 0;
    let whole = at.with_nanosecond(0).unwrap_or(at);
    if begun { whole + TimeDelta::seconds(1) } else { whole }
}

fn east(zone: Tz, at: DateTime<Utc>) -> i32 {
    zone.offset_from_utc_datetime(&at.naive_utc()).fix().local_minus_utc()
}

#[cfg(test)]
mod tests {
    use super::{Kind, Style, Styles, Time};
    use crate::adapters::records::catalogue::Column;
    use crate::adapters::records::dialect::Dialect;
    use crate::adapters::records::raw::Raw;
    use crate::adapters::records::time::Reading;
    use crate::config::TimeUnit;
    use app::model::Within;
    use chrono::{DateTime, TimeDelta, Utc};
    use chrono_tz::Tz;
    use proptest::prelude::*;
    use std::cmp::Ordering;
    use std::time::Duration;

    const ZONES: [Tz; 4] = [Tz::UTC, Tz::Asia__Shanghai, Tz::America__New_York, Tz::Australia__Lord_Howe];

    fn time(kind: Kind, unit: TimeUnit, zone: Tz, plus: u64) -> Time {
        let declared = if matches!(unit, TimeUnit::Datetime) { "TEXT" } else { "INTEGER" };
        let column = Column {
            name: "t".into(),
            kind,
            declared: declared.into(),
            nullable: true,
            assigned: false,
            generated: false,
        };
        Time { column, reading: Reading { unit, zone, format: None, plus: Duration::from_secs(plus) } }
    }

    /// As the engines compare.
    fn order(one: &Raw, other: &Raw) -> Ordering {
        match (one, other) {
            (Raw::Text(one), Raw::Text(other)) => one.cmp(other),
            (one, other) => one.as_int().cmp(&other.as_int()),
        }
    }

    fn stored() -> impl Strategy<Value = (Time, Raw, Style)> {
        let seconds = 1_700_000_000..1_800_000_000_i64;
        (seconds, 0..6_usize, 0..ZONES.len(), 0..3_usize, 0..1_000_u32).prop_map(|(seconds, kind, zone, plus, ms)| {
            let (zone, plus) = (ZONES[zone], [0, 300, 86_400][plus]);
            let wall = DateTime::from_timestamp(seconds, ms * 1_000_000).unwrap().naive_utc();
            let text = |format: &str| Raw::Text(wall.format(format).to_string());
            let datetime = |kind| time(kind, TimeUnit::Datetime, zone, plus);
            match kind {
                0 => (datetime(Kind::Wall), text("%Y-%m-%d %H:%M:%S%.6f"), Style::Spaced),
                1 => (datetime(Kind::Instant), text("%Y-%m-%d %H:%M:%S%.6f"), Style::Spaced),
                2 => (datetime(Kind::Loose), text("%Y-%m-%d %H:%M:%S%.3f"), Style::Spaced),
                3 => (datetime(Kind::Text), text("%Y-%m-%dT%H:%M:%SZ"), Style::Joined),
                4 => (datetime(Kind::Text), text("%Y-%m-%dT%H:%M:%S+08:00"), Style::Offset),
                _ => (time(Kind::Int, TimeUnit::EpochSeconds, zone, plus), Raw::Int(seconds.into()), Style::Spaced),
            }
        })
    }

    proptest! {
        #[test]
        fn what_lies_within_is_stored_within((time, raw, style) in stored(), before in 0..200_000_i64, after in 1..200_000_i64) {
            let at: DateTime<Utc> = time.reading.instant(&raw, time.column.kind).unwrap();
            let within = Within { from: Some(at - TimeDelta::seconds(before)), to: Some(at + TimeDelta::milliseconds(after)) };
            let stretch = time.stretch(Dialect::Sqlite, within, Styles { low: style, high: style }).unwrap();
            prop_assert_ne!(order(&raw, &stretch.low.unwrap()), Ordering::Less);
            prop_assert_eq!(order(&raw, &stretch.high.unwrap()), Ordering::Less);
        }
    }
}
