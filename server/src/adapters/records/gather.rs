//! Rows that an index finds in no useful order and that are few: all of them are read narrowly and sorted here.

use super::cursor::Position;
use super::dialect::Direction;
use super::find::{ByKey, by_key};
use super::open::{few, occurring};
use super::prefix::beginning;
use super::raw::Raw;
use super::select::{Cells, Selection};
use super::shape::Shape;
use super::store::Store;
use super::walk::code_order;
use app::model::{Fault, Pattern, Row, Status, Wanted};
use std::cmp::{Ordering, Reverse};

/// Most rows of a key or of keys that begin alike.
const KEYS: usize = 2_000;

pub struct Gathered {
    pub selection: Selection,
    pub rows: Vec<Cells>,
}

/// What a search looks at besides status, type and times.
pub fn looked_at(shape: &Shape, wanted: &Wanted) -> Vec<super::catalogue::Column> {
    let key = shape.key.iter().filter(|_| wanted.key.is_some());
    let owner = shape.owner.iter().filter(|_| wanted.owner.is_some());
    let attempts = shape.attempts.iter().filter(|_| wanted.attempts.is_some());
    key.chain(owner).chain(attempts).cloned().collect()
}

/// By the key that is wanted. `Ok(None)`: none is, no index finds it, or it has many rows.
pub async fn of_key(store: &Store, shape: &Shape, wanted: &Wanted) -> Result<Option<Gathered>, Fault> {
    // Without an identity there is no way back to the rest of a row.
    let selection = match shape.identity.is_empty() {
        true => Selection::wide(shape),
        false => Selection::narrow(shape, &looked_at(shape, wanted)),
    };
    let r#type = wanted.r#type.as_deref();
    let rows = match &wanted.key {
        None => None,
        Some(Pattern::Begins(begin)) => beginning(store, shape, &selection, (r#type, begin), KEYS).await?,
        Some(Pattern::Is(key)) => match by_key(store, shape, r#type, key).await? {
            ByKey::Never => Some(Vec::new()),
            ByKey::Unserved(_) => None,
            ByKey::Served(condition) => {
                let mut select = selection.from(shape);
                select.cond_where(condition).limit(KEYS as u64 + 1);
                let rows = store.fetch(&selection.build(shape.dialect, &select)).await?;
                (rows.len() <= KEYS).then_some(rows)
            }
        },
    };
    Ok(rows.map(|rows| Gathered { selection, rows }))
}

/// By the status that is wanted. `Ok(None)`: none is, no index finds it, or it has many rows.
pub async fn of_status(store: &Store, shape: &Shape, wanted: &Wanted) -> Result<Option<Gathered>, Fault> {
    // Completed rows are most of any table: a walk meets them at once.
    let status = wanted.status.filter(|status| *status != Status::Completed);
    let (Some(column), Some(status), Some(_), Some(id)) =
        (&shape.status, status, shape.status_index(), shape.growing_id())
    else {
        return Ok(None);
    };
    let codes = occurring(store, shape, column).await?.of(status);
    let by: Vec<_> = std::iter::once(id.clone()).chain(looked_at(shape, wanted)).collect();
    let selection = Selection::narrow(shape, &by);
    let rows = few(store, shape, &selection, column, &codes).await?;
    Ok(rows.map(|rows| Gathered { selection, rows }))
}

/// Where a gathered row stands: by the growing id, as in the list of all; else by the time since when it is in its state,
/// and its identity.
pub fn position(shape: &Shape, selection: &Selection, cells: &Cells, row: &Row) -> Position {
    let by = match shape.growing_id() {
        Some(id) => selection.values(cells, std::slice::from_ref(id)),
        None => {
            let since = row.record.since().map_or(Raw::Null, |at| Raw::Int(i128::from(at.timestamp_micros())));
            std::iter::once(since).chain(selection.values(cells, &shape.told_apart_by())).collect()
        }
    };
    Position { code: None, by }
}

fn order(one: &Position, other: &Position) -> Ordering {
    let by = one.by.iter().zip(&other.by).map(|(one, other)| match (one.as_int(), other.as_int()) {
        (Some(one), Some(other)) => one.cmp(&other),
        _ => code_order(one, other),
    });
    by.fold(Ordering::Equal, Ordering::then)
}

/// Newest first, from a position on; with the row before the first, where there is one.
pub fn after(
    mut items: Vec<(Position, Row)>,
    from: Option<&Position>,
    direction: Direction,
    wanted: usize,
) -> (Vec<(Position, Row)>, Option<Position>) {
    items.sort_by(|(one, _), (other, _)| order(one, other).reverse());
    let Some(from) = from else { return (items, None) };
    let newer = items.partition_point(|(position, _)| order(position, from) == Ordering::Greater);
    let is_there = items.get(newer).is_some_and(|(position, _)| order(position, from) == Ordering::Equal);
    let start = match direction {
        Direction::Older => newer + usize::from(is_there),
        Direction::Newer => newer.saturating_sub(wanted),
    };
    let before = start.checked_sub(1).map(|before| items[before].0.clone());
    items.drain(..start);
    (items, before)
}

/// As a table without an identity is sorted: only for one page.
pub fn newest_first(items: &mut [(Position, Row)]) {
    items.sort_by_key(|(_, row)| Reverse(row.record.since()));
}
