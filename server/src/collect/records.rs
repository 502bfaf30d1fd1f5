//! The records of one source: how many in which state, how old, and which for the longest time.

use super::ages::Ages;
use super::ground::{Counted, Did, worse};
use super::tracks::Tracks;
use super::{Collector, minute_of, signed};
use crate::clock::Clock;
use crate::clock::millis;
use crate::diagnose::Handling;
use crate::live::{Open, Shared};
use crate::ports::records::{Description, RecordStore};
use crate::ports::state::{Lease, StateError};
use crate::system::{SourceSystem, System};
use app::model::{
    Count, Fault, Layer, Minute, Pass, Problem, Quality, RecordRef, RecordsPanel, RecordsQuery, Row, Status, Strategy,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The catalogue is read again this often: somebody may have added an index.
pub(super) const DESCRIBED_EVERY: Duration = Duration::from_secs(3_600);
/// Rows of the newest page where nothing better can be asked.
const NEWEST_ROWS: u32 = 200;
/// Longest-processing records on the panel.
const OLDEST: u32 = 20;
/// How many times as long as its statement took a walk rests: a quarter of the time is used by the first walk, a
/// twentieth where only walks see what is new, a hundredth where it is seen without them.
const FIRST_WALK_RESTS: u32 = 3;
const WALK_ON_RESTS: u32 = 19;
const WALK_AGAIN_RESTS: u32 = 99;
/// However slow the database is just then: what changed by hand is to be found some day.
const LONGEST_REST: Duration = Duration::from_secs(5);
const SHORTEST_REST: Duration = Duration::from_millis(20);
const NOTHING_TO_DO: Duration = Duration::from_millis(250);

pub(super) struct Records {
    store: Arc<dyn RecordStore>,
    clock: Arc<dyn Clock>,
    shared: Arc<Shared>,
    statuses: Vec<Status>,
    aging_after: Duration,
    started: Instant,
    described: Option<(Description, Instant)>,
    tracks: Tracks,
    /// The database's clock at a local instant, so that steps need not ask it.
    db_clock: Option<(DateTime<Utc>, Instant)>,
    /// What the last step met.
    problem: Option<Fault>,
}

impl Records {
    pub(super) fn new(source: &SourceSystem, system: &System, shared: Arc<Shared>) -> Self {
        Self {
            store: source.records.clone(),
            clock: system.clock.clone(),
            statuses: source.config.records.status.states(),
            aging_after: source.minimum_age(Handling::default()),
            started: system.clock.instant(),
            described: None,
            tracks: Tracks::new(source, system, shared.clone()),
            shared,
            db_clock: None,
            problem: None,
        }
    }

    fn elapsed(&self) -> Duration {
        self.clock.instant().saturating_duration_since(self.started)
    }

    async fn describe(&mut self) -> Result<Description, Fault> {
        let now = self.clock.instant();
        if let Some((description, at)) = &self.described
            && now.saturating_duration_since(*at) < DESCRIBED_EVERY
        {
            return Ok(description.clone());
        }
        let description = self.store.describe().await?;
        self.described = Some((description.clone(), now));
        Ok(description)
    }

    async fn look(&mut self) -> Result<RecordsPanel, Fault> {
        let description = self.describe().await?;
        let db_now = self.store.clock().await?;
        self.db_clock = Some((db_now, self.clock.instant()));
        let mut panel = match description.choice.strategy {
            Strategy::StatusIndex => {
                self.tracks.end();
                self.by_status_index(description.estimated_rows, db_now).await
            }
            Strategy::Bounded => {
                self.tracks.end();
                self.by_newest(db_now).await
            }
            followed => self.by_following(followed, description.estimated_rows, db_now).await,
        }?;
        panel.oldest_age_ms = oldest_age_ms(&panel, db_now);
        Ok(panel)
    }

    async fn by_status_index(&self, estimated: Option<u64>, db_now: DateTime<Utc>) -> Result<RecordsPanel, Fault> {
        let open = self.store.open(OLDEST).await?;
        // Cut off at the limit, the youngest are missing.
        let quality = match (open.since.len() as u64) < open.processing.value {
            true => Quality::Capped,
            false => open.processing.quality,
        };
        let since = open.since.iter().map(|since| since.map(|since| since.timestamp_millis()));
        let ages = self.ages(since, db_now);
        let processing = open.rows.iter().filter(|row| row.record.status == Status::Processing);
        let oldest = self.in_full(processing).await?;
        let mut panel = self.panel(Strategy::StatusIndex, ages, quality, oldest);
        panel.processing = self.count(Status::Processing, open.processing);
        panel.failed = self.count(Status::Failed, open.failed);
        panel.dead = self.count(Status::Dead, open.dead);
        panel.unmapped = self.count(Status::Unmapped, open.unmapped);
        let others = [open.processing, open.failed, open.dead, open.unmapped].iter().map(|count| count.value).sum();
        let finished = estimated.map(|rows| Count { value: rows.saturating_sub(others), quality: Quality::Estimated });
        panel.completed = finished.and_then(|finished| self.count(Status::Completed, finished));
        Ok(panel)
    }

    async fn by_following(
        &mut self,
        strategy: Strategy,
        estimated: Option<u64>,
        db_now: DateTime<Utc>,
    ) -> Result<RecordsPanel, Fault> {
        self.tracks.catch_up(strategy, self.elapsed(), db_now).await?;
        let oldest = self.tracks.oldest(OLDEST as usize).await?;
        let counted = self.tracks.counted().ok_or_else(gone)?;
        self.followed_panel(strategy, &counted, oldest, estimated, db_now).ok_or_else(gone)
    }

    fn followed_panel(
        &self,
        strategy: Strategy,
        counted: &Counted,
        oldest: Vec<Row>,
        estimated: Option<u64>,
        db_now: DateTime<Utc>,
    ) -> Option<RecordsPanel> {
        self.shared.with(|set| {
            let overflow = if set.overflowed() { Quality::Capped } else { Quality::Exact };
            let quality = worse(counted.open, overflow);
            let of = |status, value: u64| self.count(status, Count { value, quality });
            let settled = |status, value| self.count(status, Count { value, quality: counted.settled });
            let processing =
                set.iter().filter(|(.., entry)| entry.open == Open::Processing).map(|(.., entry)| entry.since_ms);
            let mut panel = self.panel(strategy, self.ages(processing, db_now), quality, oldest);
            panel.processing = of(Status::Processing, set.processing() as u64);
            panel.failed = of(Status::Failed, set.failed() as u64);
            panel.completed = settled(Status::Completed, counted.tally.completed);
            panel.dead = settled(Status::Dead, counted.tally.dead);
            panel.unmapped = settled(Status::Unmapped, counted.tally.unmapped);
            panel.pass = Some(Pass { walked: counted.walked, estimated, complete_as_of: counted.complete_as_of });
            panel.vanished = counted.vanished;
            panel
        })
    }

    /// With their errors; one that has changed meanwhile is left out.
    async fn in_full(&self, rows: impl Iterator<Item = &Row>) -> Result<Vec<Row>, Fault> {
        let references: Vec<RecordRef> = rows.map(|row| row.reference.clone()).collect();
        let mut rows = self.store.get(&references).await?;
        rows.retain(|row| row.record.status == Status::Processing);
        rows.sort_by_key(|row| row.record.since());
        Ok(rows)
    }

    /// Nothing to follow it by: the newest rows, and counts that are at least so much.
    async fn by_newest(&self, db_now: DateTime<Utc>) -> Result<RecordsPanel, Fault> {
        let query = RecordsQuery { limit: NEWEST_ROWS, ..RecordsQuery::default() };
        let page = self.store.list(&query).await?;
        let quality = if page.next.is_some() { Quality::Capped } else { Quality::Exact };
        let of = |status| {
            let value = page.items.iter().filter(|row| row.record.status == status).count() as u64;
            self.count(status, Count { value, quality })
        };
        let mut processing: Vec<&Row> =
            page.items.iter().filter(|row| row.record.status == Status::Processing).collect();
        processing.sort_by_key(|row| row.record.since());
        let ages =
            self.ages(processing.iter().map(|row| row.record.since().map(|since| since.timestamp_millis())), db_now);
        let oldest = processing.into_iter().take(OLDEST as usize).cloned().collect();
        Ok(RecordsPanel {
            processing: of(Status::Processing),
            completed: of(Status::Completed),
            failed: of(Status::Failed),
            dead: of(Status::Dead),
            unmapped: of(Status::Unmapped),
            ..self.panel(Strategy::Bounded, ages, quality, oldest)
        })
    }

    /// Ages of processing records, and how many are older than anybody should take.
    fn ages(&self, since: impl Iterator<Item = Option<i64>>, db_now: DateTime<Utc>) -> (Ages, u64) {
        let (mut ages, mut aging) = (Ages::default(), 0);
        let after_ms = signed(millis(self.aging_after));
        for since in since.flatten() {
            let age_ms = db_now.timestamp_millis() - since;
            ages.add(age_ms);
            aging += u64::from(age_ms > after_ms);
        }
        (ages, aging)
    }

    fn panel(
        &self,
        strategy: Strategy,
        (ages, aging): (Ages, u64),
        quality: Quality,
        oldest: Vec<Row>,
    ) -> RecordsPanel {
        let problems = self.described.iter().flat_map(|(description, _)| &description.problems);
        RecordsPanel {
            strategy,
            processing: None,
            completed: None,
            failed: None,
            dead: None,
            unmapped: None,
            ages: ages.buckets(),
            aging: self.count(Status::Processing, Count { value: aging, quality }),
            aging_after_ms: millis(self.aging_after),
            oldest,
            oldest_age_ms: None,
            pass: None,
            vanished: 0,
            problems: problems
                .filter_map(|problem| if let Problem::Fault { fault } = problem { Some(fault.clone()) } else { None })
                .chain(self.problem.clone())
                .collect(),
        }
    }

    /// One statement of what following has to do.
    async fn go_on(&mut self) -> Result<Duration, Fault> {
        let (now, began) = (self.elapsed(), self.clock.instant());
        let Some((db_now, at)) = self.db_clock else { return Ok(Duration::MAX) };
        let db_now = db_now + chrono::TimeDelta::from_std(began.saturating_duration_since(at)).unwrap_or_default();
        let Some((track, did)) = self.tracks.step(now, db_now).await? else { return Ok(NOTHING_TO_DO) };
        let took = self.clock.instant().saturating_duration_since(began);
        match did {
            Did::Nothing | Did::Urgent => {}
            Did::FirstWalk => track.rest_walk_until(now + took + (took * FIRST_WALK_RESTS).max(SHORTEST_REST)),
            Did::WalkOn => track.rest_walk_until(now + took + (took * WALK_ON_RESTS).max(NOTHING_TO_DO)),
            Did::WalkAgain => {
                track.rest_walk_until(now + took + (took * WALK_AGAIN_RESTS).clamp(NOTHING_TO_DO, LONGEST_REST));
            }
        }
        Ok(took.max(SHORTEST_REST))
    }

    /// `None` where no code means this status: then it can never be seen, which is not the same as none.
    fn count(&self, status: Status, count: Count) -> Option<Count> {
        self.statuses.contains(&status).then_some(count)
    }
}

#[async_trait]
impl Collector for Records {
    type Body = RecordsPanel;
    const LAYER: Layer = Layer::Records;

    fn start(&mut self) {
        (self.described, self.problem) = (None, None);
        self.tracks.end();
        self.shared.lead();
    }

    fn stop(&mut self) {
        self.tracks.end();
        self.shared.leave();
    }

    async fn read(&mut self) -> Result<RecordsPanel, Fault> {
        let panel = self.look().await;
        self.shared.looked();
        if panel.is_err() {
            // The table may have been changed: its catalogue is read before the next attempt.
            self.described = None;
        }
        panel
    }

    async fn step(&mut self) -> Result<Duration, Fault> {
        let rest = self.go_on().await;
        self.problem = rest.as_ref().err().cloned();
        rest
    }

    async fn keep(&mut self, lease: &Lease) -> Result<(), StateError> {
        let Some((db_now, _)) = self.db_clock else { return Ok(()) };
        self.tracks.keep(lease, self.elapsed(), db_now).await
    }

    fn minute(&self, at: DateTime<Utc>, body: &RecordsPanel) -> Option<Minute> {
        let value = |count: Option<Count>| count.map(|count| signed(count.value));
        let minute = Minute {
            processing: value(body.processing),
            aging: value(body.aging),
            failed: value(body.failed),
            oldest_ms: body.oldest_age_ms.map(signed),
            ..Minute::empty(minute_of(at))
        };
        body.counts_are_whole().then_some(minute)
    }
}

/// Of the record that has been processing the longest, where it is sure that none is older.
fn oldest_age_ms(panel: &RecordsPanel, db_now: DateTime<Utc>) -> Option<u64> {
    if !panel.counts_are_whole() {
        return None;
    }
    match (panel.oldest.first(), panel.processing) {
        (Some(row), _) => Some(u64::try_from((db_now - row.record.since()?).num_milliseconds()).unwrap_or(0)),
        (None, Some(Count { value: 0, .. })) => Some(0),
        (None, _) => None,
    }
}

/// The lease went away in mid-reading and took the open set with it.
fn gone() -> Fault {
    Fault::Unreadable { layer: Layer::Records, detail: "the open set is kept by another instance now".into() }
}
