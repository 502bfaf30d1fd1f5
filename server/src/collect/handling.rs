//! How long handling takes, by type: from `created` to `updated` of the newest completed records. An estimate, for
//! teams that report nothing: whatever else changes a completed record makes it look slower.

use crate::clock::millis;
use crate::ports::records::RecordStore;
use app::model::{Fault, Record, RecordRef, RecordsQuery, Row, Status, TtlFit};
use chrono::Timelike;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

/// The newest page is read so often.
const EVERY: Duration = Duration::from_secs(60);
const PAGE: u32 = 200;
/// Completed records that are remembered, over all types.
const MOST: usize = 5_000;
/// With fewer, one slow record would be the P99.
const FEWEST: usize = 20;

#[derive(Debug, Default)]
pub(super) struct Handlings {
    asked: Option<Instant>,
    /// Oldest first.
    seen: VecDeque<Handled>,
    known: HashSet<RecordRef>,
    problem: Option<Fault>,
}

#[derive(Debug)]
struct Handled {
    reference: RecordRef,
    r#type: Option<String>,
    took_ms: u64,
}

impl Handlings {
    /// Reads the newest page when its time has come. Locks are judged without it too, so a fault is only kept.
    pub(super) async fn refresh(&mut self, records: &dyn RecordStore, now: Instant) {
        if self.asked.is_some_and(|at| now.saturating_duration_since(at) < EVERY) {
            return;
        }
        self.asked = Some(now);
        match records.list(&RecordsQuery { limit: PAGE, ..RecordsQuery::default() }).await {
            Ok(page) => {
                self.problem = None;
                self.take(page.items);
            }
            Err(fault) => self.problem = Some(fault),
        }
    }

    /// Why the newest page could not be read.
    pub(super) fn problem(&self) -> Option<&Fault> {
        self.problem.as_ref()
    }

    fn take(&mut self, rows: Vec<Row>) {
        for row in rows {
            if let Some(took_ms) = took_ms(&row.record).filter(|_| !self.known.contains(&row.reference)) {
                self.known.insert(row.reference.clone());
                self.seen.push_back(Handled { reference: row.reference, r#type: row.record.r#type, took_ms });
            }
        }
        while self.seen.len() > MOST {
            if let Some(oldest) = self.seen.pop_front() {
                self.known.remove(&oldest.reference);
            }
        }
    }

    /// By type; only those of which enough was seen.
    pub(super) fn fits(&self, ttl: Option<Duration>) -> Vec<TtlFit> {
        let mut types: BTreeMap<Option<&str>, Vec<u64>> = BTreeMap::new();
        for handled in &self.seen {
            types.entry(handled.r#type.as_deref()).or_default().push(handled.took_ms);
        }
        let fit = |(of, mut took): (Option<&str>, Vec<u64>)| {
            took.sort_unstable();
            TtlFit {
                r#type: of.map(str::to_owned),
                ttl_ms: ttl.map(millis),
                p50_ms: took[(took.len() - 1) / 2],
                p99_ms: took[(took.len() * 99).div_ceil(100) - 1],
                longest_ms: took[took.len() - 1],
                handled: took.len() as u64,
            }
        };
        types.into_iter().filter(|(_, took)| took.len() >= FEWEST).map(fit).collect()
    }
}

/// `None`: it does not say how long its handling took. A table that keeps whole seconds says up to a second too little.
fn took_ms(record: &Record) -> Option<u64> {
    if record.status != Status::Completed || record.attempts.is_some_and(|attempts| attempts > 1) {
        return None;
    }
    let (created, updated) = record.created_at.zip(record.updated_at)?;
    let is_whole = created.nanosecond() == 0 && updated.nanosecond() == 0;
    let took = (updated - created).to_std().ok()?;
    Some(millis(took) + if is_whole { 1_000 } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::{Handlings, MOST};
    use app::model::{Pk, Record, RecordRef, Row, Status};
    use chrono::{DateTime, TimeDelta};

    fn row(id: i128, status: Status, took_ms: i64, attempts: Option<i64>) -> Row {
        let created = DateTime::UNIX_EPOCH + TimeDelta::milliseconds(1);
        let record = Record {
            source: "points".into(),
            id: None,
            r#type: Some("ORDER".into()),
            key: None,
            status,
            created_at: Some(created),
            updated_at: Some(created + TimeDelta::milliseconds(took_ms)),
            attempts,
            error: None,
            owner: None,
            lease_until: None,
        };
        Row { reference: RecordRef { table: "t".into(), pk: Pk::Int(id) }, record, ambiguous: Vec::new(), code: None }
    }

    #[test]
    fn each_completed_record_counts_once_and_only_its_first_attempt() {
        let mut handlings = Handlings::default();
        let page = || (1..=100).map(|n| row(n, Status::Completed, i64::try_from(n).unwrap() * 10, None)).collect();
        handlings.take(page());
        handlings.take(page());
        handlings.take(vec![row(900, Status::Processing, 99_000, None), row(901, Status::Completed, 99_000, Some(2))]);
        let fits = handlings.fits(None);
        let fit = &fits[0];
        assert_eq!((fit.handled, fit.p50_ms, fit.p99_ms, fit.longest_ms), (100, 500, 990, 1_000));
    }

    #[test]
    fn a_few_records_say_nothing_and_many_are_forgotten() {
        let mut handlings = Handlings::default();
        handlings.take((0..19).map(|n| row(n, Status::Completed, 5, None)).collect());
        assert_eq!(handlings.fits(None), []);
        let many = i128::try_from(MOST).unwrap() + 500;
        handlings.take((100..100 + many).map(|n| row(n, Status::Completed, 5, None)).collect());
        assert_eq!((handlings.seen.len(), handlings.known.len()), (MOST, MOST));
    }
}
