//! One row per source and minute. Several tasks write it, each what it has read: what they did not read stays absent, and
//! of several readings the highest stays, so that no short peak is lost.

use super::database::{Database, get, get_time};
use super::purge::oldest;
use crate::ports::state::{History, Lease, StateError};
use app::model::Minute;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_query::{Expr, ExprTrait, OnConflict, Order, Query, SelectStatement};
use sqlx::any::AnyRow;

pub(super) const TABLE: &str = "oncewatch_minute";
const KEY: [&str; 3] = ["source", "type", "minute"];
/// The type of the row that stands for the source as a whole.
pub(super) const ALL_TYPES: &str = "";
const MINUTE_MS: i64 = 60_000;

#[async_trait]
impl History for Database {
    async fn put(&self, lease: &Lease, source: &str, minute: &Minute) -> Result<(), StateError> {
        let mut work = self.begin_under(lease).await?;
        let present: Vec<(&'static str, i64)> =
            figures(minute).into_iter().filter_map(|(column, figure)| Some((column, figure?))).collect();
        if present.is_empty() {
            return Ok(());
        }
        let first_ms = minute.at.timestamp_millis();
        let key = [source.into(), ALL_TYPES.into(), (first_ms - first_ms.rem_euclid(MINUTE_MS)).into()];
        let columns = present.iter().map(|(column, _)| *column);
        let highest = |(column, figure): &(&'static str, i64)| {
            let stored = || Expr::col((TABLE, *column));
            (*column, Expr::case(stored().gt(*figure), stored()).finally(*figure).into())
        };
        let mut put = Query::insert();
        put.into_table(TABLE)
            .columns(KEY.into_iter().chain(columns))
            .values_panic(key.into_iter().chain(present.iter().map(|(_, figure)| (*figure).into())))
            .on_conflict(OnConflict::columns(KEY).values(present.iter().map(highest)).to_owned());
        self.run(&mut *work, &put).await?;
        self.commit(work).await
    }

    async fn minutes(&self, source: &str, from: DateTime<Utc>, to: DateTime<Utc>) -> Result<Vec<Minute>, StateError> {
        let mut query = of(source);
        query
            .and_where(Expr::col("type").eq(ALL_TYPES))
            .and_where(Expr::col("minute").gte(from.timestamp_millis()))
            .and_where(Expr::col("minute").lt(to.timestamp_millis()))
            .order_by("minute", Order::Asc);
        self.all(&query).await?.iter().map(read).collect()
    }

    async fn purge(&self, lease: &Lease, before: DateTime<Utc>) -> Result<u64, StateError> {
        let mut work = self.begin_under(lease).await?;
        let purged =
            self.run(&mut *work, &oldest(self.engine, TABLE, &KEY, "minute", before.timestamp_millis())).await?;
        self.commit(work).await?;
        Ok(purged)
    }
}

pub(super) fn of(source: &str) -> SelectStatement {
    let mut query = Query::select();
    query.column("minute").columns(columns()).from(TABLE).and_where(Expr::col("source").eq(source));
    query
}

pub(super) fn columns() -> [&'static str; 9] {
    figures(&Minute::empty(DateTime::UNIX_EPOCH)).map(|(column, _)| column)
}

/// Columns and figures, in one place for reading and writing.
pub(super) fn figures(minute: &Minute) -> [(&'static str, Option<i64>); 9] {
    [
        ("processing", minute.processing),
        ("aging", minute.aging),
        ("oldest_ms", minute.oldest_ms),
        ("failed", minute.failed),
        ("locks_held", minute.locks_held),
        ("locks_wrong", minute.locks_wrong),
        ("ready", minute.ready),
        ("unacked", minute.unacked),
        ("dead_letter", minute.dead_letter),
    ]
}

pub(super) fn read(row: &AnyRow) -> Result<Minute, StateError> {
    Ok(Minute {
        at: get_time(row, "minute")?,
        processing: get(row, "processing")?,
        aging: get(row, "aging")?,
        oldest_ms: get(row, "oldest_ms")?,
        failed: get(row, "failed")?,
        locks_held: get(row, "locks_held")?,
        locks_wrong: get(row, "locks_wrong")?,
        ready: get(row, "ready")?,
        unacked: get(row, "unacked")?,
        dead_letter: get(row, "dead_letter")?,
        ..Minute::empty(get_time(row, "minute")?)
    })
}
