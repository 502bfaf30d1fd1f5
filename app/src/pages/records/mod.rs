//! Which records need a person? A keyset list, newest first, whose filters stand in the URL.

mod filter;
mod list;
mod select;

pub(crate) use list::{key_link, oldest};

use crate::context::PageContext;
use crate::model::{Fault, Layer, Operation, Panel, RecordsPage, RecordsPanel, RecordsQuery, Search, Status};
use crate::reads::Reads;
use crate::ui::{Icon, State, Tone, csv_button, encoded, fresh, note};
use crate::words::{self, measure, record as word};
use leptos::prelude::*;

/// Rows of one page.
const PAGE: u32 = 50;

/// The address's query, as it was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    pub status: Option<String>,
    pub r#type: Option<String>,
    /// Searches: what stood there before, and what was added. A later one replaces what an earlier one says.
    pub q: Vec<String>,
    pub cursor: Option<String>,
    /// A form was sent whose box was left empty.
    pub has_blank: bool,
}

impl Query {
    /// From the parameters of an address; those of other pages are passed over.
    #[must_use]
    pub fn of(parameters: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut query = Self::default();
        for (name, value) in parameters {
            let value = value.trim();
            match name.as_str() {
                "q" => {
                    query.has_blank |= value.is_empty();
                    query.q.extend((!value.is_empty()).then(|| value.to_owned()));
                }
                _ if value.is_empty() => {}
                "status" => query.status = Some(value.to_owned()),
                "type" => query.r#type = Some(value.to_owned()),
                "cursor" => query.cursor = Some(value.to_owned()),
                _ => {}
            }
        }
        query
    }

    /// Just as [`address`] says it.
    fn says_shortly(&self, search: &Search) -> bool {
        let q: Vec<&str> = self.q.iter().map(String::as_str).collect();
        !self.has_blank
            && self.status.as_deref() == search.status.map(Status::as_str)
            && self.r#type.as_deref() == plain_type(search)
            && q == beside(search).iter().map(String::as_str).collect::<Vec<_>>()
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    pub source: String,
    pub query: RecordsQuery,
    /// What was typed and cannot be read; it stays in the box. The list is its fault.
    pub typed: Option<String>,
    /// What the collector knows: counts beside the filters.
    pub panel: Panel<RecordsPanel>,
    /// The list itself, read for this page. Its fault is shown in its place, and the rest of the page stays.
    pub list: Result<RecordsPage, Fault>,
    /// What may be done to its rows, or why not.
    pub operations: Vec<Operation>,
}

impl Data {
    /// The page is one of status 400.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.typed.is_some()
    }

    fn search(&self) -> Search {
        let RecordsQuery { status, r#type, filter, .. } = self.query.clone();
        Search { status, r#type, filter }
    }
}

/// `Err`: to that address, which says the same in short, so that one list has one address.
pub async fn load(reads: &dyn Reads, source: &str, query: &Query) -> Result<Result<Data, String>, Fault> {
    let (search, refused) = parse(query)?;
    if refused.is_none() && query.cursor.is_none() && !query.says_shortly(&search) {
        return Ok(Err(address(source, &search)));
    }
    let panel = reads.standing(source).await?.records;
    let operations = reads.operable(source).await?;
    let query = RecordsQuery { cursor: query.cursor.clone(), ..search.query(PAGE) };
    let (typed, list) = match refused {
        Some((typed, fault)) => (Some(typed), Err(fault)),
        None => match reads.records(source, &query).await {
            Err(fault @ (Fault::NoSource { .. } | Fault::BadInput { .. })) => return Err(fault),
            list => (None, list),
        },
    };
    Ok(Ok(Data { source: source.to_owned(), query, typed, panel, list, operations }))
}

/// The search, and what of it cannot be read.
fn parse(query: &Query) -> Result<(Search, Option<(String, Fault)>), Fault> {
    let status = query.status.as_ref().map(|word| {
        let bad =
            || Fault::BadInput { what: "status".into(), detail: format!("{word:?} is none of {}", known_statuses()) };
        Status::parse(word).ok_or_else(bad)
    });
    let mut search = Search { status: status.transpose()?, r#type: query.r#type.clone(), ..Search::default() };
    for text in &query.q {
        match Search::parse(text) {
            Ok(later) => search = search.replaced_by(later),
            Err(fault) => return Ok((search, Some((text.clone(), fault)))),
        }
    }
    Ok((search, None))
}

fn known_statuses() -> String {
    Status::ALL.map(Status::as_str).join(", ")
}

#[must_use]
pub fn title(ctx: &PageContext, data: &Data) -> String {
    let lang = ctx.viewer.lang;
    match data.query.status {
        Some(status) => format!("{} · {}", word::records(lang), words::status(lang, status)),
        None => word::records(lang).into(),
    }
}

#[must_use]
pub fn view(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    let strategy = data.panel.body.as_ref().map(|body| {
        view! { <p class="page__sub">{word::read_by(lang, words::strategy(lang, body.strategy))}</p> }
    });
    // What cannot be listed cannot be written down either.
    let csv = data.list.is_ok().then(|| {
        let path = format!("/api/sources/{}/records.csv", data.source);
        csv_button(word::records(lang), format!("{path}{}", query(&data.search())))
    });
    view! {
        <header class="page__head">
            <h1>{word::records(lang)}</h1>
            {strategy}
            <div class="row">{fresh(&ctx.clock(), &data.panel)}{csv}</div>
        </header>
        {filter::view(ctx, data)}
        {first_pass(ctx, data)}
        {list::view(ctx, data)}
    }
    .into_any()
}

/// Until the first pass has ended, counts and open records are only what was walked.
fn first_pass(ctx: &PageContext, data: &Data) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    let pass = data.panel.body.as_ref()?.pass.as_ref().filter(|pass| pass.complete_as_of.is_none())?;
    let walked = measure::grouped(pass.walked);
    let far = match pass.estimated {
        Some(estimated) => word::first_pass_of(lang, walked, measure::grouped(estimated)),
        None => word::first_pass_walked(lang, walked),
    };
    let title = words::overview::sentence(lang, word::first_pass(lang));
    Some(note(Tone::Busy, Icon::Scan, title, words::join(lang, &[&far, word::first_pass_why(lang)])))
}

/// The address of a list; its first page. Status and type have parameters of their own, as everywhere.
fn address(source: &str, search: &Search) -> String {
    format!("/s/{source}/records{}", query(search))
}

/// With its question mark, where there is anything to ask.
fn query(search: &Search) -> String {
    let mut parts = Vec::new();
    if let Some(status) = search.status {
        parts.push(format!("status={}", status.as_str()));
    }
    if let Some(of) = plain_type(search) {
        parts.push(format!("type={}", encoded(of)));
    }
    if let Some(rest) = beside(search) {
        parts.push(format!("q={}", encoded(&rest)));
    }
    if parts.is_empty() { String::new() } else { format!("?{}", parts.join("&")) }
}

/// The type, where a parameter of its own can say it: space around one is not read.
fn plain_type(search: &Search) -> Option<&str> {
    search.r#type.as_deref().filter(|of| !of.is_empty() && of.trim() == *of)
}

/// What a search says that has no parameter of its own.
fn beside(search: &Search) -> Option<String> {
    let odd_type = search.r#type.clone().filter(|_| plain_type(search).is_none());
    let rest = Search { status: None, r#type: odd_type, filter: search.filter.clone() };
    (rest != Search::default()).then(|| rest.to_string())
}

/// The same list from another row on.
fn page_from(data: &Data, cursor: &str) -> String {
    let first = address(&data.source, &data.search());
    format!("{first}{}cursor={}", if first.contains('?') { '&' } else { '?' }, encoded(cursor))
}

/// The list could not be read; nothing is known of what it would show.
fn not_read(ctx: &PageContext, fault: &Fault) -> State {
    let lang = ctx.viewer.lang;
    if let Fault::BadSearch { .. } = fault {
        return State::new(Tone::Warn, Icon::Warn, word::search_bad(lang))
            .line(words::overview::sentence(lang, words::fault(lang, fault)))
            .line(word::search_bad_why(lang));
    }
    State::new(Tone::Crit, Icon::Off, words::state::cannot_be_read(lang, words::layer_subject(lang, Layer::Records)))
        .line(words::overview::sentence(lang, words::fault(lang, fault)))
        .line(words::state::in_this_panel(lang))
        .way(ctx.url.clone(), words::state::try_again(lang))
}
