//! What is searched for: terms with their way out, room for one more, and common filters as links.

use super::{Data, address};
use crate::context::PageContext;
use crate::model::{AuditQualifier, AuditSearch};
use crate::ui::{Icon, classed, cut, small_icon};
use crate::words::{record, trail as word};
use leptos::prelude::*;

/// Characters of a value in the box.
const VALUE: usize = 40;

pub(super) fn view(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    let op = |name: &str| AuditSearch { op: Some(name.into()), end: None, ..data.search.clone() };
    let end = |how: &str| AuditSearch { end: Some(how.into()), op: None, ..data.search.clone() };
    let all = AuditSearch { op: None, end: None, ..data.search.clone() };
    let chips = [
        (word_all(ctx), all),
        (word::retries(lang).into_any(), op("retry")),
        (word::locks(lang).into_any(), op("release_lock")),
        (word::archive(lang).into_any(), op("archive")),
        (word::restores(lang).into_any(), op("restore")),
        (view! { {small_icon(Icon::Off, "")}{word::refused_chip(lang)} }.into_any(), end("refused")),
        (without_end(ctx, data), end("none")),
    ];
    let chips = chips.into_iter().map(|(content, search)| {
        let is_here = (search == data.search).then_some("true");
        view! { <a class="chip" href=address(&search) aria-current=is_here>{content}</a> }
    });
    view! {
        <div class="filter">
            {search_box(ctx, data)}
            <nav class="chips" aria-label=word::common_filters(lang)>{chips.collect_view()}</nav>
            {help(ctx)}
        </div>
    }
    .into_any()
}

fn word_all(ctx: &PageContext) -> AnyView {
    record::all(ctx.viewer.lang).into_any()
}

fn without_end(ctx: &PageContext, data: &Data) -> AnyView {
    let count = data.page.as_ref().map_or(0, |page| page.unfinished.len());
    let tone = if count > 0 { "warn" } else { "" };
    let number = (count > 0).then(|| view! { " "<b>{count}</b> });
    view! { {small_icon(Icon::Warn, tone)}{word::without_end(ctx.viewer.lang)}{number} }.into_any()
}

fn search_box(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    let tokens = data.search.terms().into_iter().map(|(qualifier, value)| {
        let (name, value) = (qualifier.as_str(), cut(&value, VALUE));
        let removed = record::remove(lang, format!("{name}:{value}"));
        let without = address(&data.search.without(qualifier));
        view! {
            <span class="token">
                <b>{name}":"</b><bdi>{value}</bdi>
                <a class="filter__remove" href=without aria-label=removed>{small_icon(Icon::X, "")}</a>
            </span>
        }
    });
    let kept = (data.search != AuditSearch::default())
        .then(|| view! { <input type="hidden" name="q" value=data.search.to_string()/> });
    view! {
        <form class="filter__box" role="search" aria-label=word::filter(lang) action="/audit">
            {classed(Icon::Search, "icon t3")}
            {tokens.collect_view()}
            {kept}
            <input type="text" name="q" value=data.typed.clone() aria-label=word::search_label(lang)
                placeholder="by:lin.wei op:retry key:2026* item:failed since:24h"
                aria-invalid=data.is_refused().then_some("true") aria-describedby=data.is_refused().then_some("search-bad")
                autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="2048"/>
            <button class="btn btn--bare btn--s" type="submit">{record::search(lang)}</button>
        </form>
    }
    .into_any()
}

/// Every qualifier with an example.
fn help(ctx: &PageContext) -> AnyView {
    let lang = ctx.viewer.lang;
    let lines = AuditQualifier::ALL.into_iter().map(|qualifier| {
        let (example, what) = match qualifier {
            AuditQualifier::Since => ("since:24h", word::help_since(lang, ctx.zone.name.clone())),
            AuditQualifier::By => ("by:lin.wei", word::help_by(lang).into()),
            AuditQualifier::Op => ("op:retry", word::help_op(lang).into()),
            AuditQualifier::Key => ("key:2026*", word::help_key(lang).into()),
            AuditQualifier::Item => ("item:failed", word::help_item(lang).into()),
            AuditQualifier::Plan => ("plan:0193…", word::help_plan(lang).into()),
            AuditQualifier::Source => ("source:points", word::help_source(lang).into()),
            AuditQualifier::End => ("end:none", word::help_end(lang).into()),
        };
        view! { <dt class="mono">{example}</dt><dd>{what}</dd> }
    });
    view! {
        <details class="filter__help">
            <summary>{record::search_help(lang)}</summary>
            <dl class="kv">{lines.collect_view()}</dl>
        </details>
    }
    .into_any()
}
