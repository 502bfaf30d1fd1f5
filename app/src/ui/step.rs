//! To the page beside this one.

use leptos::prelude::*;

/// A step that leads nowhere stays in its place and, once it is reached, says why.
pub(crate) fn step(href: Option<String>, content: AnyView, (id, why): (&'static str, &'static str)) -> AnyView {
    match href {
        Some(href) => view! { <a class="btn btn--s" href=href>{content}</a> }.into_any(),
        None => view! {
            <span class="step">
                <a class="btn btn--s" role="link" aria-disabled="true" tabindex="0" aria-describedby=id>{content}</a>
                <span class="step__why" id=id>{why}</span>
            </span>
        }
        .into_any(),
    }
}
