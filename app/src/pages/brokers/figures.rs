//! Sums over the brokers that answer. A number that a queue did not give makes its sum a lower bound.

use super::{Data, live_queues, number_of};
use crate::model::{Count, Quality, Queue};
use crate::pages::PageContext;
use crate::ui::{Icon, Tone, classed};
use crate::words::{self, broker as word, measure};
use leptos::prelude::*;

pub(super) fn view(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    let queues: Vec<&Queue> = live_queues(data).collect();
    let blind = data.brokers.iter().filter(|panel| panel.trouble.is_some()).count();
    let read = data.brokers.iter().any(|panel| panel.trouble.is_none() && panel.body.is_some());
    let whole = blind == 0 && data.brokers.iter().all(|panel| panel.body.is_some());
    let of = |dead_letter: bool, number: fn(&Queue) -> Option<u64>| {
        let numbers: Vec<_> =
            queues.iter().filter(|queue| queue.dead_letter == dead_letter).map(|queue| number(queue)).collect();
        read.then(|| Count {
            value: numbers.iter().flatten().sum(),
            quality: if whole && numbers.iter().all(Option::is_some) { Quality::Exact } else { Quality::Partial },
        })
    };
    let number = |count: Option<Count>| count.map(|count| words::count(lang, count));
    let redelivered: f64 =
        queues.iter().filter(|queue| !queue.dead_letter).filter_map(|queue| queue.redelivered_per_second).sum();
    let redelivered_known = queues.iter().any(|queue| queue.redelivered_per_second.is_some());
    let dead = of(true, |queue| queue.ready).filter(|_| queues.iter().any(|queue| queue.dead_letter));
    let dead_tone = if dead.is_some_and(|count| count.value > 0) { Tone::Warn } else { Tone::Mute };
    let silent = |sub: &'static str| if read { sub } else { measure::not_known(lang) };
    let dead_sub = if dead.is_some() || !read { silent(word::sub_dead(lang)) } else { word::sub_dead_none(lang) };
    let seen_sub = if blind == 0 { word::all_seen(lang).into() } else { word::of_brokers(lang, number_of(data)) };
    view! {
        <section class="tiles tiles--5" aria-label=word::all_that_answer(lang)>
            {tile(ctx, Tone::Mute, Icon::Info, word::ready(lang), number(of(false, |queue| queue.ready)), silent(word::sub_ready(lang)).into())}
            {tile(ctx, Tone::Mute, Icon::Info, word::unacked(lang), number(of(false, |queue| queue.unacked)), silent(word::sub_unacked(lang)).into())}
            {tile(ctx, Tone::Mute, Icon::Info, word::redelivered(lang), redelivered_known.then(|| measure::per_second(lang, measure::rate(redelivered))), silent(word::sub_redelivered(lang)).into())}
            {tile(ctx, dead_tone, if dead_tone == Tone::Warn { Icon::Warn } else { Icon::Info }, word::dead_letter(lang), number(dead), dead_sub.into())}
            {tile(ctx, if blind > 0 { Tone::Crit } else { Tone::Mute }, if blind > 0 { Icon::Off } else { Icon::Ok }, word::not_seen(lang), Some(blind.to_string()), seen_sub)}
        </section>
    }
    .into_any()
}

/// `None`: nobody has read it, so a dash.
fn tile(ctx: &PageContext, tone: Tone, shape: Icon, name: &'static str, value: Option<String>, sub: String) -> AnyView {
    let value = match value {
        Some(value) => view! { <span class="tile__value">{value}</span> }.into_any(),
        None => view! {
            <span class="tile__value dashval"><span aria-hidden="true">"—"</span><span class="sr">{measure::not_known(ctx.viewer.lang)}</span></span>
        }
        .into_any(),
    };
    view! {
        <div class=tone.class("tile")>
            <span class="tile__name">{classed(shape, &format!("icon {}", tone.word()))}{name}</span>
            {value}
            <span class="tile__sub">{sub}</span>
        </div>
    }
    .into_any()
}
