//! One operation in the list: what, who, its two phases, its link of the chain; inside, why, and what became of its items.

use super::items;
use crate::context::PageContext;
use crate::model::{AuditEntry, AuditStanding, time};
use crate::ui::{Icon, classed, cut, cut_text, small_icon};
use crate::words::{measure::grouped, trail as word};
use leptos::prelude::*;

/// Characters of a lock's name or of a reason in a line.
const LINE: usize = 80;

pub(super) fn view(ctx: &PageContext, entry: &AuditEntry, is_alone: bool) -> AnyView {
    let lang = ctx.viewer.lang;
    let flagged = entry.standing == AuditStanding::Unfinished;
    let class = if flagged { "entry entry--flag" } else { "entry" };
    let local = ctx.zone.local(entry.begun_at).format("%H:%M:%S").to_string();
    view! {
        <details class=class open=flagged || is_alone id=format!("entry-{}", entry.number)>
            <summary>
                {classed(Icon::Next, "icon entry__turn")}
                <time class="t3 nowrap" datetime=time::text(entry.begun_at) title=ctx.clock().absolute(entry.begun_at)>{local}</time>
                <span><span class="entry__what">{word::what(lang, entry)}</span>{about(entry)}</span>
                <span class="break">{cut(&entry.actor, LINE)}<span class="t3 s12">" "{cut(&word::origin(lang, &entry.origin), LINE)}</span></span>
                {phases(ctx, entry)}
                <span class="entry__hash mono s12 t3">
                    <span>{grouped(entry.number.unsigned_abs())}</span>
                    <span>{short(&entry.hash)}</span>
                </span>
            </summary>
            <div class="entry__body">{facts(ctx, entry, false)}{items::view(ctx, entry, items::Rows::Named)}</div>
        </details>
    }
    .into_any()
}

/// Behind the headline: of which source, and which lock or table.
fn about(entry: &AuditEntry) -> AnyView {
    let of = entry.said("biz_key").or_else(|| entry.said("table")).map(|text| cut(text, LINE));
    let parts = [Some(entry.source.clone()).filter(|source| !source.is_empty()), of];
    let said = parts.into_iter().flatten().collect::<Vec<String>>().join(", ");
    view! { <span class="t3 s12 break">" "{said}</span> }.into_any()
}

/// `9f3c…a17e`.
fn short(hash: &str) -> String {
    match (hash.get(..4), hash.get(hash.len().saturating_sub(4)..)) {
        (Some(first), Some(last)) if hash.len() > 8 => format!("{first}…{last}"),
        _ => hash.to_owned(),
    }
}

pub(super) fn phases(ctx: &PageContext, entry: &AuditEntry) -> AnyView {
    let lang = ctx.viewer.lang;
    let line = |shape: Icon, tone: &'static str, says: AnyView| {
        view! { <span class="with-icon">{small_icon(shape, tone)}<span>{says}</span></span> }.into_any()
    };
    let began = word::began(lang, ctx.clock().short(entry.begun_at)).into_any();
    view! { <span class="phases">{line(Icon::Ok, "ok", began)}{ended(ctx, entry, line)}</span> }.into_any()
}

fn ended(ctx: &PageContext, entry: &AuditEntry, line: impl Fn(Icon, &'static str, AnyView) -> AnyView) -> AnyView {
    let lang = ctx.viewer.lang;
    match entry.standing {
        AuditStanding::Open => line(Icon::Busy, "busy", word::goes_on(lang).into_any()),
        AuditStanding::Unfinished => {
            line(Icon::Warn, "warn", view! { <strong class="warn">{word::no_end(lang)}</strong> }.into_any())
        }
        AuditStanding::Refused => {
            let why = entry.refusal().map(|refusal| word::refusal(lang, &refusal)).unwrap_or_default();
            line(Icon::Off, "mute", word::refused(lang, why).into_any())
        }
        AuditStanding::Ended => {
            let at = entry.ended_at.map(|at| ctx.clock().short(at)).unwrap_or_default();
            let outcome = entry.outcome.as_deref().unwrap_or_default();
            let (shape, tone, when) = match outcome {
                "failed" => (Icon::Failed, "crit", word::failed(lang, at)),
                "stopped" => (Icon::Stop, "mute", word::stopped(lang, at)),
                "uncertain" => (Icon::Unknown, "warn", word::uncertain_at(lang, at)),
                _ => (Icon::Ok, "ok", word::ended(lang, at)),
            };
            let tally = match outcome {
                "released" => word::released(lang).to_owned(),
                "owner_changed" => word::owner_changed(lang).to_owned(),
                "gone" => word::was_gone(lang).to_owned(),
                _ => word::tally(lang, entry),
            };
            let tally = (!tally.is_empty()).then(|| view! { {word::colon(lang)}<strong>{tally}</strong> });
            line(shape, tone, view! { {when}{tally} }.into_any())
        }
    }
}

/// Reason, operation and lock. `whole`: on the entry's own page, with its hash and where it came from.
pub(super) fn facts(ctx: &PageContext, entry: &AuditEntry, whole: bool) -> AnyView {
    let lang = ctx.viewer.lang;
    let fact = |name: &'static str, value: AnyView| view! { <dt>{name}</dt><dd class="break">{value}</dd> }.into_any();
    let reason = match entry.reason.as_str() {
        "" => view! { <span class="t3">{word::no_reason(lang)}</span> }.into_any(),
        reason => cut(reason, 1_000).into_any(),
    };
    let way = if word::is_of_rows(&entry.operation) && !entry.operation_id.contains('/') {
        Some((format!("/s/{}/operations/{}", entry.source, entry.operation_id), word::to_operation(lang)))
    } else if entry.operation.starts_with("archive") || entry.operation == "restore" {
        Some((format!("/s/{}/archive", entry.source), word::to_archive(lang)))
    } else {
        None
    };
    let way = way.filter(|_| !entry.source.is_empty()).map(|(href, says)| view! { " "<a href=href>{says}</a> });
    let operation = view! { <span class="mono s12">{cut(&entry.operation_id, 200)}</span>{way} }.into_any();
    let lock = (entry.operation == "release_lock").then(|| {
        [(word::lock_key(lang), entry.said("key")), (word::lock_owner(lang), entry.said("owner"))].map(
            |(name, text)| {
                text.map(|text| fact(name, view! { <span class="mono s12">{cut_text(text, 200)}</span> }.into_any()))
            },
        )
    });
    let more = whole.then(|| {
        let from =
            view! { {cut(&entry.actor, 200)}" "<span class="t3">{cut(&word::origin(lang, &entry.origin), 200)}</span> };
        let hash = view! { <span class="mono s12">{entry.hash.clone()}</span> };
        vec![
            fact(word::source(lang), entry.source.clone().into_any()),
            fact(word::from(lang), from.into_any()),
            fact(word::hash(lang), hash.into_any()),
        ]
    });
    view! {
        <dl class="kv">
            {fact(word::reason(lang), reason)}
            {fact(word::operation_id(lang), operation)}
            {lock.map(|lock| lock.into_iter().flatten().collect_view())}
            {more}
        </dl>
    }
    .into_any()
}
