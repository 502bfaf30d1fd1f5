//! Look-up where key or type lie inside JSON: the database narrows by what it can compare, and the rest is compared here.
//! Without an index for that a small table is walked, in bounded chunks; of a larger one nothing is claimed.

use super::catalogue::Column;
use super::dialect::Direction;
use super::select::Selection;
use super::shape::Shape;
use super::store::Store;
use super::walk::{Streams, Walk};
use crate::ports::records::RecordStore;
use app::model::{Fault, Layer, Record, Row};
use sea_query::Cond;

/// Most rows of one look-up.
pub const ROWS: u64 = 100;
/// A table that has, for all that is known, up to this many rows may be read without an index, under the statement's
/// time-out.
pub const SMALL: u64 = 100_000;
/// Most rows that are looked into with one statement.
const AT_ONCE: usize = 1_000;
/// Rows of one step of a walk.
const CHUNK: usize = 5_000;

pub struct Wanted<'a> {
    pub r#type: Option<&'a str>,
    pub key: &'a str,
    /// Columns that are compared whole.
    pub given: &'a [Column],
    /// The condition over them.
    pub columns: Cond,
}

pub async fn find(store: &Store, shape: &Shape, wanted: &Wanted<'_>) -> Result<Vec<Row>, Fault> {
    let mut rows = match narrowing(shape, wanted.given) {
        true => {
            let too_many = format!(
                "more than {AT_ONCE} rows of {} share what an index finds of this key; the rest of it lies inside JSON",
                shape.mapping.table
            );
            at_once(store, shape, wanted, too_many).await?
        }
        false if is_small(shape) => walked(store, shape, wanted).await?,
        false => {
            return Err(unreadable(format!(
                "the key lies inside JSON, which no index of {} finds, and the table is too large to be read through",
                shape.mapping.table
            )));
        }
    };
    rows.truncate(usize::try_from(ROWS).unwrap_or(usize::MAX));
    Ok(rows)
}

/// For all that is known.
pub fn is_small(shape: &Shape) -> bool {
    shape.catalogue.estimated_rows.is_some_and(|rows| rows <= SMALL)
}

impl Wanted<'_> {
    fn is(&self, row: &Row) -> bool {
        let Record { r#type, key, .. } = &row.record;
        key.as_deref() == Some(self.key) && self.r#type.is_none_or(|wanted| r#type.as_deref() == Some(wanted))
    }
}

/// Whether an index leads with a column that is given, so that few rows are left to look into.
pub fn narrowing(shape: &Shape, given: &[Column]) -> bool {
    let is_given = |name: &String| given.iter().any(|column| column.name == *name);
    shape.catalogue.indexes.iter().any(|index| index.columns.first().is_some_and(is_given))
}

/// What the columns leave, in one statement.
async fn at_once(store: &Store, shape: &Shape, wanted: &Wanted<'_>, too_many: String) -> Result<Vec<Row>, Fault> {
    let selection = Selection::wide(shape);
    let mut select = selection.from(shape);
    select.cond_where(wanted.columns.clone()).limit(AT_ONCE as u64 + 1);
    let found = store.fetch(&selection.build(shape.dialect, &select)).await?;
    if found.len() > AT_ONCE {
        return Err(unreadable(too_many));
    }
    let rows = found.iter().filter_map(|cells| store.row(shape, &selection, cells));
    Ok(rows.filter(|row| wanted.is(row)).collect())
}

/// The whole table, newest first.
async fn walked(store: &Store, shape: &Shape, wanted: &Wanted<'_>) -> Result<Vec<Row>, Fault> {
    let Some(order) = shape.whole() else {
        let too_many = format!(
            "the key lies inside JSON, which no index of {} finds, and nothing tells its rows apart",
            shape.mapping.table
        );
        return at_once(store, shape, wanted, too_many).await;
    };
    let selection = Selection::keys(shape, &order.by);
    let streams = Streams::all(order);
    let walk = Walk { store, shape, selection: &selection, streams: &streams, direction: Direction::Older };
    let (chunk, began) = (selection.at_most(CHUNK), store.clock.instant());
    let (mut from, mut examined, mut references) = (None, 0, Vec::new());
    loop {
        let rows = walk.next(from.as_ref(), chunk).await?;
        let found = rows.iter().filter_map(|(_, cells)| store.row(shape, &selection, cells));
        references.extend(found.filter(|row| wanted.is(row)).map(|row| row.reference));
        examined += rows.len() as u64;
        if rows.len() < chunk {
            break;
        }
        let late = store.clock.instant().duration_since(began) > store.statement_timeout;
        if late || examined >= 2 * SMALL {
            return Err(unreadable(format!(
                "the key lies inside JSON, which no index of {} finds; {examined} rows were read through and there are more",
                shape.mapping.table
            )));
        }
        from = rows.into_iter().last().map(|(position, _)| position);
    }
    // As they are now; a row that has changed its key since is not what was asked for.
    let mut rows = store.get(&references).await?;
    rows.retain(|row| wanted.is(row));
    Ok(rows)
}

fn unreadable(detail: String) -> Fault {
    Fault::Unreadable { layer: Layer::Records, detail }
}
