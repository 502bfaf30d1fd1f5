//! One operation with all that is kept of it, its items a hundred at a time.

use super::entry::{facts, phases};
use super::items::{self, Rows};
use crate::context::PageContext;
use crate::model::{AuditEntry, Fault};
use crate::reads::Reads;
use crate::ui::{Icon, code, small_icon};
use crate::words::{measure::grouped, trail as word};
use leptos::prelude::*;

const EVENTS: u32 = 100;

#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    pub entry: AuditEntry,
    pub after: Option<i64>,
}

pub async fn load_entry(reads: &dyn Reads, number: i64, after: Option<i64>) -> Result<Option<Data>, Fault> {
    let entry = reads.audit_entry(number, after, EVENTS).await?;
    Ok(entry.map(|entry| Data { entry, after }))
}

#[must_use]
pub fn title(ctx: &PageContext, data: &Data) -> String {
    word::entry(ctx.viewer.lang, grouped(data.entry.number.unsigned_abs()))
}

#[must_use]
pub fn view(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    let entry = &data.entry;
    let number = word::entry(lang, grouped(entry.number.unsigned_abs()));
    let here = format!("/audit/{}", entry.number);
    let first = data.after.map(|_| view! { <a class="btn btn--s" href=here.clone()>{word::first_items(lang)}</a> });
    let next = entry.next_event.map(|after| {
        view! {
            <a class="btn btn--s" href=format!("{here}?after={after}")>
                {word::next_items(lang)}{small_icon(Icon::Next, "")}
            </a>
        }
    });
    let steps =
        (data.after.is_some() || entry.next_event.is_some()).then(|| view! { <div class="row">{first}{next}</div> });
    let kept = [(word::target(lang), Some(&entry.target)), (word::detail(lang), entry.detail.as_ref())];
    let kept = kept.into_iter().filter_map(|(name, value)| {
        let text = serde_json::to_string_pretty(value?).ok().filter(|text| text != "{}")?;
        let head = view! { <header class="panel__head"><h2>{name}</h2><span class="t3 s12">{word::as_kept(lang)}</span></header> };
        Some(view! { <section class="panel">{head}<div class="panel__body">{code(lang, name, &text)}</div></section> })
    });
    view! {
        <header class="page__head">
            <div>
                <p class="crumb"><a href="/audit">{word::audit(lang)}</a><span>"/"</span><span>{number}</span></p>
                <h1>{word::what(lang, entry)}</h1>
            </div>
        </header>
        <section class="panel"><div class="panel__body stack">{phases(ctx, entry)}{facts(ctx, entry, true)}</div></section>
        {items::view(ctx, entry, Rows::Whole)}
        {steps}
        {kept.collect_view()}
    }
    .into_any()
}
