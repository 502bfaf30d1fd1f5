//! Which time the Overview shows, as its address says it: `?range=24h`, or `?from=…&to=…`.

use super::search::duration;
use super::{Fault, Moment, MomentUnit};
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// Seconds of a step, smallest first; each is a multiple of the one before.
const STEPS_S: [i64; 6] = [60, 300, 900, HOUR_S, 6 * HOUR_S, 24 * HOUR_S];
/// What is older than minutes are kept has no smaller steps.
const HOUR_S: i64 = 3_600;
/// More points than this nobody tells apart; only days may be more.
const MOST_STEPS: i64 = 300;

/// Up to now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub enum Recent {
    #[serde(rename = "15m")]
    Minutes15,
    #[serde(rename = "1h")]
    Hour,
    #[serde(rename = "3h")]
    Hours3,
    #[serde(rename = "6h")]
    Hours6,
    #[serde(rename = "24h")]
    Day,
    #[serde(rename = "7d")]
    Week,
    #[serde(rename = "30d")]
    Days30,
    #[serde(rename = "90d")]
    Days90,
    #[serde(rename = "400d")]
    Days400,
}

impl Recent {
    pub const ALL: [Self; 9] = [
        Self::Minutes15,
        Self::Hour,
        Self::Hours3,
        Self::Hours6,
        Self::Day,
        Self::Week,
        Self::Days30,
        Self::Days90,
        Self::Days400,
    ];

    /// As it stands in URLs and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Minutes15 => "15m",
            Self::Hour => "1h",
            Self::Hours3 => "3h",
            Self::Hours6 => "6h",
            Self::Day => "24h",
            Self::Week => "7d",
            Self::Days30 => "30d",
            Self::Days90 => "90d",
            Self::Days400 => "400d",
        }
    }

    #[must_use]
    pub fn lasts(self) -> TimeDelta {
        match self {
            Self::Minutes15 => TimeDelta::minutes(15),
            Self::Hour => TimeDelta::hours(1),
            Self::Hours3 => TimeDelta::hours(3),
            Self::Hours6 => TimeDelta::hours(6),
            Self::Day => TimeDelta::days(1),
            Self::Week => TimeDelta::days(7),
            Self::Days30 => TimeDelta::days(30),
            Self::Days90 => TimeDelta::days(90),
            Self::Days400 => TimeDelta::days(400),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeRange {
    Recent(Recent),
    Between { from: DateTime<Utc>, to: DateTime<Utc> },
}

impl Default for TimeRange {
    fn default() -> Self {
        Self::Recent(Recent::Hours3)
    }
}

/// Whole steps, side by side, of which the last one is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// First instant of the first step.
    pub from: DateTime<Utc>,
    /// Where the last step ends.
    pub to: DateTime<Utc>,
    pub step_s: u32,
}

/// The clock on the wall by which an address is read: the source's.
pub struct Wall<'a> {
    pub now: DateTime<Utc>,
    pub today: NaiveDate,
    pub local: &'a dyn Fn(NaiveDateTime) -> DateTime<Utc>,
}

/// What a time cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum RangeProblem {
    /// No range of that name.
    Unknown,
    NoTime,
    /// A range, and from and to.
    Both,
    /// To without from.
    NoFrom,
    /// From is not before to.
    Reversed,
    /// No whole minute is over since then.
    NotOver,
    /// Older than hours are kept.
    TooOld,
}

impl RangeProblem {
    /// What would be accepted, for logs and programs; people are told in their language.
    #[must_use]
    pub fn accepted(self) -> String {
        match self {
            Self::Unknown => format!("accepted are {}", Recent::ALL.map(Recent::as_str).join(", ")),
            Self::NoTime => {
                "accepted are now, -3h or -1h30m, 09:15 (today), 2026-11-29, 2026-11-29 09:15, in the source's \
                             zone, or with Z or an offset"
                    .into()
            }
            Self::Both => "give it, or from and to".into(),
            Self::NoFrom => "to needs from beside it".into(),
            Self::Reversed => "from must lie before to".into(),
            Self::NotOver => "no whole minute is over since then".into(),
            Self::TooOld => format!("hours are kept for {} days", TimeRange::KEPT.num_days()),
        }
    }
}

impl TimeRange {
    /// Minutes are kept for so long.
    pub const MINUTES_KEPT: TimeDelta = TimeDelta::days(8);
    /// Hours, which are made of minutes before these go, are kept for so long.
    pub const KEPT: TimeDelta = TimeDelta::days(400);

    /// From the parameters of an address; empty ones are none.
    ///
    /// # Errors
    /// [`Fault::BadRange`], which says what was found and what is accepted.
    pub fn read(range: Option<&str>, from: Option<&str>, to: Option<&str>, wall: &Wall) -> Result<Self, Fault> {
        let said = |text: Option<&str>| text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        match (said(range), said(from), said(to)) {
            (None, None, None) => Ok(Self::default()),
            (Some(word), None, None) => {
                let known = Recent::ALL.into_iter().find(|recent| recent.as_str() == word);
                known.map(Self::Recent).ok_or_else(|| bad("range", &word, RangeProblem::Unknown))
            }
            (None, Some(from), to) => {
                let to = to.unwrap_or_else(|| NOW.to_owned());
                let start = wall.instant(&from, Side::From).ok_or_else(|| bad("from", &from, RangeProblem::NoTime))?;
                let end = wall.instant(&to, Side::To).ok_or_else(|| bad("to", &to, RangeProblem::NoTime))?;
                wall.between(start, end).map_err(|problem| bad("from", &from, problem))
            }
            (None, None, Some(to)) => Err(bad("to", &to, RangeProblem::NoFrom)),
            (Some(word), _, _) => Err(bad("range", &word, RangeProblem::Both)),
        }
    }

    /// In the smallest steps of which there are not too many, and of which there is a history.
    #[must_use]
    pub fn stretch(self, now: DateTime<Utc>) -> Stretch {
        let [smaller @ .., largest] = STEPS_S;
        let minutes = minutes_from(now);
        let few = smaller.into_iter().find(|step| {
            let (first, end) = self.bounds(now, *step);
            (end - first) / step <= MOST_STEPS && (*step >= HOUR_S || first >= minutes)
        });
        let step = few.unwrap_or(largest);
        let (first, end) = self.bounds(now, step);
        let at = |second| DateTime::from_timestamp(second, 0).unwrap_or(now);
        Stretch { from: at(first), to: at(end), step_s: u32::try_from(step).unwrap_or(60) }
    }

    /// As Unix seconds: whole steps, at least one, up to the last one that is over.
    fn bounds(self, now: DateTime<Utc>, step: i64) -> (i64, i64) {
        let over = now.timestamp() - now.timestamp().rem_euclid(step);
        match self {
            Self::Recent(recent) => (over - recent.lasts().num_seconds(), over),
            Self::Between { from, to } => {
                let end = (to.timestamp() + (-to.timestamp()).rem_euclid(step)).min(over);
                ((from.timestamp() - from.timestamp().rem_euclid(step)).min(end - step), end)
            }
        }
    }

    /// The part of an address behind the question mark; empty for the default.
    #[must_use]
    pub fn query(self) -> String {
        match self {
            Self::Recent(Recent::Hours3) => String::new(),
            Self::Recent(recent) => format!("range={}", recent.as_str()),
            Self::Between { from, to } => format!("from={}&to={}", super::time::text(from), super::time::text(to)),
        }
    }

    /// Three times as long around the same middle, as far as there is a history; `None`: it is all of it already.
    #[must_use]
    pub fn wider(self, now: DateTime<Utc>) -> Option<Self> {
        let Self::Between { from, to } = self else { return None };
        let (oldest, lasts) = (now - Self::KEPT, to - from);
        let whole = |at: DateTime<Utc>| DateTime::from_timestamp(at.timestamp(), 0).unwrap_or(at);
        let wider = Self::Between { from: whole((from - lasts).max(oldest)), to: whole((to + lasts).min(now)) };
        (lasts < Self::KEPT - TimeDelta::minutes(1)).then_some(wider)
    }
}

impl Stretch {
    #[must_use]
    pub fn steps(&self) -> u32 {
        let steps = (self.to - self.from).num_seconds() / i64::from(self.step_s.max(1));
        u32::try_from(steps).unwrap_or(0)
    }

    /// Whether its steps can be made of hours: what is older than minutes are kept is in it, or could be.
    #[must_use]
    pub fn of_hours(&self) -> bool {
        i64::from(self.step_s) >= HOUR_S
    }

    /// The first instant of each step, oldest first.
    pub fn starts(&self) -> impl Iterator<Item = DateTime<Utc>> + use<> {
        let (from, step_s) = (self.from, i64::from(self.step_s));
        (0..i64::from(self.steps())).map(move |step| from + TimeDelta::seconds(step * step_s))
    }

    /// The first instant of the step that an instant lies in; `None`: in none of these.
    #[must_use]
    pub fn step_of(&self, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let second = at.timestamp();
        let first = DateTime::from_timestamp(second - second.rem_euclid(i64::from(self.step_s.max(1))), 0)?;
        (self.from <= first && first < self.to).then_some(first)
    }
}

/// What a day alone means: its beginning, or its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    From,
    To,
}

const NOW: &str = "now";

impl Wall<'_> {
    fn instant(&self, text: &str, side: Side) -> Option<DateTime<Utc>> {
        if text.eq_ignore_ascii_case(NOW) {
            return Some(self.now);
        }
        if let Some(before) = text.strip_prefix(['-', '−']) {
            let seconds = i64::try_from(duration(before)?.0).ok()?;
            return self.now.checked_sub_signed(TimeDelta::try_seconds(seconds)?);
        }
        let time = ["%H:%M", "%H:%M:%S"].into_iter().find_map(|format| NaiveTime::parse_from_str(text, format).ok());
        if let Some(time) = time {
            return Some((self.local)(self.today.and_time(time)));
        }
        let moment = Moment::parse(text)?;
        let (begin, end) = moment.instants(self.local);
        if moment.unit == MomentUnit::Day && side == Side::To { end } else { Some(begin) }
    }

    fn between(&self, from: DateTime<Utc>, to: DateTime<Utc>) -> Result<TimeRange, RangeProblem> {
        // A link on a page that was opened a while ago still leads there.
        let oldest = self.now - TimeRange::KEPT - TimeDelta::days(1);
        if from >= to {
            Err(RangeProblem::Reversed)
        } else if from > self.now - TimeDelta::minutes(1) {
            Err(RangeProblem::NotOver)
        } else if from < oldest {
            Err(RangeProblem::TooOld)
        } else {
            Ok(TimeRange::Between { from, to })
        }
    }
}

/// The first whole hour, as a Unix second, of which no minute can have gone.
fn minutes_from(now: DateTime<Utc>) -> i64 {
    let oldest = (now - TimeRange::MINUTES_KEPT).timestamp();
    oldest + (-oldest).rem_euclid(HOUR_S)
}

fn bad(parameter: &str, found: &str, problem: RangeProblem) -> Fault {
    Fault::BadRange { parameter: parameter.to_owned(), found: found.to_owned(), problem }
}

#[cfg(test)]
#[path = "range_tests.rs"]
mod tests;
