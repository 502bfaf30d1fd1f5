//! One sentence that says how things stand. What cannot be seen comes first: it may hide the worst.

use super::attention::{tone, worst_first};
use crate::context::PageContext;
use crate::model::{Attention, Freshness, Overview, Strategy};
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
    let findings = worst_first(data);
    let not_seen = findings.iter().any(|finding| matches!(finding, Attention::NotSeen { .. }));
    if not_seen || states.contains(&Freshness::Unreachable) {
        let sentence = first_of(ctx, &findings).unwrap_or_else(|| word::nothing_known_why(lang).into());
        return (Tone::Crit, Icon::Off, word::pill_blind(lang), sentence);
    }
    if let (Some(worst), Some(sentence)) = (findings.first(), first_of(ctx, &findings)) {
        let (shape, short) = match tone(worst) {
            Tone::Crit => (Icon::Crit, word::pill_attention(lang)),
            Tone::Warn => (Icon::Warn, word::pill_look(lang)),
            _ => (Icon::Info, word::pill_look(lang)),
        };
        return (tone(worst), shape, short, sentence);
    }
    if states.contains(&Freshness::Waiting) {
        return (Tone::Mute, Icon::Clock, word::pill_starting(lang), word::say_starting(lang).into());
    }
    if states.contains(&Freshness::Stale) {
        return (Tone::Warn, Icon::Clock, word::pill_stale(lang), word::say_stale(lang).into());
    }
    match &data.records.body {
        Some(body) if body.strategy == Strategy::Bounded => {
            (Tone::Mute, Icon::Info, word::pill_bounded(lang), word::say_bounded(lang).into())
        }
        Some(body) if body.in_first_pass() => {
            (Tone::Busy, Icon::Scan, word::pill_first_pass(lang), word::say_first_pass(lang).into())
        }
        _ => (Tone::Ok, Icon::Ok, word::pill_healthy(lang), word::say_healthy(lang).into()),
    }
}

/// The first finding, and how many more there are.
fn first_of(ctx: &PageContext, findings: &[&Attention]) -> Option<String> {
    let lang = ctx.viewer.lang;
    let (first, more) = findings.split_first()?;
    let (what, _) = word::attention_words(lang, first, ctx.now, |at| ctx.clock().short(at));
    let sentence = word::sentence(lang, what);
    Some(match more.len() {
        0 => sentence,
        more => word::and_more(lang, u64::try_from(more).unwrap_or(u64::MAX), sentence),
    })
}
