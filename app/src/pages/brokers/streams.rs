//! Groups of Redis Streams: what waits, what is handed out, and what comes again and again.

use super::is_idle;
use crate::context::PageContext;
use crate::model::{BrokerPanel, Count, Group, Lang, Quality, Queue};
use crate::ui::{Icon, Tone, pill};
use crate::words::{self, broker as word, measure};
use leptos::prelude::*;

/// An entry that was delivered so often comes again and again.
const AGAIN_AND_AGAIN: u64 = 10;

/// An entry that was handed out so long ago has no consumer any more: their own limits are a matter of minutes.
const FORGOTTEN_MS: u64 = 3_600_000;

pub(super) fn view(ctx: &PageContext, body: &BrokerPanel) -> AnyView {
    let lang = ctx.viewer.lang;
    let lines = body.queues.iter().map(|queue| match &queue.group {
        Some(group) => line(lang, queue, group),
        None => dead_letter(lang, queue),
    });
    let sampled = body.queues.iter().any(Queue::is_sampled).then(|| format!(" {}", word::streams_sampled(lang)));
    view! {
        <div class="tablebox">
            <table class="table table--tight table--cards">
                <thead>
                    <tr>
                        <th scope="col">{word::stream_group(lang)}</th>
                        <th scope="col" class="num optional">{word::length(lang)}</th>
                        <th scope="col" class="num">{word::lag(lang)}</th>
                        <th scope="col" class="num">{word::pending(lang)}</th>
                        <th scope="col" class="num">{word::oldest_pending(lang)}</th>
                        <th scope="col" class="num">{word::delivered_again(lang)}</th>
                        <th scope="col" class="num">{word::most_deliveries(lang)}</th>
                        <th scope="col" class="num">{word::consumers(lang)}</th>
                    </tr>
                </thead>
                <tbody>{lines.collect_view()}</tbody>
            </table>
        </div>
        <footer class="panel__foot"><span>{word::streams_note(lang)}{sampled}</span></footer>
    }
    .into_any()
}

fn line(lang: Lang, queue: &Queue, group: &Group) -> AnyView {
    let number = |value: Option<u64>| value.map_or_else(|| measure::not_known(lang).to_owned(), measure::grouped);
    let quality = if queue.is_sampled() { Quality::Partial } else { Quality::Exact };
    let at_least = |value| words::count(lang, Count { value, quality });
    let oldest = group.oldest_idle_ms.map_or_else(|| "—".to_owned(), |ms| measure::limit(lang, ms));
    let longest = group.longest_idle_ms.map(|ms| word::longest_idle(lang, measure::limit(lang, ms)));
    let forgotten = group.oldest_idle_ms.is_some_and(|ms| ms >= FORGOTTEN_MS);
    let again = group.most_deliveries.is_some_and(|most| most >= AGAIN_AND_AGAIN);
    let idle = is_idle(queue);
    let nobody = idle.then(|| view! { <span class="sr">", "{word::stuck_queue(lang)}</span> });
    let figure = |wrong: bool| if wrong { "num nowrap warn" } else { "num nowrap" };
    view! {
        <tr>
            <td class="lead nowrap">
                <bdi class="mono s12">{crate::ui::cut(&queue.name, 60)}</bdi>" "
                <bdi class="t3 s12">{crate::ui::cut(&group.name, 40)}</bdi>
            </td>
            <td class="num nowrap optional">{measure::grouped(group.length)}</td>
            <td class=format!("aside {}", figure(idle)) data-h=word::lag(lang)>{number(queue.ready)}</td>
            <td class="num nowrap" data-h=word::pending(lang)>{number(queue.unacked)}</td>
            <td class=figure(forgotten) data-h=word::oldest_pending(lang) title=longest>{oldest}</td>
            <td class="num nowrap" data-h=word::delivered_again(lang)>{at_least(group.delivered_again())}</td>
            <td class=figure(again) data-h=word::most_deliveries(lang)>
                {group.most_deliveries.map_or_else(|| "—".to_owned(), at_least)}
            </td>
            <td class=figure(idle) data-h=word::consumers(lang)>{number(queue.consumers)}{nobody}</td>
        </tr>
    }
    .into_any()
}

/// It has a length and nothing else.
fn dead_letter(lang: Lang, queue: &Queue) -> AnyView {
    let messages = queue.messages();
    let (tone, shape) = match messages {
        Some(1..) => (Tone::Warn, Icon::Warn),
        Some(0) | None => (Tone::Mute, Icon::Info),
    };
    let class = format!("num nowrap aside {}", if tone == Tone::Warn { "warn" } else { "" });
    let number = messages.map_or_else(|| measure::not_known(lang).to_owned(), measure::grouped);
    let not_yet = queue.kind.is_none().then(|| view! { " "<span class="t3 s12">{word::not_made_yet(lang)}</span> });
    let dash = |name: &'static str| view! { <td class="num nowrap t3" data-h=name>"—"</td> };
    view! {
        <tr>
            <td class="lead nowrap">
                <bdi class="mono s12">{crate::ui::cut(&queue.name, 60)}</bdi>" "
                {pill(tone, shape, word::dead_letter_mark(lang))}{not_yet}
            </td>
            <td class="num nowrap optional">{number.clone()}</td>
            <td class=class data-h=word::length(lang)>{number}</td>
            {dash(word::pending(lang))}
            {dash(word::oldest_pending(lang))}
            {dash(word::delivered_again(lang))}
            {dash(word::most_deliveries(lang))}
            {dash(word::consumers(lang))}
        </tr>
    }
    .into_any()
}
