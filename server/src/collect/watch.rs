//! Locks that were seen held, and since when by the same owner: what tells an orphan from a handler between lock and
//! insert.

use crate::diagnose::lock_key::Named;
use crate::ports::locks::Reading;
use app::model::RecordRef;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Locks that are watched at most. Those with an open record are watched first.
const MOST: usize = 5_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Watched {
    /// All ways to read the key; one once its record was found.
    pub named: Vec<Named>,
    /// The record it was seen with.
    pub reference: Option<RecordRef>,
    /// Its record was looked for at this time, and there was none.
    pub missed: Option<Instant>,
    owner: String,
    since: Instant,
}

#[derive(Debug, Default)]
pub(super) struct Watch(HashMap<String, Watched>);

impl Watch {
    pub(super) fn iter(&self) -> impl Iterator<Item = (&String, &Watched)> {
        self.0.iter()
    }

    /// Further locks are not watched.
    pub(super) fn is_full(&self) -> bool {
        self.0.len() >= MOST
    }

    pub(super) fn contains(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// For how long this very owner has been seen; zero at first sight.
    pub(super) fn seen_for(&self, key: &str, reading: &Reading, now: Instant) -> Duration {
        match (self.0.get(key), reading.held_by()) {
            (Some(watched), Some(held_by)) if watched.owner == held_by => now.saturating_duration_since(watched.since),
            _ => Duration::ZERO,
        }
    }

    /// A look-up found no record behind this lock.
    pub(super) fn miss(&mut self, key: &str, now: Instant) {
        if let Some(watched) = self.0.get_mut(key) {
            watched.missed = Some(now);
        }
    }

    /// Takes in what was read. A lock that is gone, or has become a marker, is no longer watched.
    pub(super) fn note(
        &mut self,
        key: &str,
        named: Vec<Named>,
        reference: Option<RecordRef>,
        held_by: Option<&str>,
        now: Instant,
    ) {
        let Some(owner) = held_by else {
            self.0.remove(key);
            return;
        };
        if let Some(watched) = self.0.get_mut(key) {
            if watched.owner != owner {
                (watched.owner, watched.since) = (owner.to_owned(), now);
            }
            watched.reference = reference.or(watched.reference.take());
            watched.named = named;
        } else if self.0.len() < MOST {
            self.0.insert(
                key.to_owned(),
                Watched { named, reference, missed: None, owner: owner.to_owned(), since: now },
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Watch;
    use crate::clock::{Clock, SystemClock};
    use crate::ports::locks::Reading;
    use std::time::Duration;

    #[test]
    fn another_owner_begins_anew() {
        let (mut watch, start) = (Watch::default(), SystemClock.instant());
        let later = start + Duration::from_secs(9);
        let held = |by: &str| Reading::Value { value: by.into(), ttl_ms: None };
        assert_eq!(watch.seen_for("k", &held("a"), start), Duration::ZERO);
        watch.note("k", vec![], None, Some("a"), start);
        assert_eq!(watch.seen_for("k", &held("a"), later), Duration::from_secs(9));
        watch.note("k", vec![], None, Some("b"), later);
        assert_eq!(watch.seen_for("k", &held("b"), later), Duration::ZERO);
        watch.note("k", vec![], None, None, later);
        assert!(!watch.contains("k"));
    }

    #[test]
    fn a_counter_that_grows_is_still_the_same() {
        let (mut watch, start) = (Watch::default(), SystemClock.instant());
        let later = start + Duration::from_secs(9);
        let counted = |n: &str| Reading::Mark { value: n.into(), ttl_ms: None };
        watch.note("k", vec![], None, counted("1").held_by().as_deref(), start);
        watch.note("k", vec![], None, counted("2").held_by().as_deref(), later);
        assert_eq!(watch.seen_for("k", &counted("3"), later), Duration::from_secs(9));
    }
}
