//! Sums over the brokers that answer. A number that a queue did not give makes its sum a lower bound.

use super::{Data, blind, live, number_of};
use crate::context::PageContext;
use crate::model::{BrokerPanel, Count, Lang, Quality, Queue};
use crate::ui::{Explained, Icon, Tone, classed, explain};
use crate::words::{self, broker as word, explain as about, measure};
use leptos::prelude::*;

pub(super) fn view(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    let queues: Vec<&Queue> = live(data).flat_map(|body| &body.queues).filter(|queue| !queue.dead_letter).collect();
    let number = |of: fn(&Queue) -> Option<u64>| {
        sum(data, queues.iter().map(|queue| of(queue))).map(|sum| words::count(lang, sum))
    };
    let rates: Vec<f64> =
        queues.iter().filter_map(|queue| queue.redelivered_per_second).map(super::per_minute).collect();
    let redelivered = (!rates.is_empty()).then(|| measure::per_minute(lang, measure::rate(rates.iter().sum())));
    let tiles = [
        Tile::plain(word::ready(lang), number(|queue| queue.ready), word::sub_ready(lang)),
        Tile::plain(word::unacked(lang), number(|queue| queue.unacked), word::sub_unacked(lang)),
        Tile::plain(word::redelivered(lang), redelivered, word::sub_redelivered(lang)),
        dead_letter(ctx, data),
        not_seen(ctx, data),
    ];
    let tiles = tiles.into_iter().zip(explained(lang, data)).map(|(tile, (id, [what, how], blind))| {
        let explained = Explained { id, figure: tile.name, what, how: how.into(), blind };
        view! { <div class="tilebox">{tile.view(ctx)}{explain(lang, explained)}</div> }
    });
    view! {
        <section class="tiles tiles--5" aria-label=word::all_that_answer(lang)>{tiles.collect_view()}</section>
    }
    .into_any()
}

/// Of each figure, in their order: what it is, how it is worked out, and what it cannot see.
fn explained(lang: Lang, data: &Data) -> [(&'static str, [&'static str; 2], Vec<&'static str>); 5] {
    let queues = blind(lang, &data.brokers);
    let (redelivered, away) = (about::redelivered_blind(lang), about::brokers_away_blind(lang));
    [
        ("ready", [about::ready(lang), about::ready_how(lang)], queues.clone()),
        ("unacked", [about::unacked(lang), about::unacked_how(lang)], queues.clone()),
        ("redelivered", [about::redelivered(lang), about::redelivered_how(lang)], vec![redelivered]),
        ("dead-letter", [about::dead_letter(lang), about::dead_letter_how(lang)], queues),
        ("not-seen", [about::brokers_away(lang), about::brokers_away_how(lang)], vec![away]),
    ]
}

/// `None`: no broker was read.
fn sum(data: &Data, numbers: impl Iterator<Item = Option<u64>>) -> Option<Count> {
    let read = live(data).count();
    if read == 0 {
        return None;
    }
    let numbers: Vec<_> = numbers.collect();
    let whole = read == data.brokers.len() && numbers.iter().all(Option::is_some);
    Some(Count {
        value: numbers.into_iter().flatten().sum(),
        quality: if whole { Quality::Exact } else { Quality::Partial },
    })
}

fn dead_letter(ctx: &PageContext, data: &Data) -> Tile {
    let lang = ctx.viewer.lang;
    let configured = live(data).flat_map(|body| &body.queues).any(|queue| queue.dead_letter);
    let count = sum(data, live(data).map(BrokerPanel::dead_letters));
    let tile = Tile::plain(word::dead_letter(lang), None, word::sub_dead_none(lang));
    match count {
        Some(_) if !configured => tile,
        None | Some(Count { value: 0, quality: Quality::Partial }) => {
            Tile { shape: Icon::Unknown, sub: measure::not_known(lang).into(), ..tile }
        }
        Some(count) => {
            let (tone, shape, sub) = match count.value {
                0 => (Tone::Mute, Icon::Info, words::overview::dead_empty(lang)),
                _ => (Tone::Warn, Icon::Warn, word::sub_dead(lang)),
            };
            Tile { tone, shape, value: Some(words::count(lang, count)), sub: sub.into(), ..tile }
        }
    }
}

fn not_seen(ctx: &PageContext, data: &Data) -> Tile {
    let lang = ctx.viewer.lang;
    let blind = data.brokers.iter().filter(|panel| panel.trouble.is_some()).count();
    let tile = Tile::plain(word::not_seen(lang), Some(blind.to_string()), word::all_seen(lang));
    if blind == 0 {
        return Tile { shape: Icon::Ok, ..tile };
    }
    Tile { tone: Tone::Crit, shape: Icon::Off, sub: word::of_brokers(lang, number_of(data)), ..tile }
}

struct Tile {
    tone: Tone,
    shape: Icon,
    name: &'static str,
    /// `None`: nobody has read it, so a dash.
    value: Option<String>,
    sub: String,
}

impl Tile {
    fn plain(name: &'static str, value: Option<String>, sub: &str) -> Self {
        Self { tone: Tone::Mute, shape: Icon::Info, name, value, sub: sub.into() }
    }

    fn view(self, ctx: &PageContext) -> AnyView {
        let value = match self.value {
            Some(value) => view! { <span class="tile__value">{value}</span> }.into_any(),
            None => view! {
                <span class="tile__value dashval">
                    <span aria-hidden="true">"—"</span><span class="sr">{measure::not_known(ctx.viewer.lang)}</span>
                </span>
            }
            .into_any(),
        };
        view! {
            <div class=self.tone.class("tile")>
                <span class="tile__name">{classed(self.shape, &format!("icon {}", self.tone.word()))}{self.name}</span>
                {value}
                <span class="tile__sub">{self.sub}</span>
            </div>
        }
        .into_any()
    }
}
