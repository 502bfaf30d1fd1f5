//! Which records need a person? A keyset list, newest first, whose filters stand in the URL.

mod filter;
mod list;

pub(crate) use list::{key_link, oldest};

use crate::context::PageContext;
use crate::model::{Fault, Layer, Panel, RecordsPage, RecordsPanel, RecordsQuery, Status};
use crate::reads::Reads;
use crate::ui::{Icon, State, Tone, encoded, fresh, note};
use crate::words::{self, measure, record as word};
use leptos::prelude::*;

/// Rows of one page.
const PAGE: u32 = 50;

#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
pub struct Query {
    #[serde(default)]
    pub status: Option<String>,
    #[serde(default)]
    pub r#type: Option<String>,
    #[serde(default)]
    pub cursor: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    pub source: String,
    pub query: RecordsQuery,
    /// What the collector knows: counts beside the filters.
    pub panel: Panel<RecordsPanel>,
    /// The list itself, read for this page. Its fault is shown in its place, and the rest of the page stays.
    pub list: Result<RecordsPage, Fault>,
}

pub async fn load(reads: &dyn Reads, source: &str, query: &Query) -> Result<Data, Fault> {
    let query = parse(query)?;
    let panel = reads.overview(source).await?.records;
    let list = match reads.records(source, &query).await {
        Err(fault @ (Fault::NoSource { .. } | Fault::BadInput { .. })) => return Err(fault),
        list => list,
    };
    Ok(Data { source: source.to_owned(), query, panel, list })
}

fn parse(query: &Query) -> Result<RecordsQuery, Fault> {
    let given =
        |text: &Option<String>| text.as_ref().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let status = given(&query.status).map(|word| {
        let bad =
            || Fault::BadInput { what: "status".into(), detail: format!("{word:?} is none of {}", known_statuses()) };
        Status::parse(&word).ok_or_else(bad)
    });
    Ok(RecordsQuery {
        status: status.transpose()?,
        r#type: given(&query.r#type),
        cursor: given(&query.cursor),
        limit: PAGE,
    })
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
    view! {
        <header class="page__head">
            <h1>{word::records(lang)}</h1>
            {strategy}
            <div class="row">{fresh(&ctx.clock(), &data.panel)}</div>
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

/// The address of this list with other filters; its first page.
fn address(data: &Data, status: Option<Status>, r#type: Option<&str>) -> String {
    let mut parts = Vec::new();
    if let Some(status) = status {
        parts.push(format!("status={}", status.as_str()));
    }
    if let Some(of) = r#type {
        parts.push(format!("type={}", encoded(of)));
    }
    let query = if parts.is_empty() { String::new() } else { format!("?{}", parts.join("&")) };
    format!("/s/{}/records{query}", data.source)
}

/// The same list from another row on.
fn page_from(data: &Data, cursor: &str) -> String {
    let first = address(data, data.query.status, data.query.r#type.as_deref());
    format!("{first}{}cursor={}", if first.contains('?') { '&' } else { '?' }, encoded(cursor))
}

/// The list could not be read; nothing is known of what it would show.
fn not_read(ctx: &PageContext, fault: &Fault) -> State {
    let lang = ctx.viewer.lang;
    State::new(Tone::Crit, Icon::Off, words::state::cannot_be_read(lang, words::layer_subject(lang, Layer::Records)))
        .line(words::overview::sentence(lang, words::fault(lang, fault)))
        .line(words::state::in_this_panel(lang))
        .way(ctx.url.clone(), words::state::try_again(lang))
}
