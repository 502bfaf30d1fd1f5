//! What the collectors' latest panels say of handling and locks of a source, for whoever judges one of its records.

use super::Board;
use crate::diagnose::Handling;
use app::model::{LocksPanel, PanelName, SignalsPanel};
use std::time::Duration;

/// Nothing, where no panel was read yet.
#[derive(Debug, Default)]
pub struct Known {
    locks: Option<LocksPanel>,
    signals: Option<SignalsPanel>,
}

impl Known {
    #[must_use]
    pub fn of(board: &Board, source: &str) -> Self {
        let locks = board.panel::<LocksPanel>(source, PanelName::Locks.as_str());
        let signals = board.panel::<SignalsPanel>(source, PanelName::Signals.as_str());
        Self { locks: locks.and_then(|panel| panel.body), signals: signals.and_then(|panel| panel.body) }
    }

    /// As consumers report it, or as the locks collector estimates it from records.
    #[must_use]
    pub fn handling(&self, r#type: Option<&str>) -> Handling {
        let estimated = self.locks.as_ref().map_or_else(Handling::default, |body| Handling::of(&body.fits, r#type));
        estimated.or_as_reported(self.signals.as_ref(), r#type)
    }

    /// For how long the locks collector has seen this owner on this key.
    #[must_use]
    pub fn watched(&self, key: &str, owner: Option<&str>) -> Duration {
        Duration::from_millis(self.locks.as_ref().map_or(0, |body| body.watched_ms(key, owner)))
    }

    #[must_use]
    pub fn shared_owner(&self) -> Option<&str> {
        self.locks.as_ref()?.shared_owner.as_deref()
    }
}
