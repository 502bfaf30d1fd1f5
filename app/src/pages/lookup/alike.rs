//! Whether this one is alone.

use super::Data;
use crate::context::PageContext;
use crate::model::{Lookup, Status};
use crate::words::{self, lookup as word};
use leptos::prelude::*;

/// Nothing, where no other open record has its verdict.
pub(super) fn view(ctx: &PageContext, data: &Data, lookup: &Lookup) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    let alike = data.beside.alike.as_ref().filter(|alike| alike.count > 1)?;
    let status = lookup.records.first()?.record.status;
    if !matches!(status, Status::Processing | Status::Failed) {
        return None;
    }
    let oldest = alike.oldest_at.map(|at| word::oldest_since(lang, ctx.clock().short(at))).unwrap_or_default();
    let others = words::join(lang, &[&word::others_alike(lang, alike.count - 1), &oldest]);
    Some(
        view! {
            <section class="panel">
                <header class="panel__head"><h2>{word::not_the_only_one(lang)}</h2></header>
                <div class="panel__body stack">
                    <p class="t2 s13">{others}</p>
                    <a class="btn" href=format!("/s/{}/records?status={}", data.source, status.as_str())>
                        {word::see_the_others(lang)}
                    </a>
                </div>
            </section>
        }
        .into_any(),
    )
}
