//! One transaction that changes rows of one table.

use super::image::{Keys, Values, image, of_row, pk, stamp_columns, values, whole_columns};
use super::target::Target;
use crate::adapters::records::catalogue::{Column, Kind};
use crate::adapters::records::dialect::{Dialect, Statement, name};
use crate::adapters::records::raw::Raw;
use crate::adapters::records::select::{Cells, Selection};
use crate::adapters::records::shape::Shape;
use crate::adapters::records::store::Store;
use crate::adapters::records::time::iso;
use crate::adapters::records::work::{Trouble, Work, Writer};
use crate::config::TableName;
use crate::ports::changes::{Changed, Found, Image, Item, Undone};
use app::model::{Fault, Layer, Pk, RecordRef, Row};
use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use sea_query::{Alias, Cond, Expr, IntoTableRef, LockType, Query, TableRef};
use std::collections::HashMap;

pub struct Attempt<'a> {
    pub store: &'a Store,
    pub shape: &'a Shape,
    pub target: Target,
}

/// A row under our lock.
struct Held {
    row: Option<Row>,
    values: Values,
}

impl Attempt<'_> {
    pub async fn run(&self, writer: &dyn Writer, items: &[&Item]) -> Result<Vec<Changed>, Trouble> {
        let Self { shape, .. } = self;
        let mut work = writer.begin().await?;
        let now = clock(&mut *work, shape).await?;
        let held = self.lock(&mut *work, items).await?;
        let mut results = Vec::with_capacity(items.len());
        let mut chosen: Vec<(usize, &Item)> = Vec::new();
        for item in items {
            let judged = self.judge(item, held.get(&item.reference.pk), now)?;
            if judged.is_none() {
                chosen.push((results.len(), item));
            }
            results.push(judged.unwrap_or(Changed::Gone));
        }
        let Some(keys) = Keys::of(shape, chosen.iter().map(|(_, item)| &item.reference.pk)) else {
            return Ok(results);
        };
        let written = self.target.written(shape.dialect, now)?;
        let statement = match self.target {
            Target::Set { .. } => set(shape, &written, keys.among(plain))?,
            Target::Delete => delete(shape, keys.among(plain)),
        };
        met(shape, work.execute(&statement).await?, chosen.len())?;
        let after = match self.target {
            Target::Set { .. } => self.lock(&mut *work, items).await?,
            Target::Delete => HashMap::new(),
        };
        for (at, item) in chosen {
            let before = match &item.whole {
                Some(whole) if matches!(self.target, Target::Delete) => whole.clone(),
                _ => item.stamp.clone(),
            };
            let after = after.get(&item.reference.pk).map(|held| image(&stamp(shape, &held.values))).transpose()?;
            results[at] = Changed::Done { before, after };
        }
        work.commit().await?;
        Ok(results)
    }

    /// The rows that are there, locked, with all that is compared.
    async fn lock(&self, work: &mut dyn Work, items: &[&Item]) -> Result<HashMap<Pk, Held>, Trouble> {
        let Self { store, shape, .. } = self;
        let Some(keys) = Keys::of(shape, items.iter().map(|item| &item.reference.pk)) else {
            return Ok(HashMap::new());
        };
        let columns = match self.target {
            Target::Set { .. } => stamp_columns(shape),
            Target::Delete => whole_columns(shape),
        };
        let light = Selection::light(shape);
        let selection = Selection::of(columns.iter().chain(light.columns()));
        let mut select = selection.whole(shape);
        select.cond_where(keys.among(name)).limit(items.len() as u64).lock(LockType::Update);
        let found = work.fetch(&selection.build(shape.dialect, &select)).await?;
        let held = |cells: &Cells| {
            let pk = pk(&selection.values(cells, &shape.identity));
            (pk, Held { row: store.row(shape, &selection, cells), values: of_row(&selection, cells, &columns) })
        };
        Ok(found.iter().map(held).collect())
    }

    /// `None`: it is what it was, and may be changed.
    fn judge(&self, item: &Item, held: Option<&Held>, now: DateTime<Utc>) -> Result<Option<Changed>, Fault> {
        let Some(Held { row, values: is }) = held else { return Ok(Some(Changed::Gone)) };
        let was = values(&item.stamp)?;
        let Some(row) = row else { return Ok(Some(Changed::Differs)) };
        if stamp(self.shape, is) != was {
            return Ok(Some(Changed::Differs));
        }
        if matches!(self.target, Target::Delete) {
            match &item.whole {
                None => return Ok(Some(Changed::TooLarge)),
                Some(whole) if values(whole)? != *is => return Ok(Some(Changed::Differs)),
                Some(_) => {}
            }
        }
        // Seconds repeat: what changed in the second that was frozen looks the same, unless that was long ago.
        let after = TimeDelta::from_std(item.minimum_age).unwrap_or(TimeDelta::MAX);
        let is_young = row.record.since().is_some_and(|since| now - since < after);
        Ok(is_young.then_some(Changed::TooYoung))
    }
}

impl Attempt<'_> {
    /// Under the rows' locks, so that a transaction of ours that has not ended yet is waited for.
    pub async fn find_out(&self, writer: &dyn Writer, items: &[&Item]) -> Result<Vec<Found>, Trouble> {
        let mut work = writer.begin().await?;
        let held = self.lock(&mut *work, items).await?;
        let found =
            items.iter().map(|item| self.found(item, held.get(&item.reference.pk))).collect::<Result<_, _>>()?;
        Ok(found)
    }

    fn found(&self, item: &Item, held: Option<&Held>) -> Result<Found, Fault> {
        let was = values(&item.stamp)?;
        let is = held.map(|held| stamp(self.shape, &held.values));
        if is.as_ref() == Some(&was) {
            return Ok(Found::Untouched);
        }
        match (&self.target, is) {
            (Target::Delete, None) => match &item.whole {
                Some(whole) => Ok(Found::Done { before: whole.clone(), after: None }),
                None => Ok(Found::Unclear),
            },
            // An id is given out once, so this row was not deleted; without one a redelivery may have made it anew.
            (Target::Delete, Some(_)) if self.shape.growing_id().is_some() => Ok(Found::Untouched),
            (Target::Set { values, touch }, Some(is)) => {
                let is_ours = was.iter().all(|(column, before)| {
                    let now = is.get(column);
                    let target = values.iter().find(|(of, _)| of.name == *column);
                    let touched = touch.as_ref().is_some_and(|time| time.column.name == *column);
                    match target {
                        Some((of, value)) => now.is_some_and(|now| same(of, now, value)),
                        None => touched || now == Some(before),
                    }
                });
                match is_ours {
                    true => Ok(Found::Done { before: item.stamp.clone(), after: Some(image(&is)?) }),
                    false => Ok(Found::Unclear),
                }
            }
            _ => Ok(Found::Unclear),
        }
    }
}

/// As the database gives a value back that was written.
fn same(column: &Column, stored: &Raw, written: &Raw) -> bool {
    stored == written
        || stored.as_int().zip(written.as_int()).is_some_and(|(one, other)| one == other)
        || stored.show(column.kind) == written.show(column.kind)
}

/// Of all values those that are compared.
fn stamp(shape: &Shape, values: &Values) -> Values {
    let columns = stamp_columns(shape);
    let of = |column: &Column| Some((column.name.clone(), values.get(&column.name)?.clone()));
    columns.iter().filter_map(of).collect()
}

pub async fn clock(work: &mut dyn Work, shape: &Shape) -> Result<DateTime<Utc>, Trouble> {
    let rows = work.fetch(&shape.dialect.clock()).await?;
    let text = rows.first().and_then(|cells| cells.first()?.show(Kind::Instant));
    let now = text.as_deref().and_then(|text| iso(text, Tz::UTC));
    let strange = || Fault::Unreadable { layer: Layer::Records, detail: format!("the clock said {text:?}") };
    Ok(now.ok_or_else(strange)?)
}

/// Where the statement names one table only.
pub fn plain(column: &Column) -> Expr {
    Expr::col(Alias::new(&column.name))
}

pub fn unnamed(name: &TableName) -> TableRef {
    match &name.schema {
        Some(schema) => (Alias::new(schema), Alias::new(&name.table)).into_table_ref(),
        None => Alias::new(&name.table).into_table_ref(),
    }
}

fn set(shape: &Shape, written: &[(Column, Raw)], wanted: Cond) -> Result<Statement, Fault> {
    let mut update = Query::update();
    update.table(unnamed(&shape.mapping.table)).cond_where(wanted);
    for (column, value) in written {
        update.value(Alias::new(&column.name), bound(shape, column, value)?);
    }
    Ok(shape.dialect.build_change(&update))
}

fn bound(shape: &Shape, column: &Column, value: &Raw) -> Result<Expr, Fault> {
    if value.is_null() {
        return Ok(Expr::cust("NULL"));
    }
    let cannot = || Fault::BadInput {
        what: "records.write".into(),
        detail: format!("{} cannot hold {:?}", column.name, value.show(column.kind)),
    };
    shape.dialect.bound(column, value).ok_or_else(cannot)
}

fn delete(shape: &Shape, wanted: Cond) -> Statement {
    let mut delete = Query::delete();
    delete.from_table(unnamed(&shape.mapping.table)).cond_where(wanted);
    shape.dialect.build_change(&delete)
}

/// Otherwise something of the table's own (a trigger, a rule) stood in between, and all is rolled back.
fn met(shape: &Shape, met: u64, wanted: usize) -> Result<(), Fault> {
    if met == wanted as u64 {
        return Ok(());
    }
    let detail = format!("{} rows of {} were to be changed and {met} were: nothing was", wanted, shape.mapping.table);
    Err(Fault::Unreadable { layer: Layer::Records, detail })
}

pub async fn undo(
    writer: &dyn Writer,
    shape: &Shape,
    reference: &RecordRef,
    before: &Image,
    after: Option<&Image>,
) -> Result<Undone, Trouble> {
    let before = values(before)?;
    let mut work = writer.begin().await?;
    let Some(after) = after else {
        let statement = insert(shape, &before)?;
        met(shape, work.execute(&statement).await?, 1)?;
        work.commit().await?;
        return Ok(Undone::Done);
    };
    let Some(keys) = Keys::of(shape, std::iter::once(&reference.pk)) else { return Ok(Undone::Gone) };
    let columns = stamp_columns(shape);
    let selection = Selection::of(columns.iter());
    let mut select = selection.whole(shape);
    select.cond_where(keys.among(name)).limit(1).lock(LockType::Update);
    let found = work.fetch(&selection.build(shape.dialect, &select)).await?;
    let Some(is) = found.first().map(|cells| of_row(&selection, cells, &columns)) else { return Ok(Undone::Gone) };
    let was = values(after)?;
    // It was undone before, by a process that died before it said so.
    if columns.iter().all(|column| before.get(&column.name) == is.get(&column.name)) {
        return Ok(Undone::Done);
    }
    if is != was {
        return Ok(Undone::Differs);
    }
    let differs = |column: &&Column| before.get(&column.name) != was.get(&column.name);
    let back: Vec<(Column, Raw)> = (columns.iter().filter(differs))
        .filter_map(|column| Some((column.clone(), before.get(&column.name)?.clone())))
        .collect();
    if back.is_empty() {
        return Ok(Undone::Done);
    }
    met(shape, work.execute(&set(shape, &back, keys.among(plain))?).await?, 1)?;
    work.commit().await?;
    Ok(Undone::Done)
}

/// With an explicit list of columns; those that the database computes are left to it.
fn insert(shape: &Shape, before: &Values) -> Result<Statement, Fault> {
    let columns: Vec<Column> =
        whole_columns(shape).into_iter().filter(|column| before.contains_key(&column.name)).collect();
    let value = |column: &Column| bound(shape, column, before.get(&column.name).unwrap_or(&Raw::Null));
    let values: Vec<Expr> = columns.iter().map(value).collect::<Result<_, _>>()?;
    let quote = |name: &str| shape.dialect.quote(name);
    let into = shape.dialect.quote_table(&shape.mapping.table);
    let names = columns.iter().map(|column| quote(&column.name)).collect::<Vec<_>>().join(", ");
    // An identity that is always handed out is written as it was.
    let overriding = if shape.dialect == Dialect::Postgres { "OVERRIDING SYSTEM VALUE " } else { "" };
    let select = shape.dialect.build_change(Query::select().exprs(values));
    Ok(Statement { sql: format!("INSERT INTO {into} ({names}) {overriding}{}", select.sql), ..select })
}
