//! One sentence that says how things stand. What cannot be seen comes first: it may hide the worst.

use crate::context::PageContext;
use crate::model::{Attention, Freshness, Overview};
use crate::ui::{Icon, Tone, pill};
use crate::words::overview as word;
use leptos::prelude::*;

pub(super) fn view(ctx: &PageContext, data: &Overview) -> AnyView {
    let (tone, shape, short, sentence) = headline(ctx, data);
    view! { <div class="headline">{pill(tone, shape, short)}<p class="page__sub">{sentence}</p></div> }.into_any()
}

fn headline(ctx: &PageContext, data: &Overview) -> (Tone, Icon, &'static str, String) {
    let lang = ctx.viewer.lang;
    let states: Vec<Freshness> = std::iter::once(data.records.freshness(ctx.now))
        .chain(data.locks.as_ref().map(|panel| panel.freshness(ctx.now)))
        .chain(data.brokers.iter().map(|panel| panel.freshness(ctx.now)))
        .collect();
    let blind = states.contains(&Freshness::Unreachable);
    if let Some(sentence) = worst(ctx, data) {
        let tone = if blind { Tone::Crit } else { data.attention.first().map_or(Tone::Warn, super::attention::tone) };
        let (short, shape) = match tone {
            _ if blind => (word::pill_blind(lang), Icon::Off),
            Tone::Crit => (word::pill_attention(lang), Icon::Crit),
            _ => (word::pill_look(lang), Icon::Warn),
        };
        return (tone, shape, short, sentence);
    }
    if blind {
        return (Tone::Crit, Icon::Off, word::pill_blind(lang), word::nothing_known_why(lang).into());
    }
    if states.contains(&Freshness::Waiting) {
        return (Tone::Mute, Icon::Clock, word::pill_starting(lang), word::say_starting(lang).into());
    }
    if states.contains(&Freshness::Stale) {
        return (Tone::Warn, Icon::Clock, word::pill_stale(lang), word::say_stale(lang).into());
    }
    let first_pass = data
        .records
        .body
        .as_ref()
        .and_then(|body| body.pass.as_ref())
        .is_some_and(|pass| pass.complete_as_of.is_none());
    if first_pass {
        return (Tone::Busy, Icon::Scan, word::pill_first_pass(lang), word::say_first_pass(lang).into());
    }
    (Tone::Ok, Icon::Ok, word::pill_healthy(lang), word::say_healthy(lang).into())
}

/// What is not seen, else the first finding, and how many more there are.
fn worst(ctx: &PageContext, data: &Overview) -> Option<String> {
    let lang = ctx.viewer.lang;
    let not_seen = data.attention.iter().find(|finding| matches!(finding, Attention::NotSeen { .. }));
    let first = not_seen.or(data.attention.first())?;
    let (what, _) = word::attention_words(lang, first, ctx.now, |at| ctx.clock().short(at));
    let sentence = word::sentence(lang, what);
    Some(match data.attention.len() - 1 {
        0 => sentence,
        more => word::and_more(lang, u64::try_from(more).unwrap_or(u64::MAX), sentence),
    })
}
