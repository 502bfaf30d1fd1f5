//! Components: props in, HTML out. Class names are those of `style/`, one file of the same name each.

mod ages;
mod clock;
mod csv;
mod explain;
mod fresh;
mod icon;
mod key;
mod numbers;
mod state;
mod tile;
mod tone;

pub use crate::model::Zone;
pub use ages::Ages;
pub(crate) use ages::ages_panel;
pub(crate) use clock::Clock;
pub(crate) use csv::csv_link;
pub(crate) use explain::{Explained, explain};
pub(crate) use fresh::fresh;
pub(crate) use icon::{Icon, classed, small_icon};
pub(crate) use key::encoded;
pub(crate) use numbers::numbers;
pub(crate) use state::{not_mapped, unreachable, waiting};
pub(crate) use tile::Watched;
pub use tile::{Face, TileName};
pub use tone::Tone;

// What no island shows is drawn by the server alone.
#[cfg(feature = "ssr")]
mod code;
#[cfg(feature = "ssr")]
mod note;
#[cfg(feature = "ssr")]
mod pill;
#[cfg(feature = "ssr")]
mod plot;
#[cfg(feature = "ssr")]
mod step;

#[cfg(feature = "ssr")]
pub(crate) use {
    code::{code, copy_button},
    csv::csv_button,
    icon::{icon, speaking_icon, sprite},
    key::{cut, cut_text, escaped},
    note::note,
    pill::{lock_look, lock_pill, pill, row_status, status_look, status_pill},
    plot::plot,
    state::State,
    step::step,
    tile::percent,
};
