//! Components: props in, HTML out. Class names are those of `style/`, one file of the same name each.

mod ages;
mod icon;
mod key;
mod tile;
mod tone;
mod zone;

pub(crate) use ages::ages_chart;
pub(crate) use icon::{Icon, classed};
pub(crate) use key::encoded;
pub(crate) use tile::Watched;
pub use tile::{Face, TileName};
pub use tone::Tone;
pub use zone::Zone;

// Pages are drawn by the server alone.
#[cfg(feature = "ssr")]
mod clock;
#[cfg(feature = "ssr")]
mod code;
#[cfg(feature = "ssr")]
mod fresh;
#[cfg(feature = "ssr")]
mod note;
#[cfg(feature = "ssr")]
mod pill;
#[cfg(feature = "ssr")]
mod state;

#[cfg(feature = "ssr")]
pub(crate) use {
    clock::Clock,
    code::{code, copy_button},
    fresh::{followed, fresh},
    icon::{icon, small_icon, speaking_icon, sprite},
    key::{cut, cut_text},
    note::note,
    pill::{lock_look, lock_pill, pill, status_look, status_pill},
    state::{State, unreachable, waiting},
};
