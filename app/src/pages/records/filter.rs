//! Filters as links, with the counts that the collector knows.

use super::{Data, address};
use crate::context::PageContext;
use crate::model::{Count, RecordsPanel, Status};
use crate::ui::{Icon, classed, small_icon, status_look};
use crate::words::{self, record as word};
use leptos::prelude::*;

pub(super) fn view(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    view! {
        <div class="filter">
            {type_box(ctx, data)}
            <nav class="chips" aria-label=word::common_filters(lang)>
                {chip(ctx, data, None)}
                {Status::ALL.map(|status| chip(ctx, data, Some(status))).collect_view()}
            </nav>
        </div>
    }
    .into_any()
}

/// What is filtered by now, each with its way out. The box holds the type, so that sending it again changes nothing.
fn type_box(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    let of_type = data.query.r#type.as_deref();
    let status = data.query.status;
    let token = status.map(|status| {
        let remove = remove(ctx, &format!("status:{}", status.as_str()), address(data, None, of_type));
        view! { <span class="token"><b>"status:"</b>{status.as_str()}{remove}</span> }
    });
    let remove_type =
        of_type.map(|of| remove(ctx, &format!("type:{}", crate::ui::cut(of, 40)), address(data, status, None)));
    let hidden = status.map(|status| view! { <input type="hidden" name="status" value=status.as_str()/> });
    view! {
        <form class="filter__box" role="search" aria-label=word::filter(lang) action=format!("/s/{}/records", data.source)>
            {classed(Icon::Search, "icon t3")}
            {token}
            {hidden}
            <input type="text" name="type" value=of_type.map(str::to_owned) aria-label=word::type_label(lang) placeholder=word::type_placeholder(lang)
                autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="512"/>
            {remove_type}
            <button class="btn btn--bare btn--s" type="submit">{word::search(lang)}</button>
        </form>
    }
    .into_any()
}

fn remove(ctx: &PageContext, what: &str, without: String) -> AnyView {
    let word = word::remove(ctx.viewer.lang, what);
    view! { <a class="filter__remove" href=without aria-label=word>{small_icon(Icon::X, "")}</a> }.into_any()
}

fn chip(ctx: &PageContext, data: &Data, status: Option<Status>) -> AnyView {
    let lang = ctx.viewer.lang;
    let here = data.query.status == status;
    let href = address(data, status, data.query.r#type.as_deref());
    // Counts are of all types, so with a type they would lie.
    let counts = data.panel.body.as_ref().filter(|_| data.query.r#type.is_none() && data.panel.trouble.is_none());
    let content = match status {
        None => view! { {word::all(lang)} }.into_any(),
        Some(status) => {
            let (tone, shape) = status_look(status);
            let count = counts
                .and_then(|panel| count(panel, status))
                .map(|count| view! { " "<b>{words::count(lang, count)}</b> });
            view! { {small_icon(shape, tone.word())}{words::status(lang, status)}{count} }.into_any()
        }
    };
    view! { <a class="chip" href=href aria-current=here.then_some("true")>{content}</a> }.into_any()
}

fn count(panel: &RecordsPanel, status: Status) -> Option<Count> {
    match status {
        Status::Processing => panel.processing,
        Status::Completed => panel.completed,
        Status::Failed => panel.failed,
        Status::Dead => panel.dead,
        Status::Unmapped => panel.unmapped,
    }
}
