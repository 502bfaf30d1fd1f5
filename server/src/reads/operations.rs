//! Plans and runs of operations on rows, from our own database.

use super::{LiveReads, state_fault};
use crate::action::Refused;
use crate::action::rows::{items_of, operated, run_of};
use crate::ports::jobs::Job;
use crate::ports::state::StateError;
use app::model::{Fault, ItemsPage, ItemsQuery, Layer, Operated, RunsPage};
use chrono::TimeDelta;

/// Runs of one page.
const MOST: u32 = 50;
/// Somebody is reminded for so long of a run that left something uncertain.
const REMINDED_FOR: TimeDelta = TimeDelta::days(1);

impl LiveReads {
    pub(super) async fn list_runs(&self, source: &str, before: Option<i64>) -> Result<RunsPage, Fault> {
        let asked = async {
            // One more tells whether there is another page.
            let mut jobs = self.system.state.jobs.runs(source, before, MOST + 1).await.map_err(from_state)?;
            let more = jobs.len() > MOST as usize;
            jobs.truncate(MOST as usize);
            let next = jobs.last().filter(|_| more).map(|job| job.number);
            let mut items = Vec::with_capacity(jobs.len());
            for job in &jobs {
                items.push(run_of(&self.system, job).await.map_err(told)?);
            }
            Ok(RunsPage { items, next })
        };
        self.within(Layer::State, asked).await
    }

    pub(super) async fn operation_of(&self, source: &str, id: &str) -> Result<Option<Operated>, Fault> {
        let asked = async {
            let Some(job) = self.job(source, id).await? else { return Ok(None) };
            operated(&self.system, &job).await.map(Some).map_err(told)
        };
        self.within(Layer::State, asked).await
    }

    pub(super) async fn items_of(&self, source: &str, id: &str, query: &ItemsQuery) -> Result<ItemsPage, Fault> {
        let asked = async {
            match self.job(source, id).await? {
                Some(job) => items_of(&self.system, &job.new.id, query).await.map_err(told),
                None => Ok(ItemsPage::default()),
            }
        };
        self.within(Layer::State, asked).await
    }

    pub(super) async fn count_pressing(&self, source: &str) -> Result<u64, Fault> {
        let since = self.system.clock.now() - REMINDED_FOR;
        let asked = async { self.system.state.jobs.pressing(source, since).await.map_err(from_state) };
        self.within(Layer::State, asked).await
    }

    /// One of the source.
    async fn job(&self, source: &str, id: &str) -> Result<Option<Job>, Fault> {
        let job = self.system.state.jobs.job(id).await.map_err(from_state)?;
        Ok(job.filter(|job| job.new.source == source))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn from_state(error: StateError) -> Fault {
    tracing::error!(%error, "operations could not be read");
    state_fault(&error)
}

/// Reading refuses nothing but for what broke.
fn told(refused: Refused) -> Fault {
    match refused {
        Refused::Fault(fault) => fault,
        Refused::State(error) => from_state(error),
        other => Fault::Unreadable { layer: Layer::State, detail: other.to_string() },
    }
}
