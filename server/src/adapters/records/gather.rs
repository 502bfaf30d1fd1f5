//! Rows that an index finds in no useful order and that are few: all of them are read narrowly and sorted here.

use super::cursor::Position;
use super::dialect::Direction;
use super::find::{Asked, read};
use super::open::{few, occurring};
use super::piece::Piece;
use super::prefix::beginning;
use super::raw::Raw;
use super::search::narrowing;
use super::select::{Cells, Selection};
use super::shape::Shape;
use super::store::Store;
use super::walk::code_order;
use app::model::{Fault, Pattern, Row, Status, Wanted};
use std::cmp::Ordering;

/// Most rows of a key or of keys that begin alike.
const KEYS: usize = 2_000;

pub struct Gathered {
    pub selection: Selection,
    pub rows: Vec<Cells>,
    /// The database has compared the whole key.
    pub is_compared: bool,
}

/// What a search looks at besides status, type and times.
pub fn looked_at(shape: &Shape, wanted: &Wanted) -> Vec<super::catalogue::Column> {
    let key = shape.key.iter().filter_map(Piece::read).filter(|_| wanted.key.is_some());
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
    let (r#type, most) = (wanted.r#type.as_deref(), selection.at_most(KEYS));
    let key = match &wanted.key {
        None => return Ok(None),
        Some(Pattern::Begins(begin)) => {
            let rows = beginning(store, shape, &selection, (r#type, begin), most).await?;
            return Ok(rows.map(|rows| Gathered { selection, rows, is_compared: false }));
        }
        Some(Pattern::Is(key)) => key,
    };
    let Some(asked) = Asked::of(shape, r#type, key) else {
        return Ok(Some(Gathered { selection, rows: Vec::new(), is_compared: true }));
    };
    let (is_compared, limit) = (!asked.lies_in_json, most as u64 + 1);
    let rows = match asked.lies_in_json {
        // What an index finds of it may be few enough to look into.
        true if narrowing(shape, &asked.given) => read(store, shape, &selection, asked.columns, limit).await?,
        true => return Ok(None),
        false => match asked.by_index(store, shape, &selection, limit).await? {
            Ok(rows) => rows,
            Err(_) => return Ok(None),
        },
    };
    Ok((rows.len() <= most).then_some(Gathered { selection, rows, is_compared }))
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
    Ok(rows.map(|rows| Gathered { selection, rows, is_compared: false }))
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

/// Those beyond a position, the nearest first.
pub fn after(mut items: Vec<(Position, Row)>, from: Option<&Position>, direction: Direction) -> Vec<(Position, Row)> {
    let beyond = match direction {
        Direction::Older => Ordering::Less,
        Direction::Newer => Ordering::Greater,
    };
    items.retain(|(position, _)| from.is_none_or(|from| order(position, from) == beyond));
    items.sort_by(|(one, _), (other, _)| match direction {
        Direction::Older => order(other, one),
        Direction::Newer => order(one, other),
    });
    items
}
