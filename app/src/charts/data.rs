//! What the callers of the three drawings fill in: plain data, the same on the wire, on the server and in the browser.

use super::number;
use crate::model::{Zone, time};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// The time that a chart covers: `slots` intervals of `step_s` seconds, counted back from the last one that is complete
/// at `now`. The running interval is never drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    #[serde(with = "time")]
    pub now: DateTime<Utc>,
    pub step_s: u32,
    pub slots: u32,
}

impl Span {
    /// By the minute, as the history is kept.
    #[must_use]
    pub fn minutes(now: DateTime<Utc>, slots: u32) -> Self {
        Self { now, step_s: 60, slots }
    }

    fn step(&self) -> i64 {
        i64::from(self.step_s.max(1))
    }

    /// First instant of the oldest slot, as a Unix second.
    pub(super) fn first_s(&self) -> i64 {
        let now = self.now.timestamp();
        now - now.rem_euclid(self.step()) - i64::from(self.slots) * self.step()
    }

    /// First instant of the newest slot.
    pub(super) fn last_s(&self) -> i64 {
        self.first_s() + i64::from(self.slots.saturating_sub(1)) * self.step()
    }

    /// The first instant of each slot, oldest first.
    pub fn starts(&self) -> impl Iterator<Item = DateTime<Utc>> {
        (0..i64::from(self.slots)).filter_map(|slot| DateTime::from_timestamp(self.first_s() + slot * self.step(), 0))
    }

    /// Where a Unix second stands, counted in slots from the first.
    pub(super) fn slot_of(&self, second: i64) -> f64 {
        let offset = second - self.first_s();
        // Spans are far below 2³² seconds, where this is exact.
        f64::from(i32::try_from(offset).unwrap_or(i32::MAX)) / f64::from(self.step_s.max(1))
    }

    /// How things stand, of what is drawn: the reading of the newest slot, or of the one before while the newest is not
    /// written yet.
    #[must_use]
    pub fn last(&self, points: &[Point]) -> Option<f64> {
        last(&self.fill(points))
    }

    /// The highest reading that is drawn.
    #[must_use]
    pub fn most(&self, points: &[Point]) -> Option<f64> {
        self.fill(points).into_iter().flatten().reduce(f64::max)
    }

    /// The reading of each slot, the last one where there are several.
    pub(super) fn fill(&self, points: &[Point]) -> Vec<Option<f64>> {
        let mut slots = vec![None; usize::try_from(self.slots).unwrap_or(0)];
        for point in points {
            let slot = (point.at.timestamp() - self.first_s()).div_euclid(self.step());
            if let Some(place) = usize::try_from(slot).ok().and_then(|slot| slots.get_mut(slot)) {
                *place = number::reading(point.value);
            }
        }
        slots
    }
}

pub(super) fn last(slots: &[Option<f64>]) -> Option<f64> {
    slots.iter().rev().take(2).find_map(|value| *value)
}

/// One reading. What was not read has no point; a value that is negative, not finite or beyond 10²¹ is no reading.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The first instant of its slot.
    #[serde(with = "time")]
    pub at: DateTime<Utc>,
    pub value: f64,
}

/// Colour of a line or bar; CSS gives the shade (`l-lock`, `f-lock`). Layers have fixed ones everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hue {
    Base,
    /// Layer: status check.
    Status,
    /// Layer: lock.
    Lock,
    /// Layer: unique index.
    Index,
    Other,
    Ok,
    Busy,
    Warn,
    Crit,
    Mute,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stroke {
    Solid,
    /// For every line but the first: hue alone never tells two lines apart.
    Dashed,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Stands at the line's end, below its last value.
    pub name: String,
    pub hue: Hue,
    pub stroke: Stroke,
    /// Oldest first.
    pub points: Vec<Point>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Crit,
    Warn,
    /// A recovery threshold: drawn, shades nothing.
    Ok,
    Mute,
}

/// A threshold, in the unit of the values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// `lock TTL`; its value is written behind it.
    pub name: String,
    pub value: f64,
    pub severity: Severity,
}

/// Of a drawing that stands beside others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Height {
    #[default]
    Usual,
    /// For a place beside something long.
    Tall,
}

impl Height {
    fn is_usual(&self) -> bool {
        *self == Self::Usual
    }

    /// In units.
    pub(super) fn units(self) -> i32 {
        match self {
            Self::Usual => 232,
            Self::Tall => 392,
        }
    }
}

/// At most four lines over time; callers sum up what is more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LineChart {
    /// The text alternative: a sentence with what the chart shows.
    pub finding: String,
    pub span: Span,
    /// In which the times on the axis are told.
    pub zone: Zone,
    /// On the top tick and behind values; empty for counts.
    pub unit: String,
    pub lines: Vec<Line>,
    pub limits: Vec<Limit>,
    /// "no data", in the reader's language.
    pub no_data: String,
    #[serde(default, skip_serializing_if = "Height::is_usual")]
    pub height: Height,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    pub label: String,
    /// Its length.
    pub value: f64,
    /// Written behind it where the plain number would not be true: `10,000+`, `≈ 48.2 M`.
    pub shown: Option<String>,
    /// Behind the value, quieter; the second and later ones vanish in narrow places.
    pub notes: Vec<String>,
    pub hue: Hue,
}

/// Horizontal bars, one below the other, in the given order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BarChart {
    /// The text alternative: a sentence with what the chart shows.
    pub finding: String,
    pub bars: Vec<Bar>,
    /// "no data", in the reader's language: shown where there is no bar.
    pub no_data: String,
}

/// A line without axes beside a number, hidden from screen readers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spark {
    pub span: Span,
    /// Oldest first.
    pub points: Vec<Point>,
    pub limit: Option<f64>,
}

/// The numbers of a chart, for those who cannot see it: a page writes it as a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    pub head: Vec<String>,
    /// Classes of the line that a column is of; empty where none is drawn.
    pub lines: Vec<String>,
    pub rows: Vec<Vec<String>>,
}
