//! Which records a plan is made of, at three levels: rows that are ticked, this page, all that match. What is chosen is
//! frozen when the plan is made.

use super::{Data, beside, plain_type};
use crate::context::PageContext;
use crate::model::{Count, Lang, Operation, Qualifier, RecordsPage, Role, RowOperation, Search, WhyNot, Window};
use crate::words::{self, measure, plan as word};
use leptos::prelude::*;

/// What somebody may pick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Picking {
    Rows,
    /// No plan could be made of them.
    Nothing,
}

pub(super) fn picking(ctx: &PageContext, data: &Data) -> Picking {
    let may = ctx.viewer.role >= Role::Operator && data.operations.iter().any(|operation| operation.allowed);
    if may { Picking::Rows } else { Picking::Nothing }
}

/// What the form sends besides: the search, and the rows of the page.
pub(super) fn hidden(ctx: &PageContext, data: &Data, page: &RecordsPage) -> AnyView {
    let search = data.search();
    let fixed = [
        ("form_token", Some(ctx.viewer.form_token.clone())),
        ("operation_id", Some(ctx.operation_id.clone())),
        ("back", Some(ctx.url.clone())),
        ("status", search.status.map(|status| status.as_str().to_owned())),
        ("type", plain_type(&search).map(str::to_owned)),
        ("q", Some(beside(&search).unwrap_or_default())),
    ];
    let on_page = page.items.iter().map(|row| ("on_page", Some(row.reference.to_string())));
    let inputs = fixed
        .into_iter()
        .chain(on_page)
        .filter_map(|(name, value)| value.map(|value| view! { <input type="hidden" name=name value=value/> }));
    inputs.collect_view().into_any()
}

/// Above the table's head.
pub(super) fn bar(ctx: &PageContext, data: &Data, page: &RecordsPage) -> AnyView {
    let lang = ctx.viewer.lang;
    let scopes = (picking(ctx, data) == Picking::Rows).then(|| scopes(lang, data, page));
    view! { <div class="selbar">{scopes}{operations(lang, ctx.viewer.role, &data.operations)}</div> }.into_any()
}

fn scopes(lang: Lang, data: &Data, page: &RecordsPage) -> AnyView {
    let scope = |value: &'static str, said: AnyView| {
        let chosen = value == "rows";
        view! { <label><input class="sr" type="radio" name="scope" value=value checked=chosen autocomplete="off"/>{said}</label> }
    };
    let all = match matching(data, page) {
        Some(count) => word::all_match_n(lang, words::count(lang, count)),
        None => word::all_match(lang).to_owned(),
    };
    let shown = measure::grouped(u64::try_from(page.items.len()).unwrap_or(u64::MAX));
    // Script counts what is ticked.
    let picked = view! { <span data-picked="">{word::picked(lang)}</span> }.into_any();
    view! {
        <span class="seg seg--s" role="radiogroup" aria-label=word::selection(lang)>
            {scope("rows", picked)}
            {scope("page", word::this_page(lang, shown).into_any())}
            {scope("match", all.into_any())}
        </span>
        <span class="t2 s12">{word::frozen_when_planned(lang)}</span>
    }
    .into_any()
}

/// How many match, where that is known: all of them are here, or the collector counts just these.
fn matching(data: &Data, page: &RecordsPage) -> Option<Count> {
    let whole = page.next.is_none() && page.previous.is_none() && matches!(page.window, Window::All | Window::OpenSet);
    if whole {
        return Some(Count::exact(page.items.len() as u64));
    }
    let search = data.search();
    let alone = search.without(Qualifier::Status) == Search::default();
    let panel = data.panel.body.as_ref().filter(|_| alone && data.panel.trouble.is_none())?;
    panel.count(search.status?)
}

/// Each as a button that makes a plan; one that is not possible says why.
fn operations(lang: Lang, role: Role, operations: &[Operation]) -> AnyView {
    let role_needed = (role < Role::Operator).then_some(WhyNot::Role { needed: Role::Operator });
    let mut reasons: Vec<String> = Vec::new();
    let buttons: Vec<AnyView> = operations
        .iter()
        .filter_map(|operation| {
            let rows = operation.name.on_rows()?;
            let said = word::plan_button(lang, rows);
            let Some(why) = role_needed.as_ref().or(operation.why.as_ref()).map(|why| words::why_not(lang, why)) else {
                let class = if rows == RowOperation::Retry { "btn btn--main" } else { "btn" };
                let button = view! { <button class=class type="submit" name="operation" value=rows.as_str()>{said}</button> };
                return Some(button.into_any());
            };
            let at = reasons.iter().position(|reason| *reason == why).unwrap_or_else(|| {
                reasons.push(why);
                reasons.len() - 1
            });
            let described = format!("not-planned-{at}");
            Some(view! { <button class="btn" type="button" aria-disabled="true" aria-describedby=described>{said}</button> }.into_any())
        })
        .collect();
    let reasons = reasons.into_iter().enumerate().map(|(at, why)| {
        view! { <span class="why break" id=format!("not-planned-{at}")>{why}</span> }
    });
    view! { <span class="selbar__ops">{buttons}</span>{reasons.collect_view()} }.into_any()
}
