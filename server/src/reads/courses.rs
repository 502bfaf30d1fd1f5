//! What charts draw, put together once a second for everybody who looks: of a source and a stretch of time that many have
//! open, one reads the history and the others wait for it.

use super::{LiveReads, course};
use crate::ports::state::StateError;
use crate::system::SourceSystem;
use app::model::{Course, TimeRange};
use chrono::{DateTime, Utc};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Its steps are over; what is reported late comes so much later.
const GOOD_FOR: Duration = Duration::from_secs(1);
/// Beyond so many, those that nobody is looking at are forgotten.
const MOST: usize = 32;

/// Source, first instant, end, and seconds of a step.
type Key = (String, DateTime<Utc>, DateTime<Utc>, u32);
type Place = Arc<tokio::sync::Mutex<Option<Kept>>>;

struct Kept {
    read_at: Instant,
    course: Course,
    /// What ended it early, also for whoever has waited meanwhile.
    failed: Option<Arc<StateError>>,
}

#[derive(Default)]
pub(super) struct Courses(Mutex<HashMap<Key, Place>>);

impl Courses {
    fn place(&self, key: Key) -> Place {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if places.len() >= MOST && !places.contains_key(&key) {
            places.retain(|_, place| Arc::strong_count(place) > 1);
        }
        places.entry(key).or_default().clone()
    }
}

impl LiveReads {
    /// With the error that ended it early, if there was one: what was read before it stays.
    pub(super) async fn course_of(
        &self,
        source: &SourceSystem,
        range: TimeRange,
        now: DateTime<Utc>,
    ) -> (Course, Option<Arc<StateError>>) {
        let mut course = Course::empty(range, now);
        let place = self.courses.place((source.config.name.clone(), course.from, course.to, course.step_s));
        let mut place = place.lock().await;
        let age = |kept: &Kept| self.system.clock.instant().saturating_duration_since(kept.read_at);
        if let Some(kept) = place.as_ref().filter(|kept| age(kept) < GOOD_FOR) {
            // The same stretch may have been asked for in another way.
            return (Course { range: course.range, ..kept.course.clone() }, kept.failed.clone());
        }
        let failed = course::run(&self.system.state, source, &mut course).await.err().map(Arc::new);
        *place = Some(Kept { read_at: self.system.clock.instant(), course: course.clone(), failed: failed.clone() });
        (course, failed)
    }
}
