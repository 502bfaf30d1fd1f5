//! Works a run off, chunk by chunk, under its source's lease. Killed anywhere it is taken up again: each chunk is one
//! transaction, and the one in flight is looked for in both tables.

use super::pace::Pace;
use super::walk::{Walked, is_strange, walk};
use super::{InFlight, Options, Place, Progress, archiver, lease_of, progress_of, read, source_of, written};
use crate::action::request::Refused;
use crate::ports::archive::{Examined, RecordArchive, Shifted};
use crate::ports::archive_runs::{ArchiveCursor, StoredArchiveRun};
use crate::ports::audit::Standing;
use crate::ports::changes::ChangeError;
use crate::ports::jobs::{JobState, Wish};
use crate::ports::permit::Permit;
use crate::ports::state::{Begin, Lease, StateError};
use crate::system::{SourceSystem, System};
use app::model::{ArchiveLeft, ArchiveNote, Fault, PanelName, Pk};
use chrono::{DateTime, Utc};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Rows that are read at once, before they are taken in chunks.
const STRETCH: u32 = 2_000;
/// A replica may be so far behind.
const BEHIND_MS: u64 = 5_000;
const LAG_ASKED_EVERY: Duration = Duration::from_secs(5);
/// Wishes, the window and the lease are looked at so often while it waits.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// What fails so often in a row will not pass by itself.
const FAILURES: u32 = 4;
const AFTER_FAILURE: Duration = Duration::from_secs(5);
/// A chunk of which others hold every row is tried so often.
const TRIES: u32 = 5;

/// What a run waits for, told to whoever watches.
pub type Tell<'a> = &'a (dyn Fn(&ArchiveNote) + Send + Sync);

/// Why a run ends before its tables do.
enum End {
    Turned(JobState, Option<ArchiveNote>),
    /// Somebody else has the lease now, or will: the process ends.
    Lost,
    Failed(Refused),
}

impl From<Refused> for End {
    fn from(refused: Refused) -> Self {
        Self::Failed(refused)
    }
}

impl From<StateError> for End {
    fn from(error: StateError) -> Self {
        match error {
            StateError::Fenced { .. } => Self::Lost,
            error => Self::Failed(error.into()),
        }
    }
}

impl From<Fault> for End {
    fn from(fault: Fault) -> Self {
        Self::Turned(JobState::Paused, Some(ArchiveNote::Failed { fault }))
    }
}

/// Runs it to its end, to a pause, or until somebody else has it. `Ok(false)`: another run of the source has the lease.
pub async fn work_off(
    system: &System,
    id: &str,
    holder: &str,
    shutdown: &CancellationToken,
    tell: Tell<'_>,
) -> Result<bool, Refused> {
    let runs = &system.state.archive_runs;
    let source = runs.run(id).await?.ok_or(Refused::NoPlan)?.new.source;
    let Some(lease) = system.state.leases.acquire(&lease_of(&source), holder).await? else { return Ok(false) };
    // Read again: before the lease somebody else may have worked on it.
    let run = runs.run(id).await?.ok_or(Refused::NoPlan)?;
    let (lease, ended) = match matches!(run.state, JobState::Waiting | JobState::Running) {
        true => work(system, &run, lease, shutdown, tell).await,
        false => (lease, Ok(())),
    };
    system.state.leases.release(&lease).await?;
    ended.map(|()| true)
}

async fn work(
    system: &System,
    run: &StoredArchiveRun,
    lease: Lease,
    shutdown: &CancellationToken,
    tell: Tell<'_>,
) -> (Lease, Result<(), Refused>) {
    match closed(system, run, &lease).await {
        Ok(false) => {}
        ended => return (lease, ended.map(drop)),
    }
    let begun = Work::begin(system, run, lease.clone(), shutdown, tell).await;
    let mut work = match begun {
        Ok(work) => work,
        Err(refused) => return (lease, Err(refused)),
    };
    let end = match work.all().await {
        Ok(()) => End::Turned(JobState::Done, None),
        Err(end) => end,
    };
    system.pokes.poke(&run.new.source, PanelName::Records.as_str());
    let ended = match end {
        End::Lost => Ok(()),
        End::Failed(refused) => Err(refused),
        End::Turned(state, note) => work.turn(state, note).await,
    };
    (work.lease, ended)
}

/// Somebody died between the audit's end of it and its own.
async fn closed(system: &System, run: &StoredArchiveRun, lease: &Lease) -> Result<bool, Refused> {
    let entry = system.state.audit.get(&run.new.id).await?;
    let Some(outcome) = entry.and_then(|entry| entry.outcome) else { return Ok(false) };
    let state = JobState::ALL.into_iter().find(|state| state.as_str() == outcome).unwrap_or(JobState::Failed);
    system.state.archive_runs.turn(lease, &run.new.id, state, &run.note, system.clock.now()).await?;
    Ok(true)
}

struct Work<'a> {
    system: &'a System,
    source: &'a SourceSystem,
    archiver: &'a dyn RecordArchive,
    run: &'a StoredArchiveRun,
    options: Options,
    progress: Progress,
    pace: Pace,
    lease: Lease,
    /// As it stands in the state.
    note: Option<ArchiveNote>,
    lag_asked: Option<Instant>,
    failures: u32,
    shutdown: &'a CancellationToken,
    tell: Tell<'a>,
}

impl<'a> Work<'a> {
    /// The audit's entry is begun once, however often the run is taken up.
    async fn begin(
        system: &'a System,
        run: &'a StoredArchiveRun,
        lease: Lease,
        shutdown: &'a CancellationToken,
        tell: Tell<'a>,
    ) -> Result<Self, Refused> {
        let source = source_of(system, &run.new.source)?;
        let options: Options = read(run, &run.new.options)?;
        let work = Self {
            system,
            source,
            archiver: archiver(source)?,
            run,
            progress: progress_of(run)?,
            pace: Pace::new(options.polite, options.batch),
            options,
            lease,
            note: None,
            lag_asked: None,
            failures: 0,
            shutdown,
            tell,
        };
        work.permit(run.new.id.clone(), "archive", run.new.options.clone()).await?;
        work.write(JobState::Running, None).await?;
        Ok(work)
    }

    async fn permit(&self, operation_id: String, operation: &str, target: String) -> Result<Permit, Refused> {
        let new = &self.run.new;
        let begin = Begin {
            operation_id,
            operation: operation.to_owned(),
            source: new.source.clone(),
            actor: new.actor.clone(),
            origin: new.origin.clone(),
            reason: new.reason.clone(),
            at: self.system.clock.now(),
            target,
        };
        match self.system.state.audit.begin(&begin).await {
            Ok(permit) => Ok(permit),
            Err(StateError::Exists(_)) => {
                self.system.state.audit.go_on(&begin.operation_id).await?.ok_or(Refused::Unfinished)
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn complete(&self, operation_id: &str, outcome: &str, detail: &str) -> Result<(), StateError> {
        match self.system.state.audit.complete(operation_id, self.system.clock.now(), outcome, detail).await {
            // It was closed before a crash.
            Ok(()) | Err(StateError::Exists(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn write(&self, state: JobState, note: Option<&ArchiveNote>) -> Result<(), StateError> {
        let text = note.map_or(Ok(String::new()), written)?;
        let runs = &self.system.state.archive_runs;
        runs.turn(&self.lease, &self.run.new.id, state, &text, self.system.clock.now()).await
    }

    async fn turn(&self, state: JobState, note: Option<ArchiveNote>) -> Result<(), Refused> {
        if let Some(note) = &note {
            (self.tell)(note);
        }
        if state.is_over() {
            let Progress { moved, left, chunks, .. } = &self.progress;
            let detail = serde_json::json!({ "moved": moved, "left": left, "chunks": chunks, "note": note });
            self.complete(&self.run.new.id, state.as_str(), &detail.to_string()).await?;
        }
        Ok(self.write(state, note.as_ref()).await?)
    }

    /// What it waits for, or that it waits for nothing any more.
    async fn say(&mut self, note: Option<ArchiveNote>) -> Result<(), End> {
        if self.note != note {
            if let Some(note) = &note {
                (self.tell)(note);
            }
            self.write(JobState::Running, note.as_ref()).await?;
            self.note = note;
        }
        Ok(())
    }

    /// Between any two steps: whether it may go on.
    async fn look(&mut self) -> Result<(), End> {
        match self.system.state.leases.renew(&self.lease).await? {
            Some(renewed) => self.lease = renewed,
            None => return Err(End::Lost),
        }
        if self.shutdown.is_cancelled() {
            return Err(End::Lost);
        }
        match self.system.state.archive_runs.run(&self.run.new.id).await?.and_then(|run| run.wish) {
            Some(Wish::Stop) => return Err(End::Turned(JobState::Stopped, None)),
            Some(Wish::Pause) => return Err(End::Turned(JobState::Paused, None)),
            None => {}
        }
        let is_over = |until: &DateTime<Utc>| self.system.clock.now() >= *until;
        match self.options.until.as_ref().is_some_and(is_over) {
            true => Err(End::Turned(JobState::Stopped, Some(ArchiveNote::WindowEnded))),
            false => Ok(()),
        }
    }

    async fn rest(&mut self, time: Duration) -> Result<(), End> {
        let mut left = time;
        while left > Duration::ZERO {
            let step = left.min(LOOK_EVERY);
            if self.shutdown.run_until_cancelled(tokio::time::sleep(step)).await.is_none() {
                return Err(End::Lost);
            }
            left -= step;
            if left > Duration::ZERO {
                self.look().await?;
            }
        }
        self.look().await
    }

    /// A source that is away for a moment does not end the night's run.
    async fn patiently<T, F>(&mut self, ask: impl Fn() -> F) -> Result<T, End>
    where
        F: Future<Output = Result<T, Fault>>,
    {
        loop {
            match ask().await {
                Ok(answer) => {
                    self.failures = 0;
                    return Ok(answer);
                }
                Err(fault) => self.failed(fault).await?,
            }
        }
    }

    async fn failed(&mut self, fault: Fault) -> Result<(), End> {
        let will_not_pass =
            matches!(fault, Fault::BadInput { .. } | Fault::Refused { .. } | Fault::ColumnMissing { .. });
        self.failures += 1;
        if will_not_pass || self.failures >= FAILURES {
            return Err(fault.into());
        }
        self.say(Some(ArchiveNote::Failed { fault })).await?;
        self.rest(AFTER_FAILURE).await
    }

    async fn all(&mut self) -> Result<(), End> {
        self.look().await?;
        self.land().await?;
        let source = self.source;
        let mut tables = self.patiently(|| source.records.tables()).await?;
        tables.sort();
        for table in tables {
            if !self.progress.through.contains(&table) {
                self.table(&table).await?;
                self.progress.through.push(table);
                self.progress.place = None;
            }
        }
        self.put().await
    }

    /// What became of the chunk that was in flight when somebody died, or whose answer was lost.
    async fn land(&mut self) -> Result<ArchiveLeft, End> {
        let Some(flight) = self.progress.in_flight.clone() else { return Ok(ArchiveLeft::default()) };
        let archiver = self.archiver;
        let moved = self.patiently(|| archiver.moved(&flight.table, &flight.rows)).await?;
        let left = ArchiveLeft { locked: flight.rows.len() as u64 - moved, ..ArchiveLeft::default() };
        self.landed(&flight, Shifted { moved, left, gone: 0 }).await?;
        Ok(left)
    }

    /// Writes down what a chunk did. The next `put` forgets that it was in flight: until then it may be found again.
    async fn landed(&mut self, flight: &InFlight, shifted: Shifted) -> Result<(), End> {
        let Shifted { moved, left, gone } = shifted;
        let detail = serde_json::json!({ "moved": moved, "left": left, "gone": gone });
        self.complete(&self.chunk_id(flight.number), "moved", &detail.to_string()).await?;
        self.progress.in_flight = None;
        self.progress.moved += moved;
        self.progress.left += left;
        Ok(())
    }

    fn chunk_id(&self, number: u64) -> String {
        format!("{}/{number}", self.run.new.id)
    }

    async fn table(&mut self, table: &str) -> Result<(), End> {
        let archiver = self.archiver;
        let examined = self.patiently(|| archiver.examine(table)).await?;
        if let Some(refusal) = examined.refusals.first().cloned() {
            return Err(End::Turned(JobState::Failed, Some(ArchiveNote::Refused { refusal })));
        }
        let mut place = match self.progress.place.take().filter(|place| place.table == table) {
            Some(place) => place,
            None => {
                let at = self.system.state.archive_runs.cursor(&self.source.config.name, table).await?;
                Place { table: table.to_owned(), at, left_after: None }
            }
        };
        let mut is_first = true;
        loop {
            self.look().await?;
            let Some(walked) = self.walk(&examined, &place, is_first).await? else {
                (place.at, is_first) = (None, false);
                continue;
            };
            is_first = false;
            self.progress.place = Some(place.clone());
            let mut left = walked.left;
            let mut rows = walked.ripe.as_slice();
            while !rows.is_empty() {
                let (chunk, rest) = rows.split_at(self.pace.size().min(rows.len()));
                left += self.chunk(table, chunk).await?;
                rows = rest;
            }
            if left.all() > 0 && place.left_after.is_none() {
                place.left_after = Some(place.at.clone());
            }
            place.at = walked.last.or(place.at);
            self.progress.left += walked.left;
            self.progress.place = Some(place.clone());
            self.put().await?;
            if walked.is_last {
                return Ok(());
            }
        }
    }

    /// `None`: begin at the table's beginning. The place was kept of another order, or nothing is behind it any more, as
    /// after the table was emptied and its ids began anew.
    async fn walk(&mut self, examined: &Examined, place: &Place, is_first: bool) -> Result<Option<Walked>, End> {
        let (records, ripe) = (self.source.records.as_ref(), self.options.ripe());
        let was_kept = is_first && place.at.is_some();
        let walked = self
            .patiently(move || async move {
                match walk(records, &place.table, examined, ripe, place.at.as_deref(), STRETCH).await {
                    Err(fault) if was_kept && is_strange(&fault) => Ok(None),
                    walked => walked.map(Some),
                }
            })
            .await?;
        Ok(walked.filter(|walked| !was_kept || walked.last.is_some()))
    }

    /// Moves those of the rows that may be moved; what was left of them.
    async fn chunk(&mut self, table: &str, rows: &[Pk]) -> Result<ArchiveLeft, End> {
        for attempt in 1.. {
            self.calm().await?;
            let number = self.progress.chunks + 1;
            let target = serde_json::json!({
                "table": table, "rows": rows.len(), "first": rows.first(), "last": rows.last(),
            });
            let permit = self.permit(self.chunk_id(number), "archive_chunk", target.to_string()).await?;
            let flight = InFlight { table: table.to_owned(), number, rows: rows.to_vec() };
            self.progress.chunks = number;
            self.progress.in_flight = Some(flight.clone());
            self.put().await?;
            let began = self.system.clock.instant();
            let shifted = match self.archiver.shift(&permit, table, self.options.ripe(), rows).await {
                Ok(shifted) => shifted,
                Err(ChangeError::Unknown(fault)) => {
                    tracing::warn!(run = self.run.new.id, %fault, "the answer to a commit was lost; the tables will tell");
                    return self.land().await;
                }
                Err(ChangeError::Fault(fault)) => {
                    self.complete(&self.chunk_id(number), "failed", &written(&fault)?).await?;
                    self.progress.in_flight = None;
                    self.put().await?;
                    self.failed(fault).await?;
                    continue;
                }
            };
            self.failures = 0;
            let time = self.system.clock.instant().saturating_duration_since(began);
            let all_locked = shifted.left.locked == rows.len() as u64;
            let again = all_locked && attempt < TRIES;
            let counted = if again { Shifted::default() } else { shifted };
            self.landed(&flight, counted).await?;
            let rest = self.pace.took(rows.len(), shifted.left.locked, time);
            self.say(rest.why).await?;
            self.rest(rest.time).await?;
            if !again {
                return Ok(shifted.left);
            }
        }
        Ok(ArchiveLeft::default())
    }

    /// Waits while the replica that is read from is behind: production reads from it as well.
    async fn calm(&mut self) -> Result<(), End> {
        let now = self.system.clock.instant();
        if self.lag_asked.is_some_and(|asked| now.saturating_duration_since(asked) < LAG_ASKED_EVERY) {
            return Ok(());
        }
        let source = self.source;
        loop {
            let standing = self.patiently(|| source.audit.standing()).await?;
            self.lag_asked = Some(self.system.clock.instant());
            let Some(lag) = lag(standing) else { return self.say(None).await };
            self.say(Some(lag)).await?;
            self.rest(LOOK_EVERY).await?;
        }
    }

    /// How far it is, and where the next run begins in this table.
    async fn put(&self) -> Result<(), End> {
        let progress = written(&self.progress)?;
        let cursor = self.progress.place.as_ref().map(|place| ArchiveCursor {
            table: place.table.clone(),
            place: place.left_after.clone().unwrap_or_else(|| place.at.clone()),
        });
        let runs = &self.system.state.archive_runs;
        let (id, source) = (self.run.new.id.as_str(), self.run.new.source.as_str());
        Ok(runs.put(&self.lease, Some((id, &progress)), source, cursor.as_ref()).await?)
    }
}

/// `None`: near enough. A replica that does not say how far it is behind may be any distance.
fn lag(standing: Standing) -> Option<ArchiveNote> {
    match standing {
        Standing::Replica { behind_ms } if behind_ms.is_none_or(|ms| ms > BEHIND_MS) => {
            Some(ArchiveNote::Lag { behind_ms })
        }
        Standing::Primary | Standing::Replica { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::lag;
    use crate::ports::audit::Standing;
    use app::model::ArchiveNote;

    #[test]
    fn an_unknown_lag_counts_as_lag() {
        let of = |behind_ms| lag(Standing::Replica { behind_ms });
        assert_eq!(of(None), Some(ArchiveNote::Lag { behind_ms: None }));
        assert_eq!(of(Some(60_000)), Some(ArchiveNote::Lag { behind_ms: Some(60_000) }));
        assert_eq!((of(Some(0)), of(Some(5_000)), lag(Standing::Primary)), (None, None, None));
    }
}
