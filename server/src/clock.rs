//! Time comes in as a parameter: the wall clock says *when*, the monotonic clock says *how long*. They are never mixed.

use chrono::{DateTime, Utc};
use std::time::{Duration, Instant};

pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

pub trait Clock: Send + Sync + std::fmt::Debug {
    /// Wall clock; it may step.
    fn now(&self) -> DateTime<Utc>;
    /// Monotonic; for deadlines and durations.
    fn instant(&self) -> Instant;
}

#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the machine's clocks")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that reads the machine's clocks")]
    fn instant(&self) -> Instant {
        Instant::now()
    }
}
