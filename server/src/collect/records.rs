//! The records of one source: how many in which state, how old, and which for the longest time.

use super::ages::Ages;
use super::tail::{Counted, Did, Tail};
use super::{Collector, minute_of, signed};
use crate::clock::Clock;
use crate::clock::millis;
use crate::config::Limits;
use crate::live::{Open, Shared};
use crate::ports::records::{Description, RecordStore};
use crate::system::{SourceSystem, System};
use app::model::{
    Count, Fault, Layer, Minute, Pass, Pk, Problem, Quality, RecordsPanel, RecordsQuery, Row, Status, Strategy,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The catalogue is read again this often: somebody may have added an index.
pub(super) const DESCRIBED_EVERY: Duration = Duration::from_secs(3_600);
/// Rows that the index on status is asked for; counts go on to 10,000.
const OPEN_ROWS: u32 = 10_000;
/// Rows of the newest page where nothing better can be asked.
const NEWEST_ROWS: u32 = 200;
/// Longest-processing records on the panel.
const OLDEST: usize = 20;
/// A walk rests three times as long as its statement took (a quarter of the time), later nineteen times.
const FIRST_WALK_RESTS: u32 = 3;
const WALK_AGAIN_RESTS: u32 = 19;
const SHORTEST_REST: Duration = Duration::from_millis(20);
const NOTHING_TO_DO: Duration = Duration::from_millis(250);

pub(super) struct Records {
    source: String,
    store: Arc<dyn RecordStore>,
    clock: Arc<dyn Clock>,
    limits: Limits,
    shared: Arc<Shared>,
    statuses: Vec<Status>,
    aging_after: Duration,
    started: Instant,
    described: Option<(Description, Instant)>,
    tail: Option<Tail>,
    /// The database's clock at a local instant, so that steps need not ask it.
    db_clock: Option<(DateTime<Utc>, Instant)>,
    /// What the last step met.
    problem: Option<Fault>,
}

impl Records {
    pub(super) fn new(source: &SourceSystem, system: &System, shared: Arc<Shared>) -> Self {
        Self {
            source: source.config.name.clone(),
            store: source.records.clone(),
            clock: system.clock.clone(),
            limits: system.config.limits.clone(),
            shared,
            statuses: source.config.records.status.states(),
            aging_after: source.minimum_age(),
            started: system.clock.instant(),
            described: None,
            tail: None,
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
        if description.choice.strategy != Strategy::Tail && self.tail.take().is_some() {
            self.shared.end();
        }
        let mut panel = match description.choice.strategy {
            Strategy::StatusIndex => self.by_status_index(description.estimated_rows, db_now).await,
            Strategy::Tail => self.by_tail(description.estimated_rows, db_now).await,
            Strategy::Bounded => self.by_newest(db_now).await,
        }?;
        panel.oldest_age_ms = oldest_age_ms(&panel, db_now);
        Ok(panel)
    }

    async fn by_status_index(&self, estimated: Option<u64>, db_now: DateTime<Utc>) -> Result<RecordsPanel, Fault> {
        let open = self.store.open(OPEN_ROWS).await?;
        let processing: Vec<&Row> = open.rows.iter().filter(|row| row.record.status == Status::Processing).collect();
        // Cut off at the limit, the youngest are missing.
        let quality =
            if (processing.len() as u64) < open.processing.value { Quality::Capped } else { open.processing.quality };
        let ages =
            self.ages(processing.iter().map(|row| row.record.since().map(|since| since.timestamp_millis())), db_now);
        let oldest = self.in_full(processing.into_iter().take(OLDEST)).await?;
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

    async fn by_tail(&mut self, estimated: Option<u64>, db_now: DateTime<Utc>) -> Result<RecordsPanel, Fault> {
        let now = self.elapsed();
        let last = self.store.last_id().await?;
        if self.tail.as_mut().is_none_or(|tail| !tail.same_generation(last)) {
            self.begin_generation(last, now);
        }
        let Some(tail) = &mut self.tail else { return Err(gone()) };
        tail.catch_up(now, db_now).await?;
        let oldest = oldest(&*self.store, &self.shared, tail).await?;
        let counted = tail.counted();
        self.tail_panel(&counted, oldest, estimated, db_now).ok_or_else(gone)
    }

    fn begin_generation(&mut self, last: Option<i128>, now: Duration) {
        let before = self.tail.take();
        if before.is_some() {
            tracing::info!(
                source = self.source,
                "the largest id went back (truncated, restored, failed over): walking anew"
            );
        }
        let (store, shared) = (self.store.clone(), self.shared.clone());
        let tail = Tail::new(store, shared, self.limits.open_set, self.limits.scan_rows, last, now);
        self.tail = Some(tail.after(before.as_ref()));
    }

    fn tail_panel(
        &self,
        counted: &Counted,
        oldest: Vec<Row>,
        estimated: Option<u64>,
        db_now: DateTime<Utc>,
    ) -> Option<RecordsPanel> {
        self.shared.with(|set| {
            let first_pass = counted.complete_as_of.is_none();
            let quality = match (set.overflowed(), first_pass) {
                (true, _) => Quality::Capped,
                (false, true) => Quality::Partial,
                (false, false) => Quality::Exact,
            };
            let of = |status, value: u64| self.count(status, Count { value, quality });
            let settled = if first_pass { Quality::Partial } else { Quality::Exact };
            let settled = |status, value| self.count(status, Count { value, quality: settled });
            let processing =
                set.iter().filter(|(_, entry)| entry.open == Open::Processing).map(|(_, entry)| entry.since_ms);
            let mut panel = self.panel(Strategy::Tail, self.ages(processing, db_now), quality, oldest);
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
        let pks: Vec<Pk> = rows.map(|row| row.reference.pk.clone()).collect();
        let mut rows = self.store.get(&pks).await?;
        rows.retain(|row| row.record.status == Status::Processing);
        rows.sort_by_key(|row| row.record.since());
        Ok(rows)
    }

    /// Neither an index nor a growing id: the newest rows, and counts that are at least so much.
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
        let oldest = processing.into_iter().take(OLDEST).cloned().collect();
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

    /// One statement of what the tail has to do.
    async fn go_on(&mut self) -> Result<Duration, Fault> {
        let (now, began) = (self.elapsed(), self.clock.instant());
        let (Some(tail), Some((db_now, at))) = (&mut self.tail, self.db_clock) else { return Ok(Duration::MAX) };
        let db_now = db_now + chrono::TimeDelta::from_std(began.saturating_duration_since(at)).unwrap_or_default();
        let did = tail.step(now, db_now).await?;
        let took = self.clock.instant().saturating_duration_since(began);
        match did {
            Did::Nothing => return Ok(NOTHING_TO_DO),
            Did::Urgent => {}
            Did::FirstWalk => tail.rest_walk_until(now + took + (took * FIRST_WALK_RESTS).max(SHORTEST_REST)),
            Did::WalkAgain => tail.rest_walk_until(now + took + (took * WALK_AGAIN_RESTS).max(NOTHING_TO_DO)),
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
        (self.described, self.tail, self.problem) = (None, None, None);
        self.shared.lead();
    }

    fn stop(&mut self) {
        self.tail = None;
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

/// The rows that have been processing for the longest time, as they are now.
async fn oldest(store: &dyn RecordStore, shared: &Shared, tail: &mut Tail) -> Result<Vec<Row>, Fault> {
    let ids = shared.with(|set| {
        let processing = set.iter().filter(|(_, entry)| entry.open == Open::Processing);
        let mut oldest: Vec<(i64, i128)> =
            processing.map(|(id, entry)| (entry.since_ms.unwrap_or(i64::MAX), id)).collect();
        if oldest.len() > OLDEST {
            oldest.select_nth_unstable(OLDEST);
            oldest.truncate(OLDEST);
        }
        oldest.into_iter().map(|(_, id)| id).collect::<Vec<_>>()
    });
    let ids = ids.unwrap_or_default();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let pks: Vec<Pk> = ids.iter().map(|id| Pk::Int(*id)).collect();
    let mut rows = store.get(&pks).await?;
    tail.checked(&ids, &rows)?;
    rows.retain(|row| row.record.status == Status::Processing);
    rows.sort_by_key(|row| (row.record.since().is_none(), row.record.since()));
    Ok(rows)
}

/// The lease went away in mid-reading and took the open set with it.
fn gone() -> Fault {
    Fault::Unreadable { layer: Layer::Records, detail: "the open set is kept by another instance now".into() }
}
