//! Text to copy. Without script or clipboard it is selected by hand, so the button appears with them.

use super::{Icon, small_icon};
use crate::model::Lang;
use crate::words::frame;
use leptos::prelude::*;

pub(crate) fn copy_button(lang: Lang, what: &str, text: &str) -> AnyView {
    view! {
        <button class="btn btn--bare btn--s" type="button" hidden aria-label=frame::copy(lang, what)
            data-copy=text.to_owned() data-copied=frame::copied(lang) data-not-copied=frame::not_copied(lang)>
            {small_icon(Icon::Copy, "")}
        </button>
    }
    .into_any()
}

/// Printed, never run.
pub(crate) fn code(lang: Lang, what: &str, text: &str) -> AnyView {
    view! {
        <div class="code">
            <pre tabindex="0" role="region" aria-label=what.to_owned()>{text.to_owned()}</pre>
            {copy_button(lang, what, text)}
        </div>
    }
    .into_any()
}
