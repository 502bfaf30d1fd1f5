//! How long handling takes, by type: from `created` to `updated` of the newest completed records. An estimate, for
//! teams that report nothing: whatever else changes a completed record makes it look slower.

use crate::clock::millis;
use crate::diagnose::lock::FEWEST_MEASURED;
use crate::ports::records::RecordStore;
use crate::ports::signals::OTHER;
use app::model::{Fault, Measured, Record, RecordRef, RecordsQuery, Row, SignalsPanel, Status, TtlFit};
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
                measured: Measured::Estimated,
            }
        };
        types.into_iter().filter(|(_, took)| took.len() >= FEWEST).map(fit).collect()
    }
}

/// What consumers measured themselves beats the estimate, type by type, once it is enough to be a P99; the longest stays
/// that of the records, since a histogram has none.
pub(super) fn as_reported(mut fits: Vec<TtlFit>, panel: Option<&SignalsPanel>, ttl: Option<Duration>) -> Vec<TtlFit> {
    for of in panel.iter().flat_map(|panel| &panel.types) {
        let (Some(p50_ms), Some(p99_ms)) = (of.handling.p50_ms, of.handling.p99_ms) else { continue };
        if of.handling.count < FEWEST_MEASURED || of.r#type == OTHER {
            continue;
        }
        let r#type = Some(of.r#type.clone()).filter(|name| !name.is_empty());
        let place = fits.iter().position(|fit| fit.r#type == r#type);
        let longest_ms = place.map_or(p99_ms, |place| fits[place].longest_ms.max(p99_ms));
        let (ttl_ms, handled) = (ttl.map(millis), of.handling.count);
        let fit = TtlFit { r#type, ttl_ms, p50_ms, p99_ms, longest_ms, handled, measured: Measured::Reported };
        match place {
            Some(place) => fits[place] = fit,
            None => fits.push(fit),
        }
    }
    fits.sort_by(|one, other| one.r#type.cmp(&other.r#type));
    fits
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
    use super::{Handlings, MOST, as_reported};
    use app::model::{
        Counts, HandlingFigures, Measured, Pk, Record, RecordRef, Row, SignalsPanel, Status, TypeSignals,
    };
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
    fn what_consumers_measured_beats_the_estimate_type_by_type() {
        let mut handlings = Handlings::default();
        handlings.take((1..=100).map(|n| row(n, Status::Completed, 5_000, None)).collect());
        let of = |name: &str, count, p99_ms| TypeSignals {
            r#type: name.into(),
            counts: Counts::default(),
            handling: HandlingFigures { count, p50_ms: Some(3), p99_ms: Some(p99_ms) },
            origins: Vec::new(),
        };
        let told = |types: Vec<TypeSignals>| {
            let panel = SignalsPanel {
                kind: "http".into(),
                address: None,
                reported_at: None,
                alive: 0,
                total: Counts::default(),
                handling: HandlingFigures::default(),
                last: None,
                recent: HandlingFigures::default(),
                ttl_ms: None,
                types,
                unreadable: 0,
                cut_minutes: 0,
            };
            let fits = as_reported(handlings.fits(None), Some(&panel), None);
            fits.into_iter().map(|fit| (fit.r#type, fit.p99_ms, fit.longest_ms, fit.measured)).collect::<Vec<_>>()
        };
        let order = || Some("ORDER".to_owned());
        let estimated = (order(), 5_000, 5_000, Measured::Estimated);
        assert_eq!(told(vec![of("ORDER", 19, 900)]), std::slice::from_ref(&estimated), "too few to be a P99");
        assert_eq!(told(vec![of("ORDER", 20, 900)]), [(order(), 900, 5_000, Measured::Reported)]);
        assert_eq!(told(vec![of("ORDER", 20, 7_000)]), [(order(), 7_000, 7_000, Measured::Reported)]);
        let all = (None, 40, 40, Measured::Reported);
        assert_eq!(told(vec![of("", 50, 40), of("other", 50, 60)]), [all, estimated], "the rest together is no type");
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
