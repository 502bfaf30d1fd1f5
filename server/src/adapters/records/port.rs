//! The port, over any engine: each method is one statement, or says where the statements are.

use super::cursor::{Position, unreadable};
use super::dialect::{Direction, name};
use super::raw::{self, Raw};
use super::select::Selection;
use super::shape::{Order, Shape};
use super::store::Store;
use super::walk::{Part, Streams, Walk};
use super::{audit, describe, find, list, open, sample};
use crate::ports::audit::Ids;
use crate::ports::records::{Course, Description, Follow, OpenRows, RecordStore, Scanned, Span, Stand, Swept};
use app::model::{Fault, Pk, RecordRef, RecordsPage, RecordsQuery, Row};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_query::{Cond, ExprTrait};

/// Most keys of one `get`.
const GET_KEYS: usize = 500;
/// Most rows of one `scan` or `sweep`.
const SCAN_ROWS: u32 = 10_000;

#[async_trait]
impl RecordStore for Store {
    async fn describe(&self) -> Result<Description, Fault> {
        let shape = self.read_shape().await?;
        let mut description = describe::describe(&shape);
        description.problems.extend(sample::problems(self, &shape).await);
        match audit::ids(self, &shape).await {
            Ok(ids) => description.problems.extend(ids.as_ref().and_then(Ids::problem)),
            // A statement more on the catalogue; `check` says why it could not be asked.
            Err(fault) => tracing::debug!(%fault, "the ids that are left were not read"),
        }
        Ok(description)
    }

    async fn clock(&self) -> Result<DateTime<Utc>, Fault> {
        self.ask_clock().await
    }

    async fn list(&self, query: &RecordsQuery) -> Result<RecordsPage, Fault> {
        let shape = self.shape().await?;
        list::list(self, &shape, query).await
    }

    async fn find(&self, r#type: Option<&str>, key: &str) -> Result<Vec<Row>, Fault> {
        let shape = self.shape().await?;
        find::find(self, &shape, r#type, key).await
    }

    async fn get(&self, references: &[RecordRef]) -> Result<Vec<Row>, Fault> {
        let shape = self.shape().await?;
        let own = references.iter().filter(|reference| reference.table == shape.mapping.table.table);
        self.by_keys(&shape, &Selection::wide(&shape), own.map(|reference| &reference.pk)).await
    }
}

#[async_trait]
impl Follow for Store {
    async fn tables(&self) -> Result<Vec<String>, Fault> {
        Ok(vec![self.table().table.clone()])
    }

    async fn scan(&self, _table: &str, span: &Span, limit: u32) -> Result<Scanned, Fault> {
        let shape = self.shape().await?;
        let id = shape.growing_id().ok_or_else(no_growing_id)?;
        let selection = Selection::narrow(&shape, std::slice::from_ref(id));
        let mut select = selection.from(&shape);
        let bound = |value: Option<i128>| shape.dialect.bound(id, &Raw::Int(shape.dialect.nearest_id(value?)));
        select.and_where_option(bound(span.after).map(|after| name(id).gt(after)));
        select.and_where_option(bound(span.up_to).map(|up_to| name(id).lte(up_to)));
        let limit = selection.at_most(Ord::min(limit, SCAN_ROWS) as usize);
        select.order_by_expr(name(id), sea_query::Order::Asc).limit(limit as u64);
        let found = self.fetch(&selection.build(shape.dialect, &select)).await?;
        let last = found.last().and_then(|cells| selection.values(cells, std::slice::from_ref(id)).first()?.as_int());
        let rows = found.iter().filter_map(|cells| self.row(&shape, &selection, cells)).collect();
        Ok(Scanned { rows, last, full: found.len() >= limit })
    }

    async fn last_id(&self, _table: &str) -> Result<Option<i128>, Fault> {
        let shape = self.shape().await?;
        let id = shape.growing_id().ok_or_else(no_growing_id)?;
        let selection = Selection::of(std::iter::once(id));
        let mut select = selection.from(&shape);
        select.order_by_expr(name(id), sea_query::Order::Desc).limit(1);
        let rows = self.fetch(&selection.build(shape.dialect, &select)).await?;
        Ok(rows.first().and_then(|cells| cells.first()?.as_int()))
    }

    async fn sweep(&self, _table: &str, course: Course, after: Option<&Stand>, limit: u32) -> Result<Swept, Fault> {
        let shape = self.shape().await?;
        let streams = self.course(&shape, course)?;
        let after = after.map(|stand| position(stand, &streams.order)).transpose()?;
        let limit = Selection::narrow(&shape, &streams.order.by).at_most(Ord::min(limit, SCAN_ROWS) as usize);
        let found = self.stretch(&shape, &streams, Direction::Newer, after.as_ref(), limit).await?;
        let last = found.last().map(|(position, _)| stand(position)).transpose()?;
        let full = found.len() >= limit;
        let rows = found.into_iter().filter_map(|(_, row)| row).collect();
        Ok(Swept { rows, last, full })
    }

    async fn newest(&self, _table: &str) -> Result<Option<Stand>, Fault> {
        let shape = self.shape().await?;
        let streams = self.course(&shape, Course::Time)?;
        let found = self.stretch(&shape, &streams, Direction::Older, None, 1).await?;
        // Rows without a time come last, so the first of these says that no row has one.
        found.first().filter(|(position, _)| !position.by[0].is_null()).map(|(position, _)| stand(position)).transpose()
    }

    async fn look(&self, _table: &str, pks: &[Pk]) -> Result<Vec<Row>, Fault> {
        let shape = self.shape().await?;
        let selection = Selection::narrow(&shape, &shape.told_apart_by());
        self.by_keys(&shape, &selection, pks.iter()).await
    }

    async fn open(&self, limit: u32) -> Result<OpenRows, Fault> {
        let shape = self.shape().await?;
        open::open(self, &shape, limit).await
    }
}

impl Store {
    async fn by_keys<'a>(
        &self,
        shape: &Shape,
        selection: &Selection,
        pks: impl Iterator<Item = &'a Pk> + Send,
    ) -> Result<Vec<Row>, Fault> {
        let columns = shape.told_apart_by();
        let parts = pks.take(GET_KEYS).map(raw::parts);
        let mut keys: Vec<Vec<Raw>> = parts.filter(|parts| parts.len() == columns.len()).collect();
        let Some(last) = keys.last().filter(|_| !columns.is_empty()).cloned() else { return Ok(Vec::new()) };
        // The last key again and again: so there are ten statements to prepare, and not five hundred.
        keys.resize(keys.len().next_power_of_two().min(GET_KEYS), last);
        let mut select = selection.from(shape);
        match columns.as_slice() {
            [column] => {
                let values = keys.iter().filter_map(|key| shape.dialect.bound(column, &key[0]));
                select.and_where(name(column).is_in(values));
            }
            _ => {
                let one = |key: &Vec<Raw>| {
                    let parts = columns.iter().zip(key).map(|(column, value)| shape.dialect.equal(column, value));
                    parts.fold(Cond::all(), Cond::add)
                };
                select.cond_where(keys.iter().map(one).fold(Cond::any(), Cond::add));
            }
        }
        select.limit(GET_KEYS as u64);
        self.rows(shape, selection, &select).await
    }

    fn course(&self, shape: &Shape, course: Course) -> Result<Streams, Fault> {
        let order = match course {
            Course::Identity => shape.by_identity(),
            Course::Time => shape.by_time(),
        };
        let order = order.ok_or_else(|| Fault::BadInput {
            what: "records.table".into(),
            detail: format!("no index of {} gives this order", shape.mapping.table),
        })?;
        // One row that says 2099 would be the newest for ever, and everything else older than what was followed.
        let up_to = (course == Course::Time).then(|| shape.horizon(self.now())).flatten();
        Ok(Streams { part: Part::below(up_to), ..Streams::all(order) })
    }

    /// Rows in an order, narrowly; `None` for one that is not of this source.
    async fn stretch(
        &self,
        shape: &Shape,
        streams: &Streams,
        direction: Direction,
        from: Option<&Position>,
        limit: usize,
    ) -> Result<Vec<(Position, Option<Row>)>, Fault> {
        let selection = Selection::narrow(shape, &streams.order.by);
        let walk = Walk { store: self, shape, selection: &selection, streams, direction };
        let found = walk.next(from, limit).await?;
        Ok(found.into_iter().map(|(position, cells)| (position, self.row(shape, &selection, &cells))).collect())
    }
}

fn stand(position: &Position) -> Result<Stand, Fault> {
    serde_json::to_string(position).map(Stand).map_err(|error| unreadable(&error.to_string()))
}

fn position(stand: &Stand, order: &Order) -> Result<Position, Fault> {
    let position: Position = serde_json::from_str(&stand.0).map_err(|error| unreadable(&error.to_string()))?;
    // Kept from before the table was altered.
    let fits = position.by.len() == order.by.len() && position.code.is_none();
    fits.then_some(position).ok_or_else(|| unreadable("it belongs to another order"))
}

fn no_growing_id() -> Fault {
    Fault::BadInput { what: "records.id".into(), detail: "the table has no growing id with a unique index".into() }
}
