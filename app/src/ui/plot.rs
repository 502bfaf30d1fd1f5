use crate::charts::{self, LineChart};
use crate::model::{Lang, time};
use crate::words::overview as word;
use leptos::prelude::*;

/// A chart of lines, with what the browser needs to read single values out of the table behind it, and to have a span of
/// it picked. `zoom` is the page that takes `from` and `to`. It stands beside its `numbers`.
pub(crate) fn plot(lang: Lang, title: &str, chart: &LineChart, zoom: String) -> AnyView {
    let frame = charts::frame(chart);
    let first = chart.span.starts().next().map(time::text);
    view! {
        <div class="plot" data-plot=word::read_values(lang, title) data-hint=word::drag_to_zoom(lang) data-zoom=zoom
            data-left=frame.left data-right=frame.right data-height=frame.height data-slots=frame.slots data-from=first data-step=chart.span.step_s
            inner_html=charts::line(chart)></div>
    }
    .into_any()
}
