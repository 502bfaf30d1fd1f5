//! Look-up by business key, through an index. When only the key is known and the index leads with the type, the types
//! are found by the engine's own loose scan and asked for together. Those of the last minute serve while the key is found
//! under them; an unknown key is always looked for under the types of now. What lies inside JSON no index finds: see
//! [`super::search`].

use super::catalogue::Column;
use super::dialect::candidates;
use super::distinct::{MOST, distinct};
use super::piece::{self, Piece, ways};
use super::raw::Raw;
use super::search::{self, ROWS, is_small};
use super::select::{Cells, Selection};
use super::shape::Shape;
use super::store::Store;
use crate::ports::records::RecordStore;
use app::model::{Fault, Layer, Row};
use sea_query::{Cond, Expr};

/// Most that are read for it, where some of a key's rows are not of this source.
const READ: usize = 5_000;
pub async fn find(store: &Store, shape: &Shape, r#type: Option<&str>, key: &str) -> Result<Vec<Row>, Fault> {
    // A source without types has its keys under any.
    let r#type = r#type.filter(|_| !shape.r#type.is_empty());
    let Some(asked) = Asked::of(shape, r#type, key) else { return Ok(Vec::new()) };
    if asked.lies_in_json {
        let Asked { given, columns, .. } = asked;
        return search::find(store, shape, &search::Wanted { r#type, key, given: &given, columns }).await;
    }
    // What is not of this source is met as well and must not take the others' place: then many are read, narrowly, and
    // the whole of those that count.
    let is_mixed = !shape.belongs.is_empty() && !shape.identity.is_empty();
    let selection = if is_mixed { Selection::keys(shape, &[]) } else { Selection::wide(shape) };
    let limit = if shape.belongs.is_empty() { ROWS } else { selection.at_most(READ) as u64 };
    let found = match asked.by_index(store, shape, &selection, limit).await? {
        Ok(found) => found,
        Err(_) if !is_small(shape) => return Err(no_index(shape)),
        Err(asked) => read(store, shape, &selection, asked.columns, limit).await?,
    };
    let mut rows: Vec<Row> = found.iter().filter_map(|cells| store.row(shape, &selection, cells)).collect();
    // Where every part is NULL there is no key, though each part alone was asked for.
    rows.retain(|row| row.record.key.is_some() && (r#type.is_none() || row.record.r#type.is_some()));
    rows.truncate(usize::try_from(ROWS).unwrap_or(usize::MAX));
    if !is_mixed {
        return Ok(rows);
    }
    store.get(&rows.into_iter().map(|row| row.reference).collect::<Vec<_>>()).await
}

/// What columns are compared with for a key.
pub struct Asked {
    /// Columns that are compared whole.
    pub given: Vec<Column>,
    pub columns: Cond,
    /// More is to be compared, which no database is asked to.
    pub lies_in_json: bool,
}

impl Asked {
    /// `None`: nothing of this source can have the key.
    pub fn of(shape: &Shape, r#type: Option<&str>, key: &str) -> Option<Self> {
        let r#type = r#type.filter(|_| !shape.r#type.is_empty());
        let typed = r#type.map_or(&[][..], |_| &shape.r#type);
        let by_key = ways(&shape.key, key);
        let by_type = r#type.map(|r#type| ways(typed, r#type));
        if by_key.is_empty() || by_type.as_ref().is_some_and(Vec::is_empty) {
            return None;
        }
        let given: Vec<Column> = piece::columns(&shape.key).chain(piece::columns(typed)).cloned().collect();
        let mut columns = Cond::all().add(condition(shape, &shape.key, by_key));
        if let Some(by_type) = by_type {
            columns = columns.add(condition(shape, typed, by_type));
        }
        Some(Self { given, columns, lies_in_json: piece::has_json(&shape.key) || piece::has_json(typed) })
    }

    /// What an index finds, at most so many rows; `Err`: none does.
    pub async fn by_index(
        self,
        store: &Store,
        shape: &Shape,
        selection: &Selection,
        limit: u64,
    ) -> Result<Result<Vec<Cells>, Self>, Fault> {
        let Some((_, open)) = shape.lookup_index(&self.given) else { return Ok(Err(self)) };
        if open.is_empty() {
            return read(store, shape, selection, self.columns, limit).await.map(Ok);
        }
        let ask = |prefixes: &[Vec<Raw>]| {
            let wanted = self.columns.clone().add(prefix_condition(shape, &open, prefixes));
            read(store, shape, selection, wanted, limit)
        };
        let now = store.clock.instant();
        match store.leading.last(&open) {
            None => ask(&prefixes(store, shape, &open).await?).await.map(Ok),
            // Rows that are not of this source tell nothing about the key.
            Some(last) if last.is_fresh(now) && shape.belongs.is_empty() => {
                let found = ask(&last.values).await?;
                if !found.is_empty() {
                    return Ok(Ok(found));
                }
                let now = prefixes(store, shape, &open).await?;
                if now == last.values { Ok(Ok(found)) } else { ask(&now).await.map(Ok) }
            }
            // They are asked for while it is found out which there are now.
            Some(last) => match tokio::join!(ask(&last.values), prefixes(store, shape, &open)) {
                (found, Ok(now)) if now == last.values => found.map(Ok),
                (_, now) => ask(&now?).await.map(Ok),
            },
        }
    }
}

/// The narrow or whole rows of a condition that an index serves, or that a small table can bear.
pub async fn read(
    store: &Store,
    shape: &Shape,
    selection: &Selection,
    wanted: Cond,
    limit: u64,
) -> Result<Vec<Cells>, Fault> {
    let mut select = selection.from(shape);
    select.cond_where(wanted).limit(limit);
    store.fetch(&selection.build(shape.dialect, &select)).await
}

fn no_index(shape: &Shape) -> Fault {
    Fault::Unreadable {
        layer: Layer::Records,
        detail: format!("no index of {} serves a look-up by key", shape.mapping.table),
    }
}

/// What the type's columns are compared with; `None`: part of it lies inside JSON, or there is none.
pub fn of_type(shape: &Shape, r#type: &str) -> Option<Cond> {
    let is_asked = !shape.r#type.is_empty() && !piece::has_json(&shape.r#type);
    is_asked.then(|| condition(shape, &shape.r#type, ways(&shape.r#type, r#type)))
}

/// Any of these ways; what lies inside JSON is left to the reader.
fn condition(shape: &Shape, pieces: &[Piece], ways: Vec<Vec<&str>>) -> Cond {
    let one = |parts: Vec<&str>| {
        pieces.iter().zip(parts).fold(Cond::all(), |all, (piece, part)| match piece.column() {
            Some(column) => all.add(equal(shape, column, part, pieces.len() > 1)),
            None => all,
        })
    };
    ways.into_iter().map(one).fold(Cond::any(), Cond::add)
}

/// All NULL is no key at all, so NULL stands for an empty part only beside others.
fn equal(shape: &Shape, column: &Column, part: &str, beside_others: bool) -> Expr {
    let mut values = candidates(column, part);
    if part.is_empty() && beside_others && column.nullable {
        values.push(Raw::Null);
    }
    if values.is_empty() { Expr::cust("1 = 0") } else { shape.dialect.among(column, &values) }
}

fn prefix_condition(shape: &Shape, open: &[Column], prefixes: &[Vec<Raw>]) -> Cond {
    if let [column] = open {
        let mut values: Vec<Raw> = prefixes.iter().flatten().cloned().collect();
        if column.nullable {
            values.push(Raw::Null);
        }
        return Cond::all().add(shape.dialect.among(column, &values));
    }
    let one = |prefix: &Vec<Raw>| {
        open.iter().zip(prefix).fold(Cond::all(), |all, (column, value)| all.add(shape.dialect.equal(column, value)))
    };
    prefixes.iter().map(one).fold(Cond::any(), Cond::add)
}

async fn prefixes(store: &Store, shape: &Shape, open: &[Column]) -> Result<Vec<Vec<Raw>>, Fault> {
    let found = distinct(store, shape, open).await?;
    if found.len() > MOST {
        return Err(Fault::BadInput {
            what: "type".into(),
            detail: format!("the table has more than {MOST} types, so the type must be given"),
        });
    }
    store.leading.keep(open, &found, store.clock.instant());
    Ok(found)
}
