//! What comes after a run: the audit's row of each item, and the end of what is kept of it.

use super::database::{Database, Work, get};
use super::job_rows::{ITEM, JOB, RESULT, items, read_item};
use super::jobs::ROWS;
use crate::ports::changes::Image;
use crate::ports::jobs::{ItemOutcome, JobItem, JobState, Settled};
use crate::ports::state::{Lease, StateError};
use crate::ports::trail::{Event, EventKind};
use chrono::{DateTime, Utc};
use sea_query::{Expr, ExprTrait, Order, Query};

/// A row that was deleted may be kept in a megabyte.
const PURGED_AT_ONCE: u64 = 200;

impl Database {
    /// What the audit keeps of items that came to their end, and what is looked at from then on.
    pub(super) async fn end_items(
        &self,
        work: &mut Work,
        job: &str,
        settled: &[Settled],
        at: DateTime<Utc>,
    ) -> Result<(), StateError> {
        let ended: Vec<&Settled> = settled.iter().filter(|one| !ItemOutcome::BEGUN.contains(&one.outcome)).collect();
        for chunk in ended.chunks(ROWS) {
            let mut query = items();
            query.and_where(Expr::col((ITEM, "job")).eq(job));
            query.and_where(Expr::col((ITEM, "at")).is_in(chunk.iter().map(|one| one.at)));
            let rows = self.all_on(&mut **work, &query).await?;
            let rows: Vec<JobItem> = rows.iter().map(read_item).collect::<Result<_, _>>()?;
            let mut pairs: Vec<(&Settled, &JobItem)> = Vec::with_capacity(chunk.len());
            for one in chunk {
                pairs.extend(rows.iter().find(|item| item.at == one.at).map(|item| (*one, item)));
            }
            let events: Vec<Event> = pairs.iter().map(|(one, item)| item_event(job, one, item, at)).collect();
            self.watch(work, job, &pairs, at).await?;
            self.append(work, &events).await?;
        }
        Ok(())
    }

    /// The oldest run that ended before a time and is still there.
    async fn old_job(&self, before: DateTime<Utc>) -> Result<Option<String>, StateError> {
        let over = JobState::ALL.into_iter().filter(|state| state.is_over()).map(JobState::as_str);
        let mut old = Query::select();
        old.column("id").from(JOB).and_where(Expr::col("state").is_in(over));
        old.and_where(Expr::col("ended_at").lt(before.timestamp_millis())).order_by("number", Order::Asc).limit(1);
        self.optional(self.pool(), &old).await?.map(|row| get(&row, "id")).transpose()
    }

    /// The last place of its first items; `None`: it has none.
    async fn first_items(&self, work: &mut Work, job: &str) -> Result<Option<i64>, StateError> {
        let mut first = Query::select();
        first
            .column("at")
            .from(ITEM)
            .and_where(Expr::col("job").eq(job))
            .order_by("at", Order::Asc)
            .limit(PURGED_AT_ONCE);
        self.all_on(&mut **work, &first).await?.last().map(|row| get(row, "at")).transpose()
    }

    /// The first items of the oldest run that ended before a time, or the run itself when it has none left.
    pub(super) async fn purge_jobs(&self, lease: &Lease, before: DateTime<Utc>) -> Result<u64, StateError> {
        let Some(job) = self.old_job(before).await? else { return Ok(0) };
        let mut work = self.begin_under(lease).await?;
        let purged = match self.first_items(&mut work, &job).await? {
            Some(last) => {
                let mut purged = 0;
                for table in [RESULT, ITEM] {
                    let mut purge = Query::delete();
                    purge.from_table(table).and_where(Expr::col("job").eq(&job)).and_where(Expr::col("at").lte(last));
                    purged += self.run(&mut *work, &purge).await?;
                }
                purged
            }
            None => {
                let mut purge = Query::delete();
                purge.from_table(JOB).and_where(Expr::col("id").eq(&job));
                self.run(&mut *work, &purge).await?
            }
        };
        self.commit(work).await?;
        Ok(purged)
    }
}

fn item_event(job: &str, one: &Settled, item: &JobItem, at: DateTime<Utc>) -> Event {
    let text = |image: &Option<Image>| image.as_ref().map(|image| image.0.clone());
    let body = serde_json::json!({
        "at": one.at, "ref": item.reference.to_string(), "type": item.r#type, "key": item.key,
        "status": item.status.as_str(), "outcome": one.outcome.as_str(), "why": one.why,
        "before": text(&one.before), "after": text(&one.after),
    });
    Event {
        operation_id: job.to_owned(),
        kind: EventKind::Item,
        actor: String::new(),
        origin: String::new(),
        at,
        body: body.to_string(),
    }
}
