//! Lists of locks: the first of each state, or page after page of one.

use super::{Fault, LockRow, LockState, LocksFilter, LocksPanel};
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::HashMap;
use std::fmt;

/// Which locks are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocksQuery {
    pub filter: LocksFilter,
    /// The list goes on behind it; only of one state.
    pub after: Option<LockPlace>,
    /// Of each state.
    pub most: usize,
}

/// Where a lock stands among those of its state: those that end first come first, those that never end before them. What
/// is left grows less for all alike, so the order stays while time passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockPlace {
    /// By the console's clock; `None`: never.
    ends_ms: Option<i64>,
    /// The full Redis key.
    key: String,
}

const NEVER: &str = "never";

impl LocksQuery {
    /// Rows of each state on the panel, and on a page.
    pub const MOST: usize = 60;

    #[must_use]
    pub fn first(filter: LocksFilter) -> Self {
        Self { filter, after: None, most: Self::MOST }
    }

    /// From the parameters of an address; empty ones are none.
    ///
    /// # Errors
    /// [`Fault::BadInput`] for a state that no list has, for a place that is none, and for one without a state.
    pub fn read(
        state: Option<&str>,
        r#type: Option<&str>,
        text: Option<&str>,
        after: Option<&str>,
    ) -> Result<Self, Fault> {
        let filter = LocksFilter::read(state, r#type, text)?;
        let bad = |detail: String| Fault::BadInput { what: "parameter after".into(), detail };
        let after = after.filter(|text| !text.is_empty()).map(|text| {
            LockPlace::parse(text).ok_or_else(|| bad(format!("found {text:?}; accepted: next of an earlier answer")))
        });
        let after = after.transpose()?;
        if after.is_some() && filter.state.is_none() {
            return Err(bad("needs state beside it: a list of all states has no second page".into()));
        }
        Ok(Self { after, ..Self::first(filter) })
    }
}

impl fmt::Display for LockPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ends_ms {
            Some(ends_ms) => write!(f, "{ends_ms}.{}", self.key),
            None => write!(f, "{NEVER}.{}", self.key),
        }
    }
}

impl LockPlace {
    fn parse(text: &str) -> Option<Self> {
        let (ends, key) = text.split_once('.')?;
        let ends_ms = if ends == NEVER { None } else { Some(ends.parse().ok()?) };
        (!key.is_empty()).then(|| Self { ends_ms, key: key.to_owned() })
    }

    fn of(row: &LockRow, read_at: DateTime<Utc>) -> Self {
        let ends = |ttl_ms| Some((read_at + TimeDelta::try_milliseconds(ttl_ms)?).timestamp_millis());
        Self { ends_ms: row.lock.ttl_ms.and_then(ends), key: row.lock.key.clone() }
    }

    /// How many of the rows stand up to here. A lock that is gone has left its place among the others, to the few
    /// milliseconds by which two readings differ.
    fn passed(&self, rows: &[&LockRow], read_at: DateTime<Utc>) -> usize {
        match rows.iter().position(|row| row.lock.key == self.key) {
            Some(at) => at + 1,
            None => rows.partition_point(|row| {
                let place = Self::of(row, read_at);
                (place.ends_ms, &place.key) <= (self.ends_ms, &self.key)
            }),
        }
    }
}

impl LocksPanel {
    /// The same panel with the rows that are asked for, out of `all` that were seen at `read_at`, sorted by danger. Counts
    /// stay those of all locks.
    #[must_use]
    pub fn listing(self, all: &[LockRow], read_at: DateTime<Utc>, query: &LocksQuery) -> Self {
        let matching: Vec<&LockRow> = all.iter().filter(|row| query.filter.matches(row)).collect();
        let passed = query.after.as_ref().map_or(0, |place| place.passed(&matching, read_at));
        let rows: Vec<LockRow> = first_of_each(matching[passed..].iter().copied(), query.most).cloned().collect();
        let more = query.filter.state.is_some() && passed + rows.len() < matching.len();
        let next = rows.last().filter(|_| more).map(|row| LockPlace::of(row, read_at).to_string());
        Self { rows, next, ..self }
    }
}

/// In their order; so many of each state at most.
pub fn first_of_each<'a>(rows: impl Iterator<Item = &'a LockRow>, most: usize) -> impl Iterator<Item = &'a LockRow> {
    let mut of_state: HashMap<LockState, usize> = HashMap::new();
    rows.filter(move |row| {
        let so_far = of_state.entry(row.lock.state).or_default();
        *so_far += 1;
        *so_far <= most
    })
}

#[cfg(test)]
mod tests {
    use super::{LockPlace, LocksQuery};
    use crate::model::{Lock, LockRow, LockState, LocksFilter, LocksPanel};
    use chrono::{DateTime, TimeDelta, Utc};
    use proptest::prelude::*;

    fn at(ms: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::milliseconds(1_796_000_000_000 + ms)
    }

    fn row(state: LockState, key: &str, ttl_ms: Option<i64>) -> LockRow {
        LockRow {
            lock: Lock { state, key: key.into(), owner: None, ttl_ms },
            r#type: None,
            key: key.into(),
            record_status: None,
            reference: None,
            count: None,
            watched_ms: 0,
            not_releasable: None,
        }
    }

    /// As the collector sorts them.
    fn sorted(mut rows: Vec<LockRow>) -> Vec<LockRow> {
        rows.sort_by(|a, b| {
            let by = |row: &LockRow| (row.lock.state.danger(), row.lock.ttl_ms, row.lock.key.clone());
            by(a).cmp(&by(b))
        });
        rows
    }

    fn query(state: Option<LockState>, after: Option<&str>, most: usize) -> LocksQuery {
        let filter = LocksFilter { state, ..LocksFilter::default() };
        LocksQuery { filter, after: after.map(|text| LockPlace::parse(text).unwrap()), most }
    }

    fn keys(panel: &LocksPanel) -> Vec<String> {
        panel.rows.iter().map(|row| row.key.clone()).collect()
    }

    #[test]
    fn without_a_state_the_first_of_each_are_listed_and_nothing_follows() {
        let mut all: Vec<LockRow> = (0..5).map(|n| row(LockState::Held, &format!("h{n}"), Some(9_000 + n))).collect();
        all.push(row(LockState::Eternal, "e", None));
        let panel = LocksPanel::empty().listing(&sorted(all), at(0), &query(None, None, 3));
        assert_eq!((keys(&panel), panel.next), (["e", "h0", "h1", "h2"].map(String::from).to_vec(), None));
    }

    #[test]
    fn a_place_survives_its_lock_and_what_is_no_place_is_refused() {
        let all = |gone: &str| {
            let keys = ["a", "b", "c", "d"].into_iter().zip(1..).filter(|(key, _)| *key != gone);
            sorted(keys.map(|(key, n)| row(LockState::Held, key, Some(n * 1_000))).collect())
        };
        let held = |after| query(Some(LockState::Held), after, 2);
        let first = LocksPanel::empty().listing(&all(""), at(0), &held(None));
        assert_eq!(keys(&first), ["a", "b"]);
        let next = first.next.unwrap();
        for gone in ["", "b", "a"] {
            let second = LocksPanel::empty().listing(&all(gone), at(0), &held(Some(&next)));
            assert_eq!((keys(&second), second.next), (["c", "d"].map(String::from).to_vec(), None), "{gone}");
        }
        let read = |state, after| LocksQuery::read(state, None, None, Some(after)).map_err(|fault| fault.to_string());
        assert!(read(Some("held"), "tomorrow.b").unwrap_err().contains("accepted: next of an earlier answer"));
        assert!(read(Some("held"), "17").is_err() && read(Some("held"), "never.").is_err());
        assert!(read(None, "never.b").unwrap_err().contains("needs state"));
        assert_eq!(read(Some("held"), "never.b.c").unwrap().after.unwrap().to_string(), "never.b.c");
    }

    proptest! {
        /// Time passes and some locks end between two pages.
        #[test]
        fn paging_shows_each_lock_that_stays_once(
            ttls in prop::collection::vec(prop::option::of(1_000_i64..60_000), 0..40),
            most in 1_usize..7,
            gone in prop::collection::hash_set(0_usize..40, 0..10),
        ) {
            let mut all: Vec<LockRow> =
                ttls.iter().enumerate().map(|(n, ttl)| row(LockState::Held, &format!("k{n:02}"), *ttl)).collect();
            let (mut seen, mut after, mut now) = (Vec::new(), None::<String>, 0);
            loop {
                let query = query(Some(LockState::Held), after.as_deref(), most);
                let panel = LocksPanel::empty().listing(&sorted(all.clone()), at(now), &query);
                seen.extend(keys(&panel));
                prop_assert!(panel.rows.len() <= most);
                match panel.next {
                    Some(next) => after = Some(next),
                    None => break,
                }
                if now == 0 {
                    all.retain(|row| !gone.contains(&row.key[1..].parse::<usize>().unwrap()));
                }
                now += 100;
                all.iter_mut().for_each(|row| row.lock.ttl_ms = row.lock.ttl_ms.map(|ttl| ttl - 100));
            }
            let mut once = seen.clone();
            once.sort();
            once.dedup();
            prop_assert_eq!(once.len(), seen.len(), "no lock twice: {:?}", seen);
            for row in &all {
                prop_assert!(seen.contains(&row.key), "{} was left out: {:?}", row.key, seen);
            }
        }
    }
}
