//! The frame of every page: the document, the bar on top, the navigation at the side, what became of the last form.

mod bar;
mod nav;
mod preferences;
mod style;
mod toast;

pub(crate) use bar::layers;
pub use style::CSS;

use crate::context::PageContext;
use crate::model::{Lang, Theme};
use crate::ui::sprite;
use crate::words::{entry, frame};
use leptos::config::LeptosOptions;
use leptos::hydration::HydrationScripts;
use leptos::prelude::*;

/// A whole page of somebody who is signed in.
pub fn document(ctx: &PageContext, title: &str, body: AnyView, options: LeptosOptions) -> impl IntoView {
    let viewer = &ctx.viewer;
    let lang = viewer.lang;
    let title = match &ctx.source {
        Some(source) => format!("{title} · {source} · Oncewatch"),
        None => format!("{title} · Oncewatch"),
    };
    let frame = view! {
        <a class="skip" href="#page">{frame::skip(lang)}</a>
        // What script has to say, for screen readers.
        <p class="sr" role="status" id="said"></p>
        <div class="frame">
            {bar::bar(ctx)}
            {nav::nav(ctx)}
            <main class="page" id="page" tabindex="-1">{body}</main>
        </div>
        {toast::toasts(ctx)}
    };
    let scripts = view! { <HydrationScripts options islands=true/> }.into_any();
    html(lang, viewer.theme, title, Some(scripts), Some(crate::model::time::text(ctx.now)), frame.into_any())
}

/// The frame of sign-in, links and errors: no navigation, no script, for somebody who may not be signed in.
/// `back` is the page's own path and query.
pub fn bare(lang: Lang, theme: Theme, title: &str, back: &str, body: AnyView) -> impl IntoView {
    let title = format!("{title} · Oncewatch");
    let frame = view! {
        <a class="skip" href="#page">{frame::skip(lang)}</a>
        <div class="sign">
            <header class="bar">
                {bar::brand("/")}
                <div class="bar__end">{preferences::menu(lang, theme, back)}</div>
            </header>
            <main class="sign__sheet" id="page" tabindex="-1">{body}</main>
            <footer class="sign__foot">
                <span>{concat!("Oncewatch ", env!("CARGO_PKG_VERSION"))}</span>
                <span>{entry::tagline(lang)}</span>
            </footer>
        </div>
    };
    html(lang, theme, title, None, None, frame.into_any())
}

fn html(
    lang: Lang,
    theme: Theme,
    title: String,
    scripts: Option<AnyView>,
    now: Option<String>,
    body: AnyView,
) -> AnyView {
    let theme = match theme {
        Theme::System => None,
        Theme::Light => Some("light"),
        Theme::Dark => Some("dark"),
    };
    view! {
        <!DOCTYPE html>
        <html lang=lang.tag() data-theme=theme data-now=now>
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <title>{title}</title>
                <link rel="icon" type="image/svg+xml" href=ICON/>
                <link rel="stylesheet" href="/pkg/oncewatch.css"/>
                {scripts}
            </head>
            <body>{sprite()}{body}</body>
        </html>
    }
    .into_any()
}

/// The brand's ring as a data URL, so that no request for a favicon goes astray.
const ICON: &str = concat!(
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' fill='none' stroke='%231f55cf' ",
    "stroke-width='1.6' stroke-linecap='round' stroke-linejoin='round'%3E%3Ccircle cx='8' cy='8' r='6.25'/%3E",
    "%3Cpath d='M6.2 6.2 8.3 5v6.2'/%3E%3C/svg%3E"
);
