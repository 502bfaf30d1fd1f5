//! One folder for each page, and in each the same four things in the same order: the query that stands in its URL,
//! `load` (asks [`crate::reads::Reads`], async, outside the view), `title`, and `view` (data in, HTML out).
//! The server's handler of the same name calls them in that order.

pub mod brokers;
pub mod fault;
pub mod link;
pub mod locks;
pub mod lookup;
pub mod overview;
pub mod records;
pub mod settings;
pub mod signin;

use crate::layout::Signs;
use crate::model::{Flash, SourceHead, Viewer};
use crate::ui::{Clock, Zone};
use chrono::{DateTime, Utc};

/// What every page knows besides its data.
#[derive(Debug, Clone)]
pub struct PageContext {
    pub viewer: Viewer,
    /// For the bar's menu, with the health of their layers.
    pub sources: Vec<SourceHead>,
    /// The source that this page is about.
    pub source: Option<String>,
    /// The numbers beside the navigation's names: those of the source's Overview.
    pub signs: Signs,
    /// The server's clock: relative times count from it.
    pub now: DateTime<Utc>,
    /// The zone in which times are shown: the source's.
    pub zone: Zone,
    /// Path and query of this page, for "back here" in forms.
    pub url: String,
    /// Fresh for this rendering: a form that carries it runs once, however often it is sent.
    pub operation_id: String,
    /// What became of the form that led here.
    pub flash: Option<Flash>,
}

impl PageContext {
    pub(crate) fn clock(&self) -> Clock<'_> {
        Clock { lang: self.viewer.lang, zone: &self.zone, now: self.now }
    }
}
