//! A line without axes, stretched to the width of the tile it stands in.

use super::{
    Spark,
    canvas::{self, Plane, Role},
    class::{Class, Classes},
    number,
    run::{runs, thin},
};
use plotters::coord::CoordTranslate;

const WIDTH: i32 = 120;
const HEIGHT: i32 = 28;
/// Room for the stroke.
const TOP: i32 = 30;
const ZERO: i32 = 260;

/// The whole `<svg>`; from zero, with gaps, and without a word.
#[must_use]
pub fn spark(spark: &Spark) -> String {
    let slots = spark.span.fill(&spark.points);
    let limit = spark.limit.and_then(number::reading);
    let most = slots.iter().flatten().copied().chain(limit).fold(0.0, f64::max);
    let newest = f64::from(spark.span.slots.saturating_sub(1).max(1));
    #[expect(clippy::reversed_empty_ranges, reason = "heights are counted from the top")]
    let plane = Plane::new(0.0..newest, 0.0..if most > 0.0 { most } else { 1.0 }, (0..WIDTH * 10, ZERO..TOP));
    canvas::svg(&Role::Decoration, (WIDTH, HEIGHT), |canvas| {
        for run in runs(&slots) {
            let columns = f64::from(spark.span.slots) / f64::from(WIDTH);
            let line: Vec<_> = thin(&run, columns).into_iter().map(|point| plane.translate(&point)).collect();
            let (Some(first), Some(last)) = (line.first(), line.last()) else { continue };
            let floor = [(last.0, HEIGHT * 10), (first.0, HEIGHT * 10)];
            if line.len() > 1 {
                canvas.polygon(Classes::one(Class::Fill), line.iter().copied().chain(floor).collect());
                canvas.path(Classes::one(Class::Line), line);
            }
        }
        if let Some(limit) = limit {
            let y = plane.translate(&(0.0, limit)).1;
            canvas.path(Classes::one(Class::Limit), vec![(0, y), (WIDTH * 10, y)]);
        }
    })
}
