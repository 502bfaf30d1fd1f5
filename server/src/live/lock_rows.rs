//! Every lock as it was judged last, sorted by danger: the panel, which is stored and sent to every open page, has room
//! only for the first of each state.

use app::model::LockRow;
use chrono::{DateTime, Utc};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Of the sources whose locks this instance collects; another one's lists end with the panel's rows.
#[derive(Debug, Default)]
pub struct LockRows(Mutex<HashMap<String, Judged>>);

#[derive(Debug, Clone)]
pub struct Judged {
    pub read_at: DateTime<Utc>,
    pub rows: Arc<[LockRow]>,
}

impl LockRows {
    pub(crate) fn put(&self, source: &str, judged: Judged) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(source.to_owned(), judged);
    }

    /// `None`: they were never collected here.
    #[must_use]
    pub fn of(&self, source: &str) -> Option<Judged> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(source).cloned()
    }
}
