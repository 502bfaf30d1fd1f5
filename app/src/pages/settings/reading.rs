//! The strategy with its reason, and how complete what it reads is.

use crate::context::PageContext;
use crate::model::{Layer, SourceSettings, Strategy};
use crate::ui::{fresh, unreachable};
use crate::words::{self, measure, settings as word};
use leptos::prelude::*;

pub(super) fn view(ctx: &PageContext, source: &SourceSettings) -> AnyView {
    let lang = ctx.viewer.lang;
    let clock = ctx.clock();
    let (name, why) = match &source.strategy {
        Some(choice) => (
            word::strategy_head(lang, words::strategy(lang, choice.strategy)),
            word::strategy_why(lang, choice.strategy),
        ),
        None => (word::strategy_not_known(lang).to_owned(), word::strategy_not_known_why(lang)),
    };
    let rows = match source.estimated_rows {
        Some(rows) => word::table_rows(lang, &source.table, measure::grouped(rows)),
        None => word::table_only(lang, &source.table),
    };
    let trouble = source.records.trouble.as_ref().map(|trouble| unreachable(&clock, Layer::Records, trouble).view());
    view! {
        <section class="panel">
            <header class="panel__head">
                <h3>{name}</h3>
                {fresh(&clock, &source.records)}
                <p class="panel__sub break">{rows}</p>
            </header>
            <div class="panel__body stack">
                <p class="s13 t2">{why}</p>
                <dl class="kv">{facts(ctx, source)}</dl>
            </div>
            {trouble}
        </section>
    }
    .into_any()
}

fn facts(ctx: &PageContext, source: &SourceSettings) -> AnyView {
    let lang = ctx.viewer.lang;
    let mut facts: Vec<(&'static str, String)> = Vec::new();
    if let Some(choice) = &source.strategy
        && let Some(index) = &choice.index
    {
        facts.push((word::by_index(lang), word::served_by(lang, index, choice.columns.join(", "))));
    }
    facts.push((word::time_zone(lang), source.timezone.clone()));
    facts.push((word::retry_after(lang), word::retry_after_why(lang, measure::limit(lang, source.retry_after_ms))));
    if let Some(pattern) = &source.lock_pattern {
        facts.push((word::lock_pattern(lang), pattern.clone()));
        let ttl = source
            .lock_ttl_ms
            .map_or_else(|| measure::not_known(lang).to_owned(), |ttl_ms| measure::limit(lang, ttl_ms));
        facts.push((word::lock_ttl(lang), ttl));
    }
    if let Some(body) = &source.records.body {
        let pass = match &body.pass {
            None if body.strategy == Strategy::Bounded => word::pass_not_possible(lang).to_owned(),
            None => word::pass_not_needed(lang).to_owned(),
            Some(pass) => match pass.complete_as_of {
                Some(at) => word::pass_done(lang, ctx.clock().short(at)),
                None => word::pass_running(lang, measure::grouped(pass.walked)),
            },
        };
        facts.push((word::first_pass(lang), pass));
        facts.push((word::open_set(lang), word::vanished(lang, body.vanished)));
    }
    facts.into_iter().map(|(name, value)| view! { <dt>{name}</dt><dd>{value}</dd> }).collect_view().into_any()
}
