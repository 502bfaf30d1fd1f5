//! Processing records by age, and how many were too old over time. Each has its numbers as a table.

use super::explain::{self, Chart};
use super::history::{points, span};
use super::range::{address, csv};
use crate::charts::{self, Height, Hue, Line, LineChart, Stroke};
use crate::context::PageContext;
use crate::islands::AgesPanel;
use crate::model::{Overview, TimeRange};
use crate::ui::{self, Ages, Icon, State, Tone, csv_link, fresh, numbers, plot};
use crate::words::{overview as word, range};
use leptos::prelude::*;

pub(super) fn ages(ctx: &PageContext, data: &Overview) -> AnyView {
    view! {
        <AgesPanel lang=ctx.viewer.lang zone=ctx.zone.clone() source=data.source.clone() now=ctx.now
            panel=data.records.as_ref().map(Ages::of)/>
    }
    .into_any()
}

pub(super) fn aging_line(ctx: &PageContext, data: &Overview) -> AnyView {
    let lang = ctx.viewer.lang;
    let body = match line_chart(ctx, data) {
        None => State::new(Tone::Mute, Icon::Clock, word::no_history(lang)).line(word::no_history_why(lang)).view(),
        Some(chart) => {
            let table = charts::line_table(&chart, word::chart_time(lang));
            view! {
                <div class="panel__body">
                    {plot(lang, word::aging_line(lang), &chart, address(&data.source, TimeRange::default()))}
                    {numbers(lang, word::aging_line(lang), table)}
                </div>
            }
            .into_any()
        }
    };
    view! {
        <section class="panel">
            <header class="panel__head">
                <h2>{word::aging_line(lang)}</h2>
                {ui::explain(lang, explain::chart(ctx, data, Chart::Aging))}
                {fresh(&ctx.clock(), &data.records)}
                {csv_link(word::aging_line(lang), csv(data, "aging"))}
                <p class="panel__sub">{word::aging_line_sub(lang, range::each_step(lang, data.course.step_s))}</p>
            </header>
            {body}
        </section>
    }
    .into_any()
}

/// `None`: nothing was read in the time that it covers. What it says in words is what it draws.
fn line_chart(ctx: &PageContext, data: &Overview) -> Option<LineChart> {
    let lang = ctx.viewer.lang;
    let (span, points) = (span(&data.course), points(&data.course, |step| step.aging));
    let (most, length) = (whole(span.most(&points)?), range::length(lang, &data.course));
    let finding = match span.last(&points) {
        Some(last) => word::aging_finding(lang, whole(last), most, length),
        None => word::aging_finding_ended(lang, most, length),
    };
    Some(LineChart {
        finding,
        span,
        zone: ctx.zone.clone(),
        unit: String::new(),
        lines: vec![Line { name: word::aging_short(lang).into(), hue: Hue::Crit, stroke: Stroke::Solid, points }],
        limits: Vec::new(),
        no_data: word::no_data(lang).into(),
        height: Height::Usual,
    })
}

fn whole(value: f64) -> String {
    format!("{value:.0}")
}
