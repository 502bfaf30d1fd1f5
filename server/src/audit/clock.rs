//! The database's clock against this machine's.

use crate::clock::Clock;
use crate::system::SourceSystem;
use app::model::{Fault, Problem};
use chrono::{DateTime, TimeDelta, Utc};

/// From here on ages and leases are judged wrongly.
const APART_MS: i64 = 2_000;

pub(super) struct Apart {
    pub database_now: DateTime<Utc>,
    /// The database is ahead; below zero: behind.
    pub ahead_ms: i64,
    /// How far the measurement may be off: half of the time that it took.
    pub uncertain_ms: i64,
}

impl Apart {
    pub(super) fn problem(&self) -> Option<Problem> {
        let certainly = self.ahead_ms.saturating_abs() - self.uncertain_ms;
        (certainly >= APART_MS).then_some(Problem::ClockApart { ahead_ms: self.ahead_ms })
    }
}

pub(super) async fn apart(source: &SourceSystem, clock: &dyn Clock) -> Result<Apart, Fault> {
    // The first statement may have to connect, which takes longer than the answer.
    source.records.clock().await?;
    let first = measured(source, clock).await?;
    if first.problem().is_none() {
        return Ok(first);
    }
    // A wall clock that was set just then is no difference: what is one stays.
    let second = measured(source, clock).await?;
    Ok(if second.ahead_ms.abs() < first.ahead_ms.abs() { second } else { first })
}

async fn measured(source: &SourceSystem, clock: &dyn Clock) -> Result<Apart, Fault> {
    let (began, before) = (clock.instant(), clock.now());
    let database_now = source.records.clock().await?;
    let took = TimeDelta::from_std(clock.instant().duration_since(began)).unwrap_or_default();
    let half = took / 2;
    let ahead = database_now - (before + half);
    Ok(Apart { database_now, ahead_ms: ahead.num_milliseconds(), uncertain_ms: half.num_milliseconds() })
}

#[cfg(test)]
mod tests {
    use super::Apart;
    use app::model::Problem;
    use chrono::DateTime;

    #[test]
    fn a_slow_answer_is_no_difference() {
        let problem =
            |ahead_ms, uncertain_ms| Apart { database_now: DateTime::UNIX_EPOCH, ahead_ms, uncertain_ms }.problem();
        assert_eq!(problem(1_999, 0), None);
        assert_eq!(problem(2_000, 0), Some(Problem::ClockApart { ahead_ms: 2_000 }));
        assert_eq!(problem(-30_000, 10), Some(Problem::ClockApart { ahead_ms: -30_000 }));
        assert_eq!(problem(2_500, 800), None);
    }
}
