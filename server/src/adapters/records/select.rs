//! What one statement reads: a list of columns, and how its cells become [`Row`]s.

use super::catalogue::{Column, Kind};
use super::dialect::{Dialect, RECORD, Statement};
use super::json::{self, Found};
use super::piece::Piece;
use super::raw::Raw;
use super::readings::{For, Readings};
use super::rule;
use super::rule::State;
use super::shape::Shape;
use super::status::classify;
use super::time::{Said, Time};
use crate::config::{Code, TableName};
use app::model::{Pk, Record, RecordRef, Row, Status, TimeField};
use chrono::{DateTime, Utc};
use sea_query::{Alias, Asterisk, Cond, Expr, ExprTrait, IntoTableRef, Query, SelectStatement, TableRef, UnionType};

/// Longest error text that is read; the whole of it stays in the table.
const ERROR_LENGTH: i32 = 4_096;
/// Most rows of one statement that reads whole documents: at their full length that is some 16 MB.
const DOCUMENT_ROWS: usize = 250;

/// A row's place in its chunk.
const PLACE: &str = "oncewatch_place";

/// The columns of a statement, each once.
#[derive(Debug, Clone)]
pub struct Selection(Vec<Column>);

pub type Cells = Vec<Raw>;

impl Selection {
    /// Everything that a record shows.
    pub fn wide(shape: &Shape) -> Self {
        Self::of(shape.error.iter().filter_map(Piece::read).chain(&Self::light(shape).0))
    }

    /// All but the error's text, which may be long: for many rows at once.
    pub fn light(shape: &Shape) -> Self {
        let times = [&shape.created, &shape.updated, &shape.lease_until];
        let rest = [&shape.id, &shape.status, &shape.attempts, &shape.owner];
        Self::of(
            (shape.key.iter().chain(&shape.r#type).filter_map(Piece::read).chain(&shape.identity))
                .chain(rest.into_iter().flatten())
                .chain(times.into_iter().flatten().map(|time| &time.column))
                .chain(&shape.judged()),
        )
    }

    /// Only what decides whether a row is wanted, and where it stands: for walking far.
    pub fn narrow(shape: &Shape, by: &[Column]) -> Self {
        let created = shape.created.iter().chain(&shape.updated).map(|time| &time.column);
        let judged = shape.judged();
        let r#type = shape.r#type.iter().filter_map(Piece::read);
        Self::of(by.iter().chain(&shape.identity).chain(&shape.status).chain(r#type).chain(created).chain(&judged))
    }

    /// What tells a wanted key from others, and where its row stands.
    pub fn keys(shape: &Shape, by: &[Column]) -> Self {
        let pieces = shape.key.iter().chain(&shape.r#type).filter_map(Piece::read);
        Self::of(by.iter().chain(&shape.identity).chain(pieces).chain(&shape.judged()))
    }

    /// At most so many rows at once, or fewer where each may be large.
    pub fn at_most(&self, rows: usize) -> usize {
        if self.0.iter().any(|column| column.kind.is_document()) { rows.min(DOCUMENT_ROWS) } else { rows }
    }

    pub fn of<'a>(columns: impl Iterator<Item = &'a Column>) -> Self {
        let mut once: Vec<Column> = Vec::new();
        for column in columns {
            if !once.iter().any(|known| known.reads_as(column)) {
                once.push(column.clone());
            }
        }
        Self(once)
    }

    /// `SELECT … FROM table`, without a condition yet.
    pub fn from(&self, shape: &Shape) -> SelectStatement {
        let error = shape.error.as_ref().and_then(Piece::column);
        let exprs = self.0.iter().map(|column| match shape.dialect {
            dialect if error.is_some_and(|error| error.reads_as(column)) => dialect.clipped(column, ERROR_LENGTH),
            dialect => dialect.readable(column),
        });
        Query::select().exprs(exprs).from(table(&shape.mapping.table)).take()
    }

    /// Those of the first `limit` rows of `select` that `only` holds for, and the last of them in any case, each with a
    /// place behind its cells, by which they are to be sorted; the last has the place `limit`.
    ///
    /// PostgreSQL: `SELECT … FROM (SELECT chunk.*, row_number() OVER () FROM (… LIMIT …) chunk) WHERE only OR place = limit`.
    /// SQLite would write the whole chunk down for that and take twice as long: `SELECT …, 0 FROM (… LIMIT …) WHERE only
    /// UNION ALL SELECT …, limit FROM (… LIMIT 1 OFFSET …)`, in which a last row that `only` holds for comes twice.
    pub fn wanted_of(&self, dialect: Dialect, select: &SelectStatement, limit: usize, only: &Cond) -> Statement {
        let mut names: Vec<&str> = self.0.iter().map(|column| column.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let columns = names.into_iter().map(|name| (RECORD, Alias::new(name)));
        let plain = select.clone().clear_selects().columns(columns).take();
        let chunk = plain.clone().limit(limit as u64).take();
        let of = |rows: SelectStatement, place: Expr| {
            Query::select()
                .exprs(self.0.iter().map(|column| dialect.readable(column)))
                .expr(place.cast_as("text"))
                .from_subquery(rows, RECORD)
                .take()
        };
        let wanted = if dialect == Dialect::Sqlite {
            let last = plain.clone().limit(1).offset(limit as u64 - 1).take();
            let last = of(last, Expr::val(limit as u64));
            of(chunk, Expr::val(0)).cond_where(only.clone()).union(UnionType::All, last).take()
        } else {
            let number = Expr::cust("row_number() OVER ()");
            let numbered = Query::select().column(Asterisk).expr_as(number, PLACE).from_subquery(chunk, "chunk").take();
            let place = || Expr::col((RECORD, PLACE));
            let is_last = place().eq(limit as u64);
            of(numbered, place()).cond_where(Cond::any().add(only.clone()).add(is_last)).take()
        };
        dialect.build(&wanted, self.0.iter().map(|column| column.kind).chain([Kind::Int]).collect())
    }

    /// The same without cutting anything, so that it can be written again.
    pub fn whole(&self, shape: &Shape) -> SelectStatement {
        let exprs = self.0.iter().map(|column| shape.dialect.exact(column));
        Query::select().exprs(exprs).from(table(&shape.mapping.table)).take()
    }

    pub fn columns(&self) -> &[Column] {
        &self.0
    }

    pub fn build(&self, dialect: Dialect, select: &SelectStatement) -> Statement {
        dialect.build(select, self.0.iter().map(|column| column.kind).collect())
    }

    /// What the columns hold in a row of this selection; NULL for a column that was not selected.
    pub fn values(&self, cells: &Cells, columns: &[Column]) -> Vec<Raw> {
        columns.iter().map(|column| self.cell(cells, column).cloned().unwrap_or(Raw::Null)).collect()
    }

    fn cell<'a>(&self, cells: &'a Cells, column: &Column) -> Option<&'a Raw> {
        let at = self.0.iter().position(|selected| selected.reads_as(column))?;
        cells.get(at)
    }

    /// `None`: the row is not of this source. What made no sense in it is counted.
    pub fn row(
        &self,
        shape: &Shape,
        source: &str,
        cells: &Cells,
        now: DateTime<Utc>,
        readings: &Readings,
    ) -> Option<Row> {
        let named = Named { selection: self, cells };
        if !rule::all(&shape.belongs, &named, now) {
            return None;
        }
        let shown = |column: &Option<Column>| {
            let column = column.as_ref()?;
            self.cell(cells, column)?.show(column.kind)
        };
        let reader = Reader { selection: self, cells, readings };
        let (created, updated) = (reader.time(&shape.created), reader.time(&shape.updated));
        let lease_until = reader.time(&shape.lease_until);
        let times =
            [(TimeField::CreatedAt, created), (TimeField::UpdatedAt, updated), (TimeField::LeaseUntil, lease_until)];
        let record = Record {
            source: source.to_owned(),
            id: shown(&shape.id),
            r#type: reader.joined(&shape.r#type),
            key: reader.joined(&shape.key),
            status: status(shape, &named, now),
            created_at: created.instant(),
            updated_at: updated.instant(),
            attempts: shape
                .attempts
                .as_ref()
                .and_then(|column| self.cell(cells, column)?.as_int())
                .and_then(|attempts| i64::try_from(attempts).ok()),
            error: shape.error.as_ref().and_then(|error| reader.piece(error)).map(clipped),
            owner: shown(&shape.owner),
            lease_until: lease_until.instant(),
        };
        let ambiguous = times.iter().filter(|(_, said)| matches!(said, Said::At { ambiguous: true, .. }));
        let ambiguous = ambiguous.map(|(field, _)| *field).collect();
        Some(Row { record, reference: self.reference(shape, cells), code: self.code(shape, cells), ambiguous })
    }

    /// One part of a key or a type.
    pub fn piece(&self, cells: &Cells, piece: &Piece, readings: &Readings) -> Option<String> {
        Reader { selection: self, cells, readings }.piece(piece)
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

/// Makes values of a row's cells, and counts those that made no sense.
struct Reader<'a> {
    selection: &'a Selection,
    cells: &'a Cells,
    readings: &'a Readings,
}

impl Reader<'_> {
    /// The first that is there.
    fn time(&self, times: &[Time]) -> Said {
        for time in times {
            let (column, Some(cell)) = (&time.column, self.selection.cell(self.cells, &time.column)) else { continue };
            let said = time.reading.read(cell, column.kind);
            let bad = (said == Said::NoTime).then(|| cell.show(column.kind).unwrap_or_default());
            self.readings.count(&column.name, For::Time, bad.as_deref());
            if said.instant().is_some() {
                return said;
            }
        }
        Said::Nothing
    }

    /// Joined with `:`; a NULL part is empty, all NULL is nothing.
    fn joined(&self, pieces: &[Piece]) -> Option<String> {
        let parts: Vec<Option<String>> = pieces.iter().map(|piece| self.piece(piece)).collect();
        if parts.iter().all(Option::is_none) {
            return None;
        }
        Some(parts.into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>().join(":"))
    }

    fn piece(&self, piece: &Piece) -> Option<String> {
        match piece {
            Piece::Constant(constant) => Some(constant.clone()),
            Piece::Column(column) => self.selection.cell(self.cells, column)?.show(column.kind),
            Piece::Json { document, pointer } => {
                let found = json::find(self.selection.cell(self.cells, document)?, pointer);
                let bad = (found == Found::Unreadable).then_some("");
                self.readings.count(&document.name, For::Json, bad);
                match found {
                    Found::Value(value) => Some(value),
                    Found::Nothing | Found::Unreadable => None,
                }
            }
        }
    }
}

/// As long as an error of a column of its own.
fn clipped(text: String) -> String {
    match usize::try_from(ERROR_LENGTH).ok().and_then(|length| text.char_indices().nth(length)) {
        Some((at, _)) => text[..at].to_owned(),
        None => text,
    }
}

/// A row's cells by column.
struct Named<'a> {
    selection: &'a Selection,
    cells: &'a Cells,
}

impl rule::Cells for Named<'_> {
    fn cell(&self, column: &Column) -> Raw {
        self.selection.cell(self.cells, column).map_or(Raw::Null, |raw| raw.clone().unpadded(column))
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
