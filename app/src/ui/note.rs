//! Says something about what is below it.

use super::{Icon, Tone, icon};
use leptos::prelude::*;

pub(crate) fn note(tone: Tone, shape: Icon, strong: impl Into<String>, rest: impl Into<String>) -> AnyView {
    view! {
        <div class=tone.class("note")>
            {icon(shape)}
            <p class="break"><strong>{strong.into()}</strong>" "{rest.into()}</p>
        </div>
    }
    .into_any()
}
