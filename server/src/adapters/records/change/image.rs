//! What is kept of a row: a stamp, by which it is known again, or all of it.

use super::ROWS;
use crate::adapters::records::catalogue::{Column, Kind};
use crate::adapters::records::dialect::{Dialect, name};
use crate::adapters::records::raw::{self, Raw};
use crate::adapters::records::select::{Cells, Selection};
use crate::adapters::records::shape::Shape;
use crate::adapters::records::store::Store;
use crate::ports::changes::{Frozen, Image};
use app::model::{Fault, Layer, Pk, RecordRef};
use sea_query::{Cond, Expr, ExprTrait, Func};
use std::collections::BTreeMap;

/// A row of more bytes is not kept, and so not deleted.
const LARGEST: i64 = 1_000_000;

/// Values by column. A map, so that the same row has the same image.
pub type Values = BTreeMap<String, Raw>;

pub fn image(values: &Values) -> Result<Image, Fault> {
    serde_json::to_string(values).map(Image).map_err(|error| unreadable(&error))
}

pub fn values(image: &Image) -> Result<Values, Fault> {
    serde_json::from_str(&image.0).map_err(|error| unreadable(&error))
}

fn unreadable(error: &serde_json::Error) -> Fault {
    Fault::Unreadable { layer: Layer::State, detail: format!("what was kept of a row is no image of ours: {error}") }
}

/// What is compared before a row is changed: its state, since when, by whom, in which version.
pub fn stamp_columns(shape: &Shape) -> Vec<Column> {
    let mapping = &shape.mapping;
    let times = shape.updated.iter().chain(&shape.lease_until).chain(&shape.created).map(|time| &time.column);
    let version = mapping.version.as_ref().and_then(|version| shape.catalogue.column(version));
    let written = mapping.write.iter().flat_map(|write| write.failed.iter().chain(&write.dead).flatten());
    let written = written.filter_map(|(column, _)| shape.catalogue.column(column));
    let judged = shape.judged();
    // Of a condition on NULL alone the value is compared as well.
    let judged = judged.iter().filter_map(|column| shape.catalogue.column(&column.name));
    let all = (shape.identity.iter().chain(&shape.status).chain(judged).chain(times))
        .chain(shape.owner.iter().chain(&shape.attempts))
        .chain(version)
        .chain(written);
    let mut columns: Vec<Column> = Vec::new();
    for column in all {
        if !columns.iter().any(|known| known.name == column.name) {
            columns.push(column.clone());
        }
    }
    columns
}

/// What the columns hold in a row of this selection.
pub fn of_row(selection: &Selection, cells: &Cells, columns: &[Column]) -> Values {
    let held = selection.values(cells, columns);
    columns.iter().zip(held).map(|(column, raw)| (column.name.clone(), raw)).collect()
}

pub async fn freeze<'a>(
    store: &Store,
    shape: &Shape,
    references: impl Iterator<Item = &'a RecordRef>,
) -> Result<Vec<Frozen>, Fault> {
    let stamped = stamp_columns(shape);
    let wide = Selection::wide(shape);
    let selection = Selection::of(stamped.iter().chain(wide.columns()));
    let mut select = selection.from(shape);
    let Some(keys) = Keys::of(shape, references.map(|reference| &reference.pk)) else { return Ok(Vec::new()) };
    select.cond_where(keys.among(name)).limit(ROWS as u64);
    let found = store.fetch(&selection.build(shape.dialect, &select)).await?;
    let frozen = |cells: &Cells| {
        let row = store.row(shape, &selection, cells)?;
        Some(image(&of_row(&selection, cells, &stamped)).map(|stamp| Frozen { row, stamp }))
    };
    found.iter().filter_map(frozen).collect()
}

/// All columns that can be written again.
pub fn whole_columns(shape: &Shape) -> Vec<Column> {
    shape.catalogue.columns.iter().filter(|column| !column.generated).cloned().collect()
}

pub async fn whole<'a>(
    store: &Store,
    shape: &Shape,
    references: impl Iterator<Item = &'a RecordRef>,
) -> Result<Vec<(RecordRef, Image)>, Fault> {
    let Some(keys) = Keys::of(shape, references.map(|reference| &reference.pk)) else { return Ok(Vec::new()) };
    // Their sizes first: one of them may be a hundred megabytes.
    let sizes = Selection::of(shape.identity.iter());
    let mut select = sizes.from(shape);
    select.cond_where(keys.among(name)).and_where(size(shape).lte(LARGEST)).limit(ROWS as u64);
    let small = store.fetch(&sizes.build(shape.dialect, &select)).await?;
    let Some(keys) = Keys::of_rows(shape, small) else { return Ok(Vec::new()) };
    let columns = whole_columns(shape);
    let selection = Selection::of(columns.iter());
    let mut select = selection.whole(shape);
    select.cond_where(keys.among(name)).limit(ROWS as u64);
    let found = store.fetch(&selection.build(shape.dialect, &select)).await?;
    let one = |cells: &Cells| {
        let reference =
            RecordRef { table: shape.mapping.table.table.clone(), pk: pk(&selection.values(cells, &shape.identity)) };
        image(&of_row(&selection, cells, &columns)).map(|image| (reference, image))
    };
    found.iter().map(one).collect()
}

pub fn pk(values: &[Raw]) -> Pk {
    match values {
        [one] => Pk::from(one),
        several => Pk::Composite(several.iter().map(Pk::from).collect()),
    }
}

/// Bytes of all columns whose values may be long.
fn size(shape: &Shape) -> Expr {
    let long = |column: &&Column| matches!(column.kind, Kind::Text | Kind::Bytes | Kind::Other | Kind::Loose);
    let length = |column: &Column| -> Expr {
        let value = match shape.dialect {
            Dialect::Postgres if column.kind == Kind::Other => shape.dialect.text(name(column)),
            _ => name(column),
        };
        let bytes = match shape.dialect {
            Dialect::Sqlite => Func::cust("length").arg(value),
            Dialect::MySql | Dialect::Postgres => Func::cust("octet_length").arg(value),
        };
        Func::coalesce([Expr::from(bytes), Expr::val(0)]).into()
    };
    shape.catalogue.columns.iter().filter(long).map(length).reduce(ExprTrait::add).unwrap_or_else(|| Expr::val(0))
}

/// Rows by what tells them apart.
pub struct Keys {
    dialect: Dialect,
    columns: Vec<Column>,
    rows: Vec<Vec<Raw>>,
}

impl Keys {
    /// `None`: there is none, or nothing tells rows apart.
    pub fn of<'a>(shape: &Shape, pks: impl Iterator<Item = &'a Pk>) -> Option<Self> {
        Self::by(shape.dialect, &shape.identity, pks)
    }

    /// By the identity of another table, in which these columns need not be unique.
    pub fn by<'a>(dialect: Dialect, columns: &[Column], pks: impl Iterator<Item = &'a Pk>) -> Option<Self> {
        let width = columns.len();
        let rows: Vec<Vec<Raw>> = pks.map(raw::parts).filter(|parts| width > 0 && parts.len() == width).collect();
        (!rows.is_empty()).then(|| Self { dialect, columns: columns.to_vec(), rows })
    }

    /// Values of the identity's columns.
    fn of_rows(shape: &Shape, rows: Vec<Vec<Raw>>) -> Option<Self> {
        (!rows.is_empty()).then(|| Self { dialect: shape.dialect, columns: shape.identity.clone(), rows })
    }

    /// The last one again and again: so there are ten statements to prepare, and not one for each number of rows.
    pub fn padded(mut self) -> Self {
        if let Some(last) = self.rows.last().cloned() {
            self.rows.resize(self.rows.len().next_power_of_two(), last);
        }
        self
    }

    /// `column`: how the statement names it.
    pub fn among(&self, column: impl Fn(&Column) -> Expr) -> Cond {
        let bound = |of: &Column, value: &Raw| self.dialect.bound(of, value);
        match self.columns.as_slice() {
            [one] => {
                let values = self.rows.iter().filter_map(|key| bound(one, key.first()?));
                Cond::all().add(column(one).is_in(values))
            }
            several => {
                let one = |key: &Vec<Raw>| {
                    let parts = several.iter().zip(key).map(|(of, value)| match bound(of, value) {
                        Some(value) => column(of).eq(value),
                        None => Expr::cust("1 = 0"),
                    });
                    parts.fold(Cond::all(), Cond::add)
                };
                self.rows.iter().map(one).fold(Cond::any(), Cond::add)
            }
        }
    }
}
