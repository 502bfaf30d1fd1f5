//! A search with its times known: what a row is held against.

use super::{Age, Filter, Moment, Pattern, Range};
use crate::model::{Record, RecordsQuery, Status};
use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};

/// Instants at and after `from`, before `to`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Within {
    pub from: Option<DateTime<Utc>>,
    pub to: Option<DateTime<Utc>>,
}

impl Within {
    #[must_use]
    pub fn is_everything(&self) -> bool {
        *self == Self::default()
    }

    /// What has no time is within no bounds.
    #[must_use]
    pub fn holds(&self, at: Option<DateTime<Utc>>) -> bool {
        let inside = |at: DateTime<Utc>| self.from.is_none_or(|from| at >= from) && self.to.is_none_or(|to| at < to);
        self.is_everything() || at.is_some_and(inside)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    pub status: Option<Status>,
    pub r#type: Option<String>,
    pub key: Option<Pattern>,
    pub owner: Option<Pattern>,
    /// Of [`Record::since`].
    pub since: Within,
    pub created: Within,
    pub updated: Within,
    pub attempts: Option<Range<i64>>,
}

impl Wanted {
    /// `now`: by the database's clock. `local`: a wall clock of the source's zone.
    #[must_use]
    pub fn of(query: &RecordsQuery, now: DateTime<Utc>, local: &dyn Fn(NaiveDateTime) -> DateTime<Utc>) -> Self {
        let Filter { key, owner, age, created, updated, attempts } = &query.filter;
        let moments = |range: &Option<Range<Moment>>| range.map(|range| moments(range, local)).unwrap_or_default();
        Self {
            status: query.status,
            r#type: query.r#type.clone(),
            key: key.clone(),
            owner: owner.clone(),
            since: age.map(|age| since(age, now)).unwrap_or_default(),
            created: moments(created),
            updated: moments(updated),
            attempts: *attempts,
        }
    }

    #[must_use]
    pub fn matches(&self, record: &Record) -> bool {
        let text = |pattern: &Option<Pattern>, text: &Option<String>| {
            pattern.as_ref().is_none_or(|pattern| text.as_deref().is_some_and(|text| pattern.matches(text)))
        };
        self.status.is_none_or(|status| record.status == status)
            && self.r#type.as_ref().is_none_or(|wanted| record.r#type.as_ref() == Some(wanted))
            && text(&self.key, &record.key)
            && text(&self.owner, &record.owner)
            && self.since.holds(record.since())
            && self.created.holds(record.created_at)
            && self.updated.holds(record.updated_at)
            && self.attempts.is_none_or(|range| record.attempts.is_some_and(|attempts| range.holds(attempts)))
    }
}

impl Range<i64> {
    fn holds(self, number: i64) -> bool {
        match self {
            Self::Is(x) => number == x,
            Self::Above(x) => number > x,
            Self::AtLeast(x) => number >= x,
            Self::Below(x) => number < x,
            Self::AtMost(x) => number <= x,
            Self::Between(x, y) => (x..=y).contains(&number),
        }
    }
}

/// An age is never told to the instant, so "more than" and "at least" are the same.
fn since(age: Range<Age>, now: DateTime<Utc>) -> Within {
    let before = |Age(seconds): Age| {
        let age = i64::try_from(seconds).ok().and_then(TimeDelta::try_seconds);
        Some(age.and_then(|age| now.checked_sub_signed(age)).unwrap_or(DateTime::<Utc>::MIN_UTC))
    };
    match age {
        Range::Above(age) | Range::AtLeast(age) => Within { from: None, to: before(age) },
        Range::Below(age) | Range::AtMost(age) => Within { from: before(age), to: None },
        Range::Between(younger, older) => Within { from: before(older), to: before(younger) },
        // No grammar leads here.
        Range::Is(age) => Within { from: before(Age(age.0 + 1)), to: before(age) },
    }
}

fn moments(range: Range<Moment>, local: &dyn Fn(NaiveDateTime) -> DateTime<Utc>) -> Within {
    let start = |moment: Moment| Some(moment.instants(local).0);
    let end = |moment: Moment| moment.instants(local).1;
    match range {
        Range::Is(moment) => Within { from: start(moment), to: end(moment) },
        Range::Above(moment) => Within { from: end(moment), to: None },
        Range::AtLeast(moment) => Within { from: start(moment), to: None },
        Range::Below(moment) => Within { from: None, to: start(moment) },
        Range::AtMost(moment) => Within { from: None, to: end(moment) },
        Range::Between(first, last) => Within { from: start(first), to: end(last) },
    }
}

#[cfg(test)]
mod tests {
    use super::{Wanted, Within};
    use crate::model::Search;
    use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    /// In Shanghai, at eight in the morning UTC.
    fn wanted(text: &str) -> Wanted {
        let local = |wall: NaiveDateTime| wall.and_utc() - TimeDelta::hours(8);
        Wanted::of(&Search::parse(text).unwrap().query(1), at("2026-11-29T08:00:00Z"), &local)
    }

    #[test]
    fn a_day_is_the_source_s_day_and_bounds_include_what_they_name() {
        let within = |from: Option<&str>, to: Option<&str>| Within { from: from.map(at), to: to.map(at) };
        let (start, end) = (Some("2026-11-28T16:00:00Z"), Some("2026-11-29T16:00:00Z"));
        for (text, expected) in [
            ("2026-11-29", within(start, end)),
            (">2026-11-29", within(end, None)),
            (">=2026-11-29", within(start, None)),
            ("<2026-11-29", within(None, start)),
            ("<=2026-11-29", within(None, end)),
            ("2026-11-29..2026-11-30", within(start, Some("2026-11-30T16:00:00Z"))),
            (">=2026-11-29T08:00Z", within(Some("2026-11-29T08:00:00Z"), None)),
            ("<=2026-11-29T08:00:05+02:00", within(None, Some("2026-11-29T06:00:06Z"))),
        ] {
            assert_eq!(wanted(&format!("created:{text}")).created, expected, "{text}");
            assert_eq!(wanted(&format!("updated:{text}")).updated, expected, "{text}");
        }
    }

    #[test]
    fn an_old_record_began_long_ago() {
        let of = |text: &str| wanted(text).since;
        assert_eq!(of("age:>10m"), Within { from: None, to: Some(at("2026-11-29T07:50:00Z")) });
        assert_eq!(of("age:<1h"), Within { from: Some(at("2026-11-29T07:00:00Z")), to: None });
        assert_eq!(
            of("age:10m..1h"),
            Within { from: Some(at("2026-11-29T07:00:00Z")), to: Some(at("2026-11-29T07:50:00Z")) }
        );
        assert!(!of("age:>10m").holds(None), "what has no time is of no age");
    }
}
