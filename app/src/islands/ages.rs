use super::feed;
use crate::model::{Lang, Panel, Zone};
use crate::ui::{Ages, Clock, ages_panel};
use chrono::{DateTime, Utc};
use leptos::prelude::*;

/// Processing records by age. It is drawn again whenever they change, and while time alone changes what is said of them:
/// how old a stale reading is, when an unreachable table is tried next.
#[island]
pub fn AgesPanel(lang: Lang, zone: Zone, source: String, now: DateTime<Utc>, panel: Panel<Ages>) -> impl IntoView {
    let seen = feed::follow((panel, now), |board, now| {
        board.records.as_ref().map(|panel| (panel.as_ref().map(Ages::of), now))
    });
    move || seen.with(|(panel, now)| ages_panel(&Clock { lang, zone: &zone, now: *now }, &source, panel))
}
