//! Who did what to which record, did it end, is the chain whole? Newest first, grouped by days; the search stands in the URL.

mod chain;
mod entry;
mod filter;
mod items;
mod one;

pub use one::{Data as EntryData, load_entry, title as entry_title, view as entry_view};

use crate::context::PageContext;
use crate::model::{AuditEntry, AuditPage, AuditQuery, AuditSearch, Fault, Layer};
use crate::reads::Reads;
use crate::ui::{Icon, State, Tone, csv_button, encoded, small_icon, step};
use crate::words::{self, record, trail as word};
use leptos::prelude::*;

/// Operations of one page, and events that stand in each of them.
const PAGE: u32 = 30;
const EVENTS: u32 = 10;

/// The address's query, as it was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// What stood there before, and what was added.
    pub q: Vec<String>,
    pub before: Option<i64>,
    pub after: Option<i64>,
}

impl Query {
    /// From the parameters of an address; those of other pages are passed over.
    #[must_use]
    pub fn of(parameters: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut query = Self::default();
        for (name, value) in parameters {
            match name.as_str() {
                "q" => query.q.push(value.trim().to_owned()),
                "before" => query.before = value.parse().ok(),
                "after" => query.after = value.parse().ok(),
                _ => {}
            }
        }
        query
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    pub search: AuditSearch,
    /// What was typed and cannot be read; it stays in the box. The list is its fault.
    pub typed: Option<String>,
    pub page: Result<AuditPage, Fault>,
}

impl Data {
    /// The page is one of status 400.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.typed.is_some()
    }
}

/// `Err`: to that address, which says the same in short.
pub async fn load(reads: &dyn Reads, query: &Query) -> Result<Result<Data, String>, Fault> {
    let text = query.q.join(" ");
    let search = match AuditSearch::parse(&text) {
        Ok(search) => search,
        Err(fault) => {
            let typed = Some(text);
            return Ok(Ok(Data { search: AuditSearch::default(), typed, page: Err(fault) }));
        }
    };
    let short = search.to_string();
    if query.q.len() > 1 || text != short {
        return Ok(Err(address(&search)));
    }
    let asked = AuditQuery {
        search: search.clone(),
        before: query.before,
        after: query.after,
        only: None,
        limit: PAGE,
        events: EVENTS,
    };
    Ok(Ok(Data { search, typed: None, page: reads.audit(&asked).await }))
}

/// The first page of a search.
fn address(search: &AuditSearch) -> String {
    format!("/audit{}", query(search))
}

/// With its question mark, where there is anything to ask.
fn query(search: &AuditSearch) -> String {
    let text = search.to_string();
    if text.is_empty() { text } else { format!("?q={}", encoded(&text)) }
}

fn beside(search: &AuditSearch, parameter: &str, number: i64) -> String {
    let first = address(search);
    format!("{first}{}{parameter}={number}", if first.contains('?') { '&' } else { '?' })
}

#[must_use]
pub fn title(ctx: &PageContext, _: &Data) -> String {
    word::audit(ctx.viewer.lang).into()
}

#[must_use]
pub fn view(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    let page = data.page.as_ref().ok();
    let csv = page.map(|_| csv_button(word::audit(lang), format!("/api/audit.csv{}", query(&data.search))));
    let checked = page.map(|page| page.chain.as_ref());
    view! {
        <header class="page__head">
            <h1>{word::audit(lang)}</h1>
            {checked.map(|check| chain::headline(ctx, check))}
            <div class="row">{checked.map(|check| chain::button(ctx, check))}{csv}</div>
        </header>
        {page.and_then(|page| chain::unfinished(ctx, page))}
        {filter::view(ctx, data)}
        {list(ctx, data)}
    }
    .into_any()
}

fn list(ctx: &PageContext, data: &Data) -> AnyView {
    let page = match &data.page {
        Ok(page) => page,
        Err(fault) => return not_read(ctx, fault),
    };
    if page.items.is_empty() {
        let state = nothing(ctx, data).view();
        return view! { <section class="panel">{state}{foot(ctx, data, page)}</section> }.into_any();
    }
    let days: Vec<&[AuditEntry]> = page.items.chunk_by(|one, other| day(ctx, one) == day(ctx, other)).collect();
    let last = days.len() - 1;
    let is_alone = page.items.len() == 1;
    let days = days.into_iter().enumerate().map(|(at, entries)| {
        let heading = entries.first().map(|first| day_named(ctx, first));
        let columns = (at == 0).then(|| view! { <span class="end t3 s12">{word::columns(ctx.viewer.lang)}</span> });
        let entries = entries.iter().map(|entry| entry::view(ctx, entry, is_alone)).collect_view();
        view! {
            <section class="panel panel--flush">
                <header class="panel__head">
                    <h2>{heading}</h2>
                    <span class="t3 s12">{word::newest_first(ctx.viewer.lang, ctx.clock().zone_offset())}</span>
                    {columns}
                </header>
                {entries}
                {(at == last).then(|| foot(ctx, data, page))}
            </section>
        }
    });
    days.collect_view().into_any()
}

fn day(ctx: &PageContext, entry: &AuditEntry) -> chrono::NaiveDate {
    ctx.zone.local(entry.begun_at).date_naive()
}

fn day_named(ctx: &PageContext, entry: &AuditEntry) -> String {
    let (day, today) = (day(ctx, entry), ctx.zone.local(ctx.now).date_naive());
    let lang = ctx.viewer.lang;
    let date = day.format("%Y-%m-%d");
    match (today - day).num_days() {
        0 => format!("{} {date}", word::today(lang)),
        1 => format!("{} {date}", word::yesterday(lang)),
        _ => date.to_string(),
    }
}

fn nothing(ctx: &PageContext, data: &Data) -> State {
    let lang = ctx.viewer.lang;
    if data.search == AuditSearch::default() {
        return State::new(Tone::Mute, Icon::Audit, word::nothing_yet(lang)).line(word::nothing_yet_why(lang));
    }
    State::new(Tone::Mute, Icon::Search, word::nothing(lang)).way("/audit", word::drop_search(lang))
}

fn foot(ctx: &PageContext, data: &Data, page: &AuditPage) -> AnyView {
    let lang = ctx.viewer.lang;
    let newer = page.newer.map(|number| beside(&data.search, "after", number));
    let older = page.next.map(|number| beside(&data.search, "before", number));
    // Fewer than a page, and yet more behind it: so far was looked.
    let looked_on = page.next.is_some() && page.items.len() < PAGE as usize;
    let newest = ("newest", record::newest(lang));
    let oldest = ("oldest", record::oldest(lang));
    view! {
        <footer class="panel__foot">
            <span>{word::foot(lang, page.items.len(), looked_on)}</span>
            <nav class="row" aria-label=record::pages(lang)>
                {step(newer, view! { {small_icon(Icon::Prev, "")}{record::newer(lang)} }.into_any(), newest)}
                {step(older, view! { {record::older(lang)}{small_icon(Icon::Next, "")} }.into_any(), oldest)}
            </nav>
        </footer>
    }
    .into_any()
}

fn not_read(ctx: &PageContext, fault: &Fault) -> AnyView {
    let lang = ctx.viewer.lang;
    let says = words::overview::sentence(lang, words::fault(lang, fault));
    if let Fault::BadSearch { .. } = fault {
        let state = State::new(Tone::Warn, Icon::Warn, record::search_bad(lang)).line(says);
        return view! { <section class="panel"><div id="search-bad" role="alert">{state.view()}</div></section> }
            .into_any();
    }
    let title = words::state::cannot_be_read(lang, words::layer_subject(lang, Layer::State));
    let state = State::new(Tone::Crit, Icon::Off, title).line(says).way(ctx.url.clone(), words::state::try_again(lang));
    view! { <section class="panel">{state.view()}</section> }.into_any()
}
