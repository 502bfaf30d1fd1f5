//! What moves. Each island is drawn by the server and works without script; in the browser it follows the event stream.
//! Live data, relative times, news of new rows, shortcuts, copy buttons and reading single values of a chart are all that
//! script adds.

mod ages;
mod busy;
mod feed;
mod live;
mod tile;

#[cfg(feature = "hydrate")]
mod again;
#[cfg(feature = "hydrate")]
mod ask;
#[cfg(feature = "hydrate")]
mod attend;
#[cfg(feature = "hydrate")]
mod copy;
#[cfg(feature = "hydrate")]
mod newer;
#[cfg(feature = "hydrate")]
mod page;
#[cfg(feature = "hydrate")]
mod pick;
#[cfg(feature = "hydrate")]
mod plot;

pub use ages::AgesPanel;
pub use live::LiveBadge;
pub use tile::LiveTile;

#[cfg(feature = "hydrate")]
pub(crate) use attend::attend;
