//! The last three hours, as tiles and charts draw them.

use crate::charts::{Point, Span};
use crate::context::PageContext;
use crate::model::Minute;

const SPAN_MINUTES: u32 = 180;

pub(super) fn span(ctx: &PageContext) -> Span {
    Span::minutes(ctx.now, SPAN_MINUTES)
}

/// What was not read has no point.
pub(super) fn points(minutes: &[Minute], value: impl Fn(&Minute) -> Option<i64>) -> Vec<Point> {
    values(minutes, |minute| signed(value(minute)))
}

pub(super) fn values(minutes: &[Minute], value: impl Fn(&Minute) -> Option<f64>) -> Vec<Point> {
    minutes.iter().filter_map(|minute| Some(Point { at: minute.at, value: value(minute)? })).collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of records, locks and messages are far below 2⁵³")]
pub(super) fn signed(count: Option<i64>) -> Option<f64> {
    count.map(|count| count as f64)
}

#[expect(clippy::cast_precision_loss, reason = "counts and milliseconds are far below 2⁵³")]
pub(super) fn whole(count: u64) -> f64 {
    count as f64
}
