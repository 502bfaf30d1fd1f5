use super::feed;
use crate::charts;
use crate::model::{AgeBucket, Lang};
use crate::ui::ages_chart;
use leptos::prelude::*;

/// Processing records by age: drawn by the server, and drawn again in the browser by the same code whenever they change.
#[island]
pub fn AgesChart(lang: Lang, ages: Vec<AgeBucket>, aging_after_ms: u64) -> impl IntoView {
    let ages = feed::follow(ages, |board, _| {
        board.records.as_ref().and_then(|panel| panel.body.as_ref()).map(|body| body.ages.clone())
    });
    view! { <div inner_html=move || ages.with(|ages| charts::bars(&ages_chart(lang, ages, aging_after_ms)))></div> }
}
