//! The records that are neither finished nor given up, as far as the collector has seen them.
//!
//! An entry with a numeric id is 16 bytes, and less than 48 with its share of the tree, so that a million stay cheap. Keys, types and times to the microsecond
//! are not kept: whoever wants a row reads it again by its primary key.

use app::model::{Pk, RecordRef, Status};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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

/// An entry in eight bytes: milliseconds in the upper 61 bits, then whether it is stored, and the status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Packed(i64);

const FAILED: i64 = 0b001;
const STORED: i64 = 0b010;
const FLAGS: u32 = 3;
/// No time: as if it had been open for ever.
const UNKNOWN: i64 = i64::MIN >> FLAGS;

impl Packed {
    fn new(entry: Entry, stored: bool) -> Self {
        let since = entry.since_ms.map_or(UNKNOWN, |ms| ms.clamp(UNKNOWN + 1, i64::MAX >> FLAGS));
        let failed = if entry.open == Open::Failed { FAILED } else { 0 };
        Self(since << FLAGS | failed | if stored { STORED } else { 0 })
    }

    fn entry(self) -> Entry {
        let since = self.0 >> FLAGS;
        Entry { open: self.open(), since_ms: (since != UNKNOWN).then_some(since) }
    }

    fn open(self) -> Open {
        if self.0 & FAILED == 0 { Open::Processing } else { Open::Failed }
    }

    fn stored(self) -> bool {
        self.0 & STORED != 0
    }

    fn age_order(self) -> i64 {
        self.0 >> FLAGS
    }
}

/// What tells a row of a table apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Id<'a> {
    Number(i64),
    /// Also a number beyond: an unsigned one may be.
    Other(&'a Pk),
}

impl<'a> Id<'a> {
    fn of(pk: &'a Pk) -> Self {
        match pk {
            Pk::Int(number) => i64::try_from(*number).map_or(Self::Other(pk), Self::Number),
            other => Self::Other(other),
        }
    }

    #[must_use]
    pub fn pk(self) -> Pk {
        match self {
            Self::Number(number) => Pk::Int(number.into()),
            Self::Other(pk) => pk.clone(),
        }
    }

    #[must_use]
    pub fn number(self) -> Option<i128> {
        match self {
            Self::Number(number) => Some(number.into()),
            Self::Other(Pk::Int(number)) => Some(*number),
            Self::Other(_) => None,
        }
    }
}

/// Of one table.
#[derive(Debug, Default)]
struct Ids {
    numbers: BTreeMap<i64, Packed>,
    others: BTreeMap<Pk, Packed>,
    /// Stored rows that are not open any more.
    unstored: BTreeSet<Pk>,
}

impl Ids {
    fn get(&self, pk: &Pk) -> Option<Packed> {
        match Id::of(pk) {
            Id::Number(number) => self.numbers.get(&number).copied(),
            Id::Other(other) => self.others.get(other).copied(),
        }
    }

    fn put(&mut self, pk: &Pk, packed: Packed) -> Option<Packed> {
        match Id::of(pk) {
            Id::Number(number) => self.numbers.insert(number, packed),
            Id::Other(other) => self.others.insert(other.clone(), packed),
        }
    }

    fn take(&mut self, pk: &Pk) -> Option<Packed> {
        match Id::of(pk) {
            Id::Number(number) => self.numbers.remove(&number),
            Id::Other(other) => self.others.remove(other),
        }
    }

    fn iter(&self) -> impl Iterator<Item = (Id<'_>, Packed)> {
        let numbers = self.numbers.iter().map(|(number, packed)| (Id::Number(*number), *packed));
        numbers.chain(self.others.iter().map(|(pk, packed)| (Id::Other(pk), *packed)))
    }

    fn retain(&mut self, mut keep: impl FnMut(Packed) -> bool) {
        let unstored = &mut self.unstored;
        let mut keep = |pk: &dyn Fn() -> Pk, packed: Packed| {
            let stays = keep(packed);
            if !stays && packed.stored() {
                unstored.insert(pk());
            }
            stays
        };
        self.numbers.retain(|number, packed| keep(&|| Pk::Int((*number).into()), *packed));
        self.others.retain(|pk, packed| keep(&|| pk.clone(), *packed));
    }
}

/// Bounded: when it is full the youngest go, because old ones are what needs a person.
#[derive(Debug)]
pub struct OpenSet {
    tables: BTreeMap<Arc<str>, Ids>,
    len: usize,
    processing: usize,
    bound: usize,
    /// Something was left out since the set began: counts are "more than".
    overflowed: bool,
}

/// Where an entry stands in a list, newest first: since when, and what tells it apart.
pub type Place = (i64, RecordRef);

impl OpenSet {
    #[must_use]
    pub fn new(bound: usize) -> Self {
        Self { tables: BTreeMap::new(), len: 0, processing: 0, bound: bound.max(1), overflowed: false }
    }

    /// Takes a row in, or its newer state.
    pub fn insert(&mut self, table: &str, pk: &Pk, entry: Entry) {
        // What comes back before its end was written is stored as it is.
        let back = self.tables.get_mut(table).is_some_and(|ids| ids.unstored.remove(pk));
        let stored = back || self.find(table, pk).is_some_and(Packed::stored);
        self.put(table, pk, Packed::new(entry, stored));
    }

    /// A row that a stored copy of the set has: open when that was written, now to be looked at.
    pub fn restore(&mut self, table: &str, pk: &Pk) {
        if self.find(table, pk).is_none() {
            self.put(table, pk, Packed::new(Entry { open: Open::Processing, since_ms: None }, true));
        }
    }

    fn put(&mut self, table: &str, pk: &Pk, packed: Packed) {
        if !self.tables.contains_key(table) {
            self.tables.insert(table.into(), Ids::default());
        }
        let Some(ids) = self.tables.get_mut(table) else { return };
        match ids.put(pk, packed) {
            Some(before) => self.processing -= usize::from(before.open() == Open::Processing),
            None => self.len += 1,
        }
        self.processing += usize::from(packed.open() == Open::Processing);
        if self.len > self.bound {
            self.shrink();
        }
    }

    /// Whether it was there.
    pub fn remove(&mut self, table: &str, pk: &Pk) -> bool {
        let Some(ids) = self.tables.get_mut(table) else { return false };
        let Some(before) = ids.take(pk) else { return false };
        if before.stored() {
            ids.unstored.insert(pk.clone());
        }
        self.len -= 1;
        self.processing -= usize::from(before.open() == Open::Processing);
        true
    }

    /// The table is followed anew, or is not there any more.
    pub fn forget(&mut self, table: &str) {
        let Some(ids) = self.tables.get_mut(table) else { return };
        let all: Vec<(Pk, Packed)> = ids.iter().map(|(id, packed)| (id.pk(), packed)).collect();
        for (pk, _) in all {
            self.remove(table, &pk);
        }
    }

    /// Down to fifteen sixteenths, so that a full set is not gone through for each row. What it leaves out is found again
    /// by a later walk.
    fn shrink(&mut self) {
        self.overflowed = true;
        let keep = self.bound - self.bound / 16;
        let mut ages: Vec<i64> = self.all().map(|(_, _, packed)| packed.age_order()).collect();
        let (older, limit, _) = ages.select_nth_unstable(keep);
        let limit = *limit;
        // Of those that share the limit's age, as many as there is room for.
        let mut room = keep - older.iter().filter(|age| **age < limit).count();
        let (mut len, mut processing) = (0, 0);
        for ids in self.tables.values_mut() {
            ids.retain(|packed| {
                let age = packed.age_order();
                let stays = age < limit || (age == limit && room > 0);
                room -= usize::from(stays && age == limit);
                len += usize::from(stays);
                processing += usize::from(stays && packed.open() == Open::Processing);
                stays
            });
        }
        (self.len, self.processing) = (len, processing);
    }

    fn find(&self, table: &str, pk: &Pk) -> Option<Packed> {
        self.tables.get(table)?.get(pk)
    }

    fn all(&self) -> impl Iterator<Item = (&str, Id<'_>, Packed)> {
        self.tables.iter().flat_map(|(table, ids)| ids.iter().map(move |(id, packed)| (&**table, id, packed)))
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[must_use]
    pub fn processing(&self) -> usize {
        self.processing
    }

    #[must_use]
    pub fn failed(&self) -> usize {
        self.len - self.processing
    }

    #[must_use]
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, Id<'_>, Entry)> {
        self.all().map(|(table, id, packed)| (table, id, packed.entry()))
    }

    /// Of one table.
    pub fn of_table(&self, table: &str) -> impl Iterator<Item = (Id<'_>, Entry)> {
        let ids = self.tables.get(table);
        ids.into_iter().flat_map(|ids| ids.iter().map(|(id, packed)| (id, packed.entry())))
    }

    /// The longest open, at most `count`, the oldest first.
    #[must_use]
    pub fn oldest(&self, open: Open, count: usize) -> Vec<RecordRef> {
        let wanted = self.all().filter(|(.., packed)| packed.open() == open);
        let order = |(table, id, packed): (_, _, Packed)| (packed.entry().since_ms.unwrap_or(i64::MAX), table, id);
        least(wanted.map(order), count).into_iter().map(|(_, table, id)| reference(table, id)).collect()
    }

    /// Entries of this status after a place, newest first, at most `limit`: a page of a list.
    #[must_use]
    pub fn below(&self, open: Open, before: Option<&Place>, limit: usize) -> Vec<Place> {
        let before = before.map(|(since, reference)| (*since, reference.table.as_str(), Id::of(&reference.pk)));
        let places = self.places(open).filter(|place| before.as_ref().is_none_or(|before| place < before));
        least(places.map(Reverse), limit).into_iter().map(|Reverse(place)| owned(place)).collect()
    }

    /// Entries of this status before a place, the nearest first, at most `limit`.
    #[must_use]
    pub fn above(&self, open: Open, after: &Place, limit: usize) -> Vec<Place> {
        let (since, reference) = after;
        let after = (*since, reference.table.as_str(), Id::of(&reference.pk));
        least(self.places(open).filter(|place| *place > after), limit).into_iter().map(owned).collect()
    }

    fn places(&self, open: Open) -> impl Iterator<Item = (i64, &str, Id<'_>)> {
        let wanted = self.all().filter(move |(.., packed)| packed.open() == open);
        wanted.map(|(table, id, packed)| (packed.age_order(), table, id))
    }

    /// The oldest and the youngest, at most `each` of either.
    #[must_use]
    pub fn ends(&self, each: usize) -> Vec<RecordRef> {
        let places = || self.all().map(|(table, id, packed)| (packed.age_order(), table, id));
        if self.len <= 2 * each {
            return places().map(|(_, table, id)| reference(table, id)).collect();
        }
        let oldest = least(places(), each).into_iter();
        let youngest = least(places().map(Reverse), each).into_iter().map(|Reverse(place)| place);
        oldest.chain(youngest).map(|(_, table, id)| reference(table, id)).collect()
    }

    /// What of a table is to be written to, and taken out of, the stored copy: of either at most `limit`, of the former only
    /// what `lasts`. They count as done.
    pub fn unstored(&mut self, table: &str, limit: usize, lasts: impl Fn(Id<'_>, Entry) -> bool) -> (Vec<Pk>, Vec<Pk>) {
        let Some(ids) = self.tables.get_mut(table) else { return (Vec::new(), Vec::new()) };
        let gone = std::iter::from_fn(|| ids.unstored.pop_first()).take(limit).collect();
        let numbers = ids.numbers.iter_mut().map(|(number, packed)| (Id::Number(*number), packed));
        let others = ids.others.iter_mut().map(|(pk, packed)| (Id::Other(pk), packed));
        let new = numbers.chain(others).filter(|(id, packed)| !packed.stored() && lasts(*id, packed.entry()));
        let add = new.take(limit).map(|(id, packed)| {
            packed.0 |= STORED;
            id.pk()
        });
        let add: Vec<Pk> = add.collect();
        (add, gone)
    }

    /// They could not be written after all.
    pub fn not_stored(&mut self, table: &str, add: &[Pk], gone: Vec<Pk>) {
        let Some(ids) = self.tables.get_mut(table) else { return };
        for pk in add {
            if let Some(packed) = ids.get(pk) {
                ids.put(pk, Packed(packed.0 & !STORED));
            }
        }
        ids.unstored.extend(gone);
    }
}

/// The `count` smallest, in order.
fn least<T: Ord>(all: impl Iterator<Item = T>, count: usize) -> Vec<T> {
    let mut found: Vec<T> = all.collect();
    if count < found.len() {
        found.select_nth_unstable(count);
        found.truncate(count);
    }
    found.sort_unstable();
    found
}

fn reference(table: &str, id: Id<'_>) -> RecordRef {
    RecordRef { table: table.to_owned(), pk: id.pk() }
}

fn owned((since, table, id): (i64, &str, Id<'_>)) -> Place {
    (since, reference(table, id))
}

#[cfg(test)]
#[path = "open_set_tests.rs"]
mod tests;
