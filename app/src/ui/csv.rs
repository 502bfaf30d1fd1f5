//! Ways to the same figures as a file.

#[cfg(feature = "ssr")]
use super::{Icon, small_icon};
use leptos::prelude::*;

/// At the head of a panel, which is called `of`: a page has several.
pub(crate) fn csv_link(of: &'static str, href: String) -> AnyView {
    view! { <a class="csv" href=href>"CSV "<span class="sr">{of}</span></a> }.into_any()
}

/// At the head of a page: of all that it shows.
#[cfg(feature = "ssr")]
pub(crate) fn csv_button(of: &'static str, href: String) -> AnyView {
    view! { <a class="btn btn--s" href=href>{small_icon(Icon::Csv, "")}"CSV "<span class="sr">{of}</span></a> }
        .into_any()
}
