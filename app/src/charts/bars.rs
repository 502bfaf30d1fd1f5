//! Horizontal bars: label, bar, value.

use super::{
    Bar, BarChart,
    canvas::{self, Canvas, Plane, Role},
    class::{Class, Classes},
    number, width,
};
use plotters::coord::CoordTranslate;

const WIDTH: i32 = 560;
/// Of one bar with the space around it, in units.
const ROW: i32 = 26;
const ABOVE: i32 = 60;
const THICKNESS: i32 = 170;
const BASELINE: i32 = 180;
const SPACE: i32 = 80;
/// A label is never wider than this; the table has it whole.
const LABEL: i32 = 1600;

/// The whole `<svg>`, with the drawing's finding as its text alternative. Its height follows the number of bars.
#[must_use]
pub fn bars(chart: &BarChart) -> String {
    let rows = i32::try_from(chart.bars.len()).unwrap_or(i32::MAX / (ROW * 20)).max(1);
    let height = rows * ROW + 4;
    canvas::svg(&Role::Image { finding: &chart.finding }, (WIDTH, height), |canvas| {
        if chart.bars.is_empty() {
            canvas.rectangle(Classes::one(Class::Gap), (0, 0), (WIDTH * 10, height * 10));
            canvas.text(Classes::two(Class::Nothing, Class::Mid), (WIDTH * 5, BASELINE), &chart.no_data);
            return;
        }
        let labels: Vec<_> = chart.bars.iter().map(|bar| width::cut(&bar.label, width::LARGE, LABEL)).collect();
        let left = labels.iter().map(|label| width::of(label, width::LARGE)).max().unwrap_or(0) + SPACE;
        let beside = chart.bars.iter().map(|bar| beside(bar, &chart.no_data)).max().unwrap_or(0);
        let right = (WIDTH * 10 - beside).max(left + SPACE);
        let longest = chart.bars.iter().filter_map(|bar| number::reading(bar.value)).fold(0.0, f64::max);
        let plane = Plane::new(0.0..if longest > 0.0 { longest } else { 1.0 }, 0.0..1.0, (left + 5..right, 0..1));

        canvas.path(Classes::one(Class::Axis), vec![(left, 0), (left, height * 10)]);
        for ((row, bar), label) in (0..rows).zip(&chart.bars).zip(&labels) {
            let top = row * ROW * 10;
            canvas.text(Classes::one(Class::End), (left - SPACE, top + BASELINE), label);
            one(canvas, bar, &chart.no_data, &plane, (left + 5, top));
        }
    })
}

fn one(canvas: &Canvas, bar: &Bar, no_data: &str, plane: &Plane, (left, top): (i32, i32)) {
    let baseline = top + BASELINE;
    let Some(value) = number::reading(bar.value) else {
        canvas.text(Classes::one(Class::Nothing), (left + SPACE, baseline), no_data);
        return;
    };
    let mut x = left;
    if value > 0.0 {
        // One record among a million is still seen.
        x = plane.translate(&(value, 0.0)).0.max(left + 10);
        canvas.rectangle(Classes::one(bar.hue.fill()), (left, top + ABOVE), (x, top + ABOVE + THICKNESS));
    }
    x += SPACE - 20;
    let shown = shown(bar, value);
    canvas.text(Classes::one(Class::Strong), (x, baseline), &shown);
    x += width::strong(&shown, width::SMALL) + SPACE;
    for note in &bar.notes {
        // Small text only: the place of what stands before it was measured so.
        canvas.text(Classes::two(Class::Soft, Class::Minor), (x, baseline), note);
        x += width::of(note, width::SMALL) + SPACE;
    }
}

pub(super) fn shown(bar: &Bar, value: f64) -> String {
    bar.shown.clone().unwrap_or_else(|| number::text(value))
}

/// Room that the longest bar leaves for what is written behind it: value and notes small, or the value alone large.
fn beside(bar: &Bar, no_data: &str) -> i32 {
    let value = number::reading(bar.value).map_or_else(|| no_data.to_owned(), |value| shown(bar, value));
    let notes: i32 = bar.notes.iter().map(|note| width::of(note, width::SMALL) + SPACE).sum();
    width::strong(&value, width::LARGE).max(width::strong(&value, width::SMALL) + notes) + 2 * SPACE
}
