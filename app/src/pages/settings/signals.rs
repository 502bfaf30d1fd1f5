//! Who reports, how and when last, and what of the convention is missing.

use crate::context::PageContext;
use crate::model::{Freshness, Lang, Layer, Origin, SignalsPanel, SignalsSettings, SourceSettings, Unreported};
use crate::ui::{Icon, State, Tone, fresh, speaking_icon, unreachable, waiting};
use crate::words::{self, measure, overview, settings as word};
use leptos::prelude::*;
use std::collections::BTreeMap;

/// Names of types and origins in one line.
const NAMED: usize = 10;

pub(super) fn view(ctx: &PageContext, source: &SourceSettings) -> AnyView {
    let lang = ctx.viewer.lang;
    let Some(signals) = &source.signals else {
        let state = State::new(Tone::Mute, Icon::Info, word::reports_none(lang)).line(word::reports_none_why(lang));
        return view! {
            <section class="panel panel--flush">
                <header class="panel__head"><h3>{word::reports(lang)}</h3></header>
                {state.view()}
            </section>
        }
        .into_any();
    };
    let panel = &signals.panel;
    let body = match (&panel.trouble, &panel.body) {
        (Some(trouble), _) => unreachable(&ctx.clock(), Layer::Signals, trouble).view(),
        (None, None) => waiting(lang, Layer::Signals).view(),
        (None, Some(body)) => view! {
            <div class="panel__body"><dl class="kv">{facts(ctx, source, signals, body)}</dl></div>
            {missing(ctx, signals)}
        }
        .into_any(),
    };
    view! {
        <section class="panel panel--flush">
            <header class="panel__head"><h3>{word::reports(lang)}</h3>{fresh(&ctx.clock(), panel)}</header>
            {body}
        </section>
    }
    .into_any()
}

fn facts(ctx: &PageContext, source: &SourceSettings, signals: &SignalsSettings, body: &SignalsPanel) -> AnyView {
    let lang = ctx.viewer.lang;
    let way = match (&signals.prefix, &body.address) {
        (Some(prefix), Some(address)) => word::by_hashes(lang, prefix, &source.head.name, address),
        _ => word::by_http(lang).to_owned(),
    };
    let heard = match body.reported_at {
        Some(at) => view! { {ctx.clock().both(at)} }.into_any(),
        None => view! { <span class="warn">{word::heard_never(lang)}</span> }.into_any(),
    };
    let types = body.types.iter().map(|of| match of.r#type.as_str() {
        "" => word::reports_untyped(lang).to_owned(),
        name => name.to_owned(),
    });
    let text = |text: String| view! { {text} }.into_any();
    let mut facts: Vec<(&'static str, AnyView)> = vec![
        (word::reports_how(lang), text(way)),
        (word::heard(lang), heard),
        (word::instances(lang), text(word::instances_alive(lang, body.alive))),
        (word::reports_types(lang), text(named(lang, types.collect()))),
        (word::origins(lang), text(named(lang, origins(body)))),
    ];
    if body.unreadable > 0 {
        facts.push((word::unreadable(lang), text(word::unreadable_fields(lang, body.unreadable))));
    }
    if body.cut_minutes > 0 {
        facts.push((word::cut(lang), text(word::cut_minutes(lang, body.cut_minutes))));
    }
    facts
        .into_iter()
        .map(|(name, value)| view! { <dt>{name}</dt><dd class="break">{value}</dd> })
        .collect_view()
        .into_any()
}

/// Of all types together, most first: `order_event 120`.
fn origins(body: &SignalsPanel) -> Vec<String> {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for Origin { name, duplicates } in body.types.iter().flat_map(|of| &of.origins) {
        *sums.entry(name).or_default() += duplicates;
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(other.0)));
    sums.into_iter().map(|(name, duplicates)| format!("{name} {}", measure::grouped(duplicates))).collect()
}

fn named(lang: Lang, names: Vec<String>) -> String {
    if names.is_empty() {
        return measure::none(lang).into();
    }
    let more = names.len().saturating_sub(NAMED);
    let shown = names.into_iter().take(NAMED).map(|name| crate::ui::cut(&name, 40)).collect::<Vec<_>>();
    let shown = shown.join(word::between(lang));
    if more == 0 { shown } else { word::and_others(lang, shown, more) }
}

fn missing(ctx: &PageContext, signals: &SignalsSettings) -> AnyView {
    let lang = ctx.viewer.lang;
    if signals.panel.freshness(ctx.now) == Freshness::Stale {
        return State::new(Tone::Mute, Icon::Unknown, overview::nothing_known(lang)).view();
    }
    if signals.missing.is_empty() {
        return State::new(Tone::Ok, Icon::Ok, word::reports_whole(lang)).line(word::reports_whole_why(lang)).view();
    }
    let items = signals.missing.iter().map(|gap| {
        let (what, why) = words::settings::unreported(lang, gap);
        let (tone, shape) = match gap {
            Unreported::Everything => ("crit", Icon::Off),
            _ => ("warn", Icon::Warn),
        };
        view! {
            <li>
                <span class=format!("mark {tone}")>{speaking_icon(shape, "icon", overview::warning(lang).into())}</span>
                <span class="attention__what break">{what}</span>
                <span class="attention__why break">{why}</span>
            </li>
        }
    });
    view! { <ul class="attention">{items.collect_view()}</ul> }.into_any()
}
