//! What the configuration says.

use crate::context::PageContext;
use crate::model::ArchivePolicy;
use crate::words::{archiving as word, measure, measure::grouped};
use leptos::prelude::*;

pub(super) fn view(ctx: &PageContext, policy: &ArchivePolicy) -> AnyView {
    let lang = ctx.viewer.lang;
    let limit = |ms: u64| measure::limit(lang, ms);
    let keep = match policy.keep_ms {
        Some(ms) => word::keep_of(lang, limit(ms)),
        None => word::keep_unset(lang).into(),
    };
    let mode =
        if policy.deletes { word::mode_delete(lang).into() } else { word::mode_move(lang, policy.table.clone()) };
    let schedule = match &policy.schedule {
        Some(cron) => {
            view! { <span class="mono s12">{cron.clone()}</span>" "<span class="t3">{ctx.zone.name.clone()}</span> }
                .into_any()
        }
        None => word::by_hand(lang).into_any(),
    };
    let window = policy
        .schedule
        .as_ref()
        .map(|_| fact(word::window(lang), word::window_of(lang, limit(policy.window_ms)).into_any()));
    let next = policy.next_at.map(|at| fact(word::next(lang), ctx.clock().at(at)));
    view! {
        <section class="panel">
            <header class="panel__head"><h2>{word::policy(lang)}</h2><span class="end s12 mono t3">"source.archive"</span></header>
            <div class="panel__body">
                <dl class="kv">
                    {fact(word::keep(lang), keep.into_any())}
                    {fact(word::mode(lang), view! { <span class="break">{mode}</span> }.into_any())}
                    {fact(word::schedule(lang), schedule)}
                    {window}
                    {next}
                    {fact(word::chunk(lang), word::chunk_of(lang, grouped(policy.batch.into())).into_any())}
                    {fact(word::waits(lang), word::waits_for(lang).into_any())}
                    {fact(word::never(lang), word::never_what(lang).into_any())}
                </dl>
            </div>
        </section>
    }
    .into_any()
}

pub(super) fn fact(name: &'static str, value: AnyView) -> AnyView {
    view! { <dt>{name}</dt><dd>{value}</dd> }.into_any()
}
