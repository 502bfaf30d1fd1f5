//! What needs a look first, sorted by danger, or page after page of one state; a lock that may be released has its form
//! in its row.

use super::{Data, Release, csv, release_form};
use crate::context::PageContext;
use crate::model::{Lock, LockRow, LockState, LocksFilter, LocksPanel, LocksQuery, Panel, Role, TtlFit, WhyNot};
use crate::ui::{Icon, State, Tone, csv_link, cut, encoded, lock_pill, small_icon, status_pill};
use crate::words::{self, lock as word, measure};
use leptos::prelude::*;

/// Characters of a foreign text in one cell.
const CELL: usize = 56;

pub(super) fn view(ctx: &PageContext, data: &Data, panel: &Panel<LocksPanel>, body: &LocksPanel) -> AnyView {
    let lang = ctx.viewer.lang;
    let filter = &data.query.filter;
    let all: u64 = LockState::LISTED.into_iter().filter_map(|state| body.count(state)).map(|count| count.value).sum();
    let content = if !body.rows.is_empty() {
        table(ctx, data, body)
    } else if all == 0 || *filter == LocksFilter::default() {
        State::new(Tone::Ok, Icon::Ok, word::none_of_them(lang)).line(word::none_of_them_why(lang)).view()
    } else {
        State::new(Tone::Mute, Icon::Search, word::none_match(lang)).line(word::none_match_why(lang)).view()
    };
    let done = word::done_markers(lang, words::count(lang, body.done));
    let said = words::join(lang, &[word::coverage(lang), &done]);
    let csv = csv_link(word::first_look(lang), csv(data, "rows"));
    // Script counts the rows that come after those of the first page.
    let (newer, version, most) = if data.query.after.is_none() {
        (Some("locks"), Some(panel.version), Some(LocksQuery::MOST))
    } else {
        (None, None, None)
    };
    let state = filter.state.map(LockState::as_str);
    view! {
        <section class="panel panel--flush" data-newer=newer data-version=version data-most=most
            data-state=state data-type=filter.r#type.clone() data-text=filter.text.clone()>
            <header class="panel__head"><h2>{word::first_look(lang)}</h2><span class="t3 s12">{word::by_danger(lang)}</span>{csv}</header>
            {content}
            <footer class="panel__foot"><span>{said}</span>{ways_on(ctx, data, body)}</footer>
        </section>
    }
    .into_any()
}

/// Of one state: its next page, and back to its first. Of all: to those states of which there are more than are shown.
fn ways_on(ctx: &PageContext, data: &Data, body: &LocksPanel) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    let filter = &data.query.filter;
    let link = |href: String, content: AnyView| view! { <a class="btn btn--s" href=href>{content}</a> }.into_any();
    let ways: Vec<AnyView> = match filter.state {
        Some(_) => {
            let first = super::address(&data.source, filter);
            let next = body.next.as_ref().map(|next| {
                let href = format!("{first}&after={}", encoded(next));
                link(href, view! { {word::next(lang)}{small_icon(Icon::Next, "")} }.into_any())
            });
            let back = data.query.after.is_some().then(|| {
                link(first.clone(), view! { {small_icon(Icon::Prev, "")}{word::first_page(lang)} }.into_any())
            });
            back.into_iter().chain(next).collect()
        }
        // Counts are of all locks, so beside another filter they would lie.
        None if filter.r#type.is_some() || filter.text.is_some() => Vec::new(),
        None => LockState::LISTED
            .into_iter()
            .filter_map(|state| Some((state, body.count(state)?)))
            .filter(|(state, count)| {
                count.value > body.rows.iter().filter(|row| row.lock.state == *state).count() as u64
            })
            .map(|(state, count)| {
                let of_state = LocksFilter { state: Some(state), ..LocksFilter::default() };
                let text = word::see_all(lang, words::count(lang, count), words::lock_state(lang, state));
                link(super::address(&data.source, &of_state), text.into_any())
            })
            .collect(),
    };
    let label = word::more_pages(lang);
    (!ways.is_empty()).then(|| view! { <nav class="row" aria-label=label>{ways}</nav> }.into_any())
}

fn table(ctx: &PageContext, data: &Data, body: &LocksPanel) -> AnyView {
    let lang = ctx.viewer.lang;
    let lines = body.rows.iter().enumerate().map(|(at, row)| line(ctx, data, body, row, at)).collect_view();
    view! {
        <div class="tablebox">
            <table class="table table--cards">
                <thead>
                    <tr>
                        <th scope="col">{word::type_and_key(lang)}</th>
                        <th scope="col">{word::state(lang)}</th>
                        <th scope="col" class="num">{word::left(lang)}</th>
                        <th scope="col" class="optional">{word::of_ttl(lang)}</th>
                        <th scope="col" class="optional">{word::owner(lang)}</th>
                        <th scope="col" class="optional-2">{word::record(lang)}</th>
                        <th scope="col" class="optional">{word::why(lang)}</th>
                        <th scope="col">{word::action(lang)}</th>
                    </tr>
                </thead>
                <tbody>{lines}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn line(ctx: &PageContext, data: &Data, body: &LocksPanel, row: &LockRow, at: usize) -> AnyView {
    let lang = ctx.viewer.lang;
    let record = match row.record_status {
        Some(status) => status_pill(lang, status),
        None => view! { <span class="t3 s12">{word::no_record(lang)}</span> }.into_any(),
    };
    let owner = match (&row.lock.owner, row.count) {
        (Some(owner), _) => crate::ui::cut_text(owner, CELL),
        (None, Some(count)) => view! { <span class="t3">{word::counted(lang, count)}</span> }.into_any(),
        (None, None) if row.not_releasable == Some(WhyNot::NoOwner) => {
            view! { <span class="t3">{word::no_owner_here(lang)}</span> }.into_any()
        }
        (None, None) => ().into_any(),
    };
    let fit = body.fits.iter().find(|fit| fit.r#type == row.r#type);
    view! {
        <tr data-row=row.name()>
            <td class="lead key clip"><a href=address(data, row)>{name(row)}</a></td>
            <td class="aside">{lock_pill(lang, row.lock.state)}</td>
            <td class="num nowrap mono s12" data-h=word::left(lang)>{left(ctx, &row.lock)}</td>
            <td class="optional">{gauge(row, body.ttl_ms)}</td>
            <td class="optional mono s12 t2 clip">{owner}</td>
            <td class="optional-2" data-h=word::record(lang)>{record}</td>
            <td class="optional t2 s12">{why(ctx, row, fit)}</td>
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

/// What is left of the configured TTL; nothing where there is no end to measure.
fn gauge(row: &LockRow, ttl_ms: Option<u64>) -> Option<AnyView> {
    let ttl = ttl_ms.filter(|ttl| *ttl > 0)?;
    let left = match (row.lock.state, row.lock.ttl_ms) {
        (LockState::Unprotected, _) => 0,
        (_, left) => u64::try_from(left?).ok()?,
    };
    let fill = match row.lock.state {
        LockState::Held => "f-busy",
        LockState::Expiring => "f-warn",
        _ => "f-mute",
    };
    let percent = (left.saturating_mul(100) / ttl).min(100).to_string();
    Some(
        view! {
            <svg class="gauge" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
                <rect class="track" width="100" height="6"></rect>
                <rect class=fill x="0" width=percent height="6"></rect>
            </svg>
        }
        .into_any(),
    )
}

fn why(ctx: &PageContext, row: &LockRow, fit: Option<&TtlFit>) -> String {
    let lang = ctx.viewer.lang;
    match (row.lock.state, row.lock.ttl_ms) {
        (LockState::Eternal, _) if row.record_status.is_none() => word::why_no_record(lang).into(),
        (LockState::Eternal, _) => word::why_no_ttl(lang).into(),
        (LockState::Unprotected, _) => word::why_gone(lang).into(),
        (LockState::Orphan, Some(ms)) => word::why_goes(lang, measure::duration(lang, ms)),
        (LockState::Expiring, _) => match fit {
            Some(fit) => word::why_short(lang, measure::limit(lang, fit.p99_ms)),
            None => word::why_fifth(lang).into(),
        },
        (LockState::Unknown, _) => word::why_other(lang).into(),
        _ => String::new(),
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
