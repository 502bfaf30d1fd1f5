//! Runs in lists, and how many of them a person should look at.

use super::database::{Database, get, get_optional_time};
use super::job_rows::{ITEM, JOB, jobs, read_job, state_of};
use crate::ports::jobs::{ItemOutcome, Job, JobState};
use crate::ports::state::StateError;
use chrono::{DateTime, Utc};
use sea_query::{Expr, ExprTrait, Order, Query};

/// Beyond so many newer plans and runs nobody is reminded of one.
const REMEMBERED: u64 = 200;

impl Database {
    pub(super) async fn list_runs(
        &self,
        source: &str,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<Job>, StateError> {
        let unconfirmed = [JobState::Planning, JobState::Planned, JobState::Expired].map(JobState::as_str);
        let mut query = jobs();
        query.and_where(Expr::col("source").eq(source)).and_where(Expr::col("state").is_not_in(unconfirmed));
        query.and_where_option(before.map(|number| Expr::col("number").lt(number)));
        query.order_by("number", Order::Desc).limit(limit.into());
        self.all(&query).await?.iter().map(read_job).collect()
    }

    pub(super) async fn count_pressing(&self, source: &str, ended_after: DateTime<Utc>) -> Result<u64, StateError> {
        let mut newest = Query::select();
        newest.columns(["id", "state", "ended_at"]).from(JOB).and_where(Expr::col("source").eq(source));
        newest.order_by("number", Order::Desc).limit(REMEMBERED);
        let (mut pressing, mut over): (u64, Vec<String>) = (0, Vec::new());
        for row in self.all(&newest).await? {
            match state_of(&get::<String>(&row, "state")?)? {
                JobState::Waiting | JobState::Running | JobState::Paused => pressing += 1,
                JobState::Planning | JobState::Planned | JobState::Expired => {}
                JobState::Stopped | JobState::Done | JobState::Failed => {
                    let is_recent = get_optional_time(&row, "ended_at")?.is_some_and(|at| at > ended_after);
                    over.extend(is_recent.then(|| get(&row, "id")).transpose()?);
                }
            }
        }
        if over.is_empty() {
            return Ok(pressing);
        }
        let mut uncertain = Query::select();
        uncertain.distinct().column("job").from(ITEM).and_where(Expr::col("job").is_in(over));
        uncertain.and_where(Expr::col("outcome").eq(ItemOutcome::Uncertain.as_str()));
        Ok(pressing + self.all(&uncertain).await?.len() as u64)
    }
}
