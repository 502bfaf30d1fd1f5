//! Hours, made of minutes before these are deleted.

use super::database::{Database, Work, get};
use super::purge::oldest;
use super::{history, reports};
use crate::ports::state::{Hours, Lease, Reported, StateError};
use app::model::Minute;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_query::{Expr, ExprTrait, Order, Query, SelectStatement};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Gauges, and what consumers reported.
const GAUGES: &str = "oncewatch_hour";
pub(super) const REPORTED: &str = "oncewatch_signal_hour";
const KEY: [&str; 3] = ["source", "type", "hour"];
const HOUR_MS: i64 = 3_600_000;

#[async_trait]
impl Hours for Database {
    async fn sum_up(&self, lease: &Lease, source: &str, before: DateTime<Utc>) -> Result<bool, StateError> {
        let mut work = self.begin_under(lease).await?;
        let before_ms = hour_of(before.timestamp_millis());
        let gauges = self.next_hour(&mut work, source, (history::TABLE, GAUGES), before_ms).await?;
        if let Some(hour) = gauges {
            self.sum_up_gauges(&mut work, source, hour).await?;
        }
        let reported = self.next_hour(&mut work, source, (reports::TABLE, REPORTED), before_ms).await?;
        if let Some(hour) = reported {
            self.sum_up_reported(&mut work, source, hour).await?;
        }
        self.commit(work).await?;
        Ok(gauges.is_some() || reported.is_some())
    }

    async fn gauges(&self, source: &str, from: DateTime<Utc>, to: DateTime<Utc>) -> Result<Vec<Minute>, StateError> {
        let mut query = between(GAUGES, source, history::ALL_TYPES, from, to);
        query.columns(history::columns());
        self.all(&query).await?.iter().map(history::read).collect()
    }

    async fn reported(
        &self,
        source: &str,
        r#type: &str,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<Reported>, StateError> {
        let mut query = between(REPORTED, source, r#type, from, to);
        query.column("type").columns(reports::columns());
        self.all(&query).await?.iter().map(reports::read).collect()
    }

    async fn purge(&self, lease: &Lease, before: DateTime<Utc>) -> Result<u64, StateError> {
        let mut work = self.begin_under(lease).await?;
        let mut purged = 0;
        for table in [GAUGES, REPORTED] {
            purged +=
                self.run(&mut *work, &oldest(self.engine, table, &KEY, "hour", before.timestamp_millis())).await?;
        }
        self.commit(work).await?;
        Ok(purged)
    }
}

impl Database {
    /// The hour of the first minute that is behind the last hour that was made.
    async fn next_hour(
        &self,
        work: &mut Work,
        source: &str,
        (minutes, hours): (&'static str, &'static str),
        before_ms: i64,
    ) -> Result<Option<i64>, StateError> {
        let mut last = Query::select();
        last.expr_as(Expr::col("hour").max(), "hour").from(hours).and_where(Expr::col("source").eq(source));
        let last = self.optional(&mut **work, &last).await?;
        let last: Option<i64> = last.map(|row| get(&row, "hour")).transpose()?.flatten();
        let mut first = Query::select();
        first
            .column("minute")
            .from(minutes)
            .and_where(Expr::col("minute").gte(last.map_or(i64::MIN, |hour| hour + HOUR_MS)))
            .and_where(Expr::col("minute").lt(before_ms))
            .and_where(Expr::col("source").eq(source))
            .order_by("minute", Order::Asc)
            .limit(1);
        let first = self.optional(&mut **work, &first).await?;
        first.map(|row| get(&row, "minute").map(hour_of)).transpose()
    }

    async fn sum_up_gauges(&self, work: &mut Work, source: &str, hour: i64) -> Result<(), StateError> {
        let mut query = history::of(source);
        query.column("type").and_where(Expr::col("minute").gte(hour)).and_where(Expr::col("minute").lt(hour + HOUR_MS));
        let mut types: BTreeMap<String, Minute> = BTreeMap::new();
        for row in self.all_on(&mut **work, &query).await? {
            let sum = match types.entry(get(&row, "type")?) {
                Entry::Occupied(sum) => sum.into_mut(),
                Entry::Vacant(place) => place.insert(Minute::empty(at(hour)?)),
            };
            sum.raise(&history::read(&row)?);
        }
        let mut put = Query::insert();
        put.into_table(GAUGES).columns(KEY.into_iter().chain(history::columns()));
        for (r#type, sum) in &types {
            let figures = history::figures(sum).into_iter().map(|(_, figure)| figure.into());
            let key = [source.into(), r#type.as_str().into(), hour.into()];
            put.values_panic(key.into_iter().chain(figures));
        }
        self.run(&mut **work, &put).await.map(drop)
    }

    async fn sum_up_reported(&self, work: &mut Work, source: &str, hour: i64) -> Result<(), StateError> {
        let mut query = reports::of(source);
        query.and_where(Expr::col("minute").gte(hour)).and_where(Expr::col("minute").lt(hour + HOUR_MS));
        let mut types: BTreeMap<String, Reported> = BTreeMap::new();
        for row in self.all_on(&mut **work, &query).await? {
            let minute = reports::read(&row)?;
            match types.get_mut(&minute.r#type) {
                Some(sum) => reports::add(sum, &minute),
                None => {
                    types.insert(minute.r#type.clone(), Reported { at: at(hour)?, ..minute });
                }
            }
        }
        let rows: Vec<Reported> = types.into_values().collect();
        for chunk in rows.chunks(reports::CHUNK) {
            let mut put = Query::insert();
            put.into_table(REPORTED).columns(KEY.into_iter().map(String::from).chain(reports::columns()));
            for row in chunk {
                put.values_panic(reports::cells(source, row)?);
            }
            self.run(&mut **work, &put).await?;
        }
        Ok(())
    }
}

fn hour_of(ms: i64) -> i64 {
    ms - ms.rem_euclid(HOUR_MS)
}

fn at(ms: i64) -> Result<DateTime<Utc>, StateError> {
    DateTime::from_timestamp_millis(ms).ok_or_else(|| StateError::Failed(format!("{ms} is no time")))
}

/// Told as a minute is: by its first instant.
fn between(table: &'static str, source: &str, r#type: &str, from: DateTime<Utc>, to: DateTime<Utc>) -> SelectStatement {
    let mut query = Query::select();
    query
        .expr_as(Expr::col("hour"), "minute")
        .from(table)
        .and_where(Expr::col("source").eq(source))
        .and_where(Expr::col("type").eq(r#type))
        .and_where(Expr::col("hour").gte(from.timestamp_millis()))
        .and_where(Expr::col("hour").lt(to.timestamp_millis()))
        .order_by("hour", Order::Asc);
    query
}
