//! Charts as SVG whose elements carry class names instead of colours, so that one drawing serves both themes and a
//! strict content security policy. The server and the browser draw the same bytes: coordinates are whole tenths of a
//! unit, and nothing depends on a font, a locale or a transcendental function of the machine.
//!
//! `line(&LineChart) -> String`, `bars(&BarChart) -> String`, `spark(&Spark) -> String` give a whole `<svg>` element
//! for `inner_html`; `line_table(&LineChart, time_head)` and `bars_table(&BarChart, [label_head, value_head])` give the
//! same numbers as rows. The pattern `#hatch`, with which CSS fills `.gap`, is in the page's sprite.

mod data;

pub use data::{Bar, BarChart, Hue, Limit, Line, LineChart, Point, Severity, Span, Spark, Stroke, Table};
