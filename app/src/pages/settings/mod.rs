//! How is each source read and why, what is missing and what does that hide, what to mend first?

mod capabilities;
mod problems;
mod reading;
mod signals;
mod sources;

use crate::context::PageContext;
use crate::model::{Fault, Health, Settings, SourceSettings};
use crate::reads::Reads;
use crate::ui::{Icon, State, Tone, code, pill};
use crate::words::{frame, settings as word};
use leptos::prelude::*;

pub type Data = Settings;

/// It reads nothing that can fail: what is not known is in the data.
pub async fn load(reads: &dyn Reads) -> Result<Data, Fault> {
    Ok(reads.settings().await)
}

#[must_use]
pub fn title(ctx: &PageContext, _: &Data) -> String {
    word::settings(ctx.viewer.lang).into()
}

#[must_use]
pub fn view(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    let each = data.sources.iter().map(|source| {
        view! {
            <h2 id=source.head.name.clone()>{word::how_read(lang, &source.head.name)}</h2>
            <div class="grid">{reading::view(ctx, source)}{problems::view(ctx, source)}</div>
            {capabilities::view(ctx, source)}
            <div class="grid">{capabilities::codes(ctx, source)}{signals::view(ctx, source)}{problems::ddl(ctx, source)}</div>
        }
        .into_any()
    });
    view! {
        <header class="page__head">
            <h1>{word::settings(lang)}</h1>
            {headline(ctx, data)}
        </header>
        {sources::view(ctx, data)}
        {each.collect_view()}
        {command_line(ctx, data)}
    }
    .into_any()
}

/// A table of this page as CSV; of one source, or of all.
fn csv(table: &str, source: Option<&SourceSettings>) -> String {
    let of = source.map(|source| format!("&source={}", source.head.name)).unwrap_or_default();
    format!("/api/settings.csv?table={table}{of}")
}

/// Without a source the page says so below.
fn headline(ctx: &PageContext, data: &Data) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    if data.sources.is_empty() {
        return None;
    }
    let problems: usize = data.sources.iter().map(|source| source.problems.len()).sum();
    let (tone, shape, short, sentence) = match problems {
        0 if data.sources.iter().all(all_seen) => {
            (Tone::Ok, Icon::Ok, word::pill_none(lang).to_owned(), word::say_none(lang))
        }
        0 => (Tone::Mute, Icon::Unknown, word::pill_not_known(lang).to_owned(), word::say_not_known(lang)),
        more => (
            Tone::Warn,
            Icon::Warn,
            word::pill_problems(lang, u64::try_from(more).unwrap_or(u64::MAX)),
            word::say_problems(lang),
        ),
    };
    Some(view! { <div class="headline">{pill(tone, shape, short)}<p class="page__sub">{sentence}</p></div> }.into_any())
}

/// Whether everything was looked at, so that an empty list of problems means that there is none.
fn all_seen(source: &SourceSettings) -> bool {
    let head = &source.head;
    source.strategy.is_some()
        && head.records == Health::Reachable
        && [head.locks, head.broker].iter().all(|layer| matches!(layer, Health::Reachable | Health::NotConfigured))
}

fn command_line(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    let command = match &data.config_path {
        Some(path) => format!("oncewatch check --config {path}"),
        None => "oncewatch check".into(),
    };
    view! {
        <section class="panel">
            <header class="panel__head"><h2>{word::command_line(lang)}</h2></header>
            <div class="panel__body stack">
                {code(lang, frame::the_command(lang), &command)}
                <p class="s13 t2">{word::command_line_why(lang)}</p>
            </div>
            <footer class="panel__foot"><span>{word::version(lang, &data.version)}</span></footer>
        </section>
    }
    .into_any()
}

/// No source at all.
fn none(ctx: &PageContext) -> AnyView {
    let lang = ctx.viewer.lang;
    State::new(Tone::Warn, Icon::Info, word::no_source(lang)).line(word::no_source_why(lang)).view()
}
