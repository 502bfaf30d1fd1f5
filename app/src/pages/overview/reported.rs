//! Charts of what consumers report, over the last three hours. Each has its numbers as a table.

use super::history::{span, values, whole};
use crate::charts::{self, Bar, BarChart, Hue, Limit, Line, LineChart, Severity, Stroke};
use crate::context::PageContext;
use crate::model::{Counts, Minute, Overview, Panel, SignalsPanel, TypeSignals};
use crate::ui::{Icon, State, Tone, fresh, numbers};
use crate::words::{measure, overview as word};
use leptos::prelude::*;

/// Types that are told apart.
const BARS: usize = 5;

/// Nothing where consumers are not configured to report.
pub(super) fn view(ctx: &PageContext, data: &Overview) -> Option<AnyView> {
    let panel = data.signals.as_ref()?;
    Some(
        view! {
            {handling(ctx, data, panel)}
            {layers(ctx, data, panel)}
            {conflicts(ctx, data, panel)}
            {sources(ctx, panel)}
        }
        .into_any(),
    )
}

struct Part {
    id: &'static str,
    title: &'static str,
    sub: String,
}

fn part(ctx: &PageContext, panel: &Panel<SignalsPanel>, part: Part, chart: Option<(String, charts::Table)>) -> AnyView {
    let lang = ctx.viewer.lang;
    let body = match chart {
        None => State::new(Tone::Mute, Icon::Clock, word::not_reported(lang)).line(word::not_reported_why(lang)).view(),
        Some((svg, table)) => view! {
            <div class="panel__body">
                <div inner_html=svg></div>
                {numbers(lang, part.title, table)}
            </div>
        }
        .into_any(),
    };
    view! {
        <section class="panel" id=part.id>
            <header class="panel__head">
                <h2>{part.title}</h2>
                {fresh(&ctx.clock(), panel)}
                <p class="panel__sub">{part.sub}</p>
            </header>
            {body}
        </section>
    }
    .into_any()
}

fn line(name: &str, hue: Hue, stroke: Stroke, data: &Overview, value: impl Fn(&Minute) -> Option<f64>) -> Line {
    Line { name: name.to_owned(), hue, stroke, points: values(&data.minutes, value) }
}

/// `None`: nothing was reported in the time that it covers.
fn chart(
    ctx: &PageContext,
    lines: Vec<Line>,
    limits: Vec<Limit>,
    unit: &str,
    finding: String,
) -> Option<(String, charts::Table)> {
    let span = span(ctx);
    lines.iter().find_map(|line| span.most(&line.points))?;
    let chart = LineChart {
        finding,
        span,
        zone: ctx.zone.clone(),
        unit: unit.to_owned(),
        lines,
        limits,
        no_data: word::no_data(ctx.viewer.lang).into(),
    };
    Some((charts::line(&chart), charts::line_table(&chart, word::chart_minute(ctx.viewer.lang))))
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
    let last = body.and_then(|body| body.recent.p99_ms);
    let most = data.minutes.iter().filter_map(|minute| minute.handling?.p99_ms).max();
    let finding = word::handling_finding(lang, told(last), told(most));
    let part_of = Part { id: "handling", title: word::handling_line(lang), sub: word::handling_line_sub(lang).into() };
    part(ctx, panel, part_of, chart(ctx, vec![p99, p50], limit.into_iter().collect(), "s", finding))
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
    let total = panel.body.as_ref().map(|body| body.total).unwrap_or_default();
    let finding =
        word::layers_finding(lang, measure::grouped(total.deliveries()), measure::grouped(total.duplicates()));
    let part_of = Part { id: "layers", title: word::layers_line(lang), sub: word::layers_line_sub(lang).into() };
    part(ctx, panel, part_of, chart(ctx, lines, Vec::new(), "", finding))
}

fn conflicts(ctx: &PageContext, data: &Overview, panel: &Panel<SignalsPanel>) -> AnyView {
    let lang = ctx.viewer.lang;
    let lines = vec![
        counted(data, word::conflicts_short(lang), Hue::Lock, Stroke::Solid, |counts| counts.conflict),
        counted(data, word::hits_short(lang), Hue::Index, Stroke::Dashed, |counts| counts.dup_index),
    ];
    let total = panel.body.as_ref().map(|body| body.total).unwrap_or_default();
    let finding = word::conflicts_finding(lang, measure::grouped(total.conflict), measure::grouped(total.dup_index));
    let part_of =
        Part { id: "conflicts", title: word::conflicts_line(lang), sub: word::conflicts_line_sub(lang).into() };
    part(ctx, panel, part_of, chart(ctx, lines, Vec::new(), "", finding))
}

fn sources(ctx: &PageContext, panel: &Panel<SignalsPanel>) -> AnyView {
    let lang = ctx.viewer.lang;
    let body = panel.body.as_ref();
    let all = body.map_or(0, |body| body.total.duplicates());
    let mut types: Vec<&TypeSignals> =
        body.iter().flat_map(|body| &body.types).filter(|of| of.counts.duplicates() > 0).collect();
    types.sort_by_key(|of| std::cmp::Reverse(of.counts.duplicates()));
    types.truncate(BARS);
    let name = |of: &TypeSignals| if of.r#type.is_empty() { word::no_type(lang).to_owned() } else { of.r#type.clone() };
    let bar = |of: &&TypeSignals| {
        let duplicates = of.counts.duplicates();
        let share = word::percent(lang, format!("{:.0}", 100.0 * whole(duplicates) / whole(all.max(1))));
        let notes = std::iter::once(share).chain(of.origins.first().map(|origin| origin.name.clone())).collect();
        Bar { label: name(of), value: whole(duplicates), shown: None, notes, hue: Hue::Index }
    };
    let chart = types.first().map(|first| {
        let chart = BarChart {
            finding: word::sources_finding(lang, measure::grouped(all), name(first)),
            bars: types.iter().map(bar).collect(),
            no_data: word::no_data(lang).into(),
        };
        let heads = [word::chart_type(lang), word::chart_duplicates(lang)];
        (charts::bars(&chart), charts::bars_table(&chart, heads))
    });
    let sub = word::sources_bars_sub(lang, measure::grouped(all));
    let title = word::sources_bars(lang);
    if chart.is_none() && body.is_some_and(|body| body.reported_at.is_some()) {
        let none = State::new(Tone::Ok, Icon::Ok, word::no_duplicates(lang)).view();
        return view! {
            <section class="panel" id="sources">
                <header class="panel__head"><h2>{title}</h2>{fresh(&ctx.clock(), panel)}<p class="panel__sub">{sub}</p></header>
                {none}
            </section>
        }
        .into_any();
    }
    part(ctx, panel, Part { id: "sources", title, sub }, chart)
}
