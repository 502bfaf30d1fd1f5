use chrono::{DateTime, Days, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};

/// A day, a minute or a second, as somebody wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Moment {
    /// Its beginning.
    pub wall: NaiveDateTime,
    pub unit: MomentUnit,
    /// Minutes east of UTC; `None`: the source's zone.
    pub offset: Option<i32>,
}

/// How exactly it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MomentUnit {
    Day,
    Minute,
    Second,
}

impl Moment {
    /// What somebody wrote, from its first instant up to the first one after it.
    #[must_use]
    pub fn span(text: &str, local: &dyn Fn(NaiveDateTime) -> DateTime<Utc>) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
        let (from, to) = Self::parse(text.trim())?.instants(local);
        Some((from, to?))
    }

    /// Its first instant and the first one after it. `local` reads a wall clock in the source's zone.
    pub(in crate::model) fn instants(
        &self,
        local: &dyn Fn(NaiveDateTime) -> DateTime<Utc>,
    ) -> (DateTime<Utc>, Option<DateTime<Utc>>) {
        let at = |wall: NaiveDateTime| match self.offset {
            Some(minutes) => wall.and_utc() - TimeDelta::minutes(i64::from(minutes)),
            None => local(wall),
        };
        let end = match self.unit {
            MomentUnit::Day => self.wall.checked_add_days(Days::new(1)),
            MomentUnit::Minute => self.wall.checked_add_signed(TimeDelta::minutes(1)),
            MomentUnit::Second => self.wall.checked_add_signed(TimeDelta::seconds(1)),
        };
        (at(self.wall), end.map(at))
    }

    /// `2026-11-29`, `2026-11-29T08:00`, `2026-11-29 08:00:05Z`.
    pub(in crate::model) fn parse(text: &str) -> Option<Self> {
        // Years of four digits: everything else is a slip.
        if !text.is_ascii() || text.as_bytes().get(4) != Some(&b'-') {
            return None;
        }
        let Some((day, rest)) = text.split_once(['T', 't', ' ']) else {
            let wall = date(text)?.and_time(NaiveTime::MIN);
            return Some(Self { wall, unit: MomentUnit::Day, offset: None });
        };
        let (time, offset) = match rest.find(['Z', 'z', '+', '-']) {
            Some(at) => (&rest[..at], Some(offset(&rest[at..])?)),
            None => (rest, None),
        };
        let (format, unit) = match time.matches(':').count() {
            1 => ("%H:%M", MomentUnit::Minute),
            _ => ("%H:%M:%S", MomentUnit::Second),
        };
        let time = NaiveTime::parse_from_str(time, format).ok()?;
        Some(Self { wall: date(day)?.and_time(time), unit, offset })
    }
}

fn date(text: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()
}

/// `Z`, `+08:00`, `+0800`, `+08`, in minutes.
fn offset(text: &str) -> Option<i32> {
    if text.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, digits) = (if text.starts_with('-') { -1 } else { 1 }, text.get(1..)?.replace(':', ""));
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) || !matches!(digits.len(), 2 | 4) {
        return None;
    }
    let hours: i32 = digits.get(..2)?.parse().ok()?;
    let minutes: i32 = digits.get(2..4).map_or(Some(0), |minutes| minutes.parse().ok())?;
    let east = sign * (hours * 60 + minutes);
    (minutes < 60 && FixedOffset::east_opt(east * 60).is_some()).then_some(east)
}

impl Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format = match self.unit {
            MomentUnit::Day => "%Y-%m-%d",
            MomentUnit::Minute => "%Y-%m-%dT%H:%M",
            MomentUnit::Second => "%Y-%m-%dT%H:%M:%S",
        };
        write!(f, "{}", self.wall.format(format))?;
        match self.offset {
            None => Ok(()),
            Some(0) => f.write_str("Z"),
            Some(minutes) => {
                let sign = if minutes < 0 { '-' } else { '+' };
                write!(f, "{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
            }
        }
    }
}
