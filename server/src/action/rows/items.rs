//! What became of each row of a run, as it is told.

use crate::action::Refused;
use crate::ports::jobs::{ItemOutcome, JobItem};
use crate::ports::state::StateError;
use crate::system::System;
use app::model::{ItemsPage, ItemsQuery, Outcome, RunItem};
use serde::de::DeserializeOwned;

/// Items of one page.
const MOST: u32 = 200;

/// A page of a job's items, in the order of its plan.
pub async fn items_of(system: &System, job: &str, query: &ItemsQuery) -> Result<ItemsPage, Refused> {
    let limit = query.limit.clamp(1, MOST);
    let outcome = query.outcome.and_then(stored);
    // One more tells whether there is another page.
    let mut items = system.state.jobs.items(job, outcome, query.after, limit + 1).await?;
    let more = items.len() > limit as usize;
    items.truncate(limit as usize);
    let next = items.last().filter(|_| more).map(|last| last.at);
    let items = items.into_iter().map(|item| told(job, item)).collect::<Result<_, _>>()?;
    Ok(ItemsPage { items, next })
}

/// `None`: it is not one outcome that is stored.
fn stored(outcome: Outcome) -> Option<ItemOutcome> {
    match outcome {
        Outcome::Done => Some(ItemOutcome::Done),
        Outcome::Skipped => Some(ItemOutcome::Skipped),
        Outcome::Failed => Some(ItemOutcome::Failed),
        Outcome::Uncertain => Some(ItemOutcome::Uncertain),
        Outcome::Undone => Some(ItemOutcome::Undone),
        Outcome::Open | Outcome::Begun => None,
    }
}

fn told(job: &str, item: JobItem) -> Result<RunItem, StateError> {
    let outcome = match item.outcome {
        None => Outcome::Open,
        Some(ItemOutcome::Trying | ItemOutcome::Opened | ItemOutcome::Sending | ItemOutcome::Copied) => Outcome::Begun,
        Some(ItemOutcome::Done) => Outcome::Done,
        Some(ItemOutcome::Skipped) => Outcome::Skipped,
        Some(ItemOutcome::Failed) => Outcome::Failed,
        Some(ItemOutcome::Uncertain) => Outcome::Uncertain,
        Some(ItemOutcome::Undone) => Outcome::Undone,
    };
    let why = item.why.as_deref();
    let (skip, setback) = match outcome {
        Outcome::Skipped => (why.map(|why| read(job, why)).transpose()?, None),
        Outcome::Failed | Outcome::Uncertain => (None, why.map(|why| read(job, why)).transpose()?),
        Outcome::Open | Outcome::Begun | Outcome::Done | Outcome::Undone => (None, None),
    };
    Ok(RunItem {
        at: item.at,
        reference: item.reference,
        r#type: item.r#type,
        key: item.key,
        status: item.status,
        outcome,
        skip,
        setback,
        changed_at: item.changed_at,
    })
}

fn read<T: DeserializeOwned>(job: &str, why: &str) -> Result<T, StateError> {
    serde_json::from_str(why).map_err(|error| StateError::Failed(format!("an item of job {job}: {error}")))
}
