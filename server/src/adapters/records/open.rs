//! Open rows by the index on status. The statuses are enumerated: a condition on the time alone, or "not completed",
//! would walk the whole index.

use super::catalogue::{Column, Index, Kind};
use super::dialect::{Dialect, Direction, name};
use super::distinct::distinct;

use super::raw::Raw;
use super::rule::State;
use super::select::{Cells, Selection, table};
use super::shape::Shape;
use super::status::classify;
use super::store::Store;
use super::walk::{Part, Streams, Walk, code_order};
use crate::config::Code;
use crate::ports::records::OpenRows;
use app::model::{Count, Fault, Quality, Row, Status};
use chrono::{DateTime, Utc};
use sea_query::{Alias, Expr, Query, SelectStatement};

/// Counting stops here.
const COUNTED: u64 = 10_000;
/// Processing rows that are read one by one, where the index does not say since when.
const LOOKED_AT: usize = 1_000;

pub async fn open(store: &Store, shape: &Shape, limit: u32) -> Result<OpenRows, Fault> {
    let (Some(column), Some(index)) = (&shape.status, shape.status_index()) else {
        return Err(Fault::BadInput {
            what: "records.status".into(),
            detail: "no index leads with the status column".into(),
        });
    };
    let occurring = occurring(store, shape, column).await?;
    let counted = async |status| count(store, shape, column, &occurring.of(status)).await;
    let limit = limit as usize;
    let processing = occurring.of(Status::Processing);
    let (mut rows, since) = match in_index(shape, index) {
        Some(times) => {
            let since = since(store, shape, column, &processing, &times).await?;
            (some_rows(store, shape, column, &processing, limit).await?, since)
        }
        // Each row is looked at: fewer of them.
        None => {
            let rows = some_rows(store, shape, column, &processing, limit.max(LOOKED_AT)).await?;
            let since = rows.iter().map(|row| row.record.since()).collect();
            (rows, since)
        }
    };
    rows.sort_by_key(|row| row.record.since());
    rows.truncate(limit);
    // Processing rows first: a heap of failed ones must not hide how old they are.
    if rows.len() < limit {
        let failed = occurring.of(Status::Failed);
        rows.extend(some_rows(store, shape, column, &failed, limit - rows.len()).await?);
        rows.sort_by_key(|row| row.record.since());
    }
    Ok(OpenRows {
        rows,
        since,
        processing: counted(Status::Processing).await?,
        failed: counted(Status::Failed).await?,
        dead: counted(Status::Dead).await?,
        unmapped: counted(Status::Unmapped).await?,
    })
}

/// The columns of the index that say since when a row is as it is. `None`: the index does not say it.
fn in_index<'a>(shape: &'a Shape, index: &Index) -> Option<Vec<&'a Column>> {
    let times = if shape.updated.is_empty() { &shape.created } else { &shape.updated };
    let columns: Vec<&Column> = times.iter().map(|time| &time.column).collect();
    let there = !columns.is_empty() && columns.iter().all(|column| index.columns.contains(&column.name));
    there.then_some(columns)
}

/// Since when the oldest rows with these codes are as they are, from the index alone.
async fn since(
    store: &Store,
    shape: &Shape,
    column: &Column,
    codes: &[Raw],
    times: &[&Column],
) -> Result<Vec<Option<DateTime<Utc>>>, Fault> {
    let selection = Selection::of(std::iter::once(column).chain(times.iter().copied()));
    let most = usize::try_from(COUNTED).unwrap_or(usize::MAX);
    let mut found = Vec::new();
    for code in codes {
        let mut select = selection.from(shape);
        select.and_where(shape.dialect.equal(column, code)).limit(COUNTED);
        for time in times {
            select.order_by_expr(name(time), sea_query::Order::Asc);
        }
        let cells = store.fetch(&selection.build(shape.dialect, &select)).await?;
        found.extend(cells.iter().filter_map(|cells| Some(store.row(shape, &selection, cells)?.record.since())));
    }
    found.sort_unstable();
    found.truncate(most);
    Ok(found)
}

/// Rows with these codes, the oldest where the index orders them.
async fn some_rows(
    store: &Store,
    shape: &Shape,
    column: &Column,
    codes: &[Raw],
    limit: usize,
) -> Result<Vec<Row>, Fault> {
    let selection = Selection::light(shape);
    let limit = selection.at_most(limit);
    let found: Vec<Cells> = match shape.ordered(&[&column.name]) {
        Some(order) => {
            let codes = Some((column.clone(), codes.to_vec()));
            let streams = Streams { order, equal: Vec::new(), codes, part: Part::all() };
            let walk = Walk { store, shape, selection: &selection, streams: &streams, direction: Direction::Newer };
            walk.next(None, limit).await?.into_iter().map(|(_, cells)| cells).collect()
        }
        None => some(store, shape, &selection, column, codes, limit).await?,
    };
    Ok(found.iter().filter_map(|cells| store.row(shape, &selection, cells)).collect())
}

/// All rows with these codes, or `None` when they are many.
pub async fn few(
    store: &Store,
    shape: &Shape,
    selection: &Selection,
    column: &Column,
    codes: &[Raw],
) -> Result<Option<Vec<Cells>>, Fault> {
    let most = selection.at_most(usize::try_from(COUNTED).unwrap_or(usize::MAX));
    let found = some(store, shape, selection, column, codes, most + 1).await?;
    Ok((found.len() <= most).then_some(found))
}

/// Any rows with these codes: no order, so that the index is all that is needed.
async fn some(
    store: &Store,
    shape: &Shape,
    selection: &Selection,
    column: &Column,
    codes: &[Raw],
    limit: usize,
) -> Result<Vec<Cells>, Fault> {
    let mut found = Vec::new();
    for code in codes {
        let mut select = selection.from(shape);
        select.and_where(shape.dialect.equal(column, code)).limit((limit - found.len()) as u64);
        found.extend(store.fetch(&selection.build(shape.dialect, &select)).await?);
        if found.len() >= limit {
            break;
        }
    }
    Ok(found)
}

/// Counts rows with these codes, code by code, up to the cap.
async fn count(store: &Store, shape: &Shape, column: &Column, codes: &[Raw]) -> Result<Count, Fault> {
    let mut counted = 0;
    for code in codes {
        let mut some = Query::select();
        some.expr(Expr::cust("1")).from(table(&shape.mapping.table)).and_where(shape.dialect.equal(column, code));
        counted += number_of(store, shape, some.limit(COUNTED + 1 - counted)).await?;
        if counted > COUNTED {
            return Ok(Count { value: COUNTED, quality: Quality::Capped });
        }
    }
    Ok(Count::exact(counted))
}

/// Whether more rows than the cap have all of these values. `by`: what orders them in the index that is to be read.
pub async fn exceeds(store: &Store, shape: &Shape, fixed: &[(&Column, &Raw)], by: &Column) -> Result<bool, Fault> {
    let mut some = Query::select();
    some.expr(Expr::cust("1")).from(table(&shape.mapping.table)).order_by_expr(name(by), sea_query::Order::Asc);
    for (column, value) in fixed {
        some.and_where(shape.dialect.equal(column, value));
    }
    Ok(number_of(store, shape, some.limit(COUNTED + 1)).await? > COUNTED)
}

async fn number_of(store: &Store, shape: &Shape, some: &mut SelectStatement) -> Result<u64, Fault> {
    let mut select = Query::select();
    select.expr(shape.dialect.text(Expr::cust("COUNT(*)"))).from_subquery(some.take(), Alias::new("some"));
    let rows = store.fetch(&shape.dialect.build(&select, vec![Kind::Int])).await?;
    let number = rows.first().and_then(|cells| cells.first()?.as_int()).and_then(|count| u64::try_from(count).ok());
    Ok(number.unwrap_or(0))
}

/// The status codes that the table holds just now, with their meaning.
pub struct Occurring(Vec<(Raw, Status)>);

impl Occurring {
    pub fn all(&self) -> Vec<Raw> {
        self.0.iter().map(|(raw, _)| raw.clone()).collect()
    }

    pub fn of(&self, status: Status) -> Vec<Raw> {
        self.0.iter().filter(|(_, of)| *of == status).map(|(raw, _)| raw.clone()).collect()
    }
}

/// Asks the index that leads with the status which codes occur, so that an unmapped one is found and a spelling that
/// nobody configured is bound.
pub async fn occurring(store: &Store, shape: &Shape, column: &Column) -> Result<Occurring, Fault> {
    let State::Codes(_, codes) = &shape.state else { return Ok(Occurring(Vec::new())) };
    let mut values: Vec<Raw> =
        distinct(store, shape, std::slice::from_ref(column)).await?.into_iter().flatten().collect();
    if column.nullable {
        values.push(Raw::Null);
    }
    // MySQL's collations show one spelling for several, which may differ in more than case: SÚCCESS hides success.
    if shape.dialect == Dialect::MySql && column.kind == Kind::Text {
        let words = codes.iter().filter_map(|(code, _)| if let Code::Text(word) = code { Some(word) } else { None });
        let hidden = |word: &&String| {
            !values.iter().any(|value| matches!(value, Raw::Text(shown) if shown.to_lowercase() == word.to_lowercase()))
        };
        let hidden: Vec<Raw> = words.filter(hidden).map(|word| Raw::Text(word.clone())).collect();
        values.extend(hidden);
    }
    values.sort_by(code_order);
    values.dedup();
    let meant = |value: Raw| (value.clone(), classify(codes, &value.unpadded(column)));
    Ok(Occurring(values.into_iter().map(meant).collect()))
}
