//! Round ticks: of values from zero, and of times in a zone.

use super::Span;
use crate::model::Zone;
use chrono::{DateTime, Timelike, Utc};

/// Ticks from 0 to the first round value at or above `most`: three to five of them.
pub(super) fn values(most: f64, whole: Whole) -> Vec<f64> {
    let smallest = match whole {
        Whole::Yes => 1.0,
        Whole::No => 0.1,
    };
    let mut decade = smallest;
    loop {
        for step in [1.0, 2.0, 5.0].map(|mantissa| mantissa * decade) {
            for count in 2..=4 {
                if step * f64::from(count) >= most {
                    return (0..=count).map(|at| step * f64::from(at)).collect();
                }
            }
        }
        decade *= 10.0;
    }
}

/// Whether half a unit can be: half a record cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whole {
    Yes,
    No,
}

pub(super) struct TimeTick {
    /// Where it stands, counted in slots from the span's first.
    pub slot: f64,
    pub text: String,
    /// Every second one, left out where there is little room.
    pub minor: bool,
}

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const STEPS: [i64; 17] = [
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    7 * DAY,
    14 * DAY,
    28 * DAY,
    84 * DAY,
];
const MOST_TICKS: i64 = 6;
/// A span in which a day and a month may come twice.
const YEAR: i64 = 365 * DAY;

/// At most seven, on times that are round in the zone.
pub(super) fn times(span: &Span, zone: &Zone) -> Vec<TimeTick> {
    let (first, last) = (span.first_s(), span.last_s());
    let step = STEPS.into_iter().find(|step| (last - first) / step <= MOST_TICKS).unwrap_or(84 * DAY);
    // Zones differ by quarters of an hour, so a time that is round in one of them is found among these.
    let pace = if step < 15 * MINUTE { MINUTE } else { 15 * MINUTE };
    let mut ticks = Vec::new();
    let mut at = first + (-first).rem_euclid(pace);
    while at <= last {
        if let Some(local) = DateTime::from_timestamp(at, 0).map(|at| zone.local(at)) {
            let wall = local.timestamp() + i64::from(local.offset().local_minus_utc());
            if wall.rem_euclid(step) == 0 {
                let format = match step {
                    ..DAY => "%H:%M",
                    _ if last - first < YEAR => "%m-%d",
                    _ => "%Y-%m-%d",
                };
                let text = local.format(format).to_string();
                ticks.push(TimeTick { slot: span.slot_of(at), text, minor: wall.rem_euclid(2 * step) != 0 });
            }
        }
        at += pace;
    }
    ticks
}

/// A slot's time as a table says it: with the date where the span is longer than a day, with the year where it is a year.
pub(super) fn label(at: DateTime<Utc>, span: &Span, zone: &Zone) -> String {
    let local = zone.local(at);
    let format = match (span.last_s() - span.first_s(), local.second()) {
        (..DAY, 0) => "%H:%M",
        (..DAY, _) => "%H:%M:%S",
        (..YEAR, _) => "%m-%d %H:%M",
        _ => "%Y-%m-%d %H:%M",
    };
    local.format(format).to_string()
}
