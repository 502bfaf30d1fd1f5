use super::feed;
use crate::model::Lang;
use crate::ui::{Face, TileName, Watched, classed};
use leptos::prelude::*;

/// One figure of the Overview. `face` is what the server saw; `brokers` how many are configured: their sum is told only
/// once all of them have been heard. The sparkline is drawn by the server and handed in as children.
#[island]
pub fn LiveTile(
    name: TileName,
    lang: Lang,
    href: String,
    face: Face,
    brokers: usize,
    children: Children,
) -> impl IntoView {
    let face = feed::follow(face, move |board, now| {
        let heard: Vec<_> = board.brokers.values().collect();
        let watched = Watched {
            records: board.records.as_ref(),
            locks: board.locks.as_ref(),
            signals: board.signals.as_ref(),
            brokers: &heard,
        };
        watched.knows(name, brokers).then(|| Face::of(lang, name, &watched, now))
    });
    view! {
        <a class=move || face.get().tone.class("tile") href=href>
            <span class="tile__name">
                {move || face.with(|face| classed(face.shape, &format!("icon {}", face.mark.word())))}
                {name.word(lang)}
            </span>
            <span class=move || face.with(Face::value_class)>{move || face.get().value}</span>
            <span class=move || face.with(Face::sub_class)>{move || face.get().sub}</span>
            {children()}
        </a>
    }
}
