//! State as links with the collector's counts, type and text as a form; all of it stands in the URL.

use super::{Data, address};
use crate::context::PageContext;
use crate::model::{LockState, LocksFilter, LocksPanel};
use crate::ui::{Icon, classed, cut, lock_look, small_icon};
use crate::words::{self, lock as word};
use leptos::prelude::*;
use std::collections::BTreeSet;

/// Characters of a type in the list of types.
const TYPE: usize = 40;

pub(super) fn view(ctx: &PageContext, data: &Data, body: &LocksPanel) -> AnyView {
    let lang = ctx.viewer.lang;
    view! {
        <div class="filter">
            {form(ctx, data, body)}
            <nav class="chips" aria-label=word::by_state(lang)>
                {chip(ctx, data, body, None)}
                {LockState::LISTED.map(|state| chip(ctx, data, body, Some(state))).collect_view()}
            </nav>
        </div>
    }
    .into_any()
}

fn form(ctx: &PageContext, data: &Data, body: &LocksPanel) -> AnyView {
    let lang = ctx.viewer.lang;
    let filter = &data.query.filter;
    let state = filter.state.map(|state| view! { <input type="hidden" name="state" value=state.as_str()/> });
    // The one that is asked for stays among them when none of its locks is left.
    let types: BTreeSet<&String> =
        body.rows.iter().filter_map(|row| row.r#type.as_ref()).chain(&filter.r#type).collect();
    let types = (!types.is_empty()).then(|| {
        let options = types.into_iter().map(|of| {
            let is_chosen = filter.r#type.as_ref() == Some(of);
            view! { <option value=of.clone() selected=is_chosen>{cut(of, TYPE)}</option> }
        });
        view! {
            <select class="filter__type" name="type" aria-label=word::r#type(lang)>
                <option value="">{word::any_type(lang)}</option>
                {options.collect_view()}
            </select>
        }
    });
    let clear = (*filter != LocksFilter::default()).then(|| {
        let all = address(&data.source, &LocksFilter::default());
        view! { <a class="filter__remove" href=all aria-label=word::clear(lang)>{small_icon(Icon::X, "")}</a> }
    });
    view! {
        <form class="filter__box" role="search" aria-label=word::filter(lang) action=address(&data.source, &LocksFilter::default())>
            {classed(Icon::Search, "icon t3")}
            {state}
            {types}
            <input type="text" name="q" value=filter.text.clone() aria-label=word::text_label(lang) placeholder=word::text_label(lang)
                autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="512"/>
            {clear}
            <button class="btn btn--bare btn--s" type="submit">{word::apply(lang)}</button>
        </form>
    }
    .into_any()
}

fn chip(ctx: &PageContext, data: &Data, body: &LocksPanel, state: Option<LockState>) -> AnyView {
    let lang = ctx.viewer.lang;
    let filter = LocksFilter { state, ..data.query.filter.clone() };
    // Counts are of all locks, so beside another filter they would lie.
    let is_alone = filter.r#type.is_none() && filter.text.is_none();
    let content = match state {
        None => view! { {word::all(lang)} }.into_any(),
        Some(state) => {
            let (tone, shape) = lock_look(state);
            let count =
                body.count(state).filter(|_| is_alone).map(|count| view! { " "<b>{words::count(lang, count)}</b> });
            view! { {small_icon(shape, tone.word())}{words::lock_state(lang, state)}{count} }.into_any()
        }
    };
    let is_here = data.query.filter.state == state;
    view! { <a class="chip" href=address(&data.source, &filter) aria-current=is_here.then_some("true")>{content}</a> }
        .into_any()
}
