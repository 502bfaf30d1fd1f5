//! The port, over any engine: each method is one statement, or says where the statements are.

use super::catalogue::Kind;
use super::dialect::name;
use super::raw::{self, Raw};
use super::select::Selection;
use super::store::Store;
use super::{audit, describe, find, list, open};
use crate::ports::audit::Ids;
use crate::ports::records::{Description, OpenRows, RecordStore, Scanned, Span};
use app::model::{Fault, Layer, Pk, RecordsPage, RecordsQuery, Row};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use sea_query::{Cond, ExprTrait};

/// Most keys of one `get`.
const GET_KEYS: usize = 500;
/// Most rows of one `scan`.
const SCAN_ROWS: u32 = 10_000;

#[async_trait]
impl RecordStore for Store {
    async fn describe(&self) -> Result<Description, Fault> {
        let shape = self.read_shape().await?;
        let mut description = describe::describe(&shape);
        match audit::ids(self, &shape).await {
            Ok(ids) => description.problems.extend(ids.as_ref().and_then(Ids::problem)),
            // A statement more on the catalogue; `check` says why it could not be asked.
            Err(fault) => tracing::debug!(%fault, "the ids that are left were not read"),
        }
        Ok(description)
    }

    async fn clock(&self) -> Result<DateTime<Utc>, Fault> {
        let rows = self.fetch(&self.engine.dialect().clock()).await?;
        let text = rows.first().and_then(|cells| cells.first()?.show(Kind::Instant));
        text.as_deref()
            .and_then(|text| super::time::iso(text, Tz::UTC))
            .ok_or_else(|| Fault::Unreadable { layer: Layer::Records, detail: format!("the clock said {text:?}") })
    }

    async fn list(&self, query: &RecordsQuery) -> Result<RecordsPage, Fault> {
        let shape = self.shape().await?;
        list::list(self, &shape, query).await
    }

    async fn find(&self, r#type: Option<&str>, key: &str) -> Result<Vec<Row>, Fault> {
        let shape = self.shape().await?;
        find::find(self, &shape, r#type, key).await
    }

    async fn get(&self, pks: &[Pk]) -> Result<Vec<Row>, Fault> {
        let shape = self.shape().await?;
        let columns = shape.told_apart_by();
        let keys: Vec<Vec<Raw>> =
            pks.iter().take(GET_KEYS).map(raw::parts).filter(|parts| parts.len() == columns.len()).collect();
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let selection = Selection::wide(&shape);
        let mut select = selection.from(&shape);
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
        self.rows(&shape, &selection, &select).await
    }

    async fn scan(&self, span: &Span, limit: u32) -> Result<Scanned, Fault> {
        let shape = self.shape().await?;
        let id = shape.growing_id().ok_or_else(no_growing_id)?;
        let selection = Selection::narrow(&shape, std::slice::from_ref(id));
        let mut select = selection.from(&shape);
        let bound = |value: Option<i128>| shape.dialect.bound(id, &Raw::Int(shape.dialect.nearest_id(value?)));
        select.and_where_option(bound(span.after).map(|after| name(id).gt(after)));
        select.and_where_option(bound(span.up_to).map(|up_to| name(id).lte(up_to)));
        let limit = Ord::min(limit, SCAN_ROWS);
        select.order_by_expr(name(id), sea_query::Order::Asc).limit(u64::from(limit));
        let found = self.fetch(&selection.build(shape.dialect, &select)).await?;
        let last = found.last().and_then(|cells| selection.values(cells, std::slice::from_ref(id)).first()?.as_int());
        let rows = found.iter().filter_map(|cells| self.row(&shape, &selection, cells)).collect();
        Ok(Scanned { rows, last, full: found.len() >= limit as usize })
    }

    async fn last_id(&self) -> Result<Option<i128>, Fault> {
        let shape = self.shape().await?;
        let id = shape.growing_id().ok_or_else(no_growing_id)?;
        let selection = Selection::of(std::iter::once(id));
        let mut select = selection.from(&shape);
        select.order_by_expr(name(id), sea_query::Order::Desc).limit(1);
        let rows = self.fetch(&selection.build(shape.dialect, &select)).await?;
        Ok(rows.first().and_then(|cells| cells.first()?.as_int()))
    }

    async fn open(&self, limit: u32) -> Result<OpenRows, Fault> {
        let shape = self.shape().await?;
        open::open(self, &shape, limit).await
    }
}

fn no_growing_id() -> Fault {
    Fault::BadInput { what: "records.id".into(), detail: "the table has no growing id with a unique index".into() }
}
