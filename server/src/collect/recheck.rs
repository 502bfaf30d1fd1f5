//! Open rows asked again by primary key: often while they are young, each minute when they are old, failed ones rarely.

use crate::live::{Entry, Open, OpenSet, Shared};
use crate::ports::records::RecordStore;
use app::model::{Fault, Pk, Row, Status};
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::{HashSet, VecDeque};
use std::time::Duration;

/// Primary keys of one `look`, by the port's contract.
const KEYS: usize = 500;
/// A set this small is rechecked whole each cycle.
const SMALL: usize = KEYS;
/// Younger ones are rechecked each cycle.
const YOUNG: TimeDelta = TimeDelta::minutes(1);
const OLD_EVERY: Duration = Duration::from_secs(60);
const FAILED_EVERY: Duration = Duration::from_secs(300);

/// Of one table.
pub(super) struct Recheck {
    table: String,
    queue: VecDeque<Pk>,
    old_at: Duration,
    failed_at: Duration,
}

/// What was said of rows that were asked for.
pub(super) struct Answer {
    pub asked: Vec<Pk>,
    pub rows: Vec<Row>,
}

impl Recheck {
    pub(super) fn new(table: &str, now: Duration) -> Self {
        Self { table: table.to_owned(), queue: VecDeque::new(), old_at: now, failed_at: now }
    }

    /// Which open rows are asked again in this cycle.
    pub(super) fn plan(&mut self, shared: &Shared, now: Duration, db_now: DateTime<Utc>) {
        let due = |at: &mut Duration, every| {
            let due = now.saturating_sub(*at) >= every;
            if due {
                *at = now;
            }
            due
        };
        let old = due(&mut self.old_at, OLD_EVERY);
        let failed = due(&mut self.failed_at, FAILED_EVERY);
        let young_since = (db_now - YOUNG).timestamp_millis();
        let wanted = |entry: &Entry| match entry.open {
            Open::Failed => failed,
            Open::Processing => old || entry.since_ms.is_none_or(|since| since > young_since),
        };
        let keys = shared.with(|set| {
            let all = set.len() <= SMALL;
            let rows = set.of_table(&self.table).filter(|(_, entry)| all || wanted(entry));
            rows.map(|(id, _)| id.pk()).collect::<Vec<_>>()
        });
        let waiting: HashSet<&Pk> = self.queue.iter().collect();
        let new: Vec<Pk> = keys.unwrap_or_default().into_iter().filter(|key| !waiting.contains(key)).collect();
        self.queue.extend(new);
    }

    /// All of the table's open rows: the set was restored from a copy.
    pub(super) fn all(&mut self, shared: &Shared) {
        let keys = shared.with(|set| set.of_table(&self.table).map(|(id, _)| id.pk()).collect());
        self.queue = keys.unwrap_or_default();
    }

    pub(super) fn is_waiting(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Asks up to 500; `None`: none was waiting.
    pub(super) async fn some(&mut self, store: &dyn RecordStore) -> Result<Option<Answer>, Fault> {
        if self.queue.is_empty() {
            return Ok(None);
        }
        let asked: Vec<Pk> = self.queue.iter().take(KEYS).cloned().collect();
        // Not the whole rows: a million failed ones with their errors would be gigabytes.
        let rows = store.look(&self.table, &asked).await?;
        self.queue.drain(..asked.len());
        Ok(Some(Answer { asked, rows }))
    }
}

impl Answer {
    /// Takes in what was said: some are as they were, some finished (`left`), some are gone; returns how many of these.
    pub(super) fn taken(&self, table: &str, shared: &Shared, mut left: impl FnMut(&Pk, Status)) -> u64 {
        let mut gone: HashSet<&Pk> = self.asked.iter().collect();
        for row in &self.rows {
            let pk = &row.reference.pk;
            gone.remove(pk);
            let status = row.record.status;
            if Open::of(status).is_some() {
                shared.change(|set| insert(set, row));
            } else if shared.change(|set| set.remove(table, pk)) == Some(true) {
                left(pk, status);
            }
        }
        let vanished = gone.into_iter().filter(|pk| shared.change(|set| set.remove(table, pk)) == Some(true));
        vanished.count() as u64
    }
}

/// Puts an open row into the set.
pub(super) fn insert(set: &mut OpenSet, row: &Row) {
    if let Some(open) = Open::of(row.record.status) {
        let since_ms = row.record.since().map(|since| since.timestamp_millis());
        set.insert(&row.reference.table, &row.reference.pk, Entry { open, since_ms });
    }
}
