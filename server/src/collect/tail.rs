//! Following a table by its growing id, without an index on status or time.
//!
//! Four things, each in statements of at most `limits.scan_rows` rows: *follow* what is above the mark; *reread* each
//! stretch below it at growing ages, for ids that committed late ([`Marks`]); *recheck* open rows by primary key, often
//! while they are young; *walk* the whole table, once for a first picture and again for ever, paced, because finished
//! rows can come back. Counting is by place: settled ids have one tally, each young stretch its own, which is replaced
//! when it is read again, so no row is counted twice.

use super::ground::{Counted, Did, Ground};
use super::marks::Marks;
use super::progress::Progress;
use super::recheck::{Answer, Recheck};
use super::tally::Tally;
use crate::live::Id;
use crate::ports::records::{Scanned, Span};
use app::model::{Fault, Layer, Pk, Quality, Row};
use chrono::{DateTime, Utc};
use std::time::Duration;

const FOLLOW_EVERY: Duration = Duration::from_secs(1);
/// Between the end of one walk and the beginning of the next; after one of few statements.
const WALK_AGAIN: Duration = Duration::from_secs(60);
const WALK_SMALL_AGAIN: Duration = Duration::from_secs(5);
/// Statements by which one reading catches up with what is new; the rest comes in steps.
const CATCH_UP: usize = 10;

/// Why the table is walked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Round {
    /// For a first picture.
    #[default]
    First,
    /// For what was written while nobody followed the table.
    Gap,
    /// For rows that came back.
    Again,
}

/// The walk through the table.
#[derive(Debug, Default)]
struct Walk {
    round: Round,
    /// By the database's clock.
    began: Option<DateTime<Utc>>,
    position: Option<i128>,
    end: i128,
    tally: Tally,
    statements: usize,
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

pub(super) struct Tail {
    ground: Ground,
    marks: Marks,
    /// The stretch that [`Marks::new`] made, and whether it was read.
    first: (i128, i128),
    first_read: bool,
    rereading: Option<Reread>,
    recheck: Recheck,
    walk: Option<Walk>,
    walk_ended: Duration,
    walk_again: Duration,
    /// The walk rests until then; nothing else waits for it.
    walk_due: Duration,
    settled: Tally,
    followed: Duration,
    complete_as_of: Option<DateTime<Utc>>,
    vanished: u64,
}

impl Tail {
    /// Begins a generation: the open set has nothing of the table, and the walk is at its beginning. `now` counts from
    /// when the collector started.
    pub(super) fn new(ground: Ground, last: Option<i128>, now: Duration) -> Self {
        // An empty table may begin anywhere, also below zero.
        let (mark, recent) = last.map_or((i128::from(i64::MIN), 0), |last| (last, i128::from(ground.scan_rows)));
        let marks = Marks::new(mark, recent, now);
        let walk = Walk { end: marks.floor(), ..Walk::default() };
        Self {
            first: (marks.floor(), marks.mark()),
            first_read: last.is_none(),
            marks,
            rereading: None,
            recheck: Recheck::new(&ground.table, now),
            walk: Some(walk),
            walk_ended: now,
            walk_again: WALK_AGAIN,
            walk_due: now,
            settled: Tally::default(),
            followed: now,
            complete_as_of: None,
            vanished: 0,
            ground,
        }
    }

    /// Goes on where an earlier following ended; the open set has what was stored of it. `None`: this is not the table that
    /// was followed then.
    pub(super) fn resumed(ground: Ground, progress: &Progress, last: Option<i128>, now: Duration) -> Option<Self> {
        let (last, position) = (last?, progress.position.as_ref()?.parse::<i128>().ok()?);
        let recent = last.checked_sub(position).filter(|ahead| *ahead >= 0)?;
        let mut tail = Self::new(ground, Some(last), now);
        tail.marks = Marks::new(last, recent.min(i128::from(tail.ground.scan_rows)), now);
        tail.first = (tail.marks.floor(), tail.marks.mark());
        tail.first_read = recent == 0;
        (tail.complete_as_of, tail.vanished) = (progress.complete_as_of, progress.vanished);
        let round = if progress.complete_as_of.is_none() { Round::First } else { Round::Gap };
        let end = tail.marks.floor();
        tail.walk = Some(Walk { round, position: Some(position), end, tally: progress.tally, ..Walk::default() });
        tail.recheck.all(&tail.ground.shared);
        Some(tail)
    }

    /// For the next start. Rows up to its position are those of the tally and of the open set; all others are read anew.
    pub(super) fn progress(&self) -> Option<Progress> {
        let (position, tally) = match &self.walk {
            Some(walk) if walk.round != Round::Again => (walk.position?, walk.tally),
            _ => (self.marks.floor(), self.settled),
        };
        let (position, complete_as_of) = (Some(position.to_string()), self.complete_as_of);
        Some(Progress { position, newest: None, tally, complete_as_of, vanished: self.vanished })
    }

    /// Whether an open row belongs into the stored set: those above the position are read anyway.
    pub(super) fn lasts(progress: &Progress) -> impl Fn(Id<'_>) -> bool + use<> {
        let position = progress.position.as_ref().and_then(|position| position.parse::<i128>().ok());
        move |id| id.number().zip(position).is_some_and(|(id, position)| id <= position)
    }

    /// What has vanished is counted over all generations.
    pub(super) fn after(self, before: Option<&Self>) -> Self {
        Self { vanished: before.map_or(0, |before| before.vanished), ..self }
    }

    pub(super) fn counted(&self) -> Counted {
        let mut tally = self.marks.tally();
        let whole = match &self.walk {
            // The first picture grows with the walk; later ones are only taken when they are whole.
            Some(walk) if walk.round != Round::Again => {
                tally += walk.tally;
                tally += walk.settled_since;
                false
            }
            _ => {
                tally += self.settled;
                true
            }
        };
        let quality = if whole { Quality::Exact } else { Quality::Partial };
        let (complete_as_of, vanished) = (self.complete_as_of, self.vanished);
        Counted { walked: tally.rows, tally, settled: quality, open: quality, complete_as_of, vanished }
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
        if known <= u64::from(self.ground.scan_rows) || last <= self.marks.floor() {
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
        if self.walk.as_ref().is_some_and(|walk| walk.round == Round::First && walk.position.is_none()) {
            self.walk(now, db_now).await?;
        }
        self.recheck.plan(&self.ground.shared, now, db_now);
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
        if self.walk.is_none() && now.saturating_sub(self.walk_ended) >= self.walk_again {
            self.walk = Some(Walk { round: Round::Again, end: self.marks.floor(), ..Walk::default() });
        }
        let first = self.walk.as_ref().is_some_and(|walk| walk.round != Round::Again);
        if now >= self.walk_due && self.walk(now, db_now).await? {
            return Ok(if first { Did::FirstWalk } else { Did::WalkAgain });
        }
        Ok(Did::Nothing)
    }

    pub(super) fn ground(&self) -> &Ground {
        &self.ground
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
        let scanned = self.ground.scan(Span { after: position, up_to: Some(end) }).await?;
        let tally = self.take(&scanned.rows)?;
        let Some(walk) = &mut self.walk else { return Ok(false) };
        walk.tally += tally;
        walk.statements += 1;
        walk.position = scanned.last.or(walk.position);
        if !scanned.full {
            self.settled = walk.tally;
            self.settled += walk.settled_since;
            if walk.round != Round::Gap {
                self.complete_as_of = Some(began);
            }
            self.walk_again = if walk.statements <= CATCH_UP { WALK_SMALL_AGAIN } else { WALK_AGAIN };
            self.walk = None;
            self.walk_ended = now;
        }
        Ok(true)
    }

    /// Asks up to 500 open rows by primary key; `false`: none was waiting.
    async fn recheck_some(&mut self) -> Result<bool, Fault> {
        let Some(answer) = self.recheck.some(&*self.ground.store).await? else { return Ok(false) };
        self.checked(&answer);
        Ok(true)
    }

    /// Takes in what a `get` said.
    pub(super) fn checked(&mut self, answer: &Answer) {
        let (shared, table) = (self.ground.shared.clone(), self.ground.table.clone());
        self.vanished += answer.taken(&table, &shared, |pk, status| {
            if let Pk::Int(id) = pk {
                self.left(*id, |tally| tally.left(status));
            }
        });
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
        if rows.iter().any(|row| !matches!(row.reference.pk, Pk::Int(_))) {
            let detail = "the growing id does not identify a row".into();
            return Err(Fault::Unreadable { layer: Layer::Records, detail });
        }
        Ok(self.ground.take(rows))
    }

    async fn scan(&self, after: i128, up_to: Option<i128>) -> Result<Scanned, Fault> {
        self.ground.scan(Span { after: Some(after), up_to }).await
    }
}
