use crate::context::PageContext;
use crate::model::{Count, Lang};
use crate::ui::{Icon, Tone, icon};
use crate::words::{self, frame};
use leptos::prelude::*;

/// Only pages that exist. Pages of a source lead to the first one where none is chosen.
pub(super) fn nav(ctx: &PageContext) -> AnyView {
    let lang = ctx.viewer.lang;
    let source = ctx.source.as_ref().or(ctx.sources.first().map(|head| &head.name));
    let signs = &ctx.signs;
    let pages = source.map(|source| {
        let aging = signs
            .aging
            .filter(|count| count.value > 0)
            .map(|count| number(lang, Tone::Warn, count, frame::aging_count));
        let wrong = plain(lang, Tone::Warn, signs.wrong_locks, frame::wrong_count);
        let dead = plain(lang, Tone::Warn, signs.dead_letters, frame::dead_count);
        let runs = plain(lang, Tone::Busy, signs.runs, words::run::pressing);
        view! {
            {link(ctx, format!("/s/{source}/overview"), Icon::Overview, frame::overview(lang), None)}
            {link(ctx, format!("/s/{source}/records"), Icon::Records, frame::records(lang), aging)}
            {link(ctx, format!("/s/{source}/locks"), Icon::Lock, frame::locks(lang), wrong)}
            {link(ctx, format!("/s/{source}/brokers"), Icon::Broker, frame::brokers(lang), dead)}
            <hr/>
            {link(ctx, format!("/s/{source}/operations"), Icon::Ops, frame::operations(lang), runs)}
            {link(ctx, format!("/s/{source}/archive"), Icon::Archive, frame::archive(lang), None)}
            <hr/>
        }
    });
    let offset = ctx.clock().zone_offset();
    let zone_name = (ctx.zone.name != offset).then(|| view! { <br/>{ctx.zone.name.clone()} });
    view! {
        <nav class="nav" aria-label=frame::main_nav(lang)>
            {pages}
            {link(ctx, "/audit".into(), Icon::Audit, frame::audit(lang), None)}
            {link(ctx, "/settings".into(), Icon::Settings, frame::settings(lang), None)}
            <p class="nav__foot">{frame::times_in(lang)}" "{offset}{zone_name}</p>
        </nav>
    }
    .into_any()
}

fn link(ctx: &PageContext, href: String, shape: Icon, word: &'static str, count: Option<AnyView>) -> AnyView {
    let path = ctx.url.split('?').next().unwrap_or_default();
    // A record's page, and a look-up, stand under Records.
    let here = path == href
        || path.starts_with(&format!("{href}/"))
        || (href.ends_with("/records") && path.ends_with("/lookup"));
    view! { <a href=href aria-current=here.then_some("page")>{icon(shape)}{word}{count}</a> }.into_any()
}

fn plain(lang: Lang, tone: Tone, value: Option<u64>, meaning: fn(Lang, String) -> String) -> Option<AnyView> {
    value.filter(|value| *value > 0).map(|value| number(lang, tone, Count::exact(value), meaning))
}

/// The number is seen, its meaning is read out.
fn number(lang: Lang, tone: Tone, count: Count, meaning: fn(Lang, String) -> String) -> AnyView {
    let text = words::count(lang, count);
    view! {
        <span class=tone.class("count") aria-hidden="true" title=text.clone()>{words::measure::brief(count.value)}</span>
        <span class="sr">", "{meaning(lang, text)}</span>
    }
    .into_any()
}
