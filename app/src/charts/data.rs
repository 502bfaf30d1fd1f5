//! What the callers of the three drawings fill in: plain data, the same on the wire, on the server and in the browser.

use crate::{model::time, ui::Zone};
use chrono::{DateTime, TimeDelta, Utc};
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

    /// The first instant of each slot, oldest first.
    pub(super) fn starts(&self) -> impl DoubleEndedIterator<Item = DateTime<Utc>> + ExactSizeIterator + use<> {
        let step = TimeDelta::seconds(i64::from(self.step_s.max(1)));
        let past = self.now.timestamp().rem_euclid(step.num_seconds());
        let running = DateTime::from_timestamp(self.now.timestamp() - past, 0).unwrap_or(self.now);
        (0..self.slots).rev().map(move |back| running - step * i32::try_from(back + 1).unwrap_or(i32::MAX))
    }
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
    pub rows: Vec<Vec<String>>,
}
