//! Charts as SVG whose elements carry class names instead of colours, so that one drawing serves both themes and a
//! strict content security policy. Server and browser draw the same bytes: coordinates are whole tenths of a unit, and
//! nothing depends on a font, a locale or a transcendental function of the machine. So far the browser draws only bars.
//!
//! [`reading()`] is drawn in the browser alone, over a chart of lines.
//!
//! [`line()`], [`bars()`] and [`spark()`] give a whole `<svg>` element for `inner_html`; [`line_table`] and
//! [`bars_table`] give the same numbers as rows. The pattern `#hatch`, with which CSS fills `.gap`, is in the page's
//! sprite.

mod axis;
mod backend;
mod bars;
mod canvas;
mod class;
mod data;
#[cfg(feature = "ssr")]
mod lanes;
mod line;
mod number;
mod reading;
mod run;
mod spark;
mod table;
mod width;

#[cfg(test)]
mod tests;

pub use bars::bars;
pub use data::{Bar, BarChart, Height, Hue, Limit, Line, LineChart, Point, Severity, Span, Spark, Stroke, Table};
#[cfg(feature = "ssr")]
pub use lanes::{Happened, Lane, Lanes, Lasting, Mark, lanes};
pub use line::{frame, line};
pub use reading::{Frame, Place, Reading, Value, reading};
pub use spark::spark;
pub use table::{bars_table, line_table};
