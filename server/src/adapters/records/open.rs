//! Open rows by the index on status. The statuses are enumerated: a condition on the time alone, or "not completed",
//! would walk the whole index.

use super::catalogue::{Column, Kind};
use super::dialect::{Dialect, Direction, name};
use super::find::distinct;
use super::raw::Raw;
use super::select::{Cells, Selection, table};
use super::shape::{Shape, State};
use super::status::classify;
use super::store::Store;
use super::walk::{Part, Streams, Walk, code_order};
use crate::config::Code;
use crate::ports::records::OpenRows;
use app::model::{Count, Fault, Quality, Row, Status};
use sea_query::{Alias, Expr, Query, SelectStatement};

/// Counting stops here.
const COUNTED: u64 = 10_000;

pub async fn open(store: &Store, shape: &Shape, limit: u32) -> Result<OpenRows, Fault> {
    let (Some(column), Some(_)) = (&shape.status, shape.status_index()) else {
        return Err(Fault::BadInput {
            what: "records.status".into(),
            detail: "no index leads with the status column".into(),
        });
    };
    let occurring = occurring(store, shape, column).await?;
    let limit = limit as usize;
    let (mut rows, processing) = of_status(store, shape, column, &occurring, Status::Processing, limit).await?;
    let (failed_rows, failed) = of_status(store, shape, column, &occurring, Status::Failed, limit).await?;
    // Processing rows first: a heap of failed ones must not hide how old they are.
    rows.extend(failed_rows);
    rows.truncate(limit);
    rows.sort_by_key(|row| row.record.since());
    let dead = count(store, shape, column, &occurring.of(Status::Dead)).await?;
    let unmapped = count(store, shape, column, &occurring.of(Status::Unmapped)).await?;
    Ok(OpenRows { rows, processing, failed, dead, unmapped })
}

/// The oldest rows of one status, and how many it has.
async fn of_status(
    store: &Store,
    shape: &Shape,
    column: &Column,
    occurring: &Occurring,
    status: Status,
    limit: usize,
) -> Result<(Vec<Row>, Count), Fault> {
    let codes = occurring.of(status);
    let selection = Selection::light(shape);
    let limit = selection.at_most(limit);
    let found: Vec<Cells> = match shape.ordered(&[&column.name]) {
        Some(order) => {
            let streams =
                Streams { order, equal: Vec::new(), codes: Some((column.clone(), codes.clone())), part: Part::all() };
            let walk = Walk { store, shape, selection: &selection, streams: &streams, direction: Direction::Newer };
            walk.next(None, limit).await?.into_iter().map(|(_, cells)| cells).collect()
        }
        None => some(store, shape, &selection, column, &codes, limit).await?,
    };
    let seen = found.len();
    let rows: Vec<Row> = (found.iter())
        .filter_map(|cells| store.row(shape, &selection, cells))
        .filter(|row| row.record.status == status)
        .collect();
    let count =
        if seen < limit { Count::exact(rows.len() as u64) } else { count(store, shape, column, &codes).await? };
    Ok((rows, count))
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
    let meant = |value: Raw| (value.clone(), classify(codes, &column.unpadded(value)));
    Ok(Occurring(values.into_iter().map(meant).collect()))
}
