//! The rows, or why there are none.

use super::select::{Picking, bar, hidden, picking};
use super::{Data, address, not_read, page_from, query};
use crate::context::PageContext;
use crate::model::{Fault, RecordsPage, RecordsPanel, Row, Search, Status, Window};
use crate::ui::{Icon, State, Tone, cut, cut_text, not_mapped, row_status, small_icon, step};
use crate::words::{self, measure, plan, record as word};
use leptos::prelude::*;

/// Characters of a foreign text in one cell.
const CELL: usize = 48;

pub(super) fn view(ctx: &PageContext, data: &Data) -> AnyView {
    let body = match &data.list {
        Err(fault @ Fault::BadSearch { .. }) => {
            view! { <div id="search-bad" role="alert">{not_read(ctx, fault).view()}</div> }.into_any()
        }
        Err(fault) => not_read(ctx, fault).view(),
        Ok(page) if page.items.is_empty() => empty(ctx, data, page).view(),
        Ok(page) => table(ctx, &page.items, picking(ctx, data)),
    };
    let rows = data.list.as_ref().ok().filter(|page| !page.items.is_empty());
    let bar = rows.map(|page| bar(ctx, data, page));
    let foot = data.list.as_ref().ok().map(|page| foot(ctx, data, page));
    let newer = data.list.as_ref().ok().and_then(|page| newer(data, page));
    let (version, most) = newer.is_some().then_some((data.panel.version, super::PAGE)).unzip();
    let label = word::list(ctx.viewer.lang);
    match rows.filter(|_| picking(ctx, data) == Picking::Rows) {
        Some(page) => view! {
            <form class="panel" aria-label=label data-newer=newer data-version=version data-most=most
                method="post" action=format!("/s/{}/operations", data.source) data-select="">
                {hidden(ctx, data, page)}
                {bar}
                {body}
                {foot}
            </form>
        }
        .into_any(),
        None => view! {
            <section class="panel" aria-label=label data-newer=newer data-version=version data-most=most>
                {bar}
                {body}
                {foot}
            </section>
        }
        .into_any(),
    }
}

/// Where script asks for the first page again, to tell how many rows came. `None`: it is not the first one, or asking for
/// it again and again would cost too much because no index serves it.
fn newer(data: &Data, page: &RecordsPage) -> Option<String> {
    let is_cheap = matches!(page.window, Window::All | Window::OpenSet);
    let search = query(&data.search());
    let between = if search.is_empty() { '?' } else { '&' };
    (is_cheap && data.query.cursor.is_none())
        .then(|| format!("/api/sources/{}/records{search}{between}limit={}", data.source, super::PAGE))
}

/// Columns that no row fills are left out: what the table does not have is not shown as empty.
#[derive(Clone, Copy)]
struct Columns {
    attempts: bool,
    owner: bool,
    error: bool,
}

fn table(ctx: &PageContext, rows: &[Row], picking: Picking) -> AnyView {
    let lang = ctx.viewer.lang;
    let columns = Columns {
        attempts: rows.iter().any(|row| row.record.attempts.is_some()),
        owner: rows.iter().any(|row| row.record.owner.is_some()),
        error: rows.iter().any(|row| row.record.error.is_some()),
    };
    let lines = rows.iter().map(|row| line(ctx, row, columns, picking)).collect_view();
    // Without script the bar's words say it.
    let pick = (picking == Picking::Rows).then(|| {
        let all = plan::pick_page(lang);
        view! {
            <th scope="col" class="pick">
                <span class="sr">{plan::picked(lang)}</span>
                <label hidden data-pick-page=""><input class="check" type="checkbox" aria-label=all/></label>
            </th>
        }
    });
    view! {
        <div class="tablebox">
            <table class="table table--cards">
                <thead>
                    <tr>
                        {pick}
                        <th scope="col">{word::key(lang)}</th>
                        <th scope="col">{word::status_head(lang)}</th>
                        <th scope="col" class="optional-2">{word::r#type(lang)}</th>
                        <th scope="col" class="num">{word::in_state(lang)}</th>
                        <th scope="col" class="optional">{word::updated(lang)}</th>
                        {columns.attempts.then(|| view! { <th scope="col" class="num">{word::attempts(lang)}</th> })}
                        {columns.owner.then(|| view! { <th scope="col" class="optional">{word::owner(lang)}</th> })}
                        {columns.error.then(|| view! { <th scope="col" class="optional-2">{word::error(lang)}</th> })}
                    </tr>
                </thead>
                <tbody>{lines}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn line(ctx: &PageContext, row: &Row, columns: Columns, picking: Picking) -> AnyView {
    let lang = ctx.viewer.lang;
    let clock = ctx.clock();
    let record = &row.record;
    let since = record.since();
    let updated = record.updated_at.map(|at| clock.at(at));
    let attempts = columns.attempts.then(|| {
        let class = if record.attempts.unwrap_or_default() == 0 { "num nowrap zero" } else { "num nowrap" };
        let attempts = record.attempts.map(|attempts| attempts.to_string());
        view! { <td class=class data-h=word::attempts(lang)>{attempts}</td> }
    });
    let owner = columns.owner.then(|| {
        let owner = record.owner.as_deref().map(|owner| cut_text(owner, CELL));
        view! { <td class="optional mono s12 t2 clip">{owner}</td> }
    });
    let error = columns.error.then(|| {
        let error = record.error.as_deref().map(|error| cut_text(error, CELL));
        view! { <td class="s12 t2 clip rest full optional-2">{error}</td> }
    });
    let pick = (picking == Picking::Rows).then(|| {
        let label = plan::pick_row(lang, cut(record.key.as_deref().unwrap_or_else(|| word::no_key(lang)), CELL));
        view! {
            <td class="pick">
                <label><input class="check" type="checkbox" name="ref" value=row.reference.to_string() aria-label=label autocomplete="off"/></label>
            </td>
        }
    });
    view! {
        <tr data-row=row.reference.to_string()>
            {pick}
            <td class="lead key clip">{key_link(ctx, row)}</td>
            <td class="aside nowrap">{row_status(lang, row)}</td>
            <td class="s12 optional-2 clip">{type_text(ctx, row)}</td>
            <td class="num nowrap aside" data-h=word::in_state(lang)>{since.map(|at| clock.age(at))}</td>
            <td class="optional nowrap t3">{updated}</td>
            {attempts}
            {owner}
            {error}
        </tr>
    }
    .into_any()
}

pub(crate) fn key_link(ctx: &PageContext, row: &Row) -> AnyView {
    let href = format!("/s/{}/records/{}", row.record.source, row.reference);
    let key = match &row.record.key {
        Some(key) => cut_text(key, CELL),
        None => view! { <span class="t3">{word::no_key(ctx.viewer.lang)}</span> }.into_any(),
    };
    view! { <a href=href>{key}</a> }.into_any()
}

fn type_text(ctx: &PageContext, row: &Row) -> AnyView {
    match &row.record.r#type {
        Some(of) => cut_text(of, CELL),
        None => view! { <span class="t3">{word::no_type(ctx.viewer.lang)}</span> }.into_any(),
    }
}

/// Why nothing is shown: there is none, there can be none, or not far enough was read.
fn empty(ctx: &PageContext, data: &Data, page: &RecordsPage) -> State {
    let lang = ctx.viewer.lang;
    if let (Some(status), Some(panel)) = (data.query.status, &data.panel.body)
        && !mapped(panel, status)
    {
        return not_mapped(lang, status);
    }
    if let Window::OnePage { rows } = &page.window {
        return State::new(Tone::Mute, Icon::Search, word::outside(lang, measure::grouped(*rows)))
            .line(word::window_one_page(lang, measure::grouped(*rows)))
            .way(address(&data.source, &Search::default()), word::drop_filter(lang));
    }
    if let (Window::Examined { rows, .. }, Some(next)) = (&page.window, &page.next) {
        return State::new(Tone::Mute, Icon::Search, word::outside(lang, measure::grouped(*rows)))
            .line(word::outside_why(lang))
            .way(page_from(data, next), word::read_on(lang));
    }
    let all = address(&data.source, &Search::default());
    let search = data.search();
    let state = match (&data.query.r#type, data.query.status) {
        _ if !search.filter.is_empty() => {
            let search = crate::ui::cut(&search.to_string(), 2 * CELL);
            State::new(Tone::Mute, Icon::Search, word::empty_search(lang, search))
        }
        (Some(of), _) => State::new(Tone::Mute, Icon::Search, word::empty_type(lang, crate::ui::cut(of, CELL))),
        (None, Some(status)) => State::new(Tone::Ok, Icon::Ok, word::empty_status(lang, words::status(lang, status))),
        (None, None) => {
            return State::new(Tone::Mute, Icon::Search, word::empty_none(lang)).line(word::empty_none_why(lang));
        }
    };
    let why = match page.window {
        Window::OpenSet => word::empty_open_why(lang),
        Window::All | Window::Examined { .. } | Window::OnePage { .. } => word::empty_match_why(lang),
    };
    state.line(why).way(all, word::drop_filter(lang))
}

fn mapped(panel: &RecordsPanel, status: Status) -> bool {
    match status {
        Status::Processing => panel.processing.is_some(),
        Status::Failed => panel.failed.is_some(),
        Status::Dead => panel.dead.is_some(),
        // Whatever no code names is unmapped, and a table without a code for completed would be of no use.
        Status::Completed | Status::Unmapped => true,
    }
}

/// How far was read, and the pages beside this one.
fn foot(ctx: &PageContext, data: &Data, page: &RecordsPage) -> AnyView {
    let lang = ctx.viewer.lang;
    let rows = word::rows(lang, u64::try_from(page.items.len()).unwrap_or(u64::MAX));
    let far = match &page.window {
        Window::All => word::window_all(lang).to_owned(),
        Window::OpenSet => words::join(lang, &[word::window_open_set(lang), &complete(ctx, data)]),
        Window::OnePage { rows } => word::window_one_page(lang, measure::grouped(*rows)),
        Window::Examined { rows, back_to: None } => word::window_examined(lang, measure::grouped(*rows)),
        Window::Examined { rows, back_to: Some(at) } => {
            word::window_examined_to(lang, measure::grouped(*rows), ctx.clock().short(*at))
        }
    };
    let rows = words::overview::sentence(lang, rows);
    let newer = page.previous.as_deref().map(|cursor| page_from(data, cursor));
    let older = page.next.as_deref().map(|cursor| page_from(data, cursor));
    view! {
        <footer class="panel__foot">
            <span>{words::join(lang, &[&rows, &far])}</span>
            <nav class="row" aria-label=word::pages(lang)>
                {step(newer, view! { {small_icon(Icon::Prev, "")}{word::newer(lang)} }.into_any(), ("newest", word::newest(lang)))}
                {step(older, view! { {word::older(lang)}{small_icon(Icon::Next, "")} }.into_any(), ("oldest", word::oldest(lang)))}
            </nav>
        </footer>
    }
    .into_any()
}

fn complete(ctx: &PageContext, data: &Data) -> String {
    let as_of = data.panel.body.as_ref().and_then(|body| body.pass.as_ref()).and_then(|pass| pass.complete_as_of);
    as_of.map(|at| word::complete_as_of(ctx.viewer.lang, ctx.clock().short(at))).unwrap_or_default()
}

/// A short list: the records that have been processing for longest.
pub(crate) fn oldest(ctx: &PageContext, rows: &[Row]) -> AnyView {
    /// More stand on the Records page.
    const SHOWN: usize = 6;
    let lang = ctx.viewer.lang;
    let clock = ctx.clock();
    let lines = rows.iter().take(SHOWN).map(|row| {
        view! {
            <tr>
                <td class="lead key clip">{key_link(ctx, row)}</td>
                <td class="s12 clip">{type_text(ctx, row)}</td>
                <td class="num nowrap aside" data-h=word::in_state(lang)>{row.record.since().map(|at| clock.age(at))}</td>
            </tr>
        }
    });
    view! {
        <div class="tablebox">
            <table class="table table--tight table--cards">
                <thead>
                    <tr>
                        <th scope="col">{word::key(lang)}</th>
                        <th scope="col">{word::r#type(lang)}</th>
                        <th scope="col" class="num">{word::in_state(lang)}</th>
                    </tr>
                </thead>
                <tbody>{lines.collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}
