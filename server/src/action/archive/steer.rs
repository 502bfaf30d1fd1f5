//! What a run heeds between any two steps: its lease, wishes, its window, faults that may pass, replicas that are behind.

use super::run::{End, Work};
use crate::ports::audit::Standing;
use crate::ports::jobs::{JobState, Wish};
use app::model::{ArchiveNote, Fault};
use chrono::{DateTime, Utc};
use std::time::Duration;

/// A replica may be so far behind.
const BEHIND_MS: u64 = 5_000;
const LAG_ASKED_EVERY: Duration = Duration::from_secs(5);
/// Wishes, the window and the lease are looked at so often while it waits.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// What fails so often in a row will not pass by itself.
const FAILURES: u32 = 4;
const AFTER_FAILURE: Duration = Duration::from_secs(5);

impl Work<'_> {
    /// What it waits for, or that it waits for nothing any more.
    pub(super) async fn say(&mut self, note: Option<ArchiveNote>) -> Result<(), End> {
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
    pub(super) async fn look(&mut self) -> Result<(), End> {
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

    pub(super) async fn rest(&mut self, time: Duration) -> Result<(), End> {
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
    pub(super) async fn patiently<T, F>(&mut self, ask: impl Fn() -> F) -> Result<T, End>
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

    pub(super) async fn failed(&mut self, fault: Fault) -> Result<(), End> {
        let will_not_pass =
            matches!(fault, Fault::BadInput { .. } | Fault::Refused { .. } | Fault::ColumnMissing { .. });
        self.failures += 1;
        if will_not_pass || self.failures >= FAILURES {
            return Err(fault.into());
        }
        self.say(Some(ArchiveNote::Failed { fault })).await?;
        self.rest(AFTER_FAILURE).await
    }

    /// Waits while the replica that is read from is behind: production reads from it as well.
    pub(super) async fn calm(&mut self) -> Result<(), End> {
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
