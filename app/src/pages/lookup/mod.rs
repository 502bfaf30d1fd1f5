//! What happened to this message, is it lost, and what may safely be done? One key in all three layers, the answer on top.
//! A record's own page is the look-up of its key.

mod alike;
mod clock;
mod layers;
mod operate;
mod story;
mod verdict;

pub(crate) use verdict::verdict_look;

use crate::context::PageContext;
use crate::model::{Beside, Fault, Lookup, RecordRef};
use crate::reads::Reads;
use crate::ui::{Icon, State, Tone, copy_button, cut, encoded, small_icon};
use crate::words::{entry, frame, lookup as word, record, state};
use leptos::prelude::*;

#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
pub struct Query {
    #[serde(default)]
    pub r#type: Option<String>,
    #[serde(default)]
    pub key: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    pub source: String,
    pub found: Found,
    pub beside: Beside,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// No key was given.
    NotAsked,
    /// The row that the address names is no longer there.
    Gone,
    Key(Box<Lookup>),
}

impl Data {
    async fn of(reads: &dyn Reads, source: &str, found: Found) -> Result<Self, Fault> {
        let beside = match &found {
            Found::Key(lookup) => reads.beside(source, lookup).await?,
            Found::NotAsked | Found::Gone => Beside::default(),
        };
        Ok(Self { source: source.to_owned(), found, beside })
    }

    /// The page is one of status 404.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        matches!(self.found, Found::Gone)
    }
}

/// Of `/lookup`. Space around a pasted key is not part of it.
pub async fn load(reads: &dyn Reads, source: &str, query: &Query) -> Result<Data, Fault> {
    let given =
        |text: &Option<String>| text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let found = match given(&query.key) {
        None => Found::NotAsked,
        Some(key) => Found::Key(Box::new(reads.lookup(source, given(&query.r#type).as_deref(), &key).await?)),
    };
    Data::of(reads, source, found).await
}

/// Of `/records/{ref}`.
pub async fn load_record(reads: &dyn Reads, source: &str, reference: &RecordRef) -> Result<Data, Fault> {
    let found = match reads.record(source, reference).await? {
        Some(lookup) => Found::Key(Box::new(lookup)),
        None => Found::Gone,
    };
    Data::of(reads, source, found).await
}

/// Characters of a key in a title.
const TITLE: usize = 80;

#[must_use]
pub fn title(ctx: &PageContext, data: &Data) -> String {
    let lang = ctx.viewer.lang;
    match &data.found {
        Found::NotAsked => word::look_up(lang).into(),
        Found::Gone => entry::record_gone(lang).into(),
        Found::Key(lookup) => cut(key(lookup).unwrap_or_else(|| record::no_key(lang)), TITLE),
    }
}

#[must_use]
pub fn view(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    match &data.found {
        Found::NotAsked => ask(ctx, data),
        Found::Gone => {
            let state = State::new(Tone::Mute, Icon::Search, entry::record_gone(lang))
                .line(entry::record_gone_why(lang))
                .way(format!("/s/{}/records", data.source), word::to_records(lang));
            view! { {head(ctx, data, None)}<section class="panel">{state.view()}</section> }.into_any()
        }
        Found::Key(lookup) => view! {
            {head(ctx, data, Some(lookup))}
            {verdict::view(ctx, data, lookup)}
            {layers::view(ctx, lookup)}
            {below(ctx, data, lookup)}
            {layers::all_records(ctx, data, lookup)}
        }
        .into_any(),
    }
}

/// What has no beginning has no clock, and what is alone has nobody beside it.
fn below(ctx: &PageContext, data: &Data, lookup: &Lookup) -> AnyView {
    let story = [clock::view(ctx, data, lookup), story::view(ctx, data, lookup)];
    match alike::view(ctx, data, lookup) {
        Some(alike) => view! { <div class="split"><div class="stack">{story}</div>{alike}</div> }.into_any(),
        None => view! { <div class="stack">{story}</div> }.into_any(),
    }
}

/// A table of the look-up as CSV.
fn csv(data: &Data, lookup: &Lookup, table: &str) -> String {
    // Records of several types were found without one.
    let one = lookup.records.iter().all(|row| row.record.r#type == lookup.r#type);
    let r#type = lookup.r#type.as_deref().filter(|_| one);
    let of = r#type.map(|of| format!("&type={}", encoded(of))).unwrap_or_default();
    format!("/api/sources/{}/lookup.csv?table={table}&key={}{of}", data.source, encoded(&lookup.key))
}

/// `None`: the row has no business key.
fn key(lookup: &Lookup) -> Option<&str> {
    (!lookup.key.is_empty()).then_some(&lookup.key)
}

fn head(ctx: &PageContext, data: &Data, lookup: Option<&Lookup>) -> AnyView {
    let lang = ctx.viewer.lang;
    let of_type = lookup.and_then(|lookup| lookup.r#type.as_deref()).map(|of| {
        let href = format!("/s/{}/records?type={}", data.source, encoded(of));
        view! { <span aria-hidden="true">"/"</span><a class="break" href=href>{cut(of, TITLE)}</a> }
    });
    let read = lookup.map(|_| {
        view! {
            <div class="row">
                <span class="fresh">{state::read_at(lang, ctx.clock().short(ctx.now))}</span>
                <a class="btn btn--s" href=ctx.url.clone()>{small_icon(Icon::Retry, "")}{state::read_again(lang)}</a>
            </div>
        }
    });
    let heading = match lookup.and_then(key) {
        Some(key) => {
            let copy = copy_button(lang, frame::the_key(lang), key);
            view! { <h1 class="mono break">{long_key(key)}{copy}</h1> }.into_any()
        }
        None => view! { <h1>{title(ctx, data)}</h1> }.into_any(),
    };
    view! {
        <header class="page__head">
            <div class="page__key">
                <p class="crumb"><a href=format!("/s/{}/records", data.source)>{record::records(lang)}</a>{of_type}</p>
                {heading}
            </div>
            {read}
        </header>
    }
    .into_any()
}

/// A key of kilobytes is cut; the whole of it is in the copy button and in the lock's key below.
fn long_key(key: &str) -> AnyView {
    /// Characters of a key that a heading can bear.
    const SHOWN: usize = 512;
    view! { <bdi>{cut(key, SHOWN)}</bdi> }.into_any()
}

fn ask(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    view! {
        <header class="page__head"><h1>{word::look_up(lang)}</h1></header>
        <form class="panel lookup-form" role="search" action=format!("/s/{}/lookup", data.source) aria-label=word::look_up(lang)>
            <p class="t2 s13">{word::ask_why(lang)}</p>
            <div class="fields">
                <div class="field">
                    <label for="key">{record::key(lang)}</label>
                    <input class="input" id="key" name="key" required autocomplete="off" spellcheck="false" maxlength="4096"/>
                </div>
                <div class="field">
                    <label for="type">{record::r#type(lang)}</label>
                    <input class="input" id="type" name="type" autocomplete="off" spellcheck="false" maxlength="512" aria-describedby="type-help"/>
                    <span class="field__help" id="type-help">{word::type_help(lang)}</span>
                </div>
            </div>
            <div class="row"><button class="btn btn--main" type="submit">{word::look_up(lang)}</button></div>
        </form>
    }
    .into_any()
}
