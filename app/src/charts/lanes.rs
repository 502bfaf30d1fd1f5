//! What happened on several lanes of one clock that counts from a beginning: bars that last, dots that happen, marks
//! across all lanes. Drawn by the server alone, so its logarithm may be the machine's.

use super::{
    Hue, Severity,
    canvas::{self, Canvas, Role},
    class::{Class, Classes},
    width,
};

const WIDTH: i32 = 780;
/// Of the view box, in tenths, as all that follows.
const RIGHT: i32 = 7_620;
const LANE: i32 = 420;
const BAR: i32 = 220;
const RADIUS: i32 = 90;
/// Of a mark's name, above the lanes; there are so many rows of them at most.
const NAME: i32 = 150;
const ROWS: usize = 3;
const BELOW: i32 = 240;
/// From a lane's upper edge to the baseline of its words.
const BASELINE: i32 = 150;
const INSET: i32 = 100;
/// What happened within this many seconds of the beginning stands at it.
const FIRST_S: f64 = 0.5;
/// Space behind the last moment, as a factor of it.
const BEYOND: f64 = 1.25;

#[derive(Debug, Clone, PartialEq)]
pub struct Lanes {
    /// Text alternative: what the chart shows, in a sentence.
    pub finding: String,
    pub lanes: Vec<Lane>,
    pub marks: Vec<Mark>,
    /// Seconds and their names; those within what is shown are drawn.
    pub ticks: Vec<(f64, String)>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Lane {
    pub name: String,
    pub bars: Vec<Lasting>,
    pub dots: Vec<Happened>,
}

/// From one moment to another, in seconds since the beginning.
#[derive(Debug, Clone, PartialEq)]
pub struct Lasting {
    pub from_s: f64,
    pub to_s: f64,
    pub name: String,
    /// `None`: it was not there, hollow.
    pub hue: Option<Hue>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Happened {
    pub at_s: f64,
    pub name: String,
    pub severity: Severity,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    pub at_s: f64,
    pub name: String,
    pub severity: Severity,
    /// The moment at which all of this was read.
    pub is_now: bool,
}

/// The whole `<svg>`.
#[must_use]
pub fn lanes(chart: &Lanes) -> String {
    let plot = Plot::new(chart);
    canvas::svg(&Role::Image { finding: &chart.finding }, (WIDTH, (plot.bottom + BELOW) / 10), |canvas| {
        plot.ticks(canvas);
        for (at, lane) in (0..).zip(&chart.lanes) {
            plot.lane(canvas, plot.top + at * LANE, lane);
        }
        plot.marks(canvas);
    })
}

struct Plot<'a> {
    chart: &'a Lanes,
    /// Marks with the rows of their names, from the lowest.
    marks: Vec<(&'a Mark, i32, usize)>,
    left: i32,
    top: i32,
    bottom: i32,
    until_s: f64,
}

impl<'a> Plot<'a> {
    fn new(chart: &'a Lanes) -> Self {
        let names = chart.lanes.iter().map(|lane| width::strong(&lane.name, width::SMALL));
        let left = names.max().unwrap_or(0) + INSET;
        let ends = chart
            .lanes
            .iter()
            .flat_map(|lane| lane.bars.iter().map(|bar| bar.to_s).chain(lane.dots.iter().map(|dot| dot.at_s)));
        let last_s = ends.chain(chart.marks.iter().map(|mark| mark.at_s)).fold(2.0 * FIRST_S, f64::max);
        let mut plot = Self { chart, marks: Vec::new(), left, top: 0, bottom: 0, until_s: last_s * BEYOND };
        plot.marks = plot.rows_of_names();
        let rows = plot.marks.iter().map(|(.., row)| row + 1).max().unwrap_or(0);
        plot.top = NAME * i32::try_from(rows).unwrap_or(0) + INSET;
        plot.bottom = plot.top + LANE * i32::try_from(chart.lanes.len()).unwrap_or(0);
        plot
    }

    fn x(&self, at_s: f64) -> i32 {
        let share = (at_s.max(FIRST_S) / FIRST_S).ln() / (self.until_s / FIRST_S).ln();
        #[expect(clippy::cast_possible_truncation, reason = "within the view box")]
        let x = (f64::from(RIGHT - self.left) * share).round() as i32;
        (self.left + x).clamp(self.left, RIGHT)
    }

    /// Each name in the lowest row that has room for it; one for which there is none is left out.
    fn rows_of_names(&self) -> Vec<(&'a Mark, i32, usize)> {
        let mut taken: [Vec<(i32, i32)>; ROWS] = Default::default();
        let mut placed = Vec::new();
        // What is now is named before all others.
        let mut marks: Vec<&Mark> = self.chart.marks.iter().collect();
        marks.sort_by_key(|mark| !mark.is_now);
        for mark in marks {
            let half = width::strong(&mark.name, width::SMALL) / 2 + INSET / 2;
            let middle = self.x(mark.at_s).clamp(half, (WIDTH * 10 - half).max(half));
            let free = |row: &&mut Vec<(i32, i32)>| {
                row.iter().all(|(from, to)| middle + half <= *from || middle - half >= *to)
            };
            let Some((row, spans)) = taken.iter_mut().enumerate().find(|(_, row)| free(row)) else { continue };
            spans.push((middle - half, middle + half));
            placed.push((mark, middle, row));
        }
        placed
    }

    fn ticks(&self, canvas: &Canvas) {
        for (at_s, name) in self.chart.ticks.iter().filter(|(at_s, _)| (FIRST_S..self.until_s).contains(at_s)) {
            let x = self.x(*at_s);
            canvas.path(Classes::one(Class::GridLine), vec![(x, self.top - INSET), (x, self.bottom)]);
            canvas.text(Classes::one(Class::Mid), (x, self.bottom + 170), name);
        }
        canvas.path(Classes::one(Class::Axis), vec![(self.left, self.bottom), (RIGHT, self.bottom)]);
    }

    fn lane(&self, canvas: &Canvas, top: i32, lane: &Lane) {
        canvas.text(Classes::one(Class::Strong), (0, top + BASELINE), &lane.name);
        for bar in &lane.bars {
            let (from, to) = (self.x(bar.from_s), self.x(bar.to_s).max(self.x(bar.from_s) + 10));
            canvas.rectangle(Classes::one(bar.hue.map_or(Class::Gone, Hue::fill)), (from, top), (to, top + BAR));
            let room = to - from - 2 * INSET;
            if width::of(&bar.name, width::SMALL) <= room {
                let class = if bar.hue.is_some() { Class::On } else { Class::Soft };
                canvas.text(Classes::one(class), (from + INSET, top + BASELINE), &bar.name);
            }
        }
        let Some(last) = lane.dots.iter().map(|dot| self.x(dot.at_s)).max() else { return };
        let middle = top + BAR / 2;
        if lane.bars.is_empty() {
            canvas.path(Classes::one(Class::Axis), vec![(self.left, middle), (last, middle)]);
        }
        for dot in &lane.dots {
            let (hollow, word) = match dot.severity {
                Severity::Ok | Severity::Mute => (Class::None, Class::On),
                Severity::Warn | Severity::Crit => (Class::DotBad, dot.severity.text()),
            };
            let x = self.x(dot.at_s);
            canvas.disc(Classes::two(Class::Dot, hollow), (x, middle), RADIUS);
            canvas.text(Classes::two(Class::Mid, word), (x, middle + 35), &dot.name);
        }
    }

    fn marks(&self, canvas: &Canvas) {
        for (mark, middle, row) in &self.marks {
            let x = self.x(mark.at_s);
            let baseline = self.top - INSET - NAME * i32::try_from(*row).unwrap_or(0) - 40;
            canvas.path(mark.severity.line(), vec![(x, baseline + 40), (x, self.bottom)]);
            let word = if mark.is_now { Class::Strong } else { mark.severity.text() };
            canvas.text(Classes::two(Class::Mid, word), (*middle, baseline), &mark.name);
        }
    }
}
