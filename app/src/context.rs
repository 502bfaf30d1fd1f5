//! What every page and the frame around it know of the request.

use crate::model::{Flash, Signs, SourceHead, Viewer, Zone};
use crate::ui::Clock;
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
