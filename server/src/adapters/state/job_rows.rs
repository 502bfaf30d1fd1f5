//! How jobs and their items are read back, and what jobs and runs that archive have in common.

use super::database::{Database, get, get_optional_time, get_time};
use super::failure::failed;
use crate::ports::changes::Image;
use crate::ports::jobs::{ItemOutcome, Job, JobItem, JobState, NewJob, Wish};
use crate::ports::state::{Lease, StateError};
use app::model::{RecordRef, Status};
use chrono::{DateTime, Utc};
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
        state: state_of(&state)?,
        wish: wish_of(&wish)?,
        note: get(row, "note")?,
        begun_at: get_optional_time(row, "begun_at")?,
        ended_at: get_optional_time(row, "ended_at")?,
    })
}

pub(super) fn state_of(word: &str) -> Result<JobState, StateError> {
    let known = JobState::ALL.into_iter().find(|known| known.as_str() == word);
    known.ok_or_else(|| failed(format!("a job is in the unknown state {word}")))
}

pub(super) fn wish_of(word: &str) -> Result<Option<Wish>, StateError> {
    match word {
        "" => Ok(None),
        "pause" => Ok(Some(Wish::Pause)),
        "stop" => Ok(Some(Wish::Stop)),
        other => Err(failed(format!("a job has the unknown wish {other}"))),
    }
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

/// Of jobs and of runs that archive; each has a table of its own.
impl Database {
    pub(super) async fn wish_of(&self, table: &'static str, id: &str, wish: Option<Wish>) -> Result<bool, StateError> {
        let mut update = Query::update();
        update.table(table).value("wish", wish.map_or("", word)).and_where(Expr::col("id").eq(id));
        let open = [JobState::Waiting, JobState::Running, JobState::Paused].map(JobState::as_str);
        update.and_where(Expr::col("state").is_in(open));
        if self.run(self.pool(), &update).await? == 0 {
            return Ok(false);
        }
        if wish != Some(Wish::Pause) {
            // A paused one has no runner that would see it.
            let mut wake = Query::update();
            wake.table(table)
                .value("state", JobState::Waiting.as_str())
                .and_where(Expr::col("id").eq(id))
                .and_where(Expr::col("state").eq(JobState::Paused.as_str()));
            self.run(self.pool(), &wake).await?;
        }
        Ok(true)
    }

    pub(super) async fn turn_of(
        &self,
        table: &'static str,
        lease: &Lease,
        id: &str,
        state: JobState,
        note: &str,
        at: DateTime<Utc>,
    ) -> Result<(), StateError> {
        let mut work = self.begin_under(lease).await?;
        let mut turn = Query::update();
        turn.table(table).values([("state", state.as_str().into()), ("note", note.into())]);
        turn.and_where(Expr::col("id").eq(id));
        if state.is_over() {
            turn.value("ended_at", at.timestamp_millis());
        }
        if state.is_over() || state == JobState::Paused {
            turn.value("wish", "");
        }
        self.run(&mut *work, &turn).await?;
        self.commit(work).await
    }
}

fn word(wish: Wish) -> &'static str {
    match wish {
        Wish::Pause => "pause",
        Wish::Stop => "stop",
    }
}
