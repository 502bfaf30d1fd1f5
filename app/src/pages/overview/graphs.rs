//! Processing records by age, and how many were too old over the last three hours. Each has its numbers as a table.

use super::history::{points, span};
use crate::charts::{self, Hue, Line, LineChart, Point, Stroke, Table};
use crate::context::PageContext;
use crate::islands::AgesChart;
use crate::model::{Layer, Minute, Overview, PanelName};
use crate::ui::{Icon, State, Tone, ages_chart, followed, fresh, unreachable, waiting};
use crate::words::{self, measure, overview as word};
use leptos::prelude::*;

pub(super) fn ages(ctx: &PageContext, data: &Overview) -> AnyView {
    let lang = ctx.viewer.lang;
    let clock = ctx.clock();
    let panel = &data.records;
    let (sub, body, foot) = match (&panel.trouble, &panel.body) {
        (Some(trouble), _) => (None, unreachable(&clock, Layer::Records, trouble).view(), None),
        (None, None) => (None, waiting(lang, Layer::Records).view(), None),
        (None, Some(body)) => {
            let Some(processing) = body.processing else {
                let state = crate::pages::records::not_mapped(lang, crate::model::Status::Processing);
                return by_age(ctx, data, None, state.view(), None);
            };
            let after = measure::limit(lang, body.aging_after_ms);
            let sub = word::by_age_sub(lang, words::count(lang, processing), after);
            let table = charts::bars_table(
                &ages_chart(lang, &body.ages, body.aging_after_ms),
                [word::chart_age(lang), word::chart_records(lang)],
            );
            let chart = view! {
                <div class="panel__body">
                    <AgesChart lang ages=body.ages.clone() aging_after_ms=body.aging_after_ms/>
                    {numbers(ctx, table)}
                </div>
            };
            let completed = body
                .completed
                .map(|count| word::completed(lang, words::count(lang, count), measure::quality(lang, count.quality)));
            (Some(sub), chart.into_any(), completed)
        }
    };
    by_age(ctx, data, sub, body, foot)
}

fn by_age(ctx: &PageContext, data: &Overview, sub: Option<String>, body: AnyView, foot: Option<String>) -> AnyView {
    let lang = ctx.viewer.lang;
    let foot = foot.map(|foot| {
        view! {
            <footer class="panel__foot">
                <span>{foot}</span>
                <a href=format!("/s/{}/records?status=processing", data.source)>{word::see_all_processing(lang)}</a>
            </footer>
        }
    });
    view! {
        <section class="panel">
            <header class="panel__head">
                <h2>{word::by_age(lang)}</h2>
                {followed(&ctx.clock(), &data.records, PanelName::Records)}
                {sub.map(|sub| view! { <p class="panel__sub">{sub}</p> })}
            </header>
            {body}
            {foot}
        </section>
    }
    .into_any()
}

pub(super) fn aging_line(ctx: &PageContext, data: &Overview) -> AnyView {
    let lang = ctx.viewer.lang;
    let points = points(&data.minutes, |minute| minute.aging);
    let body = if points.is_empty() {
        State::new(Tone::Mute, Icon::Clock, word::no_history(lang)).line(word::no_history_why(lang)).view()
    } else {
        let chart = line_chart(ctx, points);
        let table = charts::line_table(&chart, word::chart_minute(lang));
        view! {
            <div class="panel__body">
                <div inner_html=charts::line(&chart)></div>
                {numbers(ctx, table)}
            </div>
        }
        .into_any()
    };
    view! {
        <section class="panel">
            <header class="panel__head">
                <h2>{word::aging_line(lang)}</h2>
                {fresh(&ctx.clock(), &data.records)}
                <p class="panel__sub">{word::aging_line_sub(lang)}</p>
            </header>
            {body}
        </section>
    }
    .into_any()
}

fn line_chart(ctx: &PageContext, points: Vec<Point>) -> LineChart {
    let lang = ctx.viewer.lang;
    let most = points.iter().map(|point| point.value).fold(0.0, f64::max);
    let last = points.last().map_or(0.0, |point| point.value);
    LineChart {
        finding: word::aging_finding(lang, whole(last), whole(most)),
        span: span(ctx),
        zone: ctx.zone.clone(),
        unit: String::new(),
        lines: vec![Line { name: word::aging_short(lang).into(), hue: Hue::Crit, stroke: Stroke::Solid, points }],
        limits: Vec::new(),
        no_data: word::no_data(lang).into(),
    }
}

fn whole(value: f64) -> String {
    format!("{value:.0}")
}

/// The same as rows, for those who cannot see the chart.
fn numbers(ctx: &PageContext, table: Table) -> AnyView {
    let head = table
        .head
        .into_iter()
        .enumerate()
        .map(|(at, word)| view! { <th scope="col" class=(at > 0).then_some("num")>{word}</th> });
    let rows = table.rows.into_iter().map(|row| {
        let cells =
            row.into_iter().enumerate().map(|(at, cell)| view! { <td class=(at > 0).then_some("num")>{cell}</td> });
        view! { <tr>{cells.collect_view()}</tr> }
    });
    view! {
        <details class="numbers">
            <summary>{word::table_of_chart(ctx.viewer.lang)}</summary>
            <div class="numbers__box" tabindex="0" role="region" aria-label=word::table_of_chart(ctx.viewer.lang)>
                <table class="table table--tight">
                    <thead><tr>{head.collect_view()}</tr></thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        </details>
    }
    .into_any()
}
