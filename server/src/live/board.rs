//! The latest panels of all sources, in memory, served to pages, `/api` and event streams.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::broadcast;

/// A panel has a newer version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub source: String,
    /// `records`, `locks`, or `brokers/<n>`.
    pub panel: String,
    pub version: i64,
}

/// (source, panel) → (version, serialised `app::model::Panel`).
type Panels = HashMap<(String, String), (i64, Arc<str>)>;

#[derive(Debug)]
pub struct Board {
    panels: RwLock<Panels>,
    changes: broadcast::Sender<Changed>,
}

impl Default for Board {
    fn default() -> Self {
        Self { panels: RwLock::default(), changes: broadcast::channel(256).0 }
    }
}

impl Board {
    /// Takes a newer version in; an older one is ignored.
    pub fn put(&self, source: &str, panel: &str, version: i64, json: &str) {
        let key = (source.to_owned(), panel.to_owned());
        {
            let mut panels = self.panels.write().unwrap_or_else(PoisonError::into_inner);
            if panels.get(&key).is_some_and(|(known, _)| *known >= version) {
                return;
            }
            panels.insert(key, (version, json.into()));
        }
        // Nobody listening is fine: the next page reads the board.
        let _ = self.changes.send(Changed { source: source.to_owned(), panel: panel.to_owned(), version });
    }

    /// The serialised panel, with its version.
    #[must_use]
    pub fn json(&self, source: &str, panel: &str) -> Option<(i64, Arc<str>)> {
        let panels = self.panels.read().unwrap_or_else(PoisonError::into_inner);
        panels.get(&(source.to_owned(), panel.to_owned())).cloned()
    }

    /// The panel itself; `None` before the first collection.
    #[must_use]
    pub fn panel<T: serde::de::DeserializeOwned>(&self, source: &str, panel: &str) -> Option<app::model::Panel<T>> {
        let (version, json) = self.json(source, panel)?;
        match serde_json::from_str::<app::model::Panel<T>>(&json) {
            Ok(mut read) => {
                read.version = version;
                Some(read)
            }
            Err(error) => {
                tracing::error!(source, panel, %error, "a stored panel cannot be read; another version of Oncewatch wrote it");
                None
            }
        }
    }

    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Changed> {
        self.changes.subscribe()
    }
}
