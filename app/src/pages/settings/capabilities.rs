//! What the table makes possible, what its lack hides, and what its codes mean.

use super::csv;
use crate::context::PageContext;
use crate::model::{Capability, Count, SourceSettings, Status};
use crate::ui::{Icon, csv_link, small_icon, status_pill};
use crate::words::{self, settings as word};
use leptos::prelude::*;

pub(super) fn view(ctx: &PageContext, source: &SourceSettings) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    if source.capabilities.is_empty() {
        return None;
    }
    let there = source.capabilities.iter().filter(|capability| capability.there).count();
    let lines = source.capabilities.iter().map(|capability| line(ctx, capability)).collect_view();
    Some(
        view! {
            <section class="panel panel--flush">
                <header class="panel__head">
                    <h3>{word::makes_possible(lang)}</h3>
                    <span class="t3 s12">{word::there_missing(lang, there, source.capabilities.len() - there)}</span>
                    {csv_link(word::makes_possible(lang), csv("capabilities", Some(source)))}
                </header>
                <div class="tablebox">
                    <table class="table table--tight table--cards">
                        <thead>
                            <tr>
                                <th scope="col">{word::capability_head(lang)}</th>
                                <th scope="col">{word::here(lang)}</th>
                                <th scope="col">{word::from(lang)}</th>
                                <th scope="col">{word::lack_hides(lang)}</th>
                            </tr>
                        </thead>
                        <tbody>{lines}</tbody>
                    </table>
                </div>
            </section>
        }
        .into_any(),
    )
}

fn line(ctx: &PageContext, capability: &Capability) -> AnyView {
    let lang = ctx.viewer.lang;
    let (name, lack) = words::capability(lang, capability.name);
    let (tone, shape, here, from_head) = if capability.there {
        ("ok", Icon::Ok, word::there(lang), word::from(lang))
    } else {
        ("mute", Icon::Unknown, word::missing(lang), word::because(lang))
    };
    let from = capability
        .from
        .clone()
        .unwrap_or_else(|| if capability.there { String::new() } else { word::no_column(lang).into() });
    view! {
        <tr>
            <td class="lead nowrap">{name}</td>
            <td class="aside nowrap s12"><span class=format!("with-icon {tone}")>{small_icon(shape, "")}{here}</span></td>
            <td class="t2 s12 full break" data-h=from_head>{from}</td>
            <td class="s12 full">{(!capability.there).then_some(lack)}</td>
        </tr>
    }
    .into_any()
}

pub(super) fn codes(ctx: &PageContext, source: &SourceSettings) -> AnyView {
    let lang = ctx.viewer.lang;
    let mapped = source.codes.iter().map(|(status, codes)| {
        let codes = if codes.is_empty() { word::row_exists(lang).to_owned() } else { codes.join(", ") };
        code_line(ctx, source, codes, status)
    });
    let csv = csv_link(word::codes(lang), csv("codes", Some(source)));
    view! {
        <section class="panel panel--flush">
            <header class="panel__head"><h3>{word::codes(lang)}</h3><span class="t3 s12">{word::codes_why(lang)}</span>{csv}</header>
            <div class="tablebox">
                <table class="table table--tight">
                    <thead>
                        <tr>
                            <th scope="col">{word::code(lang)}</th>
                            <th scope="col">{word::read_as(lang)}</th>
                            <th scope="col" class="num">{word::found(lang)}</th>
                        </tr>
                    </thead>
                    <tbody>
                        {mapped.collect_view()}
                        {code_line(ctx, source, word::every_other(lang).into(), Status::Unmapped.as_str())}
                    </tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}

fn code_line(ctx: &PageContext, source: &SourceSettings, codes: String, status: &str) -> AnyView {
    let lang = ctx.viewer.lang;
    let known = Status::parse(status);
    let meaning = known.map_or_else(|| view! { {status.to_owned()} }.into_any(), |status| status_pill(lang, status));
    let found = known
        .and_then(|status| count(source, status))
        .map_or_else(|| "—".to_owned(), |count| words::count(lang, count));
    view! { <tr><td class="mono break">{codes}</td><td>{meaning}</td><td class="num">{found}</td></tr> }.into_any()
}

/// What the collector counted; nothing while the database is not seen.
fn count(source: &SourceSettings, status: Status) -> Option<Count> {
    let body = source.records.body.as_ref().filter(|_| source.records.trouble.is_none())?;
    body.count(status)
}
