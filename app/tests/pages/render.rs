use app::context::PageContext;
use app::layout;
use app::model::{Lang, Theme};
use hydration_context::SsrSharedContext;
use leptos::config::LeptosOptions;
use leptos::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// Views of islands are made under an owner, so the body comes as a function.
pub fn page(name: &str, ctx: &PageContext, title: &str, body: impl FnOnce() -> AnyView) -> String {
    let options = LeptosOptions::builder().output_name("oncewatch").build();
    keep(name, ctx.viewer.lang, owner().with(|| layout::document(ctx, title, body(), options).to_html()))
}

pub fn bare(name: &str, lang: Lang, theme: Theme, title: &str, body: impl FnOnce() -> AnyView) -> String {
    keep(name, lang, owner().with(|| layout::bare(lang, theme, title, "/signin", body()).to_html()))
}

/// From `start` to the first `end` after it.
pub fn part<'a>(html: &'a str, start: &str, end: &str) -> &'a str {
    let from = html.find(start).unwrap_or_else(|| panic!("no {start}"));
    let to = html[from..].find(end).unwrap_or_else(|| panic!("no {end} after {start}"));
    &html[from..from + to]
}

/// Beside its styles, for the eye.
fn keep(name: &str, lang: Lang, html: String) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("oncewatch.css"), layout::CSS).unwrap();
    let shown = html.replace("/pkg/oncewatch.css", "oncewatch.css");
    std::fs::write(folder.join(format!("{}.{}.html", name.to_lowercase(), lang.tag())), shown).unwrap();
    html
}

fn owner() -> Owner {
    Owner::new_root(Some(Arc::new(SsrSharedContext::new())))
}

/// The names and values inside tags, without what stands in quotes: what a browser would take for markup.
pub fn attributes(html: &str) -> String {
    let (mut inside, mut quoted) = (false, false);
    let mut markup = String::new();
    for c in html.chars() {
        match c {
            '"' if inside => quoted = !quoted,
            '<' if !quoted => inside = true,
            '>' if !quoted => inside = false,
            c if inside && !quoted => markup.push(c),
            _ => {}
        }
    }
    markup
}
