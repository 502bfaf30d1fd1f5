//! Time columns of every shape to instants. Zero dates, epoch 0, `''` and infinities mean "none".

use super::catalogue::{Column, Kind};
use super::raw::Raw;
use crate::config::TimeUnit;
use crate::zone::local;
use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Offset, TimeDelta, Utc};
use chrono_tz::Tz;
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

impl Reading {
    /// Text that is no time is `None` as well.
    pub fn instant(&self, raw: &Raw, kind: Kind) -> Option<DateTime<Utc>> {
        let at = match self.unit {
            TimeUnit::EpochSeconds => epoch(raw, 1_000_000)?,
            TimeUnit::EpochMillis => epoch(raw, 1_000)?,
            TimeUnit::EpochMicros => epoch(raw, 1)?,
            TimeUnit::Datetime | TimeUnit::Text => {
                let text = raw.show(kind)?;
                // An instant without an offset is the engine's UTC, wherever the source is.
                let zone = if kind == Kind::Instant { Tz::UTC } else { self.zone };
                match &self.format {
                    Some(format) if self.unit == TimeUnit::Text => formatted(&text, format, zone)?,
                    _ => iso(&text, zone)?,
                }
            }
        };
        if at == DateTime::UNIX_EPOCH {
            return None;
        }
        at.checked_add_signed(TimeDelta::from_std(self.plus).ok()?)
    }
}

fn epoch(raw: &Raw, micros_each: i64) -> Option<DateTime<Utc>> {
    if let Some(number) = raw.as_int() {
        let micros = number.checked_mul(i128::from(micros_each))?;
        return DateTime::from_timestamp_micros(i64::try_from(micros).ok()?);
    }
    let text = raw.show(Kind::Decimal)?;
    let (whole, fraction) = text.trim().split_once('.')?;
    let (whole, digits) = (whole.parse::<i64>().ok()?, u32::try_from(fraction.len()).ok()?);
    let parts = fraction.parse::<i64>().ok()?.checked_mul(micros_each)?.checked_div(10_i64.checked_pow(digits)?)?;
    let parts = if text.trim_start().starts_with('-') { -parts } else { parts };
    DateTime::from_timestamp_micros(whole.checked_mul(micros_each)?.checked_add(parts)?)
}

fn formatted(text: &str, format: &str, zone: Tz) -> Option<DateTime<Utc>> {
    if let Ok(at) = DateTime::parse_from_str(text, format) {
        return Some(at.to_utc());
    }
    let wall = NaiveDateTime::parse_from_str(text, format)
        .or_else(|_| NaiveDate::parse_from_str(text, format).map(|day| day.and_time(NaiveTime::MIN)));
    Some(local(wall.ok()?, zone))
}

/// ISO 8601, with `T` or a space, with or without fraction and offset.
pub fn iso(text: &str, zone: Tz) -> Option<DateTime<Utc>> {
    let text = text.trim();
    let (body, offset) = split_offset(text)?;
    let wall = wall(body)?;
    match offset {
        Some(offset) => wall.and_local_timezone(offset).single().map(|at| at.to_utc()),
        None => Some(local(wall, zone)),
    }
}

/// Date and time of day without an offset.
pub fn wall(text: &str) -> Option<NaiveDateTime> {
    let text = text.trim_end().replacen(['T', 't'], " ", 1);
    ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M"]
        .iter()
        .find_map(|format| NaiveDateTime::parse_from_str(&text, format).ok())
        .or_else(|| NaiveDate::parse_from_str(&text, "%Y-%m-%d").ok().map(|day| day.and_time(NaiveTime::MIN)))
}

/// `None`: the offset cannot be read. A sign before the time of day belongs to the date.
fn split_offset(text: &str) -> Option<(&str, Option<FixedOffset>)> {
    if let Some(body) = text.strip_suffix(['Z', 'z']) {
        return Some((body, Some(Utc.fix())));
    }
    let Some(at) = text.rfind(['+', '-']).filter(|at| *at > 10) else { return Some((text, None)) };
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
    use super::{Reading, iso};
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
