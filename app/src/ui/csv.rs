//! Ways to the same figures as a file.

#[cfg(feature = "ssr")]
use super::{Icon, small_icon};
use crate::model::Lang;
use crate::words::frame as word;
use leptos::prelude::*;

/// At the head of a panel, which is called `of`.
pub(crate) fn csv_link(lang: Lang, of: &str, href: String) -> AnyView {
    view! { <a class="csv" href=href>"CSV"<span class="sr">{word::csv_of(lang, of)}</span></a> }.into_any()
}

/// At the head of a page: of all that it shows.
#[cfg(feature = "ssr")]
pub(crate) fn csv_button(lang: Lang, of: &str, href: String) -> AnyView {
    view! { <a class="btn btn--s" href=href>{small_icon(Icon::Csv, "")}"CSV"<span class="sr">{word::csv_of(lang, of)}</span></a> }
        .into_any()
}
