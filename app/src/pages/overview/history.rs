//! The course of a source, as tiles and charts draw it.

use crate::charts::{Point, Span};
use crate::model::{Course, Minute};

pub(super) fn span(course: &Course) -> Span {
    let stretch = course.stretch();
    Span { now: stretch.to, step_s: stretch.step_s, slots: stretch.steps() }
}

/// What was not read has no point.
pub(super) fn points(course: &Course, value: impl Fn(&Minute) -> Option<i64>) -> Vec<Point> {
    values(course, |step| signed(value(step)))
}

pub(super) fn values(course: &Course, value: impl Fn(&Minute) -> Option<f64>) -> Vec<Point> {
    course.steps.iter().filter_map(|step| Some(Point { at: step.at, value: value(step)? })).collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of records, locks and messages are far below 2⁵³")]
pub(super) fn signed(count: Option<i64>) -> Option<f64> {
    count.map(|count| count as f64)
}

#[expect(clippy::cast_precision_loss, reason = "counts and milliseconds are far below 2⁵³")]
pub(super) fn whole(count: u64) -> f64 {
    count as f64
}
