use super::busy::Busy;
use super::feed::{self, Stream};
use crate::model::Lang;
use crate::words::{live, measure};
use leptos::prelude::*;

/// What the bar says of the page's figures: of when they are, and with script whether they are live.
#[island]
#[expect(clippy::needless_pass_by_value, reason = "what an island is given comes from its element, as a value")]
pub fn LiveBadge(source: String, lang: Lang, as_of: String) -> impl IntoView {
    let stream = feed::stream(&source);
    let dot = move || matches!(stream.get().0, Stream::Live).then(|| view! { <i class="pulse"></i> });
    let class = move || match stream.get().0 {
        Stream::Lost { .. } => "fresh fresh--gone",
        Stream::Paused(_) => "fresh fresh--old",
        _ => "fresh",
    };
    let text = move || match stream.get() {
        (Stream::Still, _) => as_of.clone(),
        (Stream::Connecting, _) => live::connecting(lang).to_owned(),
        (Stream::Live, _) => live::live(lang).to_owned(),
        (Stream::Paused(_), _) => live::paused(lang).to_owned(),
        (Stream::Lost { .. }, lost_ms) => live::lost(lang, measure::age(lang, lost_ms)),
    };
    let why = move || match stream.get().0 {
        Stream::Paused(Busy::Menu) => live::paused_menu(lang),
        Stream::Paused(Busy::Input) => live::paused_input(lang),
        Stream::Paused(Busy::Selection) => live::paused_selection(lang),
        _ => live::status(lang),
    };
    view! { <span class=class title=why>{dot}<span>{text}</span></span> }
}
