//! Indexes that would let the table be read better.

use super::super::describe::{Unique, index_ddl};
use super::super::shape::Shape;
use super::super::strategy::sortable;
use super::super::time::Time;
use crate::ports::audit::IndexAdvice;
use app::model::{IndexPurpose, Strategy, StrategyChoice};

pub fn indexes(shape: &Shape) -> Vec<IndexAdvice> {
    let advice = |serves, suggested_ddl| IndexAdvice { serves, suggested_ddl };
    let status = by_status(shape).map(|ddl| advice(IndexPurpose::Status, ddl));
    let time = by_time(shape).map(|ddl| advice(IndexPurpose::Time, ddl));
    status.into_iter().chain(time).collect()
}

/// Where a column of codes says the status of every row, and no index gives its rows in an order.
fn by_status(shape: &Shape) -> Option<String> {
    let status = shape.status.as_ref().filter(|_| shape.belongs.is_empty())?;
    let served = match shape.identity.is_empty() {
        true => shape.status_index().is_some(),
        false => shape.ordered(&[status.name.as_str()]).is_some(),
    };
    if served {
        return None;
    }
    let columns: Vec<_> =
        std::iter::once(status).chain(one(&shape.updated).or(one(&shape.created)).map(column)).collect();
    Some(index_ddl(shape, Unique::No, "status", &columns))
}

/// Where no id grows, and no index leads with a time that rows could be followed by.
fn by_time(shape: &Shape) -> Option<String> {
    let followed = |way: &StrategyChoice| matches!(way.strategy, Strategy::Tail | Strategy::TimeIndex);
    if shape.identity.is_empty() || shape.ways().iter().any(followed) {
        return None;
    }
    let changed = sortable(&shape.updated).filter(|time| !time.column.nullable);
    let time = changed.or_else(|| sortable(&shape.created))?;
    Some(index_ddl(shape, Unique::No, "time", &[column(time)]))
}

/// A time that is one column, which an index can be over.
fn one(times: &[Time]) -> Option<&Time> {
    match times {
        [time] => Some(time),
        _ => None,
    }
}

fn column(time: &Time) -> &super::super::catalogue::Column {
    &time.column
}
