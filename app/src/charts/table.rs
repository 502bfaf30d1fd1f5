//! The numbers of a chart as rows.

use super::class::{self, Class};
use super::{BarChart, LineChart, Stroke, Table, axis, bars, number};

/// One row for each slot, oldest first; a slot without a reading says so.
#[must_use]
pub fn line_table(chart: &LineChart, time_head: &str) -> Table {
    let series: Vec<_> = chart.lines.iter().map(|line| chart.span.fill(&line.points)).collect();
    let names = chart.lines.iter().map(|line| match chart.unit.as_str() {
        "" => line.name.clone(),
        unit => format!("{} ({unit})", line.name),
    });
    let rows = chart.span.starts().enumerate().map(|(slot, at)| {
        let values = series.iter().map(|slots| slots[slot].map_or_else(|| chart.no_data.clone(), number::exact));
        std::iter::once(axis::label(at, &chart.span, &chart.zone)).chain(values).collect()
    });
    let lines = chart.lines.iter().map(|line| match line.stroke {
        Stroke::Solid => class::names((line.hue.line() as u8, 0, 0)),
        Stroke::Dashed => class::names((line.hue.line() as u8, Class::Dash as u8, 0)),
    });
    Table {
        head: std::iter::once(time_head.to_owned()).chain(names).collect(),
        lines: std::iter::once(String::new()).chain(lines).collect(),
        rows: rows.collect(),
    }
}

/// One row for each bar.
#[must_use]
pub fn bars_table(chart: &BarChart, [label_head, value_head]: [&str; 2]) -> Table {
    let rows = chart.bars.iter().map(|bar| {
        let value = number::reading(bar.value).map_or_else(|| chart.no_data.clone(), |value| bars::shown(bar, value));
        vec![bar.label.clone(), value]
    });
    Table { head: vec![label_head.to_owned(), value_head.to_owned()], lines: Vec::new(), rows: rows.collect() }
}
