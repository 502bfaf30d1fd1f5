//! Tables in numbers (`mq_consume_log_*`) as one source: found in the catalogue, read each on its own, put together here.

use super::cursor::unreadable;
use super::list::{self, Part};
use super::merge::{Ends, merged};
use super::store::{Engine, Failure, Store, placed};
use crate::clock::Clock;
use crate::config::{Limits, Source};
use crate::glob;
use crate::ports::records::{Course, Description, Follow, OpenRows, RecordStore, Scanned, Span, Stand, Swept};
use app::model::{
    Capability, Count, Fault, Pk, Problem, Quality, RecordRef, RecordsPage, RecordsQuery, Row, Status, StrategyChoice,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures::stream::{self, StreamExt, TryStreamExt};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// A table that appears at midnight is not missed for long.
const FOUND_EVERY: Duration = Duration::from_secs(60);
/// More than one source should ever have.
pub const MOST_TABLES: usize = 1_000;
/// Rows of one look-up, over all tables.
const FIND_ROWS: usize = 100;
/// Problems of single tables that are told; the rest are of the same kinds.
const MOST_PROBLEMS: usize = 20;
/// Open rows of each table, however many tables there are.
const LEAST_OPEN: u32 = 200;

pub struct Tables {
    engine: Arc<dyn Engine>,
    source: Source,
    limits: Limits,
    clock: Arc<dyn Clock>,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    at: Option<Instant>,
    stores: BTreeMap<String, Arc<Store>>,
    /// Tables that match by name and not by their columns.
    odd: BTreeMap<String, Fault>,
}

impl Tables {
    pub fn new(engine: Arc<dyn Engine>, source: &Source, limits: &Limits, clock: Arc<dyn Clock>) -> Self {
        Self { engine, source: source.clone(), limits: limits.clone(), clock, found: Mutex::default() }
    }

    /// The stores of the tables that are there, newest name last.
    pub(super) async fn stores(&self) -> Result<Vec<Arc<Store>>, Fault> {
        let mut found = self.found.lock().await;
        let now = self.clock.instant();
        if found.at.is_none_or(|at| now.saturating_duration_since(at) >= FOUND_EVERY) {
            self.look(&mut found).await?;
            found.at = Some(now);
        }
        if found.stores.is_empty() {
            return Err(found.odd.values().next().cloned().unwrap_or_else(|| self.missing()));
        }
        Ok(found.stores.values().cloned().collect())
    }

    fn missing(&self) -> Fault {
        Fault::TableMissing { table: self.source.records.table.to_string() }
    }

    /// Takes up tables that came, and lets go of those that went.
    async fn look(&self, found: &mut Found) -> Result<(), Fault> {
        let mut names = self.names().await?;
        found.stores.retain(|name, _| names.contains(name));
        found.odd.clear();
        names.retain(|name| !found.stores.contains_key(name));
        for name in names {
            let mut source = self.source.clone();
            source.records.table.table.clone_from(&name);
            let store = Store::new(self.engine.clone(), &source, &self.limits, self.clock.clone());
            match store.shape().await {
                Ok(_) => {
                    found.stores.insert(name, Arc::new(store));
                }
                Err(fault @ (Fault::ColumnMissing { .. } | Fault::BadInput { .. })) => {
                    found.odd.insert(name, fault);
                }
                // Dropped in between.
                Err(Fault::TableMissing { .. }) => {}
                Err(fault) => return Err(fault),
            }
        }
        Ok(())
    }

    async fn names(&self) -> Result<Vec<String>, Fault> {
        let wanted = &self.source.records.table;
        let prefix = wanted.table.split(['*', '?']).next().unwrap_or_default();
        let names = match self.engine.tables(wanted.schema.as_deref(), prefix).await {
            Ok(names) => names,
            Err(Failure::Gone) => return Err(self.missing()),
            Err(Failure::Fault(fault)) => return Err(placed(self.source.records.url.expose(), fault)),
        };
        let mut names: Vec<String> = names.into_iter().filter(|name| glob::matches(&wanted.table, name)).collect();
        if names.len() > MOST_TABLES {
            let detail = format!("{} tables match, and a source has at most {MOST_TABLES}", names.len());
            return Err(Fault::BadInput { what: format!("records.table = {:?}", wanted.table), detail });
        }
        names.sort();
        Ok(names)
    }

    pub(super) async fn store(&self, table: &str) -> Result<Arc<Store>, Fault> {
        let own = |store: &Arc<Store>| store.table().table == table;
        let store = self.stores().await?.into_iter().find(own);
        store.ok_or_else(|| Fault::TableMissing { table: table.to_owned() })
    }

    /// Asks all tables, as many at a time as there are connections; answers in the order of the tables.
    async fn each<T, F>(&self, stores: Vec<Arc<Store>>, ask: impl Fn(Arc<Store>) -> F) -> Result<Vec<T>, Fault>
    where
        F: Future<Output = Result<T, Fault>>,
    {
        let at_once = self.limits.pool_size.max(1) as usize;
        stream::iter(stores).map(ask).buffered(at_once).try_collect().await
    }
}

/// The best way that all tables can be read by.
fn common(ways: &[Vec<StrategyChoice>]) -> Option<StrategyChoice> {
    let (first, others) = ways.split_first()?;
    let able =
        |way: &&StrategyChoice| others.iter().all(|ways| ways.iter().any(|other| other.strategy == way.strategy));
    first.iter().find(able).cloned()
}

/// What one table lacks, the source lacks.
fn together(described: &[Description]) -> Vec<Capability> {
    let Some((first, others)) = described.split_first() else { return Vec::new() };
    let weakest = |capability: &Capability| {
        let same = others.iter().flat_map(|description| &description.capabilities);
        let lacking = same.filter(|other| other.name == capability.name).find(|other| !other.there);
        lacking.unwrap_or(capability).clone()
    };
    first.capabilities.iter().map(weakest).collect()
}

#[async_trait]
impl RecordStore for Tables {
    async fn describe(&self) -> Result<Description, Fault> {
        self.found.lock().await.at = None;
        let stores = self.stores().await?;
        let described = self.each(stores.clone(), |store| async move { store.describe().await }).await?;
        let shapes = self.each(stores, |store| async move { store.shape().await }).await?;
        let ways: Vec<Vec<StrategyChoice>> = shapes.iter().map(|shape| shape.ways()).collect();
        let odd: Vec<Problem> =
            self.found.lock().await.odd.values().map(|fault| Problem::Fault { fault: fault.clone() }).collect();
        let problems = odd.into_iter().chain(described.iter().flat_map(|description| description.problems.clone()));
        let capabilities = together(&described);
        let estimated = described.iter().map(|description| description.estimated_rows).sum();
        let first = described.first().cloned().ok_or_else(|| self.missing())?;
        Ok(Description {
            choice: common(&ways).unwrap_or_else(|| first.choice.clone()),
            estimated_rows: estimated,
            problems: problems.take(MOST_PROBLEMS).collect(),
            capabilities,
            ..first
        })
    }

    async fn clock(&self) -> Result<DateTime<Utc>, Fault> {
        let stores = self.stores().await?;
        stores.first().ok_or_else(|| self.missing())?.clock().await
    }

    async fn list(&self, query: &RecordsQuery) -> Result<RecordsPage, Fault> {
        let ends = query.cursor.as_deref().map(Ends::parse).transpose()?.unwrap_or_default();
        let stores = self.stores().await?;
        let names: Vec<String> = stores.iter().map(|store| store.table().table.clone()).collect();
        let parts = self.each(stores, |store| {
            let cursor = ends.of(&store.table().table);
            async move {
                let Some(cursor) = cursor else { return Ok(Part::nothing()) };
                let shape = store.shape().await?;
                list::part(&store, &shape, query, Some(&cursor)).await
            }
        });
        let page = merged(&ends, names.into_iter().zip(parts.await?).collect(), query.limit);
        page.map_err(|error| unreadable(&error.to_string()))
    }

    async fn find(&self, r#type: Option<&str>, key: &str) -> Result<Vec<Row>, Fault> {
        let stores = self.stores().await?;
        let found = self.each(stores, |store| async move { store.find(r#type, key).await }).await?;
        Ok(found.into_iter().flatten().take(FIND_ROWS).collect())
    }

    async fn get(&self, references: &[RecordRef]) -> Result<Vec<Row>, Fault> {
        let mut stores = self.stores().await?;
        stores.retain(|store| references.iter().any(|reference| reference.table == store.table().table));
        let found = self.each(stores, |store| async move { store.get(references).await }).await?;
        Ok(found.into_iter().flatten().collect())
    }
}

#[async_trait]
impl Follow for Tables {
    async fn tables(&self) -> Result<Vec<String>, Fault> {
        Ok(self.stores().await?.iter().map(|store| store.table().table.clone()).collect())
    }

    async fn scan(&self, table: &str, span: &Span, limit: u32) -> Result<Scanned, Fault> {
        self.store(table).await?.scan(table, span, limit).await
    }

    async fn last_id(&self, table: &str) -> Result<Option<i128>, Fault> {
        self.store(table).await?.last_id(table).await
    }

    async fn sweep(&self, table: &str, course: Course, after: Option<&Stand>, limit: u32) -> Result<Swept, Fault> {
        self.store(table).await?.sweep(table, course, after, limit).await
    }

    async fn newest(&self, table: &str) -> Result<Option<Stand>, Fault> {
        self.store(table).await?.newest(table).await
    }

    async fn look(&self, table: &str, pks: &[Pk]) -> Result<Vec<Row>, Fault> {
        self.store(table).await?.look(table, pks).await
    }

    async fn open(&self, limit: u32) -> Result<OpenRows, Fault> {
        let stores = self.stores().await?;
        // Not the whole limit of each: that would be as many rows again for every table. Counts stay those of all.
        let share = (limit / u32::try_from(stores.len()).unwrap_or(limit)).max(LEAST_OPEN).min(limit);
        let mut all = self.each(stores, |store| async move { store.open(share).await }).await?.into_iter();
        let mut sum = all.next().ok_or_else(|| self.missing())?;
        for part in all {
            sum.rows.extend(part.rows);
            sum.since.extend(part.since);
            for (sum, part) in [
                (&mut sum.processing, part.processing),
                (&mut sum.failed, part.failed),
                (&mut sum.dead, part.dead),
                (&mut sum.unmapped, part.unmapped),
            ] {
                *sum = add(*sum, part);
            }
        }
        sum.rows.sort_by_key(|row| (row.record.status != Status::Processing, row.record.since()));
        sum.rows.truncate(limit as usize);
        sum.rows.sort_by_key(|row| row.record.since());
        Ok(sum)
    }
}

/// At least so many, where either is.
fn add(one: Count, other: Count) -> Count {
    let quality = if one.quality == Quality::Exact { other.quality } else { one.quality };
    Count { value: one.value + other.value, quality }
}
