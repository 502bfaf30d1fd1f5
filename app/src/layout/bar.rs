use super::preferences;
use crate::context::PageContext;
use crate::islands::LiveBadge;
use crate::model::{Health, Lang, Layer, SourceHead};
use crate::ui::{Icon, icon, small_icon, speaking_icon};
use crate::words::{self, frame, live};
use leptos::prelude::*;

pub(super) fn bar(ctx: &PageContext) -> AnyView {
    let lang = ctx.viewer.lang;
    let clock = ctx.clock();
    let badge = ctx.source.clone().map(|source| {
        view! {
            <LiveBadge source lang as_of=live::as_of(lang, clock.short(ctx.now))/>
            // Script shows it once rows have come since the page was opened.
            <span class="newer" role="status"><a class="chip" href=ctx.url.clone() hidden>{small_icon(Icon::Up, "")}<span></span></a></span>
        }
    });
    view! {
        <header class="bar">
            {brand("/")}
            {sources(ctx)}
            {look_up(ctx)}
            <div class="bar__end">
                {badge}
                {preferences::menu(lang, ctx.viewer.theme, &ctx.url)}
                {account(ctx)}
            </div>
        </header>
    }
    .into_any()
}

pub(super) fn brand(href: &'static str) -> AnyView {
    view! { <a class="brand" href=href aria-label="Oncewatch">{icon(Icon::Once)}<span>"Oncewatch"</span></a> }
        .into_any()
}

fn sources(ctx: &PageContext) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    let here = ctx.source.as_ref().and_then(|name| ctx.sources.iter().find(|head| &head.name == name));
    let shown = here.or(ctx.sources.first())?;
    let items = ctx.sources.iter().map(|head| {
        let chosen = here.is_some_and(|here| here.name == head.name);
        view! {
            <a class="pickone" href=format!("/s/{}/overview", head.name) aria-current=chosen.then_some("true")>
                {icon(if chosen { Icon::Check } else { Icon::Records })}
                <span>{head.name.clone()}</span>
                <span class="pickone__end">{head.engine.clone()}" "{layers(lang, head)}</span>
            </a>
        }
    });
    Some(
        view! {
            <details class="menu">
                <summary class="btn">
                    <span class="sr">{frame::source(lang)}</span>
                    {shown.name.clone()}" "{layers(lang, shown)}{small_icon(Icon::Down, "")}
                </summary>
                <div class="menu__list">
                    <p class="menu__head">{frame::source_menu(lang)}</p>
                    {items.collect_view()}
                </div>
            </details>
        }
        .into_any(),
    )
}

/// The health of the layers, and of what consumers report, as marks that are read out.
pub(crate) fn layers(lang: Lang, head: &SourceHead) -> AnyView {
    let seen = [
        (Layer::Records, head.records),
        (Layer::Lock, head.locks),
        (Layer::Broker, head.broker),
        (Layer::Signals, head.signals),
    ];
    let marks = seen.map(|(layer, health)| {
        let (shape, tone) = match health {
            Health::Reachable => (Icon::Ok, "ok"),
            Health::Stale => (Icon::Clock, "warn"),
            Health::Unreachable => (Icon::Off, "crit"),
            Health::Waiting => (Icon::Unknown, "mute"),
            Health::NotConfigured => (Icon::Info, "mute"),
        };
        speaking_icon(shape, &format!("icon icon--s {tone}"), frame::health(lang, layer, health))
    });
    view! { <span class="layers">{marks.collect_view()}</span> }.into_any()
}

fn look_up(ctx: &PageContext) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    let source = ctx.source.as_ref().or(ctx.sources.first().map(|head| &head.name))?;
    Some(
        view! {
            <form class="lookup" role="search" action=format!("/s/{source}/lookup")>
                {icon(Icon::Search)}
                <input class="input" name="key" id="look-up" autocomplete="off" spellcheck="false" required maxlength="4096"
                    aria-label=frame::look_up(lang) placeholder=frame::look_up_placeholder(lang)/>
                <kbd class="wide" aria-hidden="true">"/"</kbd>
            </form>
        }
        .into_any(),
    )
}

fn account(ctx: &PageContext) -> AnyView {
    let viewer = &ctx.viewer;
    let lang = viewer.lang;
    view! {
        <details class="menu menu--end">
            <summary class="btn btn--bare">
                <span class="avatar" aria-hidden="true">{initials(&viewer.name)}</span>
                <span class="sr">{frame::account(lang, &viewer.name)}</span>
            </summary>
            <div class="menu__list">
                <p class="menu__head break">{viewer.name.clone()}<br/>{frame::role(lang, words::lock::role(lang, viewer.role))}</p>
                <hr/>
                <form method="post" action="/signout">
                    <input type="hidden" name="form_token" value=viewer.form_token.clone()/>
                    <button class="pickone" type="submit">{icon(Icon::Prev)}<span>{frame::sign_out(lang)}</span></button>
                </form>
            </div>
        </details>
    }
    .into_any()
}

/// `lin.wei` → `LW`.
fn initials(name: &str) -> String {
    let parts = name.split(|c: char| !c.is_alphanumeric()).filter_map(|part| part.chars().next());
    parts.take(2).flat_map(char::to_uppercase).collect()
}
