//! What consumers wrote down of each delivery, newest last, as it happened.

use super::{Data, csv};
use crate::context::PageContext;
use crate::model::{Lookup, TraceEntry};
use crate::ui::{Icon, Tone, classed, csv_link};
use crate::words::trace as word;
use leptos::prelude::*;

/// Nothing where they write nothing.
pub(super) fn view(ctx: &PageContext, data: &Data, lookup: &Lookup) -> Option<AnyView> {
    if lookup.trace.is_empty() {
        return None;
    }
    let lang = ctx.viewer.lang;
    let entries = lookup.trace.iter().rev().map(|entry| line(ctx, entry)).collect_view();
    Some(
        view! {
            <section class="panel">
                <header class="panel__head">
                    <h2>{word::timeline(lang)}</h2>
                    <span class="end fresh">{word::newest_last(lang)}</span>
                    {csv_link(word::timeline(lang), csv(data, lookup, "trace"))}
                </header>
                <div class="panel__body"><ol class="timeline">{entries}</ol></div>
            </section>
        }
        .into_any(),
    )
}

fn line(ctx: &PageContext, entry: &TraceEntry) -> AnyView {
    let lang = ctx.viewer.lang;
    let (tone, icon) = look(entry);
    let at = match entry.at {
        Some(at) => ctx.clock().at(at),
        None => view! { <span class="t3">"—"</span> }.into_any(),
    };
    let layers = [
        entry.lock.as_deref().map(|said| word::lock_said(lang, word::lock(lang, said))),
        entry.record.as_deref().map(|said| word::record_said(lang, word::record(lang, said))),
    ];
    let by = [
        entry.worker.as_deref().map(|worker| word::by_worker(lang, worker)),
        entry.delivery.as_deref().map(|delivery| word::of_delivery(lang, delivery)),
    ];
    let details: Vec<String> = layers.into_iter().chain(by).flatten().collect();
    view! {
        <li>
            {at}
            {classed(icon, &format!("icon {}", tone.word()))}
            <div>
                <p>{word::outcome(lang, entry.outcome.as_deref())}</p>
                <p class="break">{details.join(" · ")}</p>
            </div>
        </li>
    }
    .into_any()
}

fn look(entry: &TraceEntry) -> (Tone, Icon) {
    match entry.outcome.as_deref() {
        Some("completed" | "first") => (Tone::Ok, Icon::Ok),
        Some("takeover" | "deferred") => (Tone::Busy, Icon::Retry),
        Some("failed" | "late" | "refused") => (Tone::Warn, Icon::Failed),
        Some("dead") => (Tone::Mute, Icon::Dead),
        Some("leaked" | "fenced") => (Tone::Crit, Icon::Crit),
        Some(outcome) if outcome.starts_with("dup_") => (Tone::Mute, Icon::Info),
        _ => (Tone::Mute, Icon::Unknown),
    }
}
