//! Conditions on a row, checked here and not by the database: a condition that no index serves would make a statement
//! read until it has found enough, while what is read for a page or a walk is bounded anyway.

use super::catalogue::{Column, Kind};
use super::raw::Raw;
use super::status::matches;
use super::time::{Time, iso};
use crate::config::{Code, Test};
use app::model::Status;
use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use std::cmp::Ordering;
use std::time::Duration;

/// One condition with its columns found.
#[derive(Debug, Clone)]
pub struct Check {
    pub column: Column,
    pub test: Test,
    /// How the column is read as a time, where the test asks for its age or compares it with another time.
    pub time: Option<Time>,
    /// What it is compared with.
    pub other: Option<Column>,
    /// How that is read, where both are times.
    pub other_time: Option<Time>,
}

/// A rule with its columns found.
#[derive(Debug, Clone)]
pub struct RowRule {
    pub status: Status,
    pub when: Vec<Check>,
}

/// What says in which state a row is.
#[derive(Debug)]
pub enum State {
    Always(Status),
    Codes(Column, Vec<(Code, Status)>),
    /// The first that holds; where none does, the codes.
    Rules {
        rules: Vec<RowRule>,
        otherwise: Option<(Column, Vec<(Code, Status)>)>,
    },
}

/// The cells of one row, by column.
pub trait Cells {
    /// NULL for a column that was not read.
    fn cell(&self, column: &Column) -> Raw;
}

/// All of them.
pub fn all(checks: &[Check], row: &dyn Cells, now: DateTime<Utc>) -> bool {
    checks.iter().all(|check| check.holds(row, now))
}

impl Check {
    fn holds(&self, row: &dyn Cells, now: DateTime<Utc>) -> bool {
        let cell = row.cell(&self.column);
        match &self.test {
            Test::IsNull => cell.is_null(),
            Test::NotNull => !cell.is_null(),
            Test::Equals(code) => matches(code, &cell),
            Test::NotEquals(code) => !matches(code, &cell),
            Test::In(codes) => codes.iter().any(|code| matches(code, &cell)),
            Test::OlderThan(age) => self.at(&cell).is_some_and(|at| at < before(now, *age)),
            Test::NewerThan(age) => self.at(&cell).is_some_and(|at| at >= before(now, *age)),
            Test::GreaterThanColumn(_) => match (&self.other_time, &self.other) {
                // Each in its own unit and zone.
                (Some(time), _) => {
                    let other = time.reading.instant(&row.cell(&time.column), time.column.kind);
                    self.at(&cell).zip(other).is_some_and(|(at, other)| at > other)
                }
                (None, Some(other)) => {
                    compare(&cell, self.column.kind, &row.cell(other), other.kind) == Some(Ordering::Greater)
                }
                (None, None) => false,
            },
        }
    }

    fn at(&self, cell: &Raw) -> Option<DateTime<Utc>> {
        let time = self.time.as_ref()?;
        time.reading.instant(cell, time.column.kind)
    }

    /// The columns that it looks at; for NULL alone a column may be large, so its value is not read.
    pub fn columns(&self) -> Vec<Column> {
        let kind = match self.test {
            Test::IsNull | Test::NotNull => Kind::Presence,
            _ => self.column.kind,
        };
        std::iter::once(Column { kind, ..self.column.clone() }).chain(self.other.clone()).collect()
    }
}

fn before(now: DateTime<Utc>, age: Duration) -> DateTime<Utc> {
    TimeDelta::from_std(age).ok().and_then(|age| now.checked_sub_signed(age)).unwrap_or(DateTime::<Utc>::MIN_UTC)
}

/// Numbers as numbers, times as times, the rest as it is written. Nothing is known of either but what it holds.
fn compare(a: &Raw, a_kind: Kind, b: &Raw, b_kind: Kind) -> Option<Ordering> {
    if let (Some(a), Some(b)) = (a.as_int(), b.as_int()) {
        return Some(a.cmp(&b));
    }
    if let (Raw::Real(a), Raw::Real(b)) = (a, b) {
        return a.partial_cmp(b);
    }
    let (a, b) = (a.show(a_kind)?, b.show(b_kind)?);
    match (iso(&a, Tz::UTC), iso(&b, Tz::UTC)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => match (a.parse::<f64>(), b.parse::<f64>()) {
            (Ok(a), Ok(b)) => a.partial_cmp(&b),
            _ => Some(a.cmp(&b)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{Cells, Check, Column, Kind, Raw, Test, all};
    use crate::adapters::records::time::{Reading, Time};
    use crate::config::{Code, TimeUnit};
    use chrono::{DateTime, Utc};
    use chrono_tz::Tz;
    use std::time::Duration;

    struct One(Raw, Raw);

    impl Cells for One {
        fn cell(&self, column: &Column) -> Raw {
            if column.name == "a" { self.0.clone() } else { self.1.clone() }
        }
    }

    fn column(name: &str, kind: Kind) -> Column {
        Column { name: name.into(), kind, declared: String::new(), nullable: true, assigned: false, generated: false }
    }

    fn now() -> DateTime<Utc> {
        "2026-11-29T08:00:00Z".parse().unwrap()
    }

    fn holds(test: Test, kind: Kind, a: Raw, b: Raw) -> bool {
        let reading =
            Reading { unit: TimeUnit::Datetime, zone: Tz::Asia__Shanghai, format: None, plus: Duration::ZERO };
        let time = Some(Time { column: column("a", kind), reading });
        let check = Check { column: column("a", kind), test, time, other: Some(column("b", kind)), other_time: None };
        all(&[check], &One(a, b), now())
    }

    #[test]
    fn null_equals_nothing_and_differs_from_everything() {
        let of = |test: Test, a: Raw| holds(test, Kind::Int, a, Raw::Null);
        assert!(!of(Test::Equals(Code::Int(0)), Raw::Null) && of(Test::Equals(Code::Int(0)), Raw::Int(0)));
        assert!(of(Test::NotEquals(Code::Int(0)), Raw::Null) && !of(Test::NotEquals(Code::Int(0)), Raw::Int(0)));
        assert!(!of(Test::In(vec![Code::Int(1), Code::Int(2)]), Raw::Null));
        assert!(of(Test::In(vec![Code::Int(1), Code::Int(2)]), Raw::Int(2)));
        assert!(of(Test::IsNull, Raw::Null) && of(Test::NotNull, Raw::Int(0)));
        assert!(!of(Test::GreaterThanColumn("b".into()), Raw::Int(1)), "NULL is not less");
    }

    #[test]
    fn ages_and_comparisons() {
        let of = |test: Test, a: &str, b: &str| holds(test, Kind::Wall, Raw::Text(a.into()), Raw::Text(b.into()));
        let older = || Test::OlderThan(Duration::from_secs(300));
        assert!(of(older(), "2026-11-29 15:54:59", "") && !of(older(), "2026-11-29 15:56:00", ""));
        assert!(!of(older(), "no time", "") && !of(Test::NewerThan(Duration::from_secs(300)), "no time", ""));
        assert!(of(Test::NewerThan(Duration::from_secs(300)), "2026-11-29 15:56:00", ""));
        let greater = || Test::GreaterThanColumn("b".into());
        assert!(of(greater(), "2026-11-29 10:00:00", "2026-11-29 09:59:59"));
        assert!(of(greater(), "10", "9") && of(greater(), "2.5", "2.25") && !of(greater(), "a", "b"));
    }
}
