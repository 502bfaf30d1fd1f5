//! Is it healthy, and if not, where and since when?

mod attention;
mod graphs;
mod headline;
mod history;
mod tiles;

use crate::context::PageContext;
use crate::model::{Fault, Layer, Overview, Status};
use crate::reads::Reads;
use crate::ui::{Icon, State, Tone, fresh, not_mapped, unreachable, waiting};
use crate::words::overview as word;
use leptos::prelude::*;

pub type Data = Overview;

pub async fn load(reads: &dyn Reads, source: &str) -> Result<Data, Fault> {
    reads.overview(source).await
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
        </header>
        {tiles::view(ctx, data)}
        <div class="grid">
            {attention::view(ctx, data)}
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
        (None, Some(body)) if body.oldest.is_empty() => {
            State::new(Tone::Ok, Icon::Ok, word::oldest_none(lang)).line(word::oldest_none_why(lang)).view()
        }
        (None, Some(body)) => crate::pages::records::oldest(ctx, &body.oldest),
    };
    view! {
        <section class="panel panel--flush">
            <header class="panel__head"><h2>{word::oldest_open(lang)}</h2>{fresh(&clock, panel)}</header>
            {body}
            <footer class="panel__foot">
                <span></span>
                <a href=format!("/s/{}/records?status=processing", data.source)>{word::see_all_processing(lang)}</a>
            </footer>
        </section>
    }
    .into_any()
}
