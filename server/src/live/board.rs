//! The latest panels of all sources, in memory, served to pages, `/api` and event streams. Each is read once, by whoever
//! asks first, and not again for each page.

use app::model::Panel;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::value::{RawValue, to_raw_value};
use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use tokio::sync::broadcast;

/// A panel has a newer version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub source: String,
    /// `records`, `locks`, or `brokers/<n>`.
    pub panel: String,
    pub version: i64,
}

/// What a panel's body must be to be read from the board.
pub trait Body: DeserializeOwned + Clone + Send + Sync + 'static {}

impl<T: DeserializeOwned + Clone + Send + Sync + 'static> Body for T {}

#[derive(Debug)]
struct Posted {
    version: i64,
    /// The serialised `app::model::Panel`.
    json: Arc<str>,
    /// The panel with its body, as whoever asked first wanted it: there is one type for each name.
    whole: OnceLock<Arc<dyn Any + Send + Sync>>,
    /// How fresh it is, which more are asked for than for the body.
    head: OnceLock<Option<Panel<()>>>,
}

/// (source, panel) → what was posted last.
type Panels = HashMap<(String, String), Arc<Posted>>;

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
    /// Takes a newer version in; an older one is ignored. A panel is serialised before it is stored, and gets its version
    /// by being stored: it is written into `json` here.
    pub fn put(&self, source: &str, panel: &str, version: i64, json: &str) {
        let key = (source.to_owned(), panel.to_owned());
        let posted = Posted {
            version,
            json: with_version(json, version)
                .unwrap_or_else(|error| {
                    tracing::error!(source, panel, %error, "a panel is no JSON object");
                    json.to_owned()
                })
                .into(),
            whole: OnceLock::new(),
            head: OnceLock::new(),
        };
        {
            let mut panels = self.panels.write().unwrap_or_else(PoisonError::into_inner);
            if panels.get(&key).is_some_and(|known| known.version >= version) {
                return;
            }
            panels.insert(key, Arc::new(posted));
        }
        // Nobody listening is fine: the next page reads the board.
        let _ = self.changes.send(Changed { source: source.to_owned(), panel: panel.to_owned(), version });
    }

    fn posted(&self, source: &str, panel: &str) -> Option<Arc<Posted>> {
        let panels = self.panels.read().unwrap_or_else(PoisonError::into_inner);
        panels.get(&(source.to_owned(), panel.to_owned())).cloned()
    }

    /// The serialised panel, with its version.
    #[must_use]
    pub fn json(&self, source: &str, panel: &str) -> Option<(i64, Arc<str>)> {
        self.posted(source, panel).map(|posted| (posted.version, posted.json.clone()))
    }

    /// The panel itself; `None` before the first collection.
    #[must_use]
    pub fn panel<T: Body>(&self, source: &str, panel: &str) -> Option<Panel<T>> {
        let posted = self.posted(source, panel)?;
        if let Some(known) = posted.whole.get().and_then(|whole| whole.downcast_ref::<Panel<T>>()) {
            return Some(known.clone());
        }
        let read = read::<T>(&posted.json, source, panel)?;
        // Somebody may have been quicker, with the same.
        let _ = posted.whole.set(Arc::new(read.clone()));
        Some(read)
    }

    /// The panel without what is in it.
    #[must_use]
    pub fn head(&self, source: &str, panel: &str) -> Option<Panel<()>> {
        let posted = self.posted(source, panel)?;
        let head = || Some(read::<IgnoredAny>(&posted.json, source, panel)?.map(|_| ()));
        posted.head.get_or_init(head).clone()
    }

    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Changed> {
        self.changes.subscribe()
    }
}

fn read<T: DeserializeOwned>(json: &str, source: &str, panel: &str) -> Option<Panel<T>> {
    let unreadable = |error| {
        tracing::error!(source, panel, %error, "a stored panel cannot be read; another version of Oncewatch wrote it");
    };
    serde_json::from_str(json).map_err(unreadable).ok()
}

fn with_version(json: &str, version: i64) -> Result<String, serde_json::Error> {
    let mut panel: BTreeMap<&str, Box<RawValue>> = serde_json::from_str(json)?;
    panel.insert("version", to_raw_value(&version)?);
    serde_json::to_string(&panel)
}
