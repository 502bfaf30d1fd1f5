//! Locks as judged in one cycle: how many there are of each, which need a look first, and whether their owners tell
//! them apart.

use crate::config::LockKind;
use app::model::{Count, Lock, LockRow, LockState, Quality, VerdictCode, VerdictCount, WhyNot};
use chrono::{DateTime, Utc};

/// So many locks with one owner are no coincidence.
const SHARED: usize = 3;

/// One lock as judged.
pub(super) struct Judged {
    pub row: LockRow,
    /// Of its open record, and since when that is as it is.
    pub verdict: Option<(VerdictCode, Option<DateTime<Utc>>)>,
}

pub(super) fn count(judged: &[Judged], state: LockState, quality: Quality) -> Count {
    Count { value: judged.iter().filter(|judged| judged.row.lock.state == state).count() as u64, quality }
}

pub(super) fn kind_name(kind: LockKind) -> &'static str {
    LockKind::ALL.into_iter().find_map(|(name, known)| (known == kind).then_some(name)).unwrap_or("string")
}

/// Sorted by danger.
pub(super) fn rows(judged: Vec<Judged>, shared_owner: Option<&str>) -> Vec<LockRow> {
    let mut rows: Vec<LockRow> =
        judged.into_iter().map(|judged| judged.row).filter(|row| row.lock.state.danger().is_some()).collect();
    rows.sort_by(|a, b| {
        let by = |row: &LockRow| (row.lock.state.danger(), row.lock.ttl_ms);
        by(a).cmp(&by(b)).then_with(|| a.lock.key.cmp(&b.lock.key))
    });
    for row in &mut rows {
        let shared = shared_owner.filter(|shared| row.lock.owner.as_deref() == Some(shared));
        if let (None, Some(owner)) = (&row.not_releasable, shared) {
            row.not_releasable = Some(WhyNot::SharedOwner { owner: owner.to_owned() });
        }
    }
    rows
}

/// Whether the owners of locks that were seen together tell them apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Owners<'a> {
    /// Too few to say.
    Few,
    Distinct,
    Shared(&'a str),
}

pub(super) fn owners<'a>(locks: impl Iterator<Item = &'a Lock>) -> Owners<'a> {
    let owners: Vec<&str> = locks.filter_map(|lock| lock.owner.as_deref()).collect();
    match owners.first() {
        Some(first) if owners.iter().any(|owner| owner != first) => Owners::Distinct,
        Some(first) if owners.len() >= SHARED => Owners::Shared(first),
        _ => Owners::Few,
    }
}

pub(super) fn verdicts(judged: &[Judged]) -> Vec<VerdictCount> {
    let mut counts: Vec<VerdictCount> = Vec::new();
    for (verdict, since) in judged.iter().filter_map(|judged| judged.verdict) {
        match counts.iter_mut().find(|count| count.verdict == verdict) {
            Some(count) => {
                count.count += 1;
                count.oldest_at = count.oldest_at.into_iter().chain(since).min();
            }
            None => counts.push(VerdictCount { verdict, count: 1, oldest_at: since }),
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::{Judged, rows};
    use app::model::{Lock, LockRow, LockState, WhyNot, first_of_each};

    fn judged(key: &str, state: LockState) -> Judged {
        let lock = Lock { state, key: key.into(), owner: Some("1".into()), ttl_ms: None };
        let row = LockRow {
            lock,
            r#type: None,
            key: key.into(),
            record_status: None,
            reference: None,
            count: None,
            watched_ms: 0,
            not_releasable: None,
        };
        Judged { row, verdict: None }
    }

    #[test]
    fn each_state_has_its_place_however_many_others_there_are() {
        let mut all: Vec<Judged> = (0..500).map(|n| judged(&format!("{n:03}"), LockState::Eternal)).collect();
        all.extend([judged("h", LockState::Held), judged("o", LockState::Orphan), judged("d", LockState::Done)]);
        let rows = rows(all, None);
        assert_eq!(rows.len(), 502, "a done marker is no lock");
        let keys: Vec<&str> = first_of_each(rows.iter(), 2).map(|row| row.key.as_str()).collect();
        assert_eq!(keys, ["000", "001", "o", "h"]);
    }

    #[test]
    fn what_all_share_is_not_to_be_released() {
        let rows = rows(vec![judged("o", LockState::Orphan)], Some("1"));
        assert_eq!(rows[0].not_releasable, Some(WhyNot::SharedOwner { owner: "1".into() }));
    }
}
