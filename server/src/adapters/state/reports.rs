//! What consumers reported, one row per source, type and minute.

use super::database::{Database, Work, get, get_time};
use super::purge::oldest;
use crate::ports::signals::{Origins, TypeMinute};
use crate::ports::state::{Ingest, Ingested, Lease, Reported, Reports, StateError};
use app::model::{Counts, Handling, Signal, TimeRange, TraceEntry, TypeDuplicates};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use sea_query::{Cond, Expr, ExprTrait, LockType, OnConflict, Order, Query, SelectStatement};
use sqlx::any::AnyRow;
use std::collections::{BTreeSet, HashMap};

pub(super) const TABLE: &str = "oncewatch_signal";
const KEY: [&str; 3] = ["source", "type", "minute"];
const FIGURES: [&str; 5] = ["handled", "handling", "originated", "origins", "alive"];
/// Rows of one statement.
pub(super) const CHUNK: usize = 100;
const EVERY: u64 = 20_000;
/// Instances of one minute that are told apart.
const INSTANCES: usize = 1_000;
/// Tables, what tells their rows apart, their times, and how long they are kept.
const KEPT: [(&str, &[&str], &str, TimeDelta); 3] = [
    (TABLE, &KEY, "minute", TimeRange::MINUTES_KEPT),
    ("oncewatch_ingest", &["idempotency_key"], "begun_at", TimeDelta::days(1)),
    ("oncewatch_trace", &["source", "type", "key_hash", "id"], "at", TimeDelta::days(1)),
];

#[async_trait]
impl Reports for Database {
    async fn put(&self, lease: &Lease, source: &str, rows: &[Reported]) -> Result<(), StateError> {
        let mut work = self.begin_under(lease).await?;
        self.merge(&mut work, source, rows, Merge::Greater).await?;
        self.commit(work).await
    }

    async fn add(&self, ingest: &Ingest) -> Result<Ingested, StateError> {
        let mut work = self.begin().await?;
        // One after the other, on whatever instance.
        self.next(&mut work, "ingest").await?;
        if let Some((key, body)) = &ingest.once
            && let Some(before) = self.ingested(&mut work, key, body).await?
        {
            return Ok(before);
        }
        for (source, rows) in &ingest.reports {
            self.merge(&mut work, source, rows, Merge::Sum).await?;
        }
        for traced in &ingest.traces {
            self.keep_trace(&mut work, traced).await?;
        }
        self.commit(work).await?;
        Ok(Ingested::Now)
    }

    async fn trace(&self, source: &str, r#type: &str, key: &str) -> Result<Vec<TraceEntry>, StateError> {
        self.trace_of(source, r#type, key).await
    }

    async fn purge(&self, lease: &Lease, now: DateTime<Utc>) -> Result<u64, StateError> {
        let mut work = self.begin_under(lease).await?;
        let mut purged = 0;
        for (table, key, at, kept) in KEPT {
            let before = (now - kept).timestamp_millis();
            purged += self.run(&mut *work, &oldest(self.engine, table, key, at, before)).await?;
        }
        self.commit(work).await?;
        Ok(purged)
    }

    async fn minutes(
        &self,
        source: &str,
        r#type: &str,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<Reported>, StateError> {
        let mut query = of(source);
        query.and_where(Expr::col("type").eq(r#type)).and_where(Expr::col("minute").gte(from.timestamp_millis()));
        query.and_where(Expr::col("minute").lt(to.timestamp_millis())).order_by("minute", Order::Asc);
        self.all(&query).await?.iter().map(read).collect()
    }

    async fn every(&self, source: &str, from: DateTime<Utc>, to: DateTime<Utc>) -> Result<Vec<Reported>, StateError> {
        let mut query = of(source);
        query.and_where(Expr::col("minute").gte(from.timestamp_millis()));
        query.and_where(Expr::col("minute").lt(to.timestamp_millis())).limit(EVERY);
        self.all(&query).await?.iter().map(read).collect()
    }

    async fn duplicates(
        &self,
        source: &str,
        from: DateTime<Utc>,
        minutes_from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<TypeDuplicates>, StateError> {
        self.duplicates_of(source, from, minutes_from, to).await
    }
}

impl Database {
    async fn merge(&self, work: &mut Work, source: &str, rows: &[Reported], merge: Merge) -> Result<(), StateError> {
        for chunk in rows.chunks(CHUNK) {
            let key = |row: &Reported| {
                let r#type = Expr::col("type").eq(row.r#type.as_str());
                r#type.and(Expr::col("minute").eq(row.at.timestamp_millis()))
            };
            let mut query = of(source);
            query.cond_where(chunk.iter().map(key).fold(Cond::any(), Cond::add)).lock(LockType::Update);
            let mut known = HashMap::new();
            for row in self.all_on(&mut **work, &query).await? {
                let row = read(&row)?;
                known.insert((row.r#type.clone(), row.at), row);
            }
            let mut put = Query::insert();
            put.into_table(TABLE).columns(KEY.into_iter().map(String::from).chain(columns()));
            for row in chunk {
                let merged = match known.remove(&(row.r#type.clone(), row.at)) {
                    Some(mut stored) => {
                        take_in(&mut stored, row, merge);
                        stored
                    }
                    None => row.clone(),
                };
                put.values_panic(cells(source, &merged)?);
            }
            put.on_conflict(OnConflict::columns(KEY).update_columns(columns()).to_owned());
            self.run(&mut **work, &put).await?;
        }
        Ok(())
    }
}

/// How what is put goes together with what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Merge {
    /// It is the same minute, read again: what is more counts.
    Greater,
    /// It comes on top.
    Sum,
}

/// On top of what is there, each instance once.
pub(super) fn add(stored: &mut Reported, row: &Reported) {
    take_in(stored, row, Merge::Sum);
}

fn take_in(stored: &mut Reported, row: &Reported, merge: Merge) {
    let (own, new) = (&mut stored.minute, &row.minute);
    match merge {
        Merge::Sum => own.add(new),
        Merge::Greater => {
            for signal in Signal::ALL {
                let count = own.counts.of(signal);
                *count = Ord::max(*count, new.counts.get(signal));
            }
            if new.handling.count() >= own.handling.count() {
                own.handling = new.handling;
            }
            if new.origins.count() >= own.origins.count() {
                own.origins = new.origins.clone();
            }
        }
    }
    stored.alive.extend(row.alive.iter().cloned());
    while stored.alive.len() > INSTANCES {
        stored.alive.pop_last();
    }
}

pub(super) fn columns() -> impl Iterator<Item = String> {
    let signals = Signal::ALL.into_iter().map(|signal| format!("sig_{}", signal.as_str()));
    signals.chain(FIGURES.into_iter().map(String::from))
}

pub(super) fn of(source: &str) -> SelectStatement {
    let mut query = Query::select();
    query.columns(["type", "minute"]).columns(columns()).from(TABLE).and_where(Expr::col("source").eq(source));
    query
}

pub(super) fn cells(source: &str, row: &Reported) -> Result<Vec<Expr>, StateError> {
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let minute = &row.minute;
    let mut cells = vec![source.into(), row.r#type.as_str().into(), row.at.timestamp_millis().into()];
    cells.extend(Signal::ALL.map(|signal| number(minute.counts.get(signal)).into()));
    cells.push(number(minute.handling.count()).into());
    cells.push(minute.handling.to_string().into());
    cells.push(number(minute.origins.count()).into());
    cells.push(json(&minute.origins)?.into());
    cells.push(json(&row.alive)?.into());
    Ok(cells)
}

pub(super) fn read(row: &AnyRow) -> Result<Reported, StateError> {
    let failed = |what: &str, error: String| StateError::Failed(format!("{what} of a minute cannot be read: {error}"));
    let mut counts = Counts::default();
    for signal in Signal::ALL {
        *counts.of(signal) = count(get(row, &format!("sig_{}", signal.as_str()))?);
    }
    let handling: Handling = get::<String>(row, "handling")?.parse().map_err(|error| failed("handling", error))?;
    let origins: Origins =
        serde_json::from_str(&get::<String>(row, "origins")?).map_err(|error| failed("origins", error.to_string()))?;
    let alive: BTreeSet<String> =
        serde_json::from_str(&get::<String>(row, "alive")?).map_err(|error| failed("alive", error.to_string()))?;
    Ok(Reported {
        at: get_time(row, "minute")?,
        r#type: get(row, "type")?,
        minute: TypeMinute { counts, handling, origins },
        alive,
    })
}

fn json(what: &impl serde::Serialize) -> Result<String, StateError> {
    serde_json::to_string(what).map_err(|error| StateError::Failed(error.to_string()))
}

fn count(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or(0)
}
