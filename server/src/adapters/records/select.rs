//! What one statement reads: a list of columns, and how its cells become [`Row`]s.

use super::catalogue::Column;
use super::dialect::{Dialect, RECORD, Statement};
use super::raw::Raw;
use super::rule;
use super::shape::{Shape, State};
use super::status::classify;
use super::time::Time;
use crate::config::{Code, TableName, TypeFrom};
use app::model::{Pk, Record, RecordRef, Row, Status};
use chrono::{DateTime, Utc};
use sea_query::{Alias, IntoTableRef, Query, SelectStatement, TableRef};

/// Longest error text that is read; the whole of it stays in the table.
const ERROR_LENGTH: i32 = 4_096;

/// The columns of a statement, each once.
#[derive(Debug, Clone)]
pub struct Selection(Vec<Column>);

pub type Cells = Vec<Raw>;

impl Selection {
    /// Everything that a record shows.
    pub fn wide(shape: &Shape) -> Self {
        Self::of(shape.error.iter().chain(&Self::light(shape).0))
    }

    /// All but the error's text, which may be long: for many rows at once.
    pub fn light(shape: &Shape) -> Self {
        let times = [&shape.created, &shape.updated, &shape.lease_until];
        let rest = [&shape.id, &shape.status, &shape.attempts, &shape.owner];
        Self::of(
            (shape.key.iter().chain(&shape.r#type).chain(&shape.identity))
                .chain(rest.into_iter().flatten())
                .chain(times.into_iter().flatten().map(|time| &time.column))
                .chain(&shape.judged()),
        )
    }

    /// Only what decides whether a row is wanted, and where it stands: for walking far.
    pub fn narrow(shape: &Shape, by: &[Column]) -> Self {
        let created = shape.created.iter().chain(&shape.updated).map(|time| &time.column);
        let judged = shape.judged();
        Self::of(
            by.iter().chain(&shape.identity).chain(&shape.status).chain(&shape.r#type).chain(created).chain(&judged),
        )
    }

    pub fn of<'a>(columns: impl Iterator<Item = &'a Column>) -> Self {
        let mut once: Vec<Column> = Vec::new();
        for column in columns {
            if !once.iter().any(|known| known.name == column.name) {
                once.push(column.clone());
            }
        }
        Self(once)
    }

    /// `SELECT … FROM table`, without a condition yet.
    pub fn from(&self, shape: &Shape) -> SelectStatement {
        let error = shape.error.as_ref().map(|column| &column.name);
        let exprs = self.0.iter().map(|column| match shape.dialect {
            dialect if Some(&column.name) == error => dialect.clipped(column, ERROR_LENGTH),
            dialect => dialect.readable(column),
        });
        Query::select().exprs(exprs).from(table(&shape.mapping.table)).take()
    }

    pub fn build(&self, dialect: Dialect, select: &SelectStatement) -> Statement {
        dialect.build(select, self.0.iter().map(|column| column.kind).collect())
    }

    /// What the columns hold in a row of this selection; NULL for a column that was not selected.
    pub fn values(&self, cells: &Cells, columns: &[Column]) -> Vec<Raw> {
        columns.iter().map(|column| self.cell(cells, column).cloned().unwrap_or(Raw::Null)).collect()
    }

    fn cell<'a>(&self, cells: &'a Cells, column: &Column) -> Option<&'a Raw> {
        let at = self.0.iter().position(|selected| selected.name == column.name)?;
        cells.get(at)
    }

    /// `None`: the row is not of this source.
    pub fn row(&self, shape: &Shape, source: &str, cells: &Cells, now: DateTime<Utc>) -> Option<Row> {
        let named = Named { selection: self, cells };
        if !rule::all(&shape.belongs, &named, now) {
            return None;
        }
        let shown = |column: &Option<Column>| {
            let column = column.as_ref()?;
            self.cell(cells, column)?.show(column.kind)
        };
        let record = Record {
            source: source.to_owned(),
            id: shown(&shape.id),
            r#type: match &shape.mapping.r#type {
                TypeFrom::Constant(constant) => Some(constant.clone()),
                TypeFrom::Columns(_) => self.joined(cells, &shape.r#type),
            },
            key: self.joined(cells, &shape.key),
            status: status(shape, &named, now),
            created_at: self.instant(cells, &shape.created),
            updated_at: self.instant(cells, &shape.updated),
            attempts: shape
                .attempts
                .as_ref()
                .and_then(|column| self.cell(cells, column)?.as_int())
                .and_then(|attempts| i64::try_from(attempts).ok()),
            error: shown(&shape.error),
            owner: shown(&shape.owner),
            lease_until: self.instant(cells, &shape.lease_until),
        };
        Some(Row { record, reference: self.reference(shape, cells), code: self.code(shape, cells) })
    }

    /// The first that is there.
    fn instant(&self, cells: &Cells, times: &[Time]) -> Option<DateTime<Utc>> {
        times.iter().find_map(|time| time.reading.instant(self.cell(cells, &time.column)?, time.column.kind))
    }

    /// Joined with `:`; a NULL part is empty, all NULL is nothing.
    fn joined(&self, cells: &Cells, columns: &[Column]) -> Option<String> {
        let parts: Vec<Option<String>> =
            columns.iter().map(|column| self.cell(cells, column).and_then(|raw| raw.show(column.kind))).collect();
        if parts.iter().all(Option::is_none) {
            return None;
        }
        Some(parts.into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>().join(":"))
    }

    /// As it is stored.
    fn code(&self, shape: &Shape, cells: &Cells) -> Option<String> {
        let column = match &shape.state {
            State::Codes(column, _) => column,
            State::Rules { otherwise: Some((column, _)), .. } => column,
            State::Always(_) | State::Rules { otherwise: None, .. } => return None,
        };
        Some(self.cell(cells, column)?.show(column.kind).unwrap_or_else(|| "NULL".to_owned()))
    }

    fn reference(&self, shape: &Shape, cells: &Cells) -> RecordRef {
        let values = self.values(cells, &shape.told_apart_by());
        let pk = match values.as_slice() {
            [one] => Pk::from(one),
            several => Pk::Composite(several.iter().map(Pk::from).collect()),
        };
        RecordRef { table: shape.mapping.table.table.clone(), pk }
    }
}

/// A row's cells by column.
struct Named<'a> {
    selection: &'a Selection,
    cells: &'a Cells,
}

impl rule::Cells for Named<'_> {
    fn cell(&self, column: &Column) -> Raw {
        self.selection.cell(self.cells, column).cloned().unwrap_or(Raw::Null)
    }
}

fn status(shape: &Shape, row: &dyn rule::Cells, now: DateTime<Utc>) -> Status {
    let by = |(column, codes): (&Column, &[(Code, Status)])| classify(codes, &row.cell(column));
    match &shape.state {
        State::Always(status) => *status,
        State::Codes(column, codes) => by((column, codes)),
        State::Rules { rules, otherwise } => rules
            .iter()
            .find(|rule| rule::all(&rule.when, row, now))
            .map(|rule| rule.status)
            .or(otherwise.as_ref().map(|(column, codes)| by((column, codes))))
            .unwrap_or(Status::Unmapped),
    }
}

/// The table, called [`RECORD`].
pub fn table(name: &TableName) -> TableRef {
    let table = Alias::new(&name.table);
    let named = match &name.schema {
        Some(schema) => (Alias::new(schema), table).into_table_ref(),
        None => table.into_table_ref(),
    };
    named.alias(RECORD)
}
