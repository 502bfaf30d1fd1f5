//! The different values of leading columns as they were found last, so that a look-up need not find them each time.

use super::catalogue::Column;
use super::raw::Raw;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long values serve without being read again.
const FRESH: Duration = Duration::from_secs(60);

#[derive(Clone)]
pub struct Found {
    pub values: Vec<Vec<Raw>>,
    at: Instant,
}

impl Found {
    pub fn is_fresh(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.at) < FRESH
    }
}

/// What was found last, by the names of the columns, since the table was last seen to change.
#[derive(Default)]
pub struct Leading(Mutex<BTreeMap<Vec<String>, Found>>);

impl Leading {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Vec<String>, Found>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn last(&self, columns: &[Column]) -> Option<Found> {
        self.lock().get(&names(columns)).cloned()
    }

    pub fn keep(&self, columns: &[Column], values: &[Vec<Raw>], at: Instant) {
        self.lock().insert(names(columns), Found { values: values.to_vec(), at });
    }

    pub fn forget(&self) {
        self.lock().clear();
    }
}

fn names(columns: &[Column]) -> Vec<String> {
    columns.iter().map(|column| column.name.clone()).collect()
}
