//! What is searched for, and filters as links with the counts that the collector knows.

use super::{Data, address, beside, plain_type};
use crate::context::PageContext;
use crate::model::{Qualifier, Search, Status};
use crate::ui::{Icon, classed, cut, small_icon, status_look};
use crate::words::{self, record as word};
use leptos::prelude::*;

/// Characters of a value in the box.
const VALUE: usize = 40;

pub(super) fn view(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    view! {
        <div class="filter">
            {search_box(ctx, data)}
            <nav class="chips" aria-label=word::common_filters(lang)>
                {chip(ctx, data, None)}
                {Status::ALL.map(|status| chip(ctx, data, Some(status))).collect_view()}
            </nav>
            {help(ctx)}
        </div>
    }
    .into_any()
}

/// What is searched for by now, each term with its way out, and room for one more. What cannot be read stays in the box.
fn search_box(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    let search = data.search();
    let tokens = search.terms().into_iter().map(|term| {
        let without = address(&data.source, &search.without(term.qualifier));
        let value = cut(&term.value, VALUE);
        let word = word::remove(lang, format!("{}:{value}", term.qualifier.as_str()));
        // On a phone the chips below say the status.
        let class = if term.qualifier == Qualifier::Status { "token token--status" } else { "token" };
        view! {
            <span class=class>
                <b>{term.qualifier.as_str()}":"</b><bdi>{value}</bdi>
                <a class="filter__remove" href=without aria-label=word>{small_icon(Icon::X, "")}</a>
            </span>
        }
    });
    let hidden = |name: &'static str, value: Option<String>| {
        value.map(|value| view! { <input type="hidden" name=name value=value/> })
    };
    view! {
        <form class="filter__box" role="search" aria-label=word::filter(lang) action=format!("/s/{}/records", data.source)>
            {classed(Icon::Search, "icon t3")}
            {tokens.collect_view()}
            {hidden("status", search.status.map(|status| status.as_str().to_owned()))}
            {hidden("type", plain_type(&search).map(str::to_owned))}
            {hidden("q", beside(&search))}
            <input type="text" name="q" value=data.typed.clone() aria-label=word::search_label(lang) placeholder="key:2026* age:>10m type:ORDER_DONE"
                aria-invalid=data.is_refused().then_some("true") aria-describedby=data.is_refused().then_some("search-bad")
                autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="8192"/>
            <button class="btn btn--bare btn--s" type="submit">{word::search(lang)}</button>
        </form>
    }
    .into_any()
}

/// Every qualifier with an example.
fn help(ctx: &PageContext) -> AnyView {
    let lang = ctx.viewer.lang;
    let zone = ctx.zone.name.clone();
    let lines = Qualifier::ALL.into_iter().filter(|qualifier| *qualifier != Qualifier::Updated).map(|qualifier| {
        let (example, what) = match qualifier {
            Qualifier::Status => ("status:processing", word::search_status(lang).to_owned()),
            Qualifier::Type => ("type:ORDER_DONE", word::search_type(lang).to_owned()),
            Qualifier::Key => ("key:2026*", word::search_key(lang).to_owned()),
            Qualifier::Owner => ("owner:points-7c4f*", word::search_owner(lang).to_owned()),
            Qualifier::Age => ("age:>10m", word::search_age(lang).to_owned()),
            Qualifier::Created | Qualifier::Updated => {
                ("created:>=2026-11-29", word::search_created(lang, zone.clone()))
            }
            Qualifier::Attempts => ("attempts:>3", word::search_attempts(lang).to_owned()),
        };
        view! { <dt class="mono">{example}</dt><dd>{what}</dd> }
    });
    view! {
        <details class="filter__help">
            <summary>{word::search_help(lang)}</summary>
            <dl class="kv">{lines.collect_view()}</dl>
        </details>
    }
    .into_any()
}

fn chip(ctx: &PageContext, data: &Data, status: Option<Status>) -> AnyView {
    let lang = ctx.viewer.lang;
    let here = data.query.status == status;
    let search = Search { status, ..data.search() };
    let href = address(&data.source, &search);
    // Counts are of all records, so beside any other filter they would lie.
    let alone = search.without(Qualifier::Status) == Search::default();
    let counts = data.panel.body.as_ref().filter(|_| alone && data.panel.trouble.is_none());
    let content = match status {
        None => view! { {word::all(lang)} }.into_any(),
        Some(status) => {
            let (tone, shape) = status_look(status);
            let count = counts
                .and_then(|panel| panel.count(status))
                .map(|count| view! { " "<b>{words::count(lang, count)}</b> });
            view! { {small_icon(shape, tone.word())}{words::status(lang, status)}{count} }.into_any()
        }
    };
    view! { <a class="chip" href=href aria-current=here.then_some("true")>{content}</a> }.into_any()
}
