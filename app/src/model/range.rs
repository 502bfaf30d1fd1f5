//! Which time the Overview shows, as its address says it: `?range=24h`, or `?from=…&to=…`.

use super::search::duration;
use super::{Fault, Moment, MomentUnit};
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// Seconds of a step, smallest first; each is a multiple of the one before.
const STEPS_S: [i64; 4] = [60, 300, 900, 3_600];
/// More points than this nobody tells apart.
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
}

impl Recent {
    pub const ALL: [Self; 6] = [Self::Minutes15, Self::Hour, Self::Hours3, Self::Hours6, Self::Day, Self::Week];

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
    /// Older than minutes are kept.
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
            Self::TooOld => format!("minutes are kept for {} days", TimeRange::KEPT.num_days()),
        }
    }
}

impl TimeRange {
    /// Minutes are kept for so long.
    pub const KEPT: TimeDelta = TimeDelta::days(8);

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

    /// In the smallest steps of which there are not too many.
    #[must_use]
    pub fn stretch(self, now: DateTime<Utc>) -> Stretch {
        let [smaller @ .., largest] = STEPS_S;
        let few = smaller.into_iter().find(|step| {
            let (first, end) = self.bounds(now, *step);
            (end - first) / step <= MOST_STEPS
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

    /// Three times as long around the same middle, as far as minutes are kept; `None`: it is all of them already.
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

fn bad(parameter: &str, found: &str, problem: RangeProblem) -> Fault {
    Fault::BadRange { parameter: parameter.to_owned(), found: found.to_owned(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn now() -> DateTime<Utc> {
        at("2026-11-29T08:42:08Z")
    }

    /// By the clock of Shanghai, where it is 16:42.
    fn read(range: &str, from: &str, to: &str) -> Result<TimeRange, String> {
        let local = |wall: NaiveDateTime| wall.and_utc() - TimeDelta::hours(8);
        let wall = Wall { now: now(), today: "2026-11-29".parse().unwrap(), local: &local };
        TimeRange::read(Some(range), Some(from), Some(to), &wall).map_err(|fault| fault.to_string())
    }

    fn between(from: &str, to: &str) -> Result<TimeRange, String> {
        Ok(TimeRange::Between { from: at(from), to: at(to) })
    }

    #[test]
    fn an_address_is_read_as_people_write_it() {
        assert_eq!(read("", " ", ""), Ok(TimeRange::Recent(Recent::Hours3)));
        assert_eq!(read("7d", "", ""), Ok(TimeRange::Recent(Recent::Week)));
        assert_eq!(read("", "-3h", "now"), between("2026-11-29T05:42:08Z", "2026-11-29T08:42:08Z"));
        assert_eq!(read("", "-1h30m", ""), between("2026-11-29T07:12:08Z", "2026-11-29T08:42:08Z"));
        assert_eq!(read("", "09:15", "10:00:30"), between("2026-11-29T01:15:00Z", "2026-11-29T02:00:30Z"));
        assert_eq!(read("", "2026-11-28", "2026-11-28"), between("2026-11-27T16:00:00Z", "2026-11-28T16:00:00Z"));
        assert_eq!(
            read("", "2026-11-28 09:15", "2026-11-28T02:00:00Z"),
            between("2026-11-28T01:15:00Z", "2026-11-28T02:00:00Z")
        );
    }

    #[test]
    fn what_cannot_be_read_says_what_can() {
        for (range, from, to, says) in [
            ("2h", "", "", "parameter range cannot be read: found \"2h\"; accepted are 15m, 1h, 3h, 6h, 24h, 7d"),
            ("3h", "-3h", "", "give it, or from and to"),
            ("", "", "now", "parameter to cannot be read: found \"now\"; to needs from"),
            ("", "yesterday", "", "parameter from cannot be read: found \"yesterday\"; accepted are now, -3h"),
            ("", "-", "", "found \"-\"; accepted"),
            ("", "-99999999999999999999h", "", "accepted"),
            ("", "-1h", "25:00", "parameter to cannot be read: found \"25:00\""),
            ("", "-1h", "-2h", "from must lie before to"),
            ("", "now", "2026-12-01", "no whole minute is over"),
            ("", "-10d", "now", "minutes are kept for 8 days"),
        ] {
            let said = read(range, from, to).unwrap_err();
            assert!(said.contains(says), "{range} {from} {to}: {said}");
        }
    }

    #[test]
    fn every_range_has_about_as_many_points_as_can_be_told_apart() {
        let steps = |recent: Recent| {
            let stretch = TimeRange::Recent(recent).stretch(now());
            (stretch.step_s / 60, stretch.steps())
        };
        assert_eq!(Recent::ALL.map(steps), [(1, 15), (1, 60), (1, 180), (5, 72), (5, 288), (60, 168)]);
        let hours = TimeRange::Recent(Recent::Hours3).stretch(now());
        assert_eq!((hours.from, hours.to), (at("2026-11-29T05:42:00Z"), at("2026-11-29T08:42:00Z")));
    }

    #[test]
    fn a_wider_range_ends_where_there_is_nothing_more() {
        let TimeRange::Between { from, to } = read("", "-10m", "-5m").unwrap() else { panic!("no span") };
        let wider = TimeRange::Between { from, to }.wider(now()).unwrap();
        assert_eq!(Ok(wider), between("2026-11-29T08:27:08Z", "2026-11-29T08:42:08Z"));
        let mut range = wider;
        let mut times = 0;
        while let Some(wider) = range.wider(now()) {
            (range, times) = (wider, times + 1);
            assert!(times < 20, "{range:?}");
        }
        assert_eq!(range, TimeRange::Between { from: now() - TimeRange::KEPT, to: now() });
        assert_eq!(TimeRange::default().wider(now()), None);
    }

    proptest! {
        #[test]
        fn a_stretch_is_whole_steps_that_are_over(back_s in 60_i64..691_200, lasts_s in 1_i64..800_000, now_s in 0_i64..100_000) {
            let now = now() + TimeDelta::seconds(now_s);
            let from = now - TimeDelta::seconds(back_s);
            let range = TimeRange::Between { from, to: from + TimeDelta::seconds(lasts_s) };
            let stretch = range.stretch(now);
            let step = i64::from(stretch.step_s);
            prop_assert!(stretch.from < stretch.to && stretch.to <= now);
            prop_assert_eq!(stretch.from.timestamp().rem_euclid(step), 0);
            prop_assert_eq!(stretch.to.timestamp().rem_euclid(step), 0);
            prop_assert!((1..=300).contains(&stretch.steps()), "{} steps", stretch.steps());
            // What was asked for is in it, but for the step that still runs.
            prop_assert!(stretch.from <= from);
            prop_assert!(stretch.to >= (from + TimeDelta::seconds(lasts_s)).min(now - TimeDelta::seconds(step)));
            // Its own address leads to the same time, in such steps or smaller ones: without what was asked for beyond
            // the last whole step there may be room for them.
            let again = TimeRange::Between { from: stretch.from, to: stretch.to }.stretch(now);
            prop_assert_eq!((again.from, again.to), (stretch.from, stretch.to));
            prop_assert!(again.step_s <= stretch.step_s);
        }
    }
}
