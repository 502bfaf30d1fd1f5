//! Following a table that has no growing id.
//!
//! Its rows are told apart by some unique key, and it is *walked* in the order of that key, round after round. Where a
//! time is indexed, what is new is *followed* by it, and the newest stretch *reread* at growing ages: a time is written
//! before its transaction commits, and rows of one second come in any order. Open rows are *rechecked* by primary key.
//! Finished rows are counted by the walk alone, so their numbers are those of the last whole round.

use super::ground::{Counted, Did, Ground};
use super::marks::AGES;
use super::progress::Progress;
use super::recheck::{Answer, Recheck};
use super::tally::Tally;
use crate::ports::records::{Course, Stand};
use app::model::{Fault, Quality};
use chrono::{DateTime, Utc};
use std::collections::VecDeque;
use std::time::Duration;

const FOLLOW_EVERY: Duration = Duration::from_secs(1);
/// Statements by which one reading catches up with what is new; the rest comes in steps. A table that they read whole is
/// walked at each reading.
const CATCH_UP: usize = 10;
/// Between the end of one round and the beginning of the next, where following sees what is new, and where it does not.
const WALK_AGAIN: Duration = Duration::from_secs(60);
const WALK_ON: Duration = Duration::from_secs(1);
/// Stands that are remembered; of older ones every other is let go.
const STANDS: usize = 400;

/// One round through the table.
#[derive(Debug, Default)]
struct Walk {
    /// By the database's clock.
    began: Option<DateTime<Utc>>,
    at: Option<Stand>,
    tally: Tally,
    statements: usize,
}

pub(super) struct Sweep {
    ground: Ground,
    /// By an indexed time; `None`: there is none.
    follow: Option<Follow>,
    recheck: Recheck,
    walk: Option<Walk>,
    walk_ended: Duration,
    walk_due: Duration,
    /// Of the last whole round.
    counted: Tally,
    /// Statements that it took.
    statements: usize,
    /// When it ended, by the clock of the collector.
    round_ended: Option<Duration>,
    complete_as_of: Option<DateTime<Utc>>,
    vanished: u64,
}

#[derive(Debug, Default)]
struct Follow {
    newest: Option<Stand>,
    /// Where the newest row stood, and when.
    stands: VecDeque<(Duration, Stand)>,
    followed: Duration,
    /// When each of [`AGES`] was last read again.
    reread: [Duration; AGES.len()],
    /// From where it is being read again.
    rereading: Option<Stand>,
}

impl Sweep {
    pub(super) fn new(ground: Ground, by_time: bool, now: Duration) -> Self {
        let follow = Follow { followed: now, reread: [now; AGES.len()], ..Follow::default() };
        Self {
            follow: by_time.then_some(follow),
            recheck: Recheck::new(&ground.table, now),
            walk: Some(Walk::default()),
            walk_ended: now,
            walk_due: now,
            counted: Tally::default(),
            statements: 0,
            round_ended: None,
            complete_as_of: None,
            vanished: 0,
            ground,
        }
    }

    /// Goes on where an earlier following ended; the open set has what was stored of it. A stand that does not fit any
    /// more (the key was altered) begins anew by itself.
    pub(super) fn resume(&mut self, progress: &Progress) {
        (self.complete_as_of, self.vanished) = (progress.complete_as_of, progress.vanished);
        if let Some(follow) = &mut self.follow {
            follow.newest = progress.newest.clone().map(Stand);
        }
        match progress.complete_as_of {
            Some(_) => self.counted = progress.tally,
            None => {
                let at = progress.position.clone().map(Stand);
                self.walk = Some(Walk { at, tally: progress.tally, ..Walk::default() });
            }
        }
        self.recheck.all(&self.ground.shared);
    }

    /// For the next start. A round after the first one begins anew then: what it had seen so far is not what is counted.
    pub(super) fn progress(&self, now: Duration) -> Option<Progress> {
        let newest = self.follow.as_ref().and_then(|follow| follow.as_of(now.saturating_sub(Duration::from_secs(60))));
        let first = self.walk.as_ref().filter(|_| self.complete_as_of.is_none());
        let position = first.and_then(|walk| walk.at.clone());
        if position.is_none() && self.complete_as_of.is_none() {
            return None;
        }
        Some(Progress {
            position: position.map(|stand| stand.0),
            newest: newest.map(|stand| stand.0),
            tally: first.map_or(self.counted, |walk| walk.tally),
            complete_as_of: self.complete_as_of,
            vanished: self.vanished,
        })
    }

    pub(super) fn follows_time(&self) -> bool {
        self.follow.is_some()
    }

    pub(super) fn counted(&self) -> Counted {
        let (complete_as_of, vanished) = (self.complete_as_of, self.vanished);
        if complete_as_of.is_none() {
            let tally = self.walk.as_ref().map(|walk| walk.tally).unwrap_or_default();
            let partial = Quality::Partial;
            return Counted { tally, settled: partial, open: partial, walked: tally.rows, complete_as_of, vanished };
        }
        // A table that is read whole at each reading is known whole. Otherwise finished rows are as of the last round,
        // and without a time to follow, open ones are at least those that it met.
        let (settled, open) = match (self.is_small(), &self.follow) {
            (true, _) => (Quality::Exact, Quality::Exact),
            (false, Some(_)) => (Quality::Estimated, Quality::Exact),
            (false, None) => (Quality::Estimated, Quality::Capped),
        };
        // What a stored set has is told when it was looked at.
        let open = if self.recheck.is_waiting() && self.round_ended.is_none() { Quality::Partial } else { open };
        let walked = self.counted.rows;
        Counted { tally: self.counted, settled, open, walked, complete_as_of, vanished }
    }

    fn is_small(&self) -> bool {
        self.round_ended.is_some() && self.statements <= CATCH_UP
    }

    /// Everything that a panel must know: new rows, young open rows, and the first piece of the walk; of a small table all
    /// of it.
    pub(super) async fn catch_up(&mut self, now: Duration, db_now: DateTime<Utc>) -> Result<(), Fault> {
        for _ in 0..CATCH_UP {
            if !self.follow(now).await? {
                break;
            }
        }
        if self.is_small() && self.walk.is_none() {
            self.walk = Some(Walk::default());
        }
        // A small table's round ends here; a large one's goes on in steps.
        let begins = self.complete_as_of.is_none() && self.walk.as_ref().is_some_and(|walk| walk.statements == 0);
        for _ in 0..if begins || self.is_small() { CATCH_UP } else { 0 } {
            if !self.walk(now, db_now).await? {
                break;
            }
        }
        self.recheck.plan(&self.ground.shared, now, db_now);
        for _ in 0..CATCH_UP {
            if !self.recheck_some().await? {
                break;
            }
        }
        Ok(())
    }

    /// One statement of what is due most.
    pub(super) async fn step(&mut self, now: Duration, db_now: DateTime<Utc>) -> Result<Did, Fault> {
        if self.reread_some(now).await? {
            return Ok(Did::Urgent);
        }
        if self.follow.as_ref().is_some_and(|follow| now.saturating_sub(follow.followed) >= FOLLOW_EVERY) {
            self.follow(now).await?;
            return Ok(Did::Urgent);
        }
        if self.recheck_some().await? {
            return Ok(Did::Urgent);
        }
        let pause = if self.follow.is_some() { WALK_AGAIN } else { WALK_ON };
        // A small table is walked by readings.
        if self.walk.is_none() && !self.is_small() && now.saturating_sub(self.walk_ended) >= pause {
            self.walk = Some(Walk::default());
        }
        let first = self.complete_as_of.is_none();
        if now >= self.walk_due && self.walk.is_some() {
            self.walk(now, db_now).await?;
            return Ok(match self.follow {
                _ if first => Did::FirstWalk,
                None => Did::WalkOn,
                Some(_) => Did::WalkAgain,
            });
        }
        Ok(Did::Nothing)
    }

    pub(super) fn rest_walk_until(&mut self, due: Duration) {
        self.walk_due = due;
    }

    /// Reads after the newest stand; `true`: there may be more.
    async fn follow(&mut self, now: Duration) -> Result<bool, Fault> {
        let Some(follow) = &mut self.follow else { return Ok(false) };
        if follow.newest.is_none() {
            // What is there already is the walk's.
            follow.newest = self.ground.store.newest(&self.ground.table).await?;
        }
        let swept = match self.ground.sweep(Course::Time, follow.newest.as_ref()).await {
            Err(fault) if is_unfit(&fault) => {
                *follow = Follow { followed: now, reread: [now; AGES.len()], ..Follow::default() };
                return Ok(true);
            }
            swept => swept?,
        };
        self.ground.take(&swept.rows);
        if let Some(last) = swept.last {
            follow.newest = Some(last);
        }
        follow.remember(now);
        if !swept.full {
            follow.followed = now;
        }
        Ok(swept.full)
    }

    /// The newest stretch once more, as far back as the longest age that is due; `false`: none is.
    async fn reread_some(&mut self, now: Duration) -> Result<bool, Fault> {
        let Some(follow) = &mut self.follow else { return Ok(false) };
        let Some(from) = follow.rereading.take().or_else(|| follow.due(now)) else { return Ok(false) };
        let swept = self.ground.sweep(Course::Time, Some(&from)).await?;
        self.ground.take(&swept.rows);
        follow.rereading = swept.last.filter(|_| swept.full);
        Ok(true)
    }

    async fn recheck_some(&mut self) -> Result<bool, Fault> {
        let Some(answer) = self.recheck.some(&*self.ground.store).await? else { return Ok(false) };
        self.checked(&answer);
        Ok(true)
    }

    /// Takes in what a `get` said. What finished is counted by the next round.
    pub(super) fn checked(&mut self, answer: &Answer) {
        self.vanished += answer.taken(&self.ground.table, &self.ground.shared, |_, _| {});
    }

    /// One piece of the round; `false`: it ended.
    async fn walk(&mut self, now: Duration, db_now: DateTime<Utc>) -> Result<bool, Fault> {
        let Some(walk) = &mut self.walk else { return Ok(false) };
        let began = *walk.began.get_or_insert(db_now);
        let swept = match self.ground.sweep(Course::Identity, walk.at.as_ref()).await {
            Err(fault) if is_unfit(&fault) => {
                *walk = Walk::default();
                return Ok(true);
            }
            swept => swept?,
        };
        walk.tally += self.ground.take(&swept.rows);
        walk.statements += 1;
        walk.at = swept.last.or(walk.at.take());
        if swept.full {
            return Ok(true);
        }
        (self.counted, self.statements) = (walk.tally, walk.statements);
        (self.walk, self.walk_ended, self.round_ended) = (None, now, Some(now));
        self.complete_as_of = Some(began);
        Ok(false)
    }
}

/// A stand from before the key was altered.
fn is_unfit(fault: &Fault) -> bool {
    matches!(fault, Fault::BadInput { what, .. } if what == "cursor")
}

impl Follow {
    fn remember(&mut self, now: Duration) {
        let Some(newest) = &self.newest else { return };
        if self.stands.back().is_some_and(|(at, _)| now.saturating_sub(*at) < FOLLOW_EVERY) {
            return;
        }
        self.stands.push_back((now, newest.clone()));
        if self.stands.len() > STANDS {
            // Older ages are asked for less exactly.
            let half = STANDS / 2;
            let mut at = 0;
            self.stands.retain(|_| {
                at += 1;
                at > half || at % 2 == 1
            });
        }
    }

    /// Where the newest row stood then, or later where nothing so old is remembered.
    fn as_of(&self, then: Duration) -> Option<Stand> {
        let older = self.stands.iter().rev().find(|(at, _)| *at <= then);
        older.or(self.stands.front()).map(|(_, stand)| stand.clone())
    }

    /// From where to read again, when an age is due: twice as far back, so that nothing falls between two readings.
    fn due(&mut self, now: Duration) -> Option<Stand> {
        let longest = (0..AGES.len()).rev().find(|at| now.saturating_sub(self.reread[*at]) >= AGES[*at])?;
        self.reread[..=longest].fill(now);
        self.as_of(now.saturating_sub(AGES[longest] * 2))
    }
}
