//! What waits, what comes again and again, what is in the dead letter, and which broker is not seen?

mod broker;
mod deliveries;
mod figures;
mod streams;

use crate::context::PageContext;
use crate::model::{BrokerKind, BrokerPanel, Brokers, Fault, Freshness, Lang, Panel, Queue};
use crate::reads::Reads;
use crate::ui::{Icon, State, Tone, csv_button, pill};
use crate::words::{broker as word, explain as about, measure};
use leptos::prelude::*;

pub type Data = Brokers;

pub async fn load(reads: &dyn Reads, source: &str) -> Result<Data, Fault> {
    reads.brokers(source).await
}

#[must_use]
pub fn title(ctx: &PageContext, _: &Data) -> String {
    word::brokers(ctx.viewer.lang).into()
}

#[must_use]
pub fn view(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    if data.brokers.is_empty() {
        let state = State::new(Tone::Mute, Icon::Info, word::not_configured(lang)).line(word::not_configured_why(lang));
        return view! {
            <header class="page__head"><h1>{word::brokers(lang)}</h1></header>
            <section class="panel">{state.view()}</section>
        }
        .into_any();
    }
    let (tone, shape, short, sentence) = headline(ctx, data);
    let csv = ctx.source.as_ref().map(|source| {
        let button = csv_button(word::brokers(lang), format!("/api/sources/{source}/brokers.csv"));
        view! { <div class="row">{button}</div> }
    });
    let panels = data.brokers.iter().enumerate().map(|(at, panel)| broker::view(ctx, panel, at)).collect_view();
    view! {
        <header class="page__head">
            <h1>{word::brokers(lang)}</h1>
            <div class="headline">{pill(tone, shape, short)}<p class="page__sub break">{sentence}</p></div>
            {csv}
        </header>
        {figures::view(ctx, data)}
        {panels}
        {deliveries::view(ctx, data)}
    }
    .into_any()
}

/// What cannot be seen comes first, then what needs a person.
fn headline(ctx: &PageContext, data: &Data) -> (Tone, Icon, &'static str, String) {
    let lang = ctx.viewer.lang;
    let blind = data.brokers.iter().filter(|panel| panel.trouble.is_some()).count();
    if blind > 0 {
        return (Tone::Crit, Icon::Off, word::pill_blind(lang), word::headline_blind(lang, number_of(data), blind));
    }
    if data.brokers.iter().all(|panel| panel.freshness(ctx.now) == Freshness::Waiting) {
        return (Tone::Mute, Icon::Clock, word::pill_waiting(lang), word::headline_waiting(lang).into());
    }
    let queues: Vec<&Queue> = live(data).flat_map(|body| &body.queues).collect();
    let dead: u64 = live(data).filter_map(BrokerPanel::dead_letters).sum();
    if let Some(idle) = queues.iter().find(|queue| is_idle(queue)) {
        return (Tone::Warn, Icon::Warn, word::pill_idle(lang), word::headline_idle(lang, idle.full_name()));
    }
    if dead > 0 {
        return (Tone::Warn, Icon::Warn, word::pill_dead(lang), word::headline_dead(lang, dead));
    }
    let sum = |number: fn(&Queue) -> Option<u64>| {
        let known: Option<u64> = queues.iter().filter(|queue| !queue.dead_letter).map(|queue| number(queue)).sum();
        known.map_or_else(|| measure::not_known(lang).to_owned(), measure::grouped)
    };
    let sentence = word::headline_ok(lang, sum(|queue| queue.ready), sum(|queue| queue.unacked));
    (Tone::Ok, Icon::Ok, word::pill_ok(lang), sentence)
}

/// What no figure of queues can see, of the kinds of brokers that are here.
pub(crate) fn blind(lang: Lang, brokers: &[Panel<BrokerPanel>]) -> Vec<&'static str> {
    if brokers.is_empty() {
        return vec![about::no_brokers_here(lang)];
    }
    let mut kinds: Vec<BrokerKind> = Vec::new();
    for kind in brokers.iter().filter_map(|panel| panel.body.as_ref()).map(|body| body.kind) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let away = brokers.iter().any(|panel| panel.trouble.is_some()).then(|| about::brokers_away(lang));
    let unread = kinds.is_empty().then(|| about::nothing_read(lang)).filter(|_| away.is_none());
    away.into_iter().chain(unread).chain(kinds.into_iter().map(|kind| about::broker_blind(lang, kind))).collect()
}

/// How many are configured.
fn number_of(data: &Data) -> u64 {
    u64::try_from(data.brokers.len()).unwrap_or(u64::MAX)
}

/// Messages wait, and nobody takes them.
fn is_idle(queue: &Queue) -> bool {
    !queue.dead_letter && queue.consumers == Some(0) && queue.ready.is_some_and(|ready| ready > 0)
}

/// Redeliveries are rare: by the second they would all be 0.0.
fn per_minute(per_second: f64) -> f64 {
    per_second * 60.0
}

/// The brokers that answer.
fn live(data: &Data) -> impl Iterator<Item = &BrokerPanel> {
    data.brokers.iter().filter(|panel| panel.trouble.is_none()).filter_map(|panel| panel.body.as_ref())
}
