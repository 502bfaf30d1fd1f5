//! Is it healthy, and if not, where and since when?

mod attention;
mod explain;
mod graphs;
mod headline;
mod history;
mod range;
mod reported;
mod tiles;

use crate::context::PageContext;
use crate::model::{Fault, Lang, Layer, Overview, Quality, RecordsPanel, Status, TimeRange};
use crate::reads::Reads;
use crate::ui::{Icon, State, Tone, csv_link, fresh, not_mapped, unreachable, waiting};
use crate::words::overview as word;
use leptos::prelude::*;

pub type Data = Overview;

pub async fn load(reads: &dyn Reads, source: &str, range: TimeRange) -> Result<Data, Fault> {
    reads.overview(source, range).await
}

#[must_use]
pub fn title(ctx: &PageContext, _: &Data) -> String {
    word::overview(ctx.viewer.lang).into()
}

#[must_use]
pub fn view(ctx: &PageContext, data: &Data) -> AnyView {
    view! {
        <header class="page__head">
            <h1>{word::overview(ctx.viewer.lang)}</h1>
            {headline::view(ctx, data)}
            <div class="row">{range::view(ctx, data)}</div>
        </header>
        {tiles::view(ctx, data)}
        <div class="grid">
            {attention::view(ctx, data)}
            {reported::view(ctx, data)}
            {graphs::aging_line(ctx, data)}
            {graphs::ages(ctx, data)}
            {oldest(ctx, data)}
        </div>
    }
    .into_any()
}

/// The records that have been processing for longest, each with the way to its page.
fn oldest(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    let clock = ctx.clock();
    let panel = &data.records;
    let body = match (&panel.trouble, &panel.body) {
        (Some(trouble), _) => unreachable(&clock, Layer::Records, trouble).view(),
        (None, None) => waiting(lang, Layer::Records).view(),
        (None, Some(body)) if body.processing.is_none() => not_mapped(lang, Status::Processing).view(),
        (None, Some(body)) if body.oldest.is_empty() => none_open(lang, body).view(),
        (None, Some(body)) => {
            let href = format!("/s/{}/records?status=processing", data.source);
            view! {
                {crate::pages::records::oldest(ctx, &body.oldest)}
                <footer class="panel__foot"><span></span><a href=href>{word::see_all_processing(lang)}</a></footer>
            }
            .into_any()
        }
    };
    let csv = csv_link(word::oldest_open(lang), range::csv(data, "oldest"));
    view! {
        <section class="panel panel--flush">
            <header class="panel__head"><h2>{word::oldest_open(lang)}</h2>{fresh(&clock, panel)}{csv}</header>
            {body}
        </section>
    }
    .into_any()
}

/// None among what was read so far is not yet none.
fn none_open(lang: Lang, body: &RecordsPanel) -> State {
    if body.processing.is_some_and(|count| count.quality == Quality::Partial) {
        return State::new(Tone::Mute, Icon::Unknown, word::oldest_not_seen(lang))
            .line(word::oldest_not_seen_why(lang));
    }
    State::new(Tone::Ok, Icon::Ok, word::oldest_none(lang)).line(word::oldest_none_why(lang))
}
