//! Status of a record, state of a lock: shape, colour and word.

use super::cut_text;
use super::{Icon, Tone, icon};
use crate::model::{Lang, LockState, Row, Status};
use crate::words;
use leptos::prelude::*;

pub(crate) fn pill(tone: Tone, shape: Icon, word: impl Into<String>) -> AnyView {
    view! { <span class=tone.class("pill")>{icon(shape)}{word.into()}</span> }.into_any()
}

pub(crate) fn status_look(status: Status) -> (Tone, Icon) {
    match status {
        Status::Processing => (Tone::Busy, Icon::Busy),
        Status::Completed => (Tone::Ok, Icon::Ok),
        Status::Failed => (Tone::Warn, Icon::Failed),
        Status::Dead => (Tone::Crit, Icon::Dead),
        Status::Unmapped => (Tone::Mute, Icon::Unknown),
    }
}

pub(crate) fn status_pill(lang: Lang, status: Status) -> AnyView {
    let (tone, shape) = status_look(status);
    pill(tone, shape, words::status(lang, status))
}

/// A status that nobody mapped is of use only with the code that stands there.
pub(crate) fn row_status(lang: Lang, row: &Row) -> AnyView {
    /// Characters of a code: most are one.
    const CODE: usize = 24;
    let code = row.code.as_deref().filter(|_| row.record.status == Status::Unmapped).map(|code| {
        let title = words::record::stored_as(lang, super::cut(code, 80));
        view! { " "<code class="mono s12 t2" title=title>{cut_text(code, CODE)}</code> }
    });
    view! { {status_pill(lang, row.record.status)}{code} }.into_any()
}

pub(crate) fn lock_look(state: LockState) -> (Tone, Icon) {
    match state {
        LockState::Held => (Tone::Busy, Icon::Lock),
        LockState::Expiring => (Tone::Warn, Icon::Clock),
        LockState::Done => (Tone::Ok, Icon::Ok),
        LockState::Eternal => (Tone::Crit, Icon::Forever),
        LockState::Orphan => (Tone::Warn, Icon::Orphan),
        LockState::Unprotected => (Tone::Crit, Icon::Bare),
        LockState::None => (Tone::Mute, Icon::Info),
        LockState::Unknown => (Tone::Mute, Icon::Off),
    }
}

pub(crate) fn lock_pill(lang: Lang, state: LockState) -> AnyView {
    let (tone, shape) = lock_look(state);
    pill(tone, shape, words::lock_state(lang, state))
}
