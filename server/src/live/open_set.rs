//! The records that are neither finished nor given up, by id, as far as the tail and the walk have seen them.
//!
//! An entry is 40 bytes, so that a million of them stay cheap. Keys, types and times
//! to the microsecond are not kept: whoever wants a row reads it again by its primary key.

use app::model::Status;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Open statuses; everything else is counted, not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Open {
    Processing,
    Failed,
}

impl Open {
    #[must_use]
    pub fn of(status: Status) -> Option<Self> {
        match status {
            Status::Processing => Some(Self::Processing),
            Status::Failed => Some(Self::Failed),
            Status::Completed | Status::Dead | Status::Unmapped => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub open: Open,
    /// In this status since then, Unix milliseconds by the database; `None`: the table does not say.
    pub since_ms: Option<i64>,
}

/// Bounded: when it is full the youngest are refused, because old ones are what needs a person.
#[derive(Debug)]
pub struct OpenSet {
    entries: BTreeMap<i128, Entry>,
    processing: usize,
    bound: usize,
    /// Something was refused since the last [`OpenSet::clear`]: counts are "more than".
    overflowed: bool,
}

impl OpenSet {
    #[must_use]
    pub fn new(bound: usize) -> Self {
        Self { entries: BTreeMap::new(), processing: 0, bound, overflowed: false }
    }

    pub fn clear(&mut self) {
        *self = Self::new(self.bound);
    }

    /// Takes a row in, or its newer state.
    pub fn insert(&mut self, id: i128, entry: Entry) {
        let known = self.entries.contains_key(&id);
        if !known && self.entries.len() >= self.bound {
            self.overflowed = true;
            // Growing ids: the largest is the youngest.
            match self.entries.last_key_value() {
                Some((&youngest, _)) if youngest > id => self.remove(youngest),
                _ => return,
            };
        }
        if let Some(before) = self.entries.insert(id, entry) {
            self.processing -= usize::from(before.open == Open::Processing);
        }
        self.processing += usize::from(entry.open == Open::Processing);
    }

    /// Whether it was there.
    pub fn remove(&mut self, id: i128) -> bool {
        let Some(before) = self.entries.remove(&id) else { return false };
        self.processing -= usize::from(before.open == Open::Processing);
        true
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    #[must_use]
    pub fn processing(&self) -> usize {
        self.processing
    }

    #[must_use]
    pub fn failed(&self) -> usize {
        self.entries.len() - self.processing
    }

    #[must_use]
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// In id order.
    pub fn iter(&self) -> impl Iterator<Item = (i128, Entry)> + '_ {
        self.entries.iter().map(|(id, entry)| (*id, *entry))
    }

    /// Ids of this status below `before`, largest first, at most `limit`: a page of a list, newest first.
    #[must_use]
    pub fn below(&self, open: Open, before: Option<i128>, limit: usize) -> Vec<i128> {
        self.below_that(|entry| entry.open == open, before, limit)
    }

    /// Ids of this status above `after`, smallest first, at most `limit`.
    #[must_use]
    pub fn above(&self, open: Open, after: i128, limit: usize) -> Vec<i128> {
        self.above_that(|entry| entry.open == open, after, limit)
    }

    /// Ids below `before` of entries like that, largest first, at most `limit`.
    pub fn below_that(&self, like: impl Fn(&Entry) -> bool, before: Option<i128>, limit: usize) -> Vec<i128> {
        let range = match before {
            Some(before) => self.entries.range(..before),
            None => self.entries.range(..),
        };
        range.rev().filter(|(_, entry)| like(entry)).map(|(id, _)| *id).take(limit).collect()
    }

    /// Ids above `after` of entries like that, smallest first, at most `limit`.
    pub fn above_that(&self, like: impl Fn(&Entry) -> bool, after: i128, limit: usize) -> Vec<i128> {
        let range = self.entries.range((std::ops::Bound::Excluded(after), std::ops::Bound::Unbounded));
        range.filter(|(_, entry)| like(entry)).map(|(id, _)| *id).take(limit).collect()
    }

    /// The smallest and the largest ids, at most `each` of either: the oldest and the youngest records.
    #[must_use]
    pub fn ends(&self, each: usize) -> Vec<i128> {
        if self.entries.len() <= 2 * each {
            return self.entries.keys().copied().collect();
        }
        let oldest = self.entries.keys().take(each);
        let youngest = self.entries.keys().rev().take(each);
        oldest.chain(youngest).copied().collect()
    }
}

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

#[cfg(test)]
mod tests {
    use super::{Entry, Open, OpenSet};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[derive(Debug, Clone)]
    enum Step {
        Insert(i128, Open),
        Remove(i128),
    }

    fn step() -> impl Strategy<Value = Step> {
        let open = prop_oneof![Just(Open::Processing), Just(Open::Failed)];
        prop_oneof![
            (0..40_i128, open).prop_map(|(id, open)| Step::Insert(id, open)),
            (0..40_i128).prop_map(Step::Remove)
        ]
    }

    proptest! {
        #[test]
        fn below_its_bound_it_is_a_map_that_counts(steps in prop::collection::vec(step(), 0..200)) {
            let mut set = OpenSet::new(1_000);
            let mut model = BTreeMap::new();
            for step in steps {
                match step {
                    Step::Insert(id, open) => {
                        set.insert(id, Entry { open, since_ms: None });
                        model.insert(id, open);
                    }
                    Step::Remove(id) => prop_assert_eq!(set.remove(id), model.remove(&id).is_some()),
                }
                prop_assert_eq!(set.len(), model.len());
                prop_assert_eq!(set.processing(), model.values().filter(|open| **open == Open::Processing).count());
                prop_assert_eq!(set.processing() + set.failed(), set.len());
                prop_assert!(!set.overflowed());
            }
        }

        #[test]
        fn beyond_its_bound_it_keeps_the_oldest_and_says_so(ids in prop::collection::btree_set(0..1_000_i128, 11..60), order in any::<u64>()) {
            let mut shuffled: Vec<i128> = ids.iter().copied().collect();
            shuffled.sort_by_key(|id| (u64::try_from(*id).unwrap_or(0)).wrapping_mul(order | 1));
            let mut set = OpenSet::new(10);
            for id in shuffled {
                set.insert(id, Entry { open: Open::Processing, since_ms: None });
            }
            prop_assert!(set.overflowed());
            let kept: Vec<i128> = set.iter().map(|(id, _)| id).collect();
            prop_assert_eq!(kept, ids.into_iter().take(10).collect::<Vec<_>>());
        }

        #[test]
        fn pages_downwards_lose_and_double_nothing(ids in prop::collection::btree_set(0..500_i128, 0..80), page in 1..20_usize) {
            let mut set = OpenSet::new(1_000);
            for id in &ids {
                set.insert(*id, Entry { open: Open::Failed, since_ms: None });
            }
            let (mut seen, mut before) = (Vec::new(), None);
            loop {
                let part = set.below(Open::Failed, before, page);
                let Some(last) = part.last() else { break };
                before = Some(*last);
                seen.extend(part);
            }
            prop_assert_eq!(seen, ids.into_iter().rev().collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_entry_stays_small() {
        assert!(size_of::<i128>() + size_of::<Entry>() <= 40, "{}", size_of::<Entry>());
    }
}
