//! How old a panel's figures are, at its head.

use super::{Clock, Icon, small_icon};
use crate::model::{Freshness, Panel};
use crate::words::{measure, state};
use leptos::prelude::*;

/// Live: `5 s ago`. Stale: how old. Unreachable: when it was last seen. Waiting: that nothing was read.
pub(crate) fn fresh<T>(clock: &Clock<'_>, panel: &Panel<T>) -> AnyView {
    let lang = clock.lang;
    match (panel.freshness(clock.now), panel.read_at) {
        (Freshness::Unreachable, seen) => {
            let seen =
                seen.map_or_else(|| state::never_seen(lang).to_owned(), |at| state::last_seen(lang, clock.short(at)));
            view! { <span class="fresh fresh--gone">{small_icon(Icon::Off, "")}{seen}</span> }.into_any()
        }
        (Freshness::Stale, Some(at)) => {
            let age = state::age_old(lang, measure::age(lang, clock.age_ms(at)));
            view! { <span class="fresh fresh--old">{small_icon(Icon::Clock, "")}{age}</span> }.into_any()
        }
        (_, Some(at)) => view! { <span class="fresh">{clock.ago(at)}</span> }.into_any(),
        (_, None) => view! { <span class="fresh">{state::not_read_yet(lang)}</span> }.into_any(),
    }
}
