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
    // Counts of records, locks and messages are far below 2⁵³.
    #[allow(clippy::cast_precision_loss)]
    minutes.iter().filter_map(|minute| Some(Point { at: minute.at, value: value(minute)? as f64 })).collect()
}
