//! One operation on rows: before it is confirmed its plan, from then on its run. What will happen to how many, what is left
//! out and why, can it be undone; how far is it, how well, how is it stopped.

mod confirm;
mod happens;
mod items;
mod plan;
mod run;
mod steer;
mod undo;

pub(crate) use run::{run_pill, share_bar};

use crate::context::PageContext;
use crate::model::{Fault, ItemsPage, ItemsQuery, Lang, Operated, Outcome, Plan, Run, Selected};
use crate::reads::Reads;
use crate::ui::{Icon, State, Tone, cut, encoded};
use crate::words::{self, measure, plan as word};
use leptos::prelude::*;

/// Items of one page.
const PAGE: u32 = 50;
/// Characters of a search in a heading.
const SEARCH: usize = 120;

#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    pub source: String,
    pub id: String,
    pub found: Found,
    pub items: ItemsPage,
    pub query: ItemsQuery,
    /// What was sent to confirm it, where that was refused.
    pub typed: Option<Typed>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// Its rows are being frozen.
    Planning,
    /// It could not be planned.
    Broken(Fault),
    Plan(Box<Plan>),
    Run(Box<Run>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    pub reason: String,
    pub phrase: String,
    pub wrong: Wrong,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    Reason,
    Phrase,
}

impl Data {
    /// Nothing was read of it: it is still being planned, or could not be.
    #[must_use]
    pub fn unplanned(source: &str, id: &str, fault: Option<Fault>) -> Self {
        let found = fault.map_or(Found::Planning, Found::Broken);
        let (items, query) = (ItemsPage::default(), ItemsQuery::default());
        Self { source: source.to_owned(), id: id.to_owned(), found, items, query, typed: None }
    }
}

/// From an address's `outcome` and `after`.
#[must_use]
pub fn query(outcome: Option<&str>, after: Option<i64>) -> ItemsQuery {
    ItemsQuery { outcome: outcome.and_then(Outcome::filter), after, limit: PAGE }
}

/// `Ok(None)`: the source has no such operation.
pub async fn load(reads: &dyn Reads, source: &str, id: &str, query: ItemsQuery) -> Result<Option<Data>, Fault> {
    let found = match reads.operation(source, id).await? {
        None => return Ok(None),
        Some(Operated::Planning) => return Ok(Some(Data::unplanned(source, id, None))),
        Some(Operated::Planned(plan)) => Found::Plan(plan),
        Some(Operated::Confirmed(run)) => Found::Run(run),
    };
    let wants_items = matches!(found, Found::Run(_)) || query.outcome.is_some();
    let items = if wants_items { reads.items(source, id, &query).await? } else { ItemsPage::default() };
    Ok(Some(Data { source: source.to_owned(), id: id.to_owned(), found, items, query, typed: None }))
}

#[must_use]
pub fn title(ctx: &PageContext, data: &Data) -> String {
    let lang = ctx.viewer.lang;
    match &data.found {
        Found::Planning => word::planning(lang).into(),
        Found::Broken(_) => word::broken(lang).into(),
        Found::Plan(plan) if plan.expired => word::expired(lang).into(),
        Found::Plan(plan) => plan::heading(lang, plan),
        Found::Run(run) => {
            format!("{} · {}", word::do_button(lang, run.operation, run.eligible), run::state_text(lang, run))
        }
    }
}

#[must_use]
pub fn view(ctx: &PageContext, data: &Data) -> AnyView {
    match &data.found {
        Found::Planning => waiting(ctx, data),
        Found::Broken(fault) => broken(ctx, data, fault),
        Found::Plan(plan) => plan::view(ctx, data, plan),
        Found::Run(run) => run::view(ctx, data, run),
    }
}

fn waiting(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    let state = State::new(Tone::Busy, Icon::Busy, word::planning(lang)).line(word::planning_why(lang));
    let state = state.way(address(data), words::state::read_again(lang));
    view! {
        {head(ctx, data, None, word::planning(lang).into(), None)}
        <section class="panel" id="planning" data-again="plan">{state.view()}</section>
        {without_script(2)}
    }
    .into_any()
}

fn broken(ctx: &PageContext, data: &Data, fault: &Fault) -> AnyView {
    let lang = ctx.viewer.lang;
    let state = State::new(Tone::Crit, Icon::Crit, words::overview::sentence(lang, words::fault(lang, fault)))
        .line(word::broken_why(lang))
        .way(format!("/s/{}/records", data.source), word::to_list(lang));
    view! {
        {head(ctx, data, None, word::broken(lang).into(), None)}
        <section class="panel">{state.view()}</section>
    }
    .into_any()
}

/// Script looks again by itself; a browser without one loads the page anew.
fn without_script(seconds: u8) -> AnyView {
    view! { <noscript><meta http-equiv="refresh" content=seconds.to_string()/></noscript> }.into_any()
}

fn address(data: &Data) -> String {
    address_of(&data.source, &data.id)
}

fn address_of(source: &str, id: &str) -> String {
    format!("/s/{source}/operations/{}", encoded(id))
}

/// With these items.
fn listing(data: &Data, outcome: Option<Outcome>, after: Option<i64>) -> String {
    let parts =
        [outcome.map(|outcome| format!("outcome={}", outcome.as_str())), after.map(|after| format!("after={after}"))];
    let query = parts.into_iter().flatten().collect::<Vec<_>>().join("&");
    format!("{}{}{query}", address(data), if query.is_empty() { "" } else { "?" })
}

fn head(ctx: &PageContext, data: &Data, selected: Option<&Selected>, heading: String, end: Option<AnyView>) -> AnyView {
    let lang = ctx.viewer.lang;
    let what = selected.map(|selected| {
        let text = cut(&selected_text(lang, selected), SEARCH);
        view! { <span aria-hidden="true">"/"</span><a class="mono break" href=records(&data.source, selected)>{text}</a> }
    });
    view! {
        <header class="page__head">
            <div>
                <p class="crumb"><a href=format!("/s/{}/operations", data.source)>{word::operations(lang)}</a>{what}</p>
                <h1>{heading}</h1>
            </div>
            {end}
        </header>
    }
    .into_any()
}

/// The list from which it was selected, as it is now.
fn records(source: &str, selected: &Selected) -> String {
    match selected {
        Selected::Search { q } if !q.is_empty() => format!("/s/{source}/records?q={}", encoded(q)),
        Selected::Search { .. } | Selected::Rows { .. } => format!("/s/{source}/records"),
    }
}

pub(crate) fn selected_text(lang: Lang, selected: &Selected) -> String {
    match selected {
        Selected::Rows { count, .. } => word::picked_records(lang, measure::grouped(*count)),
        Selected::Search { q } if q.is_empty() => word::every_record(lang).into(),
        Selected::Search { q } => q.clone(),
    }
}
