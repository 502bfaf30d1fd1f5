//! Time columns of every shape to instants. Zero dates, epoch 0, `''` and infinities mean "none".

use super::catalogue::{Column, Kind};
use super::raw::Raw;
use crate::config::TimeUnit;
use crate::zone::local_or_twice as local;
use chrono::format::{Item, Parsed, StrftimeItems, parse};
use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Offset, TimeDelta, Utc};
use chrono_tz::Tz;
use std::sync::LazyLock;
use std::time::Duration;

/// A time column with how it is read.
#[derive(Debug, Clone)]
pub struct Time {
    pub column: Column,
    pub reading: Reading,
}

/// How one column's values become instants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    pub unit: TimeUnit,
    /// Of values without a zone.
    pub zone: Tz,
    pub format: Option<String>,
    /// Added to what is stored.
    pub plus: Duration,
}

/// What a stored time says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// NULL, or one of the values that stand for it.
    Nothing,
    At {
        at: DateTime<Utc>,
        /// A clock change makes its wall clock come twice: this is the earlier one.
        ambiguous: bool,
    },
    /// A value that is no time.
    NoTime,
}

impl Said {
    pub fn instant(self) -> Option<DateTime<Utc>> {
        match self {
            Self::At { at, .. } => Some(at),
            Self::Nothing | Self::NoTime => None,
        }
    }
}

/// An instant, and whether its wall clock comes twice.
type Found = (DateTime<Utc>, bool);

impl Reading {
    pub fn read(&self, raw: &Raw, kind: Kind) -> Said {
        let Some(text) = raw.show(kind) else { return Said::Nothing };
        if stands_for_none(&text) {
            return Said::Nothing;
        }
        let found = match self.unit {
            TimeUnit::EpochSeconds => epoch(raw, &text, 1_000_000),
            TimeUnit::EpochMillis => epoch(raw, &text, 1_000),
            TimeUnit::EpochMicros => epoch(raw, &text, 1),
            TimeUnit::Datetime | TimeUnit::Text => {
                // An instant without an offset is the engine's UTC, wherever the source is.
                let zone = if kind == Kind::Instant { Tz::UTC } else { self.zone };
                match &self.format {
                    Some(format) if self.unit == TimeUnit::Text => formatted(&text, format, zone),
                    _ => iso_or_twice(&text, zone),
                }
            }
        };
        match found {
            Some((at, _)) if at == DateTime::UNIX_EPOCH => Said::Nothing,
            Some((at, ambiguous)) => {
                match TimeDelta::from_std(self.plus).ok().and_then(|plus| at.checked_add_signed(plus)) {
                    Some(at) => Said::At { at, ambiguous },
                    None => Said::NoTime,
                }
            }
            None => Said::NoTime,
        }
    }

    /// Text that is no time is `None` as well.
    pub fn instant(&self, raw: &Raw, kind: Kind) -> Option<DateTime<Utc>> {
        self.read(raw, kind).instant()
    }
}

/// Zeros only, nothing at all, or one of PostgreSQL's infinities.
fn stands_for_none(text: &str) -> bool {
    let text = text.trim();
    let zeros = || {
        let digits = text.bytes().filter(u8::is_ascii_digit);
        text.contains('0')
            && digits.into_iter().all(|digit| digit == b'0')
            && text.bytes().all(|byte| byte.is_ascii_digit() || b"-:. TtZz+/".contains(&byte))
    };
    text.is_empty() || matches!(text, "infinity" | "-infinity") || zeros()
}

fn epoch(raw: &Raw, text: &str, micros_each: i64) -> Option<Found> {
    let micros = match raw.as_int() {
        Some(number) => i64::try_from(number.checked_mul(i128::from(micros_each))?).ok()?,
        None => fraction(text.trim(), micros_each)?,
    };
    DateTime::from_timestamp_micros(micros).map(|at| (at, false))
}

/// `1795939230.5`, and `1.7959392305e+09` as engines write large numbers of theirs.
fn fraction(text: &str, micros_each: i64) -> Option<i64> {
    if text.contains(['e', 'E']) {
        // Written out, it parses exactly when it is a time at all.
        return format!("{:.0}", text.parse::<f64>().ok()? * micros_each as f64).parse().ok();
    }
    let (whole, fraction) = text.split_once('.')?;
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // What is smaller than a microsecond is cut.
    let fraction = &fraction[..fraction.len().min(12)];
    let digits = u32::try_from(fraction.len()).ok()?;
    let parts = fraction.parse::<i128>().ok()? * i128::from(micros_each) / 10_i128.pow(digits);
    let parts = i64::try_from(if whole.starts_with('-') { -parts } else { parts }).ok()?;
    whole.parse::<i64>().ok()?.checked_mul(micros_each)?.checked_add(parts)
}

fn formatted(text: &str, format: &str, zone: Tz) -> Option<Found> {
    let mut parsed = Parsed::new();
    if parse(&mut parsed, text, StrftimeItems::new(format)).is_err() {
        parsed = Parsed::new();
        parse(&mut parsed, text.trim(), StrftimeItems::new(format.trim())).ok()?;
    }
    if let Some(seconds) = parsed.timestamp() {
        return DateTime::from_timestamp(seconds, parsed.nanosecond().unwrap_or(0)).map(|at| (at, false));
    }
    // An hour alone is a whole one.
    if parsed.hour_mod_12().is_some() && parsed.minute().is_none() {
        parsed.set_minute(0).ok()?;
    }
    let time = if parsed.hour_mod_12().is_some() { parsed.to_naive_time().ok()? } else { NaiveTime::MIN };
    let wall = parsed.to_naive_date().ok()?.and_time(time);
    // A Z of the format itself says UTC.
    let literal_z = format.trim_end().ends_with('Z') && !format.trim_end().ends_with("%Z");
    match parsed.offset() {
        Some(offset) => with_offset(wall, FixedOffset::east_opt(offset)?),
        None if literal_z => Some((wall.and_utc(), false)),
        None => Some(local(wall, zone)),
    }
}

fn with_offset(wall: NaiveDateTime, offset: FixedOffset) -> Option<Found> {
    wall.and_local_timezone(offset).single().map(|at| (at.to_utc(), false))
}

/// ISO 8601, with `T` or a space, with or without fraction and offset.
pub fn iso(text: &str, zone: Tz) -> Option<DateTime<Utc>> {
    iso_or_twice(text, zone).map(|(at, _)| at)
}

fn iso_or_twice(text: &str, zone: Tz) -> Option<Found> {
    // Java writes the name of the zone behind the offset.
    let text = text.trim().trim_end_matches(']');
    let text = text.split('[').next().unwrap_or(text);
    let (body, offset) = split_offset(text)?;
    let wall = wall(body)?;
    match offset {
        Some(offset) => with_offset(wall, offset),
        None => Some(local(wall, zone)),
    }
}

/// Taken apart once: a walk reads millions of times.
static FORMATS: LazyLock<[Vec<Item<'static>>; 4]> = LazyLock::new(|| {
    ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M", "%Y%m%d %H%M%S%.f", "%Y%m%d %H%M"]
        .map(|format| StrftimeItems::new(format).collect())
});

/// Date and time of day without an offset, in the extended form or the basic one.
pub fn wall(text: &str) -> Option<NaiveDateTime> {
    let text = text.trim_end().replacen(['T', 't'], " ", 1).replacen(',', ".", 1);
    let by = |format: &Vec<Item<'static>>| {
        let mut parsed = Parsed::new();
        parse(&mut parsed, &text, format.iter()).ok()?;
        parsed.to_naive_datetime_with_offset(0).ok()
    };
    FORMATS.iter().find_map(by).or_else(|| {
        let day = ["%Y-%m-%d", "%Y%m%d"].iter().find_map(|format| NaiveDate::parse_from_str(&text, format).ok());
        day.map(|day| day.and_time(NaiveTime::MIN))
    })
}

/// `None`: the offset cannot be read. A sign before the time of day belongs to the date.
fn split_offset(text: &str) -> Option<(&str, Option<FixedOffset>)> {
    if let Some(body) = text.strip_suffix(['Z', 'z']).or_else(|| text.strip_suffix(" UTC")) {
        return Some((body, Some(Utc.fix())));
    }
    let Some(at) = text.rfind(['+', '-']).filter(|at| *at > 8 && text[..*at].contains([' ', 'T', 't'])) else {
        return Some((text, None));
    };
    let (body, offset) = text.split_at(at);
    let digits: String = offset[1..].chars().filter(|c| *c != ':').collect();
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) || !matches!(digits.len(), 2 | 4 | 6) {
        return None;
    }
    let pair = |at: usize| digits.get(at..at + 2).map_or(Some(0), |pair| pair.parse::<i32>().ok());
    let seconds = pair(0)? * 3600 + pair(2)? * 60 + pair(4)?;
    let offset = if offset.starts_with('-') { FixedOffset::west_opt(seconds) } else { FixedOffset::east_opt(seconds) };
    Some((body, Some(offset?)))
}

#[cfg(test)]
mod tests {
    use super::{Reading, Said, iso};
    use crate::adapters::records::catalogue::Kind;
    use crate::adapters::records::raw::Raw;
    use crate::config::TimeUnit;
    use app::model::time::text;
    use chrono_tz::Tz;
    use std::time::Duration;

    fn read(unit: TimeUnit, format: Option<&str>, zone: Tz, raw: &Raw, kind: Kind) -> Option<String> {
        Reading { unit, zone, format: format.map(Into::into), plus: Duration::ZERO }.instant(raw, kind).map(text)
    }

    #[test]
    fn text_in_the_shapes_that_real_writers_leave_behind() {
        let shanghai = Tz::Asia__Shanghai;
        for (given, expected) in [
            ("2026-11-29 16:00:00", Some("2026-11-29T08:00:00Z")),
            ("2026-11-29T00:00:00", Some("2026-11-28T16:00:00Z")),
            ("2026-11-29 16:00:03.123456", Some("2026-11-29T08:00:03.123456Z")),
            ("2026-11-29T08:00:01Z", Some("2026-11-29T08:00:01Z")),
            ("2026-11-29T10:00:02.5+02:00", Some("2026-11-29T08:00:02.5Z")),
            ("2026-11-29 13:30:00+0530", Some("2026-11-29T08:00:00Z")),
            ("2026-11-29 08:00:00+00", Some("2026-11-29T08:00:00Z")),
            ("2026-11-29 08:00:00 +00:00", Some("2026-11-29T08:00:00Z")),
            ("2026-11-29", Some("2026-11-28T16:00:00Z")),
            ("2026-11-29 16:00", Some("2026-11-29T08:00:00Z")),
            ("20261129T080000.25Z", Some("2026-11-29T08:00:00.25Z")),
            ("20261129T1600", Some("2026-11-29T08:00:00Z")),
            ("20261129T030000-0500", Some("2026-11-29T08:00:00Z")),
            ("20261129", Some("2026-11-28T16:00:00Z")),
            ("2026-11-29 16:00:00,5", Some("2026-11-29T08:00:00.5Z")),
            ("2026-11-29 08:00:00 UTC", Some("2026-11-29T08:00:00Z")),
            ("2026-11-29T16:00:00+08:00[Asia/Shanghai]", Some("2026-11-29T08:00:00Z")),
            ("2026-11-29T08:00:00.1234567Z", Some("2026-11-29T08:00:00.1234567Z")),
            ("1795939230", None),
            ("08:00:00", None),
            ("", None),
            ("infinity", None),
            ("-infinity", None),
            ("0000-00-00 00:00:00", None),
            ("0044-03-15 00:00:00+00 BC", None),
            ("yesterday", None),
            ("2026-02-30 00:00:00", None),
            ("订单", None),
        ] {
            assert_eq!(iso(given, shanghai).map(text).as_deref(), expected, "{given}");
        }
    }

    #[test]
    fn a_repeated_hour_is_its_first_instant_and_a_skipped_one_moves_forward() {
        assert_eq!(
            iso("2026-11-01 01:30:00", Tz::America__New_York).map(text).as_deref(),
            Some("2026-11-01T05:30:00Z")
        );
        assert_eq!(
            iso("2026-03-08 02:30:00", Tz::America__New_York).map(text).as_deref(),
            Some("2026-03-08T07:30:00Z")
        );
    }

    #[test]
    fn what_stands_for_none_is_told_from_what_is_no_time() {
        let said = |unit, format: Option<&str>, raw: Raw, kind| {
            Reading { unit, zone: Tz::UTC, format: format.map(Into::into), plus: Duration::ZERO }.read(&raw, kind)
        };
        let text = |text: &str| Raw::Text(text.to_owned());
        for none in
            ["", "  ", "0", "0000-00-00", "0000-00-00 00:00:00.000000", "infinity", "-infinity", "00000000000000"]
        {
            assert_eq!(said(TimeUnit::Datetime, None, text(none), Kind::Text), Said::Nothing, "{none}");
            assert_eq!(said(TimeUnit::Text, Some("%Y%m%d%H%M%S"), text(none), Kind::Text), Said::Nothing, "{none}");
        }
        for (unit, none) in
            [(TimeUnit::EpochSeconds, "0.000"), (TimeUnit::EpochMillis, ""), (TimeUnit::EpochMicros, "0")]
        {
            assert_eq!(said(unit, None, text(none), Kind::Text), Said::Nothing, "{none}");
        }
        assert_eq!(said(TimeUnit::EpochMillis, None, Raw::Null, Kind::Int), Said::Nothing);
        assert_eq!(said(TimeUnit::EpochMillis, None, Raw::Int(0), Kind::Int), Said::Nothing);
        for bad in ["yesterday", "2026-02-30 00:00:00", "2026-00-10", "08:00", "-", "12:61:00"] {
            assert_eq!(said(TimeUnit::Datetime, None, text(bad), Kind::Text), Said::NoTime, "{bad}");
            assert_eq!(said(TimeUnit::EpochSeconds, None, text(bad), Kind::Text), Said::NoTime, "{bad}");
        }
        assert_eq!(said(TimeUnit::EpochMillis, None, Raw::Int(i128::MAX), Kind::Int), Said::NoTime);
        assert_eq!(said(TimeUnit::EpochSeconds, None, text("1e300"), Kind::Other), Said::NoTime);
    }

    #[test]
    fn formats_of_every_make() {
        for (format, given, expected) in [
            ("%Y%m%d%H%M%S%3f", "20261129161500123", Some("2026-11-29T08:15:00.123Z")),
            ("%Y/%m/%d %H:%M", "2026/11/29 16:15", Some("2026-11-29T08:15:00Z")),
            ("%d.%m.%Y", "29.11.2026", Some("2026-11-28T16:00:00Z")),
            ("%Y%m%d%H", "2026112916", Some("2026-11-29T08:00:00Z")),
            ("%s", "1795939230", Some("2026-11-29T08:00:30Z")),
            ("%s%.3f", "1795939230.500", Some("2026-11-29T08:00:30.5Z")),
            ("%Y-%m-%d %H:%M:%S %z", "2026-11-29 08:15:00 +0000", Some("2026-11-29T08:15:00Z")),
            ("%Y-%m-%dT%H:%M:%S%.fZ", "2026-11-29T08:15:00.5Z", Some("2026-11-29T08:15:00.5Z")),
            ("%d/%b/%Y:%H:%M:%S %z", "29/Nov/2026:10:15:00 +0200", Some("2026-11-29T08:15:00Z")),
            ("%Y-%m-%d %I:%M %p", "2026-11-29 04:15 PM", Some("2026-11-29T08:15:00Z")),
            ("%Y%m%d%H%M%S", " 20261129161500 ", Some("2026-11-29T08:15:00Z")),
            ("%Y%m%d%H%M%S", "20261129", None),
            ("%Y%m%d", "20261301", None),
        ] {
            let found = read(TimeUnit::Text, Some(format), Tz::Asia__Shanghai, &Raw::Text(given.into()), Kind::Text);
            assert_eq!(found.as_deref(), expected, "{format} {given}");
        }
    }

    #[test]
    fn an_hour_that_comes_twice_is_marked() {
        let reading =
            Reading { unit: TimeUnit::Datetime, zone: Tz::America__New_York, format: None, plus: Duration::ZERO };
        let twice = |text: &str, kind| match reading.read(&Raw::Text(text.into()), kind) {
            Said::At { ambiguous, .. } => ambiguous,
            other => panic!("{other:?}"),
        };
        assert!(twice("2026-11-01 01:30:00", Kind::Wall) && !twice("2026-11-01 02:30:00", Kind::Wall));
        assert!(!twice("2026-11-01 01:30:00", Kind::Instant) && !twice("2026-11-01 01:30:00-05", Kind::Text));
    }

    #[test]
    fn epochs_in_each_unit_and_none_for_zero() {
        let int = |number| Raw::Int(number);
        assert_eq!(
            read(TimeUnit::EpochMillis, None, Tz::Asia__Shanghai, &int(1_795_939_230_123), Kind::Int).as_deref(),
            Some("2026-11-29T08:00:30.123Z")
        );
        assert_eq!(
            read(TimeUnit::EpochSeconds, None, Tz::UTC, &Raw::Text("1795939230.5".into()), Kind::Decimal).as_deref(),
            Some("2026-11-29T08:00:30.5Z")
        );
        let float = |text: &str| Raw::Text(text.into());
        assert_eq!(
            read(TimeUnit::EpochMicros, None, Tz::UTC, &float("1.79593923012345e+15"), Kind::Other).as_deref(),
            Some("2026-11-29T08:00:30.12345Z")
        );
        assert_eq!(
            read(TimeUnit::EpochSeconds, None, Tz::UTC, &float("-1.25"), Kind::Decimal).as_deref(),
            Some("1969-12-31T23:59:58.75Z")
        );
        assert_eq!(read(TimeUnit::EpochMicros, None, Tz::UTC, &int(0), Kind::Int), None);
        assert_eq!(read(TimeUnit::EpochMillis, None, Tz::UTC, &int(i128::MAX), Kind::Int), None);
    }

    #[test]
    fn an_instant_is_not_moved_by_the_zone_of_the_source() {
        let raw = Raw::Text("2026-11-29 08:00:00".into());
        let instant = read(TimeUnit::Datetime, None, Tz::Asia__Shanghai, &raw, Kind::Instant);
        let wall = read(TimeUnit::Datetime, None, Tz::Asia__Shanghai, &raw, Kind::Wall);
        assert_eq!((instant.as_deref(), wall.as_deref()), (Some("2026-11-29T08:00:00Z"), Some("2026-11-29T00:00:00Z")));
        assert_eq!(
            read(TimeUnit::Datetime, None, Tz::UTC, &Raw::Text("1970-01-01 00:00:00+00".into()), Kind::Instant),
            None
        );
    }

    #[test]
    fn a_compact_local_format() {
        let raw = Raw::Int(20_261_129_161_500);
        assert_eq!(
            read(TimeUnit::Text, Some("%Y%m%d%H%M%S"), Tz::Asia__Shanghai, &raw, Kind::Int).as_deref(),
            Some("2026-11-29T08:15:00Z")
        );
    }
}
