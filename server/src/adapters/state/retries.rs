//! The rows behind [`Retries`]. They are written with the end of their items, in one transaction.

use super::database::{Database, Work, get, get_time};
use super::failure::failed;
use super::job_rows::JOB;
use crate::ports::changes::Image;
use crate::ports::jobs::{ItemOutcome, JobItem, Settled};
use crate::ports::retries::{Effect, Retried, Retries};
use crate::ports::state::StateError;
use app::model::{RecordRef, RowOperation};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_query::{Expr, ExprTrait, Order, Query};
use sqlx::any::AnyRow;
use std::str::FromStr;

const RETRIED: &str = "oncewatch_retried";
const AT_ONCE: u64 = 200;
/// Of one INSERT.
const ROWS: usize = 50;
const OPEN: &str = "open";
const NONE: &str = "none";

#[async_trait]
impl Retries for Database {
    async fn retried(&self, source: &str) -> Result<Vec<Retried>, StateError> {
        let mut query = Query::select();
        query
            .columns(["job", "at", "reference", "type", "business_key", "after_image", "retried_at"])
            .from(RETRIED)
            .and_where(Expr::col("source").eq(source))
            .order_by("looked_at", Order::Asc)
            .limit(AT_ONCE);
        self.all(&query).await?.iter().map(read).collect()
    }

    async fn looked(&self, job: &str, at: i64, effect: Effect, now: DateTime<Utc>) -> Result<(), StateError> {
        let effect = match effect {
            Effect::Over => {
                let mut over = Query::delete();
                over.from_table(RETRIED).and_where(Expr::col("job").eq(job)).and_where(Expr::col("at").eq(at));
                return self.run(self.pool(), &over).await.map(drop);
            }
            Effect::Open => OPEN,
            Effect::None => NONE,
        };
        let mut looked = Query::update();
        looked
            .table(RETRIED)
            .values([("effect", effect.into()), ("looked_at", now.timestamp_millis().into())])
            .and_where(Expr::col("job").eq(job))
            .and_where(Expr::col("at").eq(at));
        self.run(self.pool(), &looked).await.map(drop)
    }

    async fn without_effect(&self, source: &str) -> Result<u64, StateError> {
        let mut query = Query::select();
        query
            .expr_as(Expr::col("at").count(), "retries")
            .from(RETRIED)
            .and_where(Expr::col("source").eq(source))
            .and_where(Expr::col("effect").eq(NONE));
        let row = self.optional(self.pool(), &query).await?;
        let count: i64 = row.map_or(Ok(0), |row| get(&row, "retries"))?;
        Ok(u64::try_from(count).unwrap_or(0))
    }
}

impl Database {
    /// From now on these are looked at, where their run is a retry.
    pub(super) async fn watch(
        &self,
        work: &mut Work,
        job: &str,
        done: &[(&Settled, &JobItem)],
        at: DateTime<Utc>,
    ) -> Result<(), StateError> {
        let done: Vec<_> = done.iter().filter(|(settled, _)| settled.outcome == ItemOutcome::Done).collect();
        let mut retry = Query::select();
        retry.column("source").from(JOB).and_where(Expr::col("id").eq(job));
        retry.and_where(Expr::col("operation").eq(RowOperation::Retry.as_str()));
        let Some(row) = self.optional(&mut **work, &retry).await?.filter(|_| !done.is_empty()) else { return Ok(()) };
        let source: String = get(&row, "source")?;
        for chunk in done.chunks(ROWS) {
            let mut insert = Query::insert();
            insert.into_table(RETRIED).columns([
                "job",
                "at",
                "source",
                "reference",
                "type",
                "business_key",
                "after_image",
                "retried_at",
                "looked_at",
                "effect",
            ]);
            for (settled, item) in chunk {
                insert.values_panic([
                    job.into(),
                    settled.at.into(),
                    source.as_str().into(),
                    item.reference.to_string().into(),
                    item.r#type.clone().into(),
                    item.key.clone().into(),
                    settled.after.as_ref().map(|image| image.0.clone()).into(),
                    at.timestamp_millis().into(),
                    at.timestamp_millis().into(),
                    OPEN.into(),
                ]);
            }
            self.run(&mut **work, &insert).await?;
        }
        Ok(())
    }
}

fn read(row: &AnyRow) -> Result<Retried, StateError> {
    let reference: String = get(row, "reference")?;
    Ok(Retried {
        job: get(row, "job")?,
        at: get(row, "at")?,
        reference: RecordRef::from_str(&reference).map_err(|error| failed(error.to_string()))?,
        r#type: get(row, "type")?,
        key: get(row, "business_key")?,
        after: get::<Option<String>>(row, "after_image")?.map(Image),
        retried_at: get_time(row, "retried_at")?,
    })
}
