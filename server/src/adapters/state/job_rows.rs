//! How jobs and their items are read back.

use super::database::{get, get_optional_time, get_time};
use super::failure::failed;
use crate::ports::changes::Image;
use crate::ports::jobs::{ItemOutcome, Job, JobItem, JobState, NewJob, Wish};
use crate::ports::state::StateError;
use app::model::{RecordRef, Status};
use sea_query::{Cond, Expr, ExprTrait, Func, Query, SelectStatement};
use sqlx::any::AnyRow;
use std::str::FromStr;

pub(super) const JOB: &str = "oncewatch_job";
pub(super) const ITEM: &str = "oncewatch_job_item";
pub(super) const RESULT: &str = "oncewatch_job_result";

pub(super) fn jobs() -> SelectStatement {
    let mut query = Query::select();
    query
        .columns(["id", "number", "operation", "source", "actor", "origin", "reason", "options", "state", "wish"])
        .columns(["note", "planned_at", "expires_at", "begun_at", "ended_at"])
        .from(JOB);
    query
}

pub(super) fn read_job(row: &AnyRow) -> Result<Job, StateError> {
    let state: String = get(row, "state")?;
    let wish: String = get(row, "wish")?;
    Ok(Job {
        new: NewJob {
            id: get(row, "id")?,
            operation: get(row, "operation")?,
            source: get(row, "source")?,
            actor: get(row, "actor")?,
            origin: get(row, "origin")?,
            reason: get(row, "reason")?,
            options: get(row, "options")?,
            planned_at: get_time(row, "planned_at")?,
            expires_at: get_time(row, "expires_at")?,
        },
        number: get(row, "number")?,
        state: (JobState::ALL.into_iter().find(|known| known.as_str() == state))
            .ok_or_else(|| failed(format!("a job is in the unknown state {state}")))?,
        wish: match wish.as_str() {
            "" => None,
            "pause" => Some(Wish::Pause),
            "stop" => Some(Wish::Stop),
            other => return Err(failed(format!("a job has the unknown wish {other}"))),
        },
        note: get(row, "note")?,
        begun_at: get_optional_time(row, "begun_at")?,
        ended_at: get_optional_time(row, "ended_at")?,
    })
}

pub(super) fn same_item() -> Cond {
    Cond::all()
        .add(Expr::col((RESULT, "job")).equals((ITEM, "job")))
        .add(Expr::col((RESULT, "at")).equals((ITEM, "at")))
}

/// With their results, where they have one.
pub(super) fn items() -> SelectStatement {
    let mut query = Query::select();
    query
        .columns(
            ["at", "reference", "type", "business_key", "status", "stamp", "whole", "outcome"].map(|name| (ITEM, name)),
        )
        .columns(["before_image", "after_image", "changed_at"].map(|name| (RESULT, name)))
        .expr_as(Func::coalesce([Expr::col((RESULT, "why")), Expr::col((ITEM, "why"))]), "why")
        .from(ITEM)
        .left_join(RESULT, same_item());
    query
}

pub(super) fn read_item(row: &AnyRow) -> Result<JobItem, StateError> {
    let reference: String = get(row, "reference")?;
    let status: String = get(row, "status")?;
    let image = |column| get::<Option<String>>(row, column).map(|text| text.map(Image));
    Ok(JobItem {
        at: get(row, "at")?,
        reference: RecordRef::from_str(&reference).map_err(|error| failed(error.to_string()))?,
        r#type: get(row, "type")?,
        key: get(row, "business_key")?,
        status: Status::parse(&status).ok_or_else(|| failed(format!("an item has the unknown status {status}")))?,
        stamp: Image(get(row, "stamp")?),
        whole: image("whole")?,
        outcome: get::<Option<String>>(row, "outcome")?.map_or(Ok(None), |word| outcome_of(&word))?,
        why: get(row, "why")?,
        before: image("before_image")?,
        after: image("after_image")?,
        changed_at: get_optional_time(row, "changed_at")?,
    })
}

pub(super) fn outcome_of(word: &str) -> Result<Option<ItemOutcome>, StateError> {
    if word.is_empty() {
        return Ok(None);
    }
    let known = ItemOutcome::ALL.into_iter().find(|known| known.as_str() == word);
    known.map(Some).ok_or_else(|| failed(format!("an item has the unknown outcome {word}")))
}
