//! Following a table, whatever it can be followed by: the same promises on each engine and for each strategy.

mod restart;
mod tables;
mod ways;

use app::model::{Count, Panel, Quality, RecordsPanel};

fn body(panel: &Panel<RecordsPanel>) -> &RecordsPanel {
    panel.body.as_ref().expect("a body")
}

fn processing(panel: &Panel<RecordsPanel>) -> Option<u64> {
    panel.body.as_ref()?.processing.map(|count| count.value)
}

fn value(count: Option<Count>) -> Option<u64> {
    count.map(|count| count.value)
}

/// The whole table was seen.
fn whole(panel: &Panel<RecordsPanel>) -> bool {
    panel.body.as_ref().is_some_and(|body| body.processing.is_some_and(|count| count.quality != Quality::Partial))
}
