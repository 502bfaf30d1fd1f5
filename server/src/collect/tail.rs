//! Following a table by its growing id, without an index on status or time.
//!
//! Four things, each in statements of at most `limits.scan_rows` rows: *follow* what is above the mark; *reread* each
//! stretch below it at growing ages, for ids that committed late ([`Marks`]); *recheck* open rows by primary key, often
//! while they are young; *walk* the whole table, once for a first picture and again for ever, paced, because finished
//! rows can come back. Counting is by place: settled ids have one tally, each young stretch its own, which is replaced
//! when it is read again, so no row is counted twice.

use super::marks::Marks;
use super::tally::Tally;
use crate::live::{Entry, Open, OpenSet, Shared};
use crate::ports::records::{RecordStore, Scanned, Span};
use app::model::{Fault, Layer, Pk, Row};
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// Primary keys of one `get`, by the port's contract.
const KEYS: usize = 500;
/// A set this small is rechecked whole each cycle.
const SMALL: usize = KEYS;
/// Younger ones are rechecked each cycle.
const YOUNG: TimeDelta = TimeDelta::minutes(1);
const OLD_EVERY: Duration = Duration::from_secs(60);
const FAILED_EVERY: Duration = Duration::from_secs(300);
const FOLLOW_EVERY: Duration = Duration::from_secs(1);
/// Between the end of one walk and the beginning of the next.
const WALK_AGAIN: Duration = Duration::from_secs(60);
/// Statements by which one reading catches up with what is new; the rest comes in steps.
const CATCH_UP: usize = 10;

/// The walk through the table.
#[derive(Debug, Default)]
struct Walk {
    /// By the database's clock.
    began: Option<DateTime<Utc>>,
    position: Option<i128>,
    end: i128,
    tally: Tally,
    /// Stretches that settled since it began: its own tally does not have them.
    settled_since: Tally,
}

/// A stretch that is being read again; large ones take several statements.
struct Reread {
    after: i128,
    up_to: i128,
    position: i128,
    tally: Tally,
}

/// What one step did, for pacing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Did {
    Nothing,
    /// Follow, reread or recheck: these must keep up.
    Urgent,
    FirstWalk,
    WalkAgain,
}

pub(super) struct Tail {
    store: Arc<dyn RecordStore>,
    shared: Arc<Shared>,
    scan_rows: u32,
    marks: Marks,
    /// The stretch that [`Marks::new`] made, and whether it was read.
    first: (i128, i128),
    first_read: bool,
    rereading: Option<Reread>,
    recheck: VecDeque<i128>,
    walk: Option<Walk>,
    walk_ended: Duration,
    /// The walk rests until then; nothing else waits for it.
    walk_due: Duration,
    settled: Tally,
    followed: Duration,
    old_rechecked: Duration,
    failed_rechecked: Duration,
    complete_as_of: Option<DateTime<Utc>>,
    vanished: u64,
}

/// Counts for the panel.
pub(super) struct Counted {
    pub tally: Tally,
    pub walked: u64,
    pub complete_as_of: Option<DateTime<Utc>>,
    pub vanished: u64,
}

impl Tail {
    /// Begins a generation: the open set is empty and the walk at the table's beginning. `now` counts from when the
    /// collector started.
    pub(super) fn new(
        store: Arc<dyn RecordStore>,
        shared: Arc<Shared>,
        bound: usize,
        scan_rows: u32,
        last: Option<i128>,
        now: Duration,
    ) -> Self {
        shared.start(OpenSet::new(bound));
        // An empty table may begin anywhere, also below zero.
        let (mark, recent) = last.map_or((i128::from(i64::MIN), 0), |last| (last, i128::from(scan_rows)));
        let marks = Marks::new(mark, recent, now);
        let walk = Walk { end: marks.floor(), ..Walk::default() };
        Self {
            store,
            shared,
            scan_rows,
            first: (marks.floor(), marks.mark()),
            first_read: last.is_none(),
            marks,
            rereading: None,
            recheck: VecDeque::new(),
            walk: Some(walk),
            walk_ended: now,
            walk_due: now,
            settled: Tally::default(),
            followed: now,
            old_rechecked: now,
            failed_rechecked: now,
            complete_as_of: None,
            vanished: 0,
        }
    }

    /// What has vanished is counted over all generations.
    pub(super) fn after(self, before: Option<&Self>) -> Self {
        Self { vanished: before.map_or(0, |before| before.vanished), ..self }
    }

    pub(super) fn counted(&self) -> Counted {
        let mut tally = self.marks.tally();
        match &self.walk {
            // The first picture grows with the walk; later ones are only taken when they are whole.
            Some(walk) if self.complete_as_of.is_none() => {
                tally += walk.tally;
                tally += walk.settled_since;
            }
            _ => tally += self.settled,
        }
        Counted { walked: tally.rows, tally, complete_as_of: self.complete_as_of, vanished: self.vanished }
    }

    /// Whether `last` can still be the end of the table that was followed. Deleted newest rows take the mark back;
    /// anything below the young stretches, or an empty table, means truncated, restored or failed over.
    pub(super) fn same_generation(&mut self, last: Option<i128>) -> bool {
        let Some(last) = last else { return self.marks.mark() == i128::from(i64::MIN) };
        if last >= self.marks.mark() {
            return true;
        }
        // A table of one statement is walked again for less than it costs to be wrong.
        let known = self.settled.rows.max(self.walk.as_ref().map_or(0, |walk| walk.tally.rows));
        if known <= u64::from(self.scan_rows) || last <= self.marks.floor() {
            return false;
        }
        self.marks.retreat(last);
        self.rereading = None;
        true
    }

    /// Everything that a panel must know: new rows, young open rows, and at the start the first piece of the walk.
    pub(super) async fn catch_up(&mut self, now: Duration, db_now: DateTime<Utc>) -> Result<(), Fault> {
        if !self.first_read {
            self.read_first_stretch().await?;
            self.first_read = true;
        }
        for _ in 0..CATCH_UP {
            if !self.follow(now).await? {
                break;
            }
        }
        if self.complete_as_of.is_none() && self.walk.as_ref().is_some_and(|walk| walk.position.is_none()) {
            self.walk(now, db_now).await?;
        }
        self.plan_rechecks(now, db_now);
        for _ in 0..CATCH_UP {
            if !self.recheck_some().await? {
                break;
            }
        }
        Ok(())
    }

    /// One statement of what is due most. `db_now`: the database's clock, as last read.
    pub(super) async fn step(&mut self, now: Duration, db_now: DateTime<Utc>) -> Result<Did, Fault> {
        if self.rereading.is_some() || self.begin_reread(now) {
            self.reread_some().await?;
            return Ok(Did::Urgent);
        }
        if now.saturating_sub(self.followed) >= FOLLOW_EVERY {
            self.follow(now).await?;
            return Ok(Did::Urgent);
        }
        if self.recheck_some().await? {
            return Ok(Did::Urgent);
        }
        if self.walk.is_none() && now.saturating_sub(self.walk_ended) >= WALK_AGAIN {
            self.walk = Some(Walk { end: self.marks.floor(), ..Walk::default() });
        }
        let first = self.complete_as_of.is_none();
        if now >= self.walk_due && self.walk(now, db_now).await? {
            return Ok(if first { Did::FirstWalk } else { Did::WalkAgain });
        }
        Ok(Did::Nothing)
    }

    pub(super) fn rest_walk_until(&mut self, due: Duration) {
        self.walk_due = due;
    }

    /// Reads above the mark; `true`: there may be more.
    async fn follow(&mut self, now: Duration) -> Result<bool, Fault> {
        let scanned = self.scan(self.marks.mark(), None).await?;
        if let Some(last) = scanned.last {
            let tally = self.take(&scanned.rows)?;
            self.marks.advance(last, tally, now);
        }
        if !scanned.full {
            self.followed = now;
        }
        Ok(scanned.full)
    }

    /// The stretch just below the first mark is neither new nor part of the walk. It has at most as many ids as one
    /// statement reads rows.
    async fn read_first_stretch(&mut self) -> Result<(), Fault> {
        let scanned = self.scan(self.first.0, Some(self.first.1)).await?;
        let tally = self.take(&scanned.rows)?;
        self.marks.set_first(tally);
        Ok(())
    }

    fn begin_reread(&mut self, now: Duration) -> bool {
        let due = self.marks.due(now);
        self.rereading = due.map(|(after, up_to)| Reread { after, up_to, position: after, tally: Tally::default() });
        self.rereading.is_some()
    }

    async fn reread_some(&mut self) -> Result<(), Fault> {
        let Some((position, up_to)) = self.rereading.as_ref().map(|reread| (reread.position, reread.up_to)) else {
            return Ok(());
        };
        let scanned = self.scan(position, Some(up_to)).await?;
        let tally = self.take(&scanned.rows)?;
        let Some(reread) = &mut self.rereading else { return Ok(()) };
        reread.tally += tally;
        if scanned.full {
            reread.position = scanned.last.unwrap_or(up_to);
            return Ok(());
        }
        let Reread { after, up_to, tally, .. } = *reread;
        self.rereading = None;
        if let Some(settled) = self.marks.reread(after, up_to, tally) {
            self.settled += settled;
            if let Some(walk) = &mut self.walk {
                walk.settled_since += settled;
            }
        }
        Ok(())
    }

    /// One piece of the walk; `false`: there is none to do.
    async fn walk(&mut self, now: Duration, db_now: DateTime<Utc>) -> Result<bool, Fault> {
        let Some(walk) = &mut self.walk else { return Ok(false) };
        // A row that comes back behind the position is not seen: a walk says how things stood when it began.
        let began = *walk.began.get_or_insert(db_now);
        let (position, end) = (walk.position, walk.end);
        let scanned = self.store.scan(&Span { after: position, up_to: Some(end) }, self.scan_rows).await?;
        let tally = self.take(&scanned.rows)?;
        let Some(walk) = &mut self.walk else { return Ok(false) };
        walk.tally += tally;
        walk.position = scanned.last.or(walk.position);
        if !scanned.full {
            self.settled = walk.tally;
            self.settled += walk.settled_since;
            self.walk = None;
            self.walk_ended = now;
            self.complete_as_of = Some(began);
        }
        Ok(true)
    }

    /// Which open rows are asked again in this cycle.
    fn plan_rechecks(&mut self, now: Duration, db_now: DateTime<Utc>) {
        let due = |at: &mut Duration, every| {
            let due = now.saturating_sub(*at) >= every;
            if due {
                *at = now;
            }
            due
        };
        let old = due(&mut self.old_rechecked, OLD_EVERY);
        let failed = due(&mut self.failed_rechecked, FAILED_EVERY);
        let young_since = (db_now - YOUNG).timestamp_millis();
        let wanted = |entry: &Entry| match entry.open {
            Open::Failed => failed,
            Open::Processing => old || entry.since_ms.is_none_or(|since| since > young_since),
        };
        let ids = self.shared.with(|set| {
            let all = set.len() <= SMALL;
            set.iter().filter(|(_, entry)| all || wanted(entry)).map(|(id, _)| id).collect::<Vec<_>>()
        });
        let waiting: HashSet<i128> = self.recheck.iter().copied().collect();
        self.recheck.extend(ids.unwrap_or_default().into_iter().filter(|id| !waiting.contains(id)));
    }

    /// Asks up to 500 open rows by primary key; `false`: none was waiting.
    async fn recheck_some(&mut self) -> Result<bool, Fault> {
        if self.recheck.is_empty() {
            return Ok(false);
        }
        let ids: Vec<i128> = self.recheck.iter().take(KEYS).copied().collect();
        let pks: Vec<Pk> = ids.iter().map(|id| Pk::Int(*id)).collect();
        let rows = self.store.get(&pks).await?;
        self.recheck.drain(..ids.len());
        self.checked(&ids, &rows)?;
        Ok(true)
    }

    /// Takes in what a `get` of `ids` said: some are as they were, some finished, some are gone.
    pub(super) fn checked(&mut self, ids: &[i128], rows: &[Row]) -> Result<(), Fault> {
        let mut gone: HashSet<i128> = ids.iter().copied().collect();
        for row in rows {
            let id = id(row)?;
            gone.remove(&id);
            let status = row.record.status;
            if Open::of(status).is_some() {
                self.shared.change(|set| insert(set, id, row));
            } else if self.shared.change(|set| set.remove(id)) == Some(true) {
                self.left(id, |tally| tally.left(status));
            }
        }
        for id in gone {
            if self.shared.change(|set| set.remove(id)) == Some(true) {
                self.vanished += 1;
            }
        }
        Ok(())
    }

    /// Counts a row that left the open set where its id lies.
    fn left(&mut self, id: i128, add: impl Fn(&mut Tally)) {
        if self.marks.count(id, &add) {
            return;
        }
        add(&mut self.settled);
        let Some(walk) = &mut self.walk else { return };
        if walk.position.is_some_and(|position| id <= position) {
            // The walk has passed it while it was open; what lies ahead the walk counts itself.
            add(&mut walk.tally);
        } else if id > walk.end {
            add(&mut walk.settled_since);
        }
    }

    /// Puts open rows into the set, takes others out of it, and counts the latter.
    fn take(&self, rows: &[Row]) -> Result<Tally, Fault> {
        let ids = rows.iter().map(id).collect::<Result<Vec<_>, _>>()?;
        let mut tally = Tally::default();
        self.shared.change(|set| {
            for (row, id) in rows.iter().zip(ids) {
                tally.add(row.record.status);
                if Open::of(row.record.status).is_some() {
                    insert(set, id, row);
                } else {
                    set.remove(id);
                }
            }
        });
        Ok(tally)
    }

    async fn scan(&self, after: i128, up_to: Option<i128>) -> Result<Scanned, Fault> {
        self.store.scan(&Span { after: Some(after), up_to }, self.scan_rows).await
    }
}

fn insert(set: &mut OpenSet, id: i128, row: &Row) {
    if let Some(open) = Open::of(row.record.status) {
        set.insert(id, Entry { open, since_ms: row.record.since().map(|since| since.timestamp_millis()) });
    }
}

fn id(row: &Row) -> Result<i128, Fault> {
    match row.reference.pk {
        Pk::Int(id) => Ok(id),
        _ => Err(Fault::Unreadable { layer: Layer::Records, detail: "the growing id does not identify a row".into() }),
    }
}
