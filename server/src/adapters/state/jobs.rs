//! Plans and runs of operations on rows.

use super::database::{Database, get};
use super::job_rows::{ITEM, JOB, RESULT, items, jobs, outcome_of, read_item, read_job, same_item};
use crate::ports::changes::Image;
use crate::ports::jobs::{
    Confirming, ItemOutcome, Job, JobItem, JobState, Jobs, NewItem, NewJob, Settled, Tally, Wish,
};
use crate::ports::state::{Lease, StateError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_query::{Expr, ExprTrait, Func, LockType, Order, Query, UpdateStatement};
use sqlx::any::AnyRow;

const ITEMS_AT_ONCE: u32 = 1_000;
const JOBS_AT_ONCE: u32 = 200;
const EXPIRED_AT_ONCE: u64 = 20;
/// Rows of one INSERT: each has eight values, and engines allow so many.
pub(super) const ROWS: usize = 100;

#[async_trait]
impl Jobs for Database {
    async fn plan(&self, job: &NewJob) -> Result<(), StateError> {
        let mut work = Database::begin(self).await?;
        let number = self.next(&mut work, "job").await?;
        let mut insert = Query::insert();
        insert
            .into_table(JOB)
            .columns([
                "id",
                "number",
                "operation",
                "source",
                "actor",
                "origin",
                "reason",
                "options",
                "state",
                "wish",
                "note",
                "planned_at",
                "expires_at",
            ])
            .values_panic([
                job.id.as_str().into(),
                number.into(),
                job.operation.as_str().into(),
                job.source.as_str().into(),
                job.actor.as_str().into(),
                job.origin.as_str().into(),
                job.reason.as_str().into(),
                job.options.as_str().into(),
                JobState::Planning.as_str().into(),
                "".into(),
                "".into(),
                job.planned_at.timestamp_millis().into(),
                job.expires_at.timestamp_millis().into(),
            ]);
        self.insert_new(&mut *work, &insert, &format!("operation {}", job.id)).await?;
        self.commit(work).await
    }

    async fn add(&self, job: &str, from: i64, items: &[NewItem]) -> Result<(), StateError> {
        let mut work = Database::begin(self).await?;
        let mut planned = Query::select();
        planned
            .column("id")
            .from(JOB)
            .and_where(Expr::col("id").eq(job))
            .and_where(Expr::col("state").eq(JobState::Planning.as_str()))
            .lock(LockType::Update);
        if self.optional(&mut *work, &planned).await?.is_none() {
            return Err(StateError::Exists(format!("a run of {job}")));
        }
        let mut at = from;
        for chunk in items.chunks(ROWS) {
            let mut insert = Query::insert();
            insert.into_table(ITEM).columns([
                "job",
                "at",
                "reference",
                "type",
                "business_key",
                "status",
                "stamp",
                "outcome",
                "why",
            ]);
            for item in chunk {
                let outcome = item.skipped.as_ref().map(|_| ItemOutcome::Skipped.as_str());
                insert.values_panic([
                    job.into(),
                    at.into(),
                    item.reference.to_string().into(),
                    item.r#type.clone().into(),
                    item.key.clone().into(),
                    item.status.as_str().into(),
                    item.stamp.0.as_str().into(),
                    outcome.map(str::to_owned).into(),
                    item.skipped.clone().into(),
                ]);
                at += 1;
            }
            self.run(&mut *work, &insert).await?;
        }
        self.commit(work).await
    }

    async fn planned(&self, id: &str) -> Result<(), StateError> {
        let mut planned = Query::update();
        planned
            .table(JOB)
            .value("state", JobState::Planned.as_str())
            .and_where(Expr::col("id").eq(id))
            .and_where(Expr::col("state").eq(JobState::Planning.as_str()));
        self.run(self.pool(), &planned).await.map(drop)
    }

    async fn job(&self, id: &str) -> Result<Option<Job>, StateError> {
        let mut query = jobs();
        query.and_where(Expr::col("id").eq(id));
        self.optional(self.pool(), &query).await?.as_ref().map(read_job).transpose()
    }

    async fn runs(&self, source: &str, before: Option<i64>, limit: u32) -> Result<Vec<Job>, StateError> {
        self.list_runs(source, before, Ord::min(limit, JOBS_AT_ONCE)).await
    }

    async fn pressing(&self, source: &str, ended_after: DateTime<Utc>) -> Result<u64, StateError> {
        self.count_pressing(source, ended_after).await
    }

    async fn to_run(&self) -> Result<Vec<Job>, StateError> {
        let mut query = jobs();
        query
            .and_where(Expr::col("state").is_in([JobState::Waiting.as_str(), JobState::Running.as_str()]))
            .order_by("number", Order::Asc)
            .limit(JOBS_AT_ONCE.into());
        self.all(&query).await?.iter().map(read_job).collect()
    }

    async fn confirm(&self, id: &str, by: Confirming<'_>, at: DateTime<Utc>) -> Result<bool, StateError> {
        let mut confirm = Query::update();
        confirm
            .table(JOB)
            .values([
                ("state", JobState::Waiting.as_str().into()),
                ("actor", by.actor.into()),
                ("origin", by.origin.into()),
                ("reason", by.reason.into()),
                ("begun_at", at.timestamp_millis().into()),
            ])
            .and_where(Expr::col("id").eq(id))
            .and_where(Expr::col("state").eq(JobState::Planned.as_str()))
            .and_where(Expr::col("expires_at").gt(at.timestamp_millis()));
        Ok(self.run(self.pool(), &confirm).await? == 1)
    }

    async fn wish(&self, id: &str, wish: Option<Wish>) -> Result<bool, StateError> {
        self.wish_of(JOB, id, wish).await
    }

    async fn turn(
        &self,
        lease: &Lease,
        id: &str,
        state: JobState,
        note: &str,
        at: DateTime<Utc>,
    ) -> Result<(), StateError> {
        self.turn_of(JOB, lease, id, state, note, at).await
    }

    async fn next(&self, id: &str, limit: u32) -> Result<Vec<JobItem>, StateError> {
        // Two statements, since the index serves either.
        let of = |outcome: Expr| {
            let mut query = items();
            query.and_where(Expr::col((ITEM, "job")).eq(id)).and_where(outcome).order_by((ITEM, "at"), Order::Asc);
            query.limit(Ord::min(limit, ITEMS_AT_ONCE).into());
            query
        };
        let begun = Expr::col((ITEM, "outcome")).is_in(ItemOutcome::BEGUN.map(ItemOutcome::as_str));
        let begun = self.all(&of(begun)).await?;
        let rows = match begun.is_empty() {
            true => self.all(&of(Expr::col((ITEM, "outcome")).is_null())).await?,
            false => begun,
        };
        rows.iter().map(read_item).collect()
    }

    async fn trying(&self, lease: &Lease, id: &str, begun: &[(i64, Option<Image>)]) -> Result<(), StateError> {
        let mut work = self.begin_under(lease).await?;
        let (whole, plain): (Vec<_>, Vec<_>) = begun.iter().partition(|(_, whole)| whole.is_some());
        for (at, image) in whole {
            let mut update = of_items(id, &[*at]);
            update.values([
                ("outcome", ItemOutcome::Trying.as_str().into()),
                ("whole", image.as_ref().map(|image| image.0.clone()).into()),
            ]);
            self.run(&mut *work, &update).await?;
        }
        let plain: Vec<i64> = plain.into_iter().map(|(at, _)| *at).collect();
        for places in plain.chunks(ROWS) {
            let mut update = of_items(id, places);
            update.value("outcome", ItemOutcome::Trying.as_str());
            self.run(&mut *work, &update).await?;
        }
        self.commit(work).await
    }

    async fn settle(&self, lease: &Lease, id: &str, settled: &[Settled], at: DateTime<Utc>) -> Result<(), StateError> {
        let mut work = self.begin_under(lease).await?;
        for outcome in ItemOutcome::ALL {
            let of: Vec<i64> = settled.iter().filter(|one| one.outcome == outcome).map(|one| one.at).collect();
            for places in of.chunks(ROWS) {
                let mut update = of_items(id, places);
                // What was deleted stands in the result; what was not need not be kept.
                update.values([("outcome", outcome.as_str().into()), ("whole", None::<String>.into())]);
                self.run(&mut *work, &update).await?;
            }
        }
        // What is undone keeps the result of what was done.
        let tried: Vec<&Settled> = settled.iter().filter(|one| one.outcome != ItemOutcome::Undone).collect();
        for chunk in tried.chunks(ROWS) {
            let mut earlier = Query::delete();
            earlier
                .from_table(RESULT)
                .and_where(Expr::col("job").eq(id))
                .and_where(Expr::col("at").is_in(chunk.iter().map(|one| one.at)));
            self.run(&mut *work, &earlier).await?;
            let mut insert = Query::insert();
            insert.into_table(RESULT).columns(["job", "at", "why", "before_image", "after_image", "changed_at"]);
            for one in chunk {
                let text = |image: &Option<Image>| image.as_ref().map(|image| image.0.clone());
                insert.values_panic([
                    id.into(),
                    one.at.into(),
                    one.why.clone().into(),
                    text(&one.before).into(),
                    text(&one.after).into(),
                    at.timestamp_millis().into(),
                ]);
            }
            self.run(&mut *work, &insert).await?;
        }
        self.end_items(&mut work, id, settled, at).await?;
        self.commit(work).await
    }

    async fn reopen(&self, lease: &Lease, id: &str, places: &[i64]) -> Result<(), StateError> {
        let mut work = self.begin_under(lease).await?;
        for places in places.chunks(ROWS) {
            let mut update = of_items(id, places);
            update.values([("outcome", None::<String>.into()), ("whole", None::<String>.into())]);
            self.run(&mut *work, &update).await?;
        }
        self.commit(work).await
    }

    async fn skipped(&self, id: &str) -> Result<Vec<(String, u64)>, StateError> {
        let mut query = Query::select();
        query
            .expr_as(Func::coalesce([Expr::col((RESULT, "why")), Expr::col((ITEM, "why")), Expr::val("")]), "reason")
            .expr_as(Expr::col((ITEM, "at")).count(), "items")
            .from(ITEM)
            .left_join(RESULT, same_item())
            .and_where(Expr::col((ITEM, "job")).eq(id))
            .and_where(Expr::col((ITEM, "outcome")).eq(ItemOutcome::Skipped.as_str()))
            .group_by_col("reason");
        let read = |row: &AnyRow| Ok((get(row, "reason")?, u64::try_from(get::<i64>(row, "items")?).unwrap_or(0)));
        self.all(&query).await?.iter().map(read).collect()
    }

    async fn items(
        &self,
        id: &str,
        outcome: Option<ItemOutcome>,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<JobItem>, StateError> {
        let mut query = items();
        query.and_where(Expr::col((ITEM, "job")).eq(id));
        query.and_where_option(outcome.map(|outcome| Expr::col((ITEM, "outcome")).eq(outcome.as_str())));
        query.and_where_option(after.map(|after| Expr::col((ITEM, "at")).gt(after)));
        query.order_by((ITEM, "at"), Order::Asc).limit(Ord::min(limit, ITEMS_AT_ONCE).into());
        self.all(&query).await?.iter().map(read_item).collect()
    }

    async fn tally(&self, id: &str) -> Result<Tally, StateError> {
        let mut query = Query::select();
        query
            .expr_as(Func::coalesce([Expr::col("outcome"), Expr::val("")]), "outcome")
            .expr_as(Expr::col("at").count(), "items")
            .from(ITEM)
            .and_where(Expr::col("job").eq(id))
            .group_by_col("outcome");
        let mut tally = Tally::default();
        for row in self.all(&query).await? {
            let count = u64::try_from(get::<i64>(&row, "items")?).unwrap_or(0);
            let of = match outcome_of(&get::<String>(&row, "outcome")?)? {
                None => &mut tally.open,
                Some(ItemOutcome::Trying | ItemOutcome::Opened | ItemOutcome::Sending | ItemOutcome::Copied) => {
                    &mut tally.trying
                }
                Some(ItemOutcome::Done) => &mut tally.done,
                Some(ItemOutcome::Skipped) => &mut tally.skipped,
                Some(ItemOutcome::Failed) => &mut tally.failed,
                Some(ItemOutcome::Uncertain) => &mut tally.uncertain,
                Some(ItemOutcome::Undone) => &mut tally.undone,
            };
            *of += count;
        }
        Ok(tally)
    }

    async fn expire(&self, now: DateTime<Utc>) -> Result<u64, StateError> {
        let open = || Expr::col("state").is_in([JobState::Planning, JobState::Planned].map(JobState::as_str));
        let mut old = Query::select();
        old.column("id").from(JOB).and_where(open()).and_where(Expr::col("expires_at").lte(now.timestamp_millis()));
        old.limit(EXPIRED_AT_ONCE);
        let mut expired = 0;
        for row in self.all(&old).await? {
            let id: String = get(&row, "id")?;
            let mut expire = Query::update();
            expire
                .table(JOB)
                .values([("state", JobState::Expired.as_str().into()), ("ended_at", now.timestamp_millis().into())])
                .and_where(Expr::col("id").eq(&id))
                .and_where(open());
            // It may have been confirmed just now.
            if self.run(self.pool(), &expire).await? == 1 {
                let mut forget = Query::delete();
                forget.from_table(ITEM).and_where(Expr::col("job").eq(&id));
                self.run(self.pool(), &forget).await?;
                expired += 1;
            }
        }
        Ok(expired)
    }

    async fn purge(&self, lease: &Lease, before: DateTime<Utc>) -> Result<u64, StateError> {
        self.purge_jobs(lease, before).await
    }
}

fn of_items(job: &str, places: &[i64]) -> UpdateStatement {
    let mut update = Query::update();
    update.table(ITEM).and_where(Expr::col("job").eq(job)).and_where(Expr::col("at").is_in(places.iter().copied()));
    update
}
