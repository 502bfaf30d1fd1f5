//! How a column's values are times: by their type, and for numbers and texts by the values themselves.

use super::text::quoted;
use crate::ports::survey::{ColumnKind, ColumnSketch};
use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};

const COMPACT: &str = "%Y%m%d%H%M%S";
/// Seconds from 1973 to 5138, milliseconds and microseconds likewise: they do not overlap.
const SECONDS: std::ops::Range<i64> = 100_000_000..100_000_000_000;
const MILLIS: std::ops::Range<i64> = 100_000_000_000..100_000_000_000_000;
const MICROS: std::ops::Range<i64> = 100_000_000_000_000..100_000_000_000_000_000;
/// No zone is farther from UTC.
const FARTHEST: TimeDelta = TimeDelta::hours(14);
/// A clock that is a little wrong is no zone.
const SLACK: TimeDelta = TimeDelta::minutes(5);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// As its type says.
    Plain,
    /// ISO 8601.
    Text,
    Compact,
    Seconds,
    Millis,
    Micros,
}

/// `None`: the values do not say, or there are none.
pub(super) fn unit(column: &ColumnSketch, values: &[&str]) -> Option<Unit> {
    let (instant, wall) = (column.kind == ColumnKind::Instant, column.kind == ColumnKind::WallTime);
    let told: Vec<&str> = values.iter().copied().filter(|value| !matches!(*value, "" | "0")).collect();
    let first = *match told.first() {
        // An empty column of times is one all the same; an empty column of numbers could be anything.
        None if instant || wall => return Some(Unit::Plain),
        None if column.kind == ColumnKind::Text => return Some(Unit::Text),
        None => return None,
        Some(first) => first,
    };
    let of = |value: &str| -> Option<Unit> {
        if compact(value).is_some() {
            return Some(Unit::Compact);
        }
        if let Ok(number) = value.split('.').next().unwrap_or(value).parse::<i64>() {
            return match number {
                _ if SECONDS.contains(&number) => Some(Unit::Seconds),
                _ if MILLIS.contains(&number) => Some(Unit::Millis),
                _ if MICROS.contains(&number) => Some(Unit::Micros),
                _ => None,
            };
        }
        iso(value).map(|_| if instant || wall { Unit::Plain } else { Unit::Text })
    };
    if instant || (wall && column.declared.contains('(')) {
        return Some(Unit::Plain);
    }
    match of(first) {
        None if wall => Some(Unit::Plain),
        unit => unit.filter(|unit| told.iter().filter(|value| of(value) == Some(*unit)).count() * 2 > told.len()),
    }
}

/// As `created = …` takes it.
pub(super) fn written(column: &str, unit: Unit) -> String {
    let column = quoted(column);
    match unit {
        Unit::Plain => column,
        Unit::Text => format!("{{ column = {column}, unit = \"text\" }}"),
        Unit::Compact => format!("{{ column = {column}, unit = \"text\", format = \"{COMPACT}\" }}"),
        Unit::Seconds => format!("{{ column = {column}, unit = \"epoch_s\" }}"),
        Unit::Millis => format!("{{ column = {column}, unit = \"epoch_ms\" }}"),
        Unit::Micros => format!("{{ column = {column}, unit = \"epoch_us\" }}"),
    }
}

/// Times without a zone, as if they were UTC.
pub(super) fn zoneless(column: &ColumnSketch, unit: Unit, values: &[&str]) -> Vec<DateTime<Utc>> {
    let read: fn(&str) -> Option<Moment> = match unit {
        Unit::Plain | Unit::Text if column.kind != ColumnKind::Instant => iso,
        Unit::Compact => |value| compact(value).map(|at| Moment { at, zoned: false }),
        _ => return Vec::new(),
    };
    values.iter().filter_map(|value| read(value)).filter(|moment| !moment.zoned).map(|moment| moment.at).collect()
}

/// What the newest zone-less time says of its zone, by the database's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Zone {
    /// Nothing speaks against UTC.
    Utc,
    /// It lies in the future: the clock on the wall is ahead by so many minutes.
    Ahead(i64),
    /// It is exactly so many hours old.
    HoursOld(i64),
}

pub(super) fn zone(newest: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Zone {
    let Some(age) = newest.map(|newest| now - newest) else { return Zone::Utc };
    if -age > SLACK && -age <= FARTHEST + SLACK {
        // To the next half hour: the newest row is a little old.
        return Zone::Ahead(((-age).num_minutes() + 29) / 30 * 30);
    }
    let hours = (age.num_minutes() + 2) / 60;
    let exactly = (age - TimeDelta::hours(hours)).abs() <= TimeDelta::minutes(2);
    if (1..=14).contains(&hours) && exactly { Zone::HoursOld(hours) } else { Zone::Utc }
}

/// A zone that has this offset. By name where one is what most people mean by it.
pub(super) fn name_of(minutes: i64) -> Option<String> {
    let named = match minutes {
        60 => "Europe/Berlin",
        330 => "Asia/Kolkata",
        480 => "Asia/Shanghai",
        540 => "Asia/Tokyo",
        _ if minutes % 60 == 0 => return Some(format!("Etc/GMT-{}", minutes / 60)),
        _ => return None,
    };
    Some(named.to_owned())
}

struct Moment {
    at: DateTime<Utc>,
    zoned: bool,
}

fn compact(text: &str) -> Option<DateTime<Utc>> {
    let shaped = text.len() == 14 && text.bytes().all(|byte| byte.is_ascii_digit());
    // 20261129161500 as milliseconds would be in the year 2612.
    shaped.then(|| NaiveDateTime::parse_from_str(text, COMPACT).ok()).flatten().map(|wall| wall.and_utc())
}

fn iso(text: &str) -> Option<Moment> {
    let spaced = text.trim().replacen(['T', 't'], " ", 1);
    let zoned = ["%Y-%m-%d %H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f %#z"];
    let text = spaced.strip_suffix(['Z', 'z']).map_or(spaced.clone(), |body| format!("{body}+00:00"));
    if let Some(at) = zoned.iter().find_map(|format| DateTime::parse_from_str(&text, format).ok()) {
        return Some(Moment { at: at.to_utc(), zoned: true });
    }
    let plain = ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M"];
    let wall = plain.iter().find_map(|format| NaiveDateTime::parse_from_str(&text, format).ok())?;
    Some(Moment { at: wall.and_utc(), zoned: false })
}

#[cfg(test)]
mod tests {
    use super::{Unit, Zone, unit, zone};
    use crate::ports::survey::{ColumnKind, ColumnSketch};
    use chrono::{DateTime, TimeDelta};

    #[test]
    fn values_say_their_unit() {
        let of = |kind, values: &[&str]| {
            let column = ColumnSketch {
                name: "t".into(),
                kind,
                declared: String::new(),
                nullable: true,
                assigned: false,
                comment: None,
            };
            unit(&column, values)
        };
        let integer = |values: &[&str]| of(ColumnKind::Integer, values);
        assert_eq!(integer(&["1795939230", "0"]), Some(Unit::Seconds));
        assert_eq!(integer(&["1795939230123"]), Some(Unit::Millis));
        assert_eq!(integer(&["1795939230123456"]), Some(Unit::Micros));
        assert_eq!(integer(&["20261129161500"]), Some(Unit::Compact));
        assert_eq!(integer(&["7"]), None);
        assert_eq!(integer(&[]), None);
        assert_eq!(of(ColumnKind::Text, &["2026-11-29T08:00:00.000Z", ""]), Some(Unit::Text));
        assert_eq!(of(ColumnKind::Text, &["20261129161500"]), Some(Unit::Compact));
        assert_eq!(of(ColumnKind::Text, &["soon"]), None);
        // SQLite holds nobody to a declaration.
        assert_eq!(of(ColumnKind::WallTime, &["1795939230"]), Some(Unit::Seconds));
        assert_eq!(of(ColumnKind::WallTime, &["2026-11-29 08:00:01"]), Some(Unit::Plain));
        assert_eq!(of(ColumnKind::Instant, &[]), Some(Unit::Plain));
    }

    #[test]
    fn the_newest_time_says_its_zone() {
        let now = DateTime::UNIX_EPOCH + TimeDelta::days(20_000);
        let of = |minutes| zone(Some(now + TimeDelta::minutes(minutes)), now);
        assert_eq!(of(8 * 60 - 3), Zone::Ahead(480));
        assert_eq!(of(330), Zone::Ahead(330));
        assert_eq!(of(-8 * 60), Zone::HoursOld(8));
        assert_eq!(of(-3), Zone::Utc);
        assert_eq!(of(-8 * 60 - 20), Zone::Utc);
        assert_eq!(zone(None, now), Zone::Utc);
    }
}
