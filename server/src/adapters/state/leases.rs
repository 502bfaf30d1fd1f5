//! Leases: rows that change hands by compare-and-set, on the database's clock.

use super::database::{Database, get};
use crate::ports::state::{Lease, Leases, StateError};
use async_trait::async_trait;
use sea_query::{Expr, ExprTrait, Query};
use std::time::{Duration, Instant};

const LASTS: Duration = Duration::from_secs(10);
const LASTS_MS: i64 = 10_000;

#[async_trait]
impl Leases for Database {
    async fn acquire(&self, name: &str, holder: &str) -> Result<Option<Lease>, StateError> {
        let last = self.last_holding(name).await?;
        // Taken before the statement leaves, so that the deadline here is never later than the end over there.
        let asked_at = self.clock.instant();
        let fence = match last {
            None => self.take_new(name, holder).await?,
            Some(Holding { fence, free: true }) => self.take_over(name, holder, fence).await?,
            Some(Holding { free: false, .. }) => None,
        };
        Ok(fence.map(|fence| lease(name, holder, fence, asked_at)))
    }

    async fn renew(&self, lease: &Lease) -> Result<Option<Lease>, StateError> {
        let asked_at = self.clock.instant();
        if asked_at >= lease.deadline {
            return Ok(None);
        }
        let mut renew = Query::update();
        renew
            .table("oncewatch_lease")
            .value("expires_at", self.now_ms().add(LASTS_MS))
            .and_where(Expr::col("name").eq(&lease.name))
            .and_where(Expr::col("holder").eq(&lease.holder))
            .and_where(Expr::col("fence").eq(lease.fence))
            .and_where(Expr::col("expires_at").gt(self.now_ms()));
        let renewed = self.run(self.pool(), &renew).await? == 1;
        Ok(renewed.then(|| self::lease(&lease.name, &lease.holder, lease.fence, asked_at)))
    }

    async fn release(&self, lease: &Lease) -> Result<(), StateError> {
        // The row stays: the next holder's fence must be greater.
        let mut release = Query::update();
        release
            .table("oncewatch_lease")
            .value("expires_at", 0_i64)
            .and_where(Expr::col("name").eq(&lease.name))
            .and_where(Expr::col("holder").eq(&lease.holder))
            .and_where(Expr::col("fence").eq(lease.fence));
        self.run(self.pool(), &release).await.map(drop)
    }
}

struct Holding {
    fence: i64,
    free: bool,
}

impl Database {
    async fn last_holding(&self, name: &str) -> Result<Option<Holding>, StateError> {
        let mut query = Query::select();
        query
            .columns(["fence", "expires_at"])
            .expr_as(self.now_ms(), "now")
            .from("oncewatch_lease")
            .and_where(Expr::col("name").eq(name));
        let Some(row) = self.optional(self.pool(), &query).await? else {
            return Ok(None);
        };
        Ok(Some(Holding {
            fence: get(&row, "fence")?,
            free: get::<i64>(&row, "expires_at")? <= get::<i64>(&row, "now")?,
        }))
    }

    async fn take_new(&self, name: &str, holder: &str) -> Result<Option<i64>, StateError> {
        let mut insert = Query::insert();
        insert.into_table("oncewatch_lease").columns(["name", "holder", "fence", "expires_at"]).values_panic([
            name.into(),
            holder.into(),
            1_i64.into(),
            self.now_ms().add(LASTS_MS),
        ]);
        match self.insert_new(self.pool(), &insert, name).await {
            Ok(()) => Ok(Some(1)),
            Err(StateError::Exists(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Two may try at once; the fence that both have read lets one through.
    async fn take_over(&self, name: &str, holder: &str, last_fence: i64) -> Result<Option<i64>, StateError> {
        let fence = last_fence + 1;
        let mut take = Query::update();
        take.table("oncewatch_lease")
            .values([("holder", holder.into()), ("fence", fence.into()), ("expires_at", self.now_ms().add(LASTS_MS))])
            .and_where(Expr::col("name").eq(name))
            .and_where(Expr::col("fence").eq(last_fence))
            .and_where(Expr::col("expires_at").lte(self.now_ms()));
        Ok((self.run(self.pool(), &take).await? == 1).then_some(fence))
    }
}

fn lease(name: &str, holder: &str, fence: i64, asked_at: Instant) -> Lease {
    Lease { name: name.to_owned(), holder: holder.to_owned(), fence, deadline: asked_at + LASTS }
}
