//! Charts of what consumers report, over time. Each has its numbers as a table.

use super::explain::{self, Chart};
use super::history::{span, values, whole};
use super::range::{address, csv};
use crate::charts::{self, Bar, BarChart, Height, Hue, Limit, Line, LineChart, Severity, Stroke};
use crate::context::PageContext;
use crate::model::{Counts, Minute, Overview, Panel, SignalsPanel, TimeRange, TypeDuplicates};
use crate::ui::{self, Icon, State, Tone, csv_link, fresh, numbers, percent, plot};
use crate::words::{self, measure, overview as word, range};
use chrono::TimeDelta;
use leptos::prelude::*;

/// From so many findings on, the list of what needs attention is higher than a chart.
const LONG: usize = 5;

/// Nothing where consumers are not configured to report.
pub(super) fn view(ctx: &PageContext, data: &Overview) -> Option<AnyView> {
    let panel = data.signals.as_ref()?;
    Some(
        view! {
            {handling(ctx, data, panel)}
            {layers(ctx, data, panel)}
            {conflicts(ctx, data, panel)}
            {sources(ctx, data, panel)}
        }
        .into_any(),
    )
}

struct Part {
    id: &'static str,
    of: Chart,
    title: &'static str,
    sub: String,
}

fn part(
    ctx: &PageContext,
    data: &Overview,
    panel: &Panel<SignalsPanel>,
    part: Part,
    chart: Option<(AnyView, charts::Table)>,
) -> AnyView {
    let lang = ctx.viewer.lang;
    let body = match chart {
        None => State::new(Tone::Mute, Icon::Clock, word::not_reported(lang)).line(word::not_reported_why(lang)).view(),
        Some((chart, table)) => {
            view! { <div class="panel__body">{chart}{numbers(lang, part.title, table)}</div> }.into_any()
        }
    };
    view! {
        <section class="panel" id=part.id>
            <header class="panel__head">
                <h2>{part.title}</h2>
                {ui::explain(lang, explain::chart(ctx, data, part.of))}
                {fresh(&ctx.clock(), panel)}
                {csv_link(part.title, csv(data, part.id))}
                <p class="panel__sub">{part.sub}</p>
            </header>
            {body}
        </section>
    }
    .into_any()
}

fn line(name: &str, hue: Hue, stroke: Stroke, data: &Overview, value: impl Fn(&Minute) -> Option<f64>) -> Line {
    Line { name: name.to_owned(), hue, stroke, points: values(&data.course, value) }
}

fn chart(ctx: &PageContext, data: &Overview, lines: Vec<Line>, finding: String) -> LineChart {
    LineChart {
        finding,
        span: span(&data.course),
        zone: ctx.zone.clone(),
        unit: String::new(),
        lines,
        limits: Vec::new(),
        no_data: word::no_data(ctx.viewer.lang).into(),
        height: Height::Usual,
    }
}

/// `None`: nothing was reported in the time that it covers.
fn drawn(ctx: &PageContext, data: &Overview, title: &str, chart: &LineChart) -> Option<(AnyView, charts::Table)> {
    chart.lines.iter().find_map(|line| chart.span.most(&line.points))?;
    let lang = ctx.viewer.lang;
    let zoom = address(&data.source, TimeRange::default());
    Some((plot(lang, title, chart, zoom), charts::line_table(chart, word::chart_time(lang))))
}

fn handling(ctx: &PageContext, data: &Overview, panel: &Panel<SignalsPanel>) -> AnyView {
    let lang = ctx.viewer.lang;
    let seconds = |ms: Option<u64>| ms.map(|ms| whole(ms) / 1_000.0);
    let p99 = line(word::p99(lang), Hue::Crit, Stroke::Solid, data, |minute| seconds(minute.handling?.p99_ms));
    let p50 = line(word::p50(lang), Hue::Base, Stroke::Dashed, data, |minute| seconds(minute.handling?.p50_ms));
    let body = panel.body.as_ref();
    let limit = body.and_then(|body| body.ttl_ms).map(|ttl_ms| Limit {
        name: "TTL".into(),
        value: whole(ttl_ms) / 1_000.0,
        severity: Severity::Crit,
    });
    let told = |ms: Option<u64>| ms.map_or_else(|| measure::not_known(lang).to_owned(), |ms| measure::limit(lang, ms));
    let each = || data.course.steps.iter().filter_map(|step| Some((step.at, step.handling?.p99_ms?)));
    let newest = data.course.to - TimeDelta::seconds(2 * i64::from(data.course.step_s));
    let last = each().next_back().filter(|(at, _)| *at >= newest).map(|(_, ms)| ms);
    let most = each().map(|(_, ms)| ms).max();
    let finding = word::handling_finding(lang, told(last), told(most), range::length(lang, &data.course));
    let sub = word::handling_line_sub(lang, range::each_step(lang, data.course.step_s));
    let part_of = Part { id: "handling", of: Chart::Handling, title: word::handling_line(lang), sub };
    // It stands beside what needs attention.
    let height = if data.attention.len() < LONG { Height::Usual } else { Height::Tall };
    let limits = limit.into_iter().collect();
    let chart = LineChart { unit: "s".into(), limits, height, ..chart(ctx, data, vec![p99, p50], finding) };
    let chart = drawn(ctx, data, part_of.title, &chart);
    part(ctx, data, panel, part_of, chart)
}

fn counted(data: &Overview, name: &str, hue: Hue, stroke: Stroke, of: fn(&Counts) -> u64) -> Line {
    line(name, hue, stroke, data, |minute| minute.signals.as_ref().map(|counts| whole(of(counts))))
}

fn layers(ctx: &PageContext, data: &Overview, panel: &Panel<SignalsPanel>) -> AnyView {
    let lang = ctx.viewer.lang;
    let lines = vec![
        counted(data, word::deliveries(lang), Hue::Base, Stroke::Solid, Counts::deliveries),
        counted(data, word::by_status(lang), Hue::Status, Stroke::Dashed, |counts| counts.dup_status),
        counted(data, word::by_lock(lang), Hue::Lock, Stroke::Dashed, |counts| counts.dup_lock),
        counted(data, word::by_index(lang), Hue::Index, Stroke::Dashed, |counts| counts.dup_index),
    ];
    let finding = data.course.total.map(|total| {
        let [deliveries, duplicates] = [total.deliveries(), total.duplicates()].map(measure::grouped);
        word::layers_finding(lang, deliveries, duplicates, range::length(lang, &data.course))
    });
    let per = word::layers_line_sub(lang, range::per_step(lang, data.course.step_s));
    let per = words::overview::sentence(lang, per);
    let part_of = Part {
        id: "layers",
        of: Chart::Layers,
        title: word::layers_line(lang),
        sub: words::join(lang, &[&per, &sums(ctx, data)]),
    };
    let chart = chart(ctx, data, lines, finding.unwrap_or_default());
    let chart = drawn(ctx, data, part_of.title, &chart);
    part(ctx, data, panel, part_of, chart)
}

/// All of the time together; nothing where nobody reported.
fn sums(ctx: &PageContext, data: &Overview) -> String {
    let lang = ctx.viewer.lang;
    let Some(total) = data.course.total else { return String::new() };
    let Some(rate) = total.duplicate_rate() else { return String::new() };
    let [deliveries, duplicates] = [total.deliveries(), total.duplicates()].map(measure::grouped);
    let rate = word::percent(lang, percent(rate));
    let sums = word::layers_sums(lang, range::length(lang, &data.course), deliveries, duplicates, rate);
    match total.interception() {
        None => word::sentence(lang, sums),
        Some(share) => word::layers_caught(lang, sums, word::percent(lang, percent(share))),
    }
}

fn conflicts(ctx: &PageContext, data: &Overview, panel: &Panel<SignalsPanel>) -> AnyView {
    let lang = ctx.viewer.lang;
    let lines = vec![
        counted(data, word::conflicts_short(lang), Hue::Lock, Stroke::Solid, |counts| counts.conflict),
        counted(data, word::hits_short(lang), Hue::Index, Stroke::Dashed, |counts| counts.dup_index),
    ];
    let finding = data.course.total.map(|total| {
        let [conflicts, hits] = [total.conflict, total.dup_index].map(measure::grouped);
        word::conflicts_finding(lang, conflicts, hits, range::length(lang, &data.course))
    });
    let sub = word::conflicts_line_sub(lang, range::per_step(lang, data.course.step_s));
    let part_of = Part { id: "conflicts", of: Chart::Conflicts, title: word::conflicts_line(lang), sub };
    let chart = chart(ctx, data, lines, finding.unwrap_or_default());
    let chart = drawn(ctx, data, part_of.title, &chart);
    part(ctx, data, panel, part_of, chart)
}

fn sources(ctx: &PageContext, data: &Overview, panel: &Panel<SignalsPanel>) -> AnyView {
    let lang = ctx.viewer.lang;
    let (types, length) = (&data.course.sources, range::length(lang, &data.course));
    let all = data.course.total.map_or(0, |total| total.duplicates());
    let name =
        |of: &TypeDuplicates| if of.r#type.is_empty() { word::no_type(lang).to_owned() } else { of.r#type.clone() };
    let bar = |of: &TypeDuplicates| {
        let share = word::percent(lang, format!("{:.0}", 100.0 * whole(of.duplicates) / whole(all.max(1))));
        let notes = std::iter::once(share).chain(of.origins.first().map(|origin| origin.name.clone())).collect();
        Bar { label: name(of), value: whole(of.duplicates), shown: None, notes, hue: Hue::Index }
    };
    let chart = types.first().map(|first| {
        let chart = BarChart {
            finding: word::sources_finding(lang, measure::grouped(all), name(first), &length),
            bars: types.iter().map(bar).collect(),
            no_data: word::no_data(lang).into(),
        };
        let heads = [word::chart_type(lang), word::chart_duplicates(lang)];
        let drawn = view! { <div inner_html=charts::bars(&chart)></div> }.into_any();
        (drawn, charts::bars_table(&chart, heads))
    });
    let sub = word::sources_bars_sub(lang, measure::grouped(all), &length);
    let title = word::sources_bars(lang);
    if chart.is_none() && data.course.total.is_some() {
        let none = State::new(Tone::Ok, Icon::Ok, word::no_duplicates(lang)).view();
        return view! {
            <section class="panel" id="sources">
                <header class="panel__head"><h2>{title}</h2>{ui::explain(lang, explain::chart(ctx, data, Chart::Sources))}{fresh(&ctx.clock(), panel)}{csv_link(title, csv(data, "sources"))}<p class="panel__sub">{sub}</p></header>
                {none}
            </section>
        }
        .into_any();
    }
    part(ctx, data, panel, Part { id: "sources", of: Chart::Sources, title, sub }, chart)
}
