//! One broker: its queues, or what is known of it while it is not seen.

use super::{is_idle, per_minute, streams};
use crate::context::PageContext;
use crate::model::{BrokerKind, BrokerPanel, Lang, Layer, Panel, Queue};
use crate::ui::{Icon, State, Tone, fresh, note, pill, unreachable, waiting};
use crate::words::{self, broker as word, measure};
use leptos::prelude::*;

pub(super) fn view(ctx: &PageContext, panel: &Panel<BrokerPanel>, at: usize) -> AnyView {
    let lang = ctx.viewer.lang;
    let clock = ctx.clock();
    let name =
        panel.body.as_ref().map_or_else(|| word::broker_number(lang, at + 1), |body| body.kind.brand().to_owned());
    let place = panel.body.as_ref().map(|body| {
        let place = match &body.vhost {
            Some(vhost) => word::at(lang, &body.address, vhost),
            None => body.address.clone(),
        };
        let place = match &body.version {
            Some(version) => words::overview::both(lang, place, version),
            None => place,
        };
        view! { <span class="t3 s12 break">{place}</span> }
    });
    let content = match (&panel.trouble, &panel.body) {
        (Some(trouble), None) => unreachable(&clock, Layer::Broker, trouble).view(),
        (Some(trouble), Some(body)) => view! {
            <div class="split">
                {unreachable(&clock, Layer::Broker, trouble).line(words::state::others_unaffected(lang)).view()}
                {last_known(ctx, panel, body)}
            </div>
        }
        .into_any(),
        (None, None) => waiting(lang, Layer::Broker).view(),
        (None, Some(body)) => content(ctx, body),
    };
    view! {
        <section class="panel panel--flush">
            <header class="panel__head"><h2>{name}</h2>{place}{fresh(&clock, panel)}</header>
            {content}
        </section>
    }
    .into_any()
}

/// What was read before it fell silent: grey, and said not to be current.
fn last_known(ctx: &PageContext, panel: &Panel<BrokerPanel>, body: &BrokerPanel) -> AnyView {
    let lang = ctx.viewer.lang;
    let at = panel.read_at.map(|at| ctx.clock().short(at)).unwrap_or_default();
    let number = |value: Option<u64>| value.map_or_else(|| measure::not_known(lang).to_owned(), measure::grouped);
    let facts = body.queues.iter().map(|queue| {
        let ready = format!("{} {}", word::ready(lang), number(queue.ready));
        let unacked = format!("{} {}", word::unacked(lang), number(queue.unacked));
        view! { <dt class="break">{queue.full_name()}</dt><dd class="t3">{words::overview::both(lang, ready, unacked)}</dd> }
    });
    view! {
        <div class="state">
            <p class="s12 t3">{words::state::last_known(lang, at)}</p>
            <dl class="kv">{facts.collect_view()}</dl>
        </div>
    }
    .into_any()
}

fn content(ctx: &PageContext, body: &BrokerPanel) -> AnyView {
    let lang = ctx.viewer.lang;
    let globs = || body.unmatched.join(", ");
    let (unmatched, why, nothing) = match body.kind {
        BrokerKind::RabbitMq => (word::unmatched(lang, globs()), word::unmatched_why(lang), word::no_queue(lang)),
        BrokerKind::RedisStreams => {
            (word::unmatched_streams(lang, globs()), word::unmatched_streams_why(lang), word::no_stream(lang))
        }
    };
    let said = |text: String, why| {
        view! { <div class="panel__note">{note(Tone::Warn, Icon::Warn, text, why)}</div> }
    };
    let unmatched = (!body.unmatched.is_empty()).then(|| said(unmatched, why));
    let searching = body.searching.then(|| said(word::searching(lang).to_owned(), word::searching_why(lang)));
    let table = if body.queues.is_empty() {
        State::new(Tone::Warn, Icon::Search, nothing).line(why).view()
    } else {
        match body.kind {
            BrokerKind::RabbitMq => queues(ctx, body),
            BrokerKind::RedisStreams => streams::view(ctx, body),
        }
    };
    view! { {unmatched}{searching}{table} }.into_any()
}

fn queues(ctx: &PageContext, body: &BrokerPanel) -> AnyView {
    let lang = ctx.viewer.lang;
    let lines = body.queues.iter().map(|queue| line(ctx, queue)).collect_view();
    view! {
        <div class="tablebox">
            <table class="table table--tight table--cards">
                <thead>
                    <tr>
                        <th scope="col">{word::queue(lang)}</th>
                        <th scope="col" class="num">{word::ready(lang)}</th>
                        <th scope="col" class="num">{word::unacked(lang)}</th>
                        <th scope="col" class="num optional">{word::in_rate(lang)}</th>
                        <th scope="col" class="num optional">{word::acked_rate(lang)}</th>
                        <th scope="col" class="num">{word::redelivered_rate(lang)}</th>
                        <th scope="col" class="num">{word::consumers(lang)}</th>
                    </tr>
                </thead>
                <tbody>{lines}</tbody>
            </table>
        </div>
        <footer class="panel__foot"><span>{word::rates_note(lang)}</span></footer>
    }
    .into_any()
}

fn line(ctx: &PageContext, queue: &Queue) -> AnyView {
    let lang = ctx.viewer.lang;
    let number = |value: Option<u64>| value.map_or_else(|| "—".to_owned(), measure::grouped);
    let rate = |value: Option<f64>| value.map_or_else(|| "—".to_owned(), measure::rate);
    let dead = queue.dead_letter && [queue.ready, queue.unacked].into_iter().flatten().any(|count| count > 0);
    let idle = is_idle(queue);
    let mark = queue.dead_letter.then(|| {
        let tone = if dead { Tone::Warn } else { Tone::Mute };
        view! { " "{pill(tone, if dead { Icon::Warn } else { Icon::Info }, word::dead_letter_mark(lang))} }
    });
    let ready = format!("num nowrap aside {}", if dead || idle { "warn" } else { "" });
    let consumers = format!("num nowrap {}", if idle { "warn" } else { "" });
    let nobody = idle.then(|| view! { <span class="sr">", "{word::stuck_queue(lang)}</span> });
    view! {
        <tr>
            <td class="lead nowrap">
                <bdi class="mono s12">{crate::ui::cut(&queue.name, 60)}</bdi>" "
                <span class="t3 s12 optional-2">{queue.kind.clone()}</span>{mark}{limits(lang, queue)}
            </td>
            <td class=ready data-h=word::ready(lang)>{number(queue.ready)}</td>
            <td class="num nowrap" data-h=word::unacked(lang)>{number(queue.unacked)}</td>
            <td class="num nowrap optional">{rate(queue.in_per_second)}</td>
            <td class="num nowrap optional">{rate(queue.acked_per_second)}</td>
            <td class="num nowrap" data-h=word::redelivered_rate(lang)>{rate(queue.redelivered_per_second.map(per_minute))}</td>
            <td class=consumers data-h=word::consumers(lang)>{number(queue.consumers)}{nobody}</td>
        </tr>
    }
    .into_any()
}

/// What the broker itself does to a message that does not get through.
fn limits(lang: Lang, queue: &Queue) -> Option<AnyView> {
    let returns = queue.delivery_limit.map(|limit| word::delivery_limit(lang, measure::grouped(limit)));
    let timeout = queue.consumer_timeout_ms.map(|ms| word::consumer_timeout(lang, measure::limit(lang, ms)));
    let said = returns.into_iter().chain(timeout).reduce(|first, second| words::overview::both(lang, first, second))?;
    Some(view! { <span class="why">{said}</span> }.into_any())
}
