//! The open sets of all sources, and who may look at them.

use super::open_set::OpenSet;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The open sets that this instance's collectors keep, shared with [`crate::reads`] and the locks collector.
#[derive(Debug, Default)]
pub struct OpenSets {
    sources: Mutex<HashMap<String, Arc<Shared>>>,
}

/// One source's set. Absent while this instance does not follow the table.
#[derive(Debug, Default)]
pub struct Shared(Mutex<Held>);

#[derive(Debug, Default)]
struct Held {
    leads: bool,
    looked: bool,
    set: Option<OpenSet>,
}

impl OpenSets {
    pub fn of(&self, source: &str) -> Arc<Shared> {
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        sources.entry(source.to_owned()).or_default().clone()
    }
}

impl Shared {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the records collector of this source runs here and has looked at the table once, with whatever result:
    /// the locks collector, which needs its open set, runs on the same instance.
    #[must_use]
    pub fn leads(&self) -> bool {
        let held = self.held();
        held.leads && held.looked
    }

    pub(crate) fn lead(&self) {
        self.held().leads = true;
    }

    pub(crate) fn looked(&self) {
        self.held().looked = true;
    }

    pub(crate) fn leave(&self) {
        *self.held() = Held::default();
    }

    pub(crate) fn start(&self, set: OpenSet) {
        self.held().set = Some(set);
    }

    /// The table is read in another way now.
    pub(crate) fn end(&self) {
        self.held().set = None;
    }

    /// `None` where no set is kept: another instance holds the lease, or an index answers directly.
    pub fn with<T>(&self, f: impl FnOnce(&OpenSet) -> T) -> Option<T> {
        self.held().set.as_ref().map(f)
    }

    pub(crate) fn change<T>(&self, f: impl FnOnce(&mut OpenSet) -> T) -> Option<T> {
        self.held().set.as_mut().map(f)
    }
}
