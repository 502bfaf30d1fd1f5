//! What needs a look first, sorted by danger; a lock that may be released has its form in its row.

use super::{Data, Release, release_form};
use crate::context::PageContext;
use crate::model::{Lock, LockRow, LockState, LocksPanel, Role, WhyNot};
use crate::ui::{Icon, State, Tone, cut, encoded, lock_pill, status_pill};
use crate::words::{self, lock as word, measure};
use leptos::prelude::*;

/// Characters of a foreign text in one cell.
const CELL: usize = 56;

pub(super) fn view(ctx: &PageContext, data: &Data, body: &LocksPanel) -> AnyView {
    let lang = ctx.viewer.lang;
    let content = if body.rows.is_empty() {
        State::new(Tone::Ok, Icon::Ok, word::none_of_them(lang)).line(word::none_of_them_why(lang)).view()
    } else {
        table(ctx, data, &body.rows)
    };
    let done = word::done_markers(lang, words::count(lang, body.done));
    view! {
        <section class="panel panel--flush">
            <header class="panel__head"><h2>{word::first_look(lang)}</h2><span class="t3 s12">{word::by_danger(lang)}</span></header>
            {content}
            <footer class="panel__foot"><span>{words::join(lang, &[word::coverage(lang), &done])}</span></footer>
        </section>
    }
    .into_any()
}

fn table(ctx: &PageContext, data: &Data, rows: &[LockRow]) -> AnyView {
    let lang = ctx.viewer.lang;
    let lines = rows.iter().enumerate().map(|(at, row)| line(ctx, data, row, at)).collect_view();
    view! {
        <div class="tablebox">
            <table class="table table--cards">
                <thead>
                    <tr>
                        <th scope="col">{word::type_and_key(lang)}</th>
                        <th scope="col">{word::state(lang)}</th>
                        <th scope="col" class="num">{word::left(lang)}</th>
                        <th scope="col" class="optional">{word::owner(lang)}</th>
                        <th scope="col" class="optional-2">{word::record(lang)}</th>
                        <th scope="col">{word::action(lang)}</th>
                    </tr>
                </thead>
                <tbody>{lines}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn line(ctx: &PageContext, data: &Data, row: &LockRow, at: usize) -> AnyView {
    let lang = ctx.viewer.lang;
    let record = match row.record_status {
        Some(status) => status_pill(lang, status),
        None => view! { <span class="t3 s12">{word::no_record(lang)}</span> }.into_any(),
    };
    let owner = row.lock.owner.as_deref().map(|owner| crate::ui::cut_text(owner, CELL));
    view! {
        <tr>
            <td class="lead key clip"><a href=address(data, row)>{name(row)}</a></td>
            <td class="aside">{lock_pill(lang, row.lock.state)}</td>
            <td class="num nowrap mono s12" data-h=word::left(lang)>{left(ctx, &row.lock)}</td>
            <td class="optional mono s12 t2 clip">{owner}</td>
            <td class="optional-2" data-h=word::record(lang)>{record}</td>
            <td class="full">{action(ctx, data, row, at)}</td>
        </tr>
    }
    .into_any()
}

/// To the record where there is one, else to the look-up of its key.
fn address(data: &Data, row: &LockRow) -> String {
    match (&row.reference, &row.r#type) {
        (Some(reference), _) => format!("/s/{}/records/{reference}", data.source),
        (None, Some(of)) => format!("/s/{}/lookup?type={}&key={}", data.source, encoded(of), encoded(&row.key)),
        (None, None) => format!("/s/{}/lookup?key={}", data.source, encoded(&row.key)),
    }
}

fn name(row: &LockRow) -> AnyView {
    let whole = match &row.r#type {
        Some(of) => format!("{of}:{}", row.key),
        None => row.key.clone(),
    };
    crate::ui::cut_text(&whole, CELL)
}

fn left(ctx: &PageContext, lock: &Lock) -> String {
    let lang = ctx.viewer.lang;
    match (lock.state, lock.ttl_ms) {
        (LockState::Unprotected | LockState::None, _) => word::gone(lang).into(),
        (LockState::Unknown, _) => measure::not_known(lang).into(),
        (_, Some(ms)) => measure::duration(lang, ms),
        (_, None) => word::no_ttl(lang).into(),
    }
}

fn action(ctx: &PageContext, data: &Data, row: &LockRow, at: usize) -> AnyView {
    let lang = ctx.viewer.lang;
    let role = (ctx.viewer.role < Role::Operator).then_some(WhyNot::Role { needed: Role::Operator });
    let why = match (&row.not_releasable, &row.lock.owner) {
        (Some(why), _) => why.clone(),
        (None, None) => WhyNot::NoLock,
        (None, Some(owner)) => match role {
            Some(role) => role,
            None => {
                let release = Release {
                    source: &data.source,
                    form: at,
                    key: &row.lock.key,
                    owner,
                    of_type: row.r#type.as_deref(),
                    biz_key: &row.key,
                };
                return view! {
                    <details class="release">
                        <summary class="btn btn--s">
                            {word::release(lang)}<span class="sr">" "{cut(&row.key, CELL)}</span>
                        </summary>
                        {release_form(ctx, &release)}
                    </details>
                }
                .into_any();
            }
        },
    };
    view! { <span class="t3 s12">{words::why_not(lang, &why)}</span> }.into_any()
}
