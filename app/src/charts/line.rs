//! Lines over time: axes, thresholds, gaps, and each line's name and last value at its end.

use super::{
    Frame, Limit, Line, LineChart, Severity, Stroke, axis,
    axis::Whole,
    canvas::{self, Canvas, Plane, Role},
    class::{Class, Classes},
    data, number,
    run::{gaps, runs, thin},
    width,
};
use plotters::coord::CoordTranslate;
use plotters_backend::BackendCoord;

pub(super) const WIDTH: i32 = 560;
pub(super) const TOP: i32 = 145;
/// Between the lower edge and the axis, for the times.
const UNDER: i32 = 215;
/// Margins are never less, so that charts below each other line up.
const LEFT: i32 = 380;
const RIGHT: i32 = WIDTH * 10 - 740;
/// Between the plot and what is written beside it.
const SPACE: i32 = 60;
/// Of a limit's name, from the plot's left edge.
const NAME_INSET: i32 = 40;
/// A name below its value.
const LINE_HEIGHT: i32 = 130;

/// The whole `<svg>`, with the drawing's finding as its text alternative.
#[must_use]
pub fn line(chart: &LineChart) -> String {
    canvas::svg(&Role::Image { finding: &chart.finding }, (WIDTH, chart.height.units()), |canvas| {
        let plot = Plot::new(chart);
        plot.axes(canvas);
        plot.times(canvas);
        // Below all that has to be read.
        plot.gaps(canvas);
        plot.limits(canvas);
        plot.lines(canvas);
        plot.limit_names(canvas);
        plot.ends(canvas);
    })
}

/// Where the plot ends, in tenths, in a drawing of that many units.
pub(super) fn bottom(height: i32) -> i32 {
    height * 10 - UNDER
}

/// Where its slots lie in the drawing.
#[must_use]
pub fn frame(chart: &LineChart) -> Frame {
    let plot = Plot::new(chart);
    Frame { left: plot.left, right: plot.right, height: chart.height.units(), slots: chart.span.slots }
}

/// A line whose readings have found their slots.
struct Series<'a> {
    line: &'a Line,
    slots: Vec<Option<f64>>,
}

impl Series<'_> {
    fn last(&self) -> Option<f64> {
        data::last(&self.slots)
    }

    /// Where its name stands.
    fn newest(&self) -> Option<f64> {
        self.slots.iter().rev().find_map(|value| *value)
    }
}

struct Plot<'a> {
    chart: &'a LineChart,
    series: Vec<Series<'a>>,
    limits: Vec<&'a Limit>,
    ticks: Vec<f64>,
    top: f64,
    left: i32,
    right: i32,
    bottom: i32,
    plane: Plane,
}

impl<'a> Plot<'a> {
    fn new(chart: &'a LineChart) -> Self {
        let series: Vec<_> =
            chart.lines.iter().map(|line| Series { line, slots: chart.span.fill(&line.points) }).collect();
        let limits: Vec<_> = chart.limits.iter().filter(|limit| number::reading(limit.value).is_some()).collect();
        let read = || series.iter().flat_map(|series| series.slots.iter().flatten().copied());
        let whole = if read().all(|value| value.fract() == 0.0) { Whole::Yes } else { Whole::No };
        let ticks = axis::values(read().chain(limits.iter().map(|limit| limit.value)).fold(0.0, f64::max), whole);
        let top = ticks.last().copied().unwrap_or(1.0);

        let tick_width = ticks.iter().map(|tick| width::of(&number::tick(*tick, top), width::LARGE)).max().unwrap_or(0);
        let top_width = width::of(&number::top_tick(top, &chart.unit), width::LARGE);
        let end_width = series.iter().map(|series| end_width(series, &chart.unit)).max().unwrap_or(0);
        let left = LEFT.max(tick_width.max(top_width) + SPACE).min(WIDTH * 4);
        let right = RIGHT.min(WIDTH * 10 - end_width - 2 * SPACE).max(WIDTH * 5);
        let bottom = bottom(chart.height.units());
        let newest = f64::from(chart.span.slots.saturating_sub(1).max(1));
        let plane = Plane::new(0.0..newest, 0.0..top, (left..right, bottom..TOP));
        Self { chart, series, limits, ticks, top, left, right, bottom, plane }
    }

    fn at(&self, slot: f64, value: f64) -> BackendCoord {
        self.plane.translate(&(slot, value))
    }

    fn slots(&self) -> usize {
        usize::try_from(self.chart.span.slots).unwrap_or(usize::MAX)
    }

    /// Within the plot, also for half a slot beyond its ends.
    fn x(&self, slot: f64) -> i32 {
        self.at(slot, 0.0).0.clamp(self.left, self.right)
    }

    fn axes(&self, canvas: &Canvas) {
        for (at, value) in self.ticks.iter().enumerate() {
            let y = self.at(0.0, *value).1;
            let class = if at == 0 { Class::Axis } else { Class::GridLine };
            canvas.path(Classes::one(class), vec![(self.left, y), (self.right, y)]);
            let text = if at + 1 == self.ticks.len() {
                number::top_tick(*value, &self.chart.unit)
            } else {
                number::tick(*value, self.top)
            };
            canvas.text(Classes::one(Class::End), (self.left - SPACE, y + 35), &text);
        }
    }

    fn times(&self, canvas: &Canvas) {
        for tick in axis::times(&self.chart.span, &self.chart.zone) {
            let x = self.x(tick.slot);
            let (mark, text) = if tick.minor {
                (Classes::two(Class::Axis, Class::Minor), Classes::two(Class::Mid, Class::Minor))
            } else {
                (Classes::one(Class::Axis), Classes::one(Class::Mid))
            };
            canvas.path(mark, vec![(x, self.bottom), (x, self.bottom + 40)]);
            canvas.text(text, (x, self.bottom + 155), &tick.text);
        }
    }

    /// The spans in which any line is above, then the line itself.
    fn limits(&self, canvas: &Canvas) {
        for limit in &self.limits {
            let y = self.at(0.0, limit.value).1;
            if let Some(classes) = limit.severity.over() {
                for (from, to) in self.spans_above(limit.value) {
                    canvas.rectangle(classes, (from, TOP), (to, self.bottom));
                }
            }
            canvas.path(limit.severity.line(), vec![(self.left, y), (self.right, y)]);
        }
    }

    /// Each above its line, or below where two are close.
    fn limit_names(&self, canvas: &Canvas) {
        for (limit, name, baseline) in self.named_limits() {
            canvas.text(Classes::one(limit.severity.text()), (self.left + NAME_INSET, baseline), &name);
        }
    }

    fn named_limits(&self) -> Vec<(&Limit, String, i32)> {
        let mut taken: Option<i32> = None;
        let named = self.limits.iter().map(|limit| {
            let y = self.at(0.0, limit.value).1;
            let close = taken.is_some_and(|other| (other - (y - 40)).abs() < LINE_HEIGHT);
            let baseline = if close { (y + 115).min(self.bottom) } else { (y - 40).max(TOP - 35) };
            taken = Some(baseline);
            let value = number::join(&number::text(limit.value), &self.chart.unit);
            let name = width::cut(&format!("{} {value}", limit.name), width::LARGE, self.right - self.left - SPACE);
            (*limit, name, baseline)
        });
        named.collect()
    }

    fn spans_above(&self, limit: f64) -> Vec<(i32, i32)> {
        let above: Vec<_> = (0..self.slots())
            .map(|slot| {
                self.series.iter().any(|series| series.slots[slot].is_some_and(|value| value > limit)).then_some(1.0)
            })
            .collect();
        // Half a slot on both sides, so that a single one is seen.
        runs(&above).iter().map(|run| (self.x(run.first() - 0.5), self.x(run.last() + 0.5))).collect()
    }

    fn lines(&self, canvas: &Canvas) {
        for series in &self.series {
            let hue = series.line.hue;
            let dash = if series.line.stroke == Stroke::Dashed { Class::Dash } else { Class::None };
            for run in runs(&series.slots) {
                let points: Vec<_> =
                    thin(&run, self.columns()).into_iter().map(|(slot, value)| self.at(slot, value)).collect();
                match points[..] {
                    [alone] => canvas.dot(Classes::one(hue.fill()), alone),
                    _ => canvas.path(Classes([Class::Line, hue.line(), dash]), points),
                }
            }
        }
    }

    /// Slots for each unit of the view box: no reader sees more than one point in it.
    fn columns(&self) -> f64 {
        f64::from(self.chart.span.slots) * 10.0 / f64::from(self.right - self.left)
    }

    /// Where no line has a reading.
    fn gaps(&self, canvas: &Canvas) {
        let half = width::of(&self.chart.no_data, width::SMALL) / 2;
        // A limit's name may stand as high.
        let named = self.named_limits().into_iter().filter(|(.., baseline)| *baseline < TOP + LINE_HEIGHT);
        let end = |name: &str| self.left + NAME_INSET + width::of(name, width::LARGE) + SPACE;
        let mut free_from = named.map(|(_, name, _)| end(&name)).max().unwrap_or(self.left);
        for (from, to) in gaps(self.slots(), &self.series.iter().map(|series| &series.slots[..]).collect::<Vec<_>>()) {
            let (from, to) = (self.x(from), self.x(to));
            canvas.rectangle(Classes::one(Class::Gap), (from, TOP), (to, self.bottom));
            let middle = i32::midpoint(from, to).clamp(half, WIDTH * 10 - half);
            if middle - half >= free_from {
                canvas.text(
                    Classes([Class::Nothing, Class::Mid, Class::Minor]),
                    (middle, TOP - 35),
                    &self.chart.no_data,
                );
                free_from = middle + half + SPACE;
            }
        }
    }

    /// Names and values beside the lines' ends, moved apart where lines end together. A line that was not read to the
    /// end is only named: its last value is not how things stand.
    fn ends(&self, canvas: &Canvas) {
        let mut ends: Vec<_> = self
            .series
            .iter()
            .filter_map(|series| series.newest().map(|value| (self.at(0.0, value).1, series)))
            .collect();
        ends.sort_by_key(|(y, _)| *y);
        let rows = spread(ends.iter().map(|(y, _)| *y).collect(), self.bottom);
        for (y, (_, series)) in rows.into_iter().zip(&ends) {
            let x = self.right + SPACE;
            if let Some(value) = series.last() {
                let over = self.limits.iter().any(|limit| limit.severity == Severity::Crit && value > limit.value);
                let classes =
                    if over { Classes::two(Class::Strong, Class::TextCrit) } else { Classes::one(Class::Strong) };
                canvas.text(classes, (x, y - 20), &number::join(&number::text(value), &self.chart.unit));
            }
            let name = width::cut(&series.line.name, width::SMALL, WIDTH * 10 - x);
            canvas.text(Classes::one(Class::Minor), (x, y - 20 + LINE_HEIGHT), &name);
        }
    }
}

/// The value stays in narrow places, the name does not.
fn end_width(series: &Series, unit: &str) -> i32 {
    let value = series.last().map_or(0, |value| width::strong(&number::join(&number::text(value), unit), width::LARGE));
    value.max(width::of(&series.line.name, width::SMALL))
}

/// Moves rows of two lines apart, as little as it can, within the plot; they come sorted.
fn spread(mut rows: Vec<i32>, bottom: i32) -> Vec<i32> {
    let apart = 2 * LINE_HEIGHT + 10;
    let mut lowest = bottom - LINE_HEIGHT + 20;
    for at in (0..rows.len()).rev() {
        rows[at] = rows[at].min(lowest);
        lowest = rows[at] - apart;
    }
    let mut highest = TOP - 20;
    for row in &mut rows {
        *row = (*row).max(highest);
        highest = *row + apart;
    }
    rows
}
