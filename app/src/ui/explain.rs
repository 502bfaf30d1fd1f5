//! What a figure is, behind a question mark beside it. The browser opens and closes it by itself: by pointer, by touch and
//! by keyboard, with and without script.

use crate::model::Lang;
use crate::words::{self, explain as word};
use leptos::prelude::*;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Explained {
    /// Among those of its page.
    pub id: &'static str,
    /// As the page calls it.
    pub figure: &'static str,
    pub what: &'static str,
    pub how: String,
    /// What it cannot see, of this source; a sentence each.
    pub blind: Vec<&'static str>,
}

pub(crate) fn explain(lang: Lang, of: Explained) -> AnyView {
    let id = format!("about-{}", of.id);
    let label = word::about(lang, of.figure);
    view! {
        <button class="explain" type="button" popovertarget=id.clone()>
            <span aria-hidden="true">"?"</span><span class="sr">{label.clone()}</span>
        </button>
        <div class="explained" id=id popover="auto" role="group" aria-label=label>
            <p><strong>{of.figure}</strong></p>
            <p>{of.what}</p>
            <dl>
                <dt>{word::computed(lang)}</dt>
                <dd>{of.how}</dd>
                <dt>{word::not_seen(lang)}</dt>
                <dd>{words::join(lang, &of.blind)}</dd>
            </dl>
        </div>
    }
    .into_any()
}
