//! Walking rows in an order, several streams as one: a list of a status that has three codes is three streams, each
//! served by the index, put together here. The order of the whole is (first column, code, rest), so that codes are
//! never compared by a collation that the database would apply differently.

use super::bound::Stretch;
use super::catalogue::Column;
use super::cursor::Position;
use super::dialect::{Dialect, Direction, name};
use super::raw::Raw;
use super::select::{Cells, Selection};
use super::shape::{Order, Shape};
use super::store::Store;
use app::model::Fault;
use sea_query::extension::mysql::{IndexHintScope, MySqlSelectStatementExt};
use sea_query::{Alias, Cond, Expr, ExprTrait, SelectStatement};
use std::cmp::Ordering;

/// Rows that share some values, in an order.
#[derive(Debug, Clone)]
pub struct Streams {
    pub order: Order,
    /// Columns with one value for all streams.
    pub equal: Vec<(Column, Raw)>,
    /// The column that differs between streams, with its values.
    pub codes: Option<(Column, Vec<Raw>)>,
    /// Where in the first column of the order they are asked for.
    pub part: Part,
}

/// Which values of the order's first column are wanted.
#[derive(Debug, Clone)]
pub struct Part {
    /// Stretches that do not overlap, the newest first.
    pub stretches: Vec<Stretch>,
    /// Rows without a value are wanted as well.
    pub unknown: bool,
}

impl Part {
    pub fn all() -> Self {
        Self::below(None)
    }

    /// What is below a value, and what has none.
    pub fn below(high: Option<Raw>) -> Self {
        Self { stretches: vec![Stretch { low: None, high }], unknown: true }
    }
}

impl Streams {
    pub fn all(order: Order) -> Self {
        Self { order, equal: Vec::new(), codes: None, part: Part::all() }
    }

    fn lead(&self) -> &Column {
        &self.order.by[0]
    }
}

/// One stream's part: rows whose first order column is, or is not, NULL. Rows without a time come last.
#[derive(Clone, Copy)]
enum Segment<'a> {
    Known(&'a Stretch),
    Unknown,
}

/// What remains of a segment after a position.
enum Rest {
    Nothing,
    All,
    Beyond(Expr),
}

/// The newest rows of a table, at most `limit`; where nothing puts them in an order, any.
pub async fn newest(store: &Store, shape: &Shape, selection: &Selection, limit: usize) -> Result<Vec<Cells>, Fault> {
    let Some(order) = shape.whole() else {
        let mut select = selection.from(shape);
        select.limit(limit as u64);
        return store.fetch(&selection.build(shape.dialect, &select)).await;
    };
    let streams = Streams::all(order);
    let walk = Walk { store, shape, selection, streams: &streams, direction: Direction::Older };
    Ok(walk.next(None, limit).await?.into_iter().map(|(_, cells)| cells).collect())
}

/// What a stretch of a walk has given.
pub struct Chunk {
    pub rows: Vec<(Position, Cells)>,
    /// As many rows were met as were to be; else it was the end.
    pub is_full: bool,
}

pub struct Walk<'a> {
    pub store: &'a Store,
    pub shape: &'a Shape,
    pub selection: &'a Selection,
    pub streams: &'a Streams,
    pub direction: Direction,
}

impl Walk<'_> {
    /// The next `limit` rows of all streams together, of which `only` those may be given that can be wanted, and always
    /// the last, from where it goes on. PostgreSQL and SQLite leave out the others by themselves, which spares them
    /// writing these out and us reading them; of several streams, and from MySQL, whose older versions cannot number rows,
    /// all come.
    pub async fn chunk(&self, from: Option<&Position>, limit: usize, only: Option<&Cond>) -> Result<Chunk, Fault> {
        let one = match &self.streams.codes {
            None => Some(None),
            Some((_, codes)) => <&[Raw; 1]>::try_from(codes.as_slice()).ok().map(|[code]| Some(code)),
        };
        let (Some(only), Some(code), Dialect::Postgres | Dialect::Sqlite) = (only, one, self.shape.dialect) else {
            let rows = self.next(from, limit).await?;
            return Ok(Chunk { is_full: rows.len() == limit, rows });
        };
        let mut chunk = Chunk { rows: Vec::new(), is_full: false };
        for segment in self.segments() {
            let Some(select) = self.stream(code, segment, from) else { continue };
            let wanted = self.selection.wanted_of(self.shape.dialect, &select, limit, only);
            let place = |cells: &Cells| cells.last().and_then(Raw::as_int);
            let mut found = self.store.fetch(&wanted).await?;
            found.sort_by_key(place);
            chunk.is_full = found.last().and_then(place) == Some(limit as i128);
            found.iter_mut().for_each(|cells| drop(cells.pop()));
            let comes_twice = matches!(found.as_slice(), [.., one, last] if one == last);
            if chunk.is_full && comes_twice && self.shape.dialect == Dialect::Sqlite {
                found.pop();
            }
            for cells in found {
                let by = self.selection.values(&cells, &self.streams.order.by);
                chunk.rows.push((Position { code: code.cloned(), by }, cells));
            }
            if chunk.is_full {
                break;
            }
        }
        Ok(chunk)
    }

    /// The next `limit` rows of all streams together.
    pub async fn next(&self, from: Option<&Position>, limit: usize) -> Result<Vec<(Position, Cells)>, Fault> {
        let codes: Vec<Option<&Raw>> = match &self.streams.codes {
            Some((_, codes)) => codes.iter().map(Some).collect(),
            None => vec![None],
        };
        let mut found = Vec::new();
        for code in codes {
            // The segments of a stream follow each other, so once it has given enough the rest need not be asked.
            let enough = found.len() + limit;
            for segment in self.segments() {
                if found.len() == enough {
                    break;
                }
                let Some(mut select) = self.stream(code, segment, from) else { continue };
                select.limit((enough - found.len()) as u64);
                for cells in self.store.fetch(&self.selection.build(self.shape.dialect, &select)).await? {
                    let by = self.selection.values(&cells, &self.streams.order.by);
                    found.push((Position { code: code.cloned(), by }, cells));
                }
            }
        }
        // Stable: rows of one stream keep the database's own order.
        found.sort_by(|(one, _), (other, _)| self.compare(one, other));
        found.truncate(limit);
        Ok(found)
    }

    fn segments(&self) -> Vec<Segment<'_>> {
        let part = &self.streams.part;
        let known = part.stretches.iter().map(Segment::Known);
        let unknown = (self.streams.lead().nullable && part.unknown).then_some(Segment::Unknown);
        let mut segments: Vec<Segment<'_>> = known.chain(unknown).collect();
        if self.direction == Direction::Newer {
            segments.reverse();
        }
        segments
    }

    /// One statement: a code and a segment after a position. `None`: nothing is left of it.
    fn stream(&self, code: Option<&Raw>, segment: Segment<'_>, from: Option<&Position>) -> Option<SelectStatement> {
        let dialect = self.shape.dialect;
        let mut select = self.selection.from(self.shape);
        for (column, value) in &self.streams.equal {
            select.and_where(dialect.equal(column, value));
        }
        if let (Some((column, _)), Some(code)) = (&self.streams.codes, code) {
            select.and_where(dialect.equal(column, code));
        }
        let (lead, tie) = self.streams.order.by.split_first()?;
        match segment {
            Segment::Known(Stretch { low, high }) => {
                if lead.nullable {
                    select.and_where(name(lead).is_not_null());
                }
                // A position within the stretch says it already, and SQLite loses its way where two conditions do.
                let passed = |end: &Raw, way: Direction, past: Ordering| {
                    self.direction == way && from.is_some_and(|from| value_order(&from.by[0], end) == past)
                };
                let low = low.as_ref().filter(|low| !passed(low, Direction::Newer, Ordering::Greater));
                let high = high.as_ref().filter(|high| !passed(high, Direction::Older, Ordering::Less));
                let bound = |value: Option<&Raw>| dialect.bound(lead, value?);
                select.and_where_option(bound(low).map(|low| name(lead).gte(low)));
                select.and_where_option(bound(high).map(|high| name(lead).lt(high)));
            }
            Segment::Unknown => {
                select.and_where(name(lead).is_null());
            }
        }
        match from.map_or(Rest::All, |from| self.rest(code, segment, from)) {
            Rest::Nothing => return None,
            Rest::All => {}
            Rest::Beyond(condition) => {
                select.and_where(condition);
            }
        }
        // All of an unknown segment have the same; PostgreSQL, told so, stays in the index instead of walking the table's
        // own order until it has met enough of them.
        let is_whole = matches!(segment, Segment::Known(_)) || dialect == Dialect::Postgres;
        for column in if is_whole { self.streams.order.by.as_slice() } else { tie } {
            let order = match self.direction {
                Direction::Older => sea_query::Order::Desc,
                Direction::Newer => sea_query::Order::Asc,
            };
            select.order_by_expr(name(column), order);
        }
        // MySQL would look the status up by `ref` and walk millions of its rows to reach the position.
        if let Some(index) = self.streams.order.index.as_ref().filter(|_| dialect == Dialect::MySql) {
            select.force_index(Alias::new(index), IndexHintScope::All);
        }
        Some(select)
    }

    /// What a stream still has to give after a row of possibly another stream.
    fn rest(&self, code: Option<&Raw>, segment: Segment<'_>, from: &Position) -> Rest {
        let older = self.direction == Direction::Older;
        match (segment, from.by[0].is_null()) {
            (Segment::Known(_), true) => return if older { Rest::Nothing } else { Rest::All },
            (Segment::Unknown, false) => return if older { Rest::All } else { Rest::Nothing },
            (Segment::Known(_), false) | (Segment::Unknown, true) => {}
        }
        // Rows with the same first value follow each other by code.
        let turn = match (code, &from.code) {
            (Some(code), Some(from)) if older => code_order(code, from),
            (Some(code), Some(from)) => code_order(from, code),
            _ => Ordering::Equal,
        };
        let by: Vec<&Column> = self.streams.order.by.iter().collect();
        let beyond =
            |at: std::ops::Range<usize>| self.shape.dialect.beyond(&by[at.clone()], &from.by[at], self.direction);
        match (turn, segment) {
            (Ordering::Equal, Segment::Known(_)) => Rest::Beyond(beyond(0..by.len())),
            (Ordering::Equal, Segment::Unknown) => Rest::Beyond(beyond(1..by.len())),
            (Ordering::Greater, Segment::Unknown) => Rest::All,
            (Ordering::Less, Segment::Unknown) => Rest::Nothing,
            (Ordering::Greater, Segment::Known(_)) => {
                Rest::Beyond(self.shape.dialect.from(by[0], &from.by[0], self.direction))
            }
            (Ordering::Less, Segment::Known(_)) => Rest::Beyond(beyond(0..1)),
        }
    }

    fn compare(&self, one: &Position, other: &Position) -> Ordering {
        let by_lead = value_order(&one.by[0], &other.by[0]);
        let by_code = match (&one.code, &other.code) {
            (Some(one), Some(other)) => code_order(one, other),
            _ => Ordering::Equal,
        };
        match self.direction {
            Direction::Older => by_lead.reverse().then(by_code),
            Direction::Newer => by_lead.then(by_code.reverse()),
        }
    }
}

/// As the database orders ids and times; the engine's own rendering of one time column sorts as text does.
/// NULL comes first, so that it is last in a list of the newest.
fn value_order(one: &Raw, other: &Raw) -> Ordering {
    let rank = |raw: &Raw| match raw {
        Raw::Null => 0,
        Raw::Text(text) if text == "-infinity" => 1,
        Raw::Text(text) if text == "infinity" => 3,
        _ => 2,
    };
    rank(one).cmp(&rank(other)).then_with(|| code_order(one, other))
}

/// A total order over stored values: numbers before text, as SQLite has it where a column holds both.
pub fn code_order(one: &Raw, other: &Raw) -> Ordering {
    let rank = |raw: &Raw| match raw {
        Raw::Null => 0,
        Raw::Int(_) => 1,
        Raw::Real(_) => 2,
        Raw::Text(_) => 3,
        Raw::Bytes(_) => 4,
    };
    match (one, other) {
        (Raw::Int(one), Raw::Int(other)) => one.cmp(other),
        (Raw::Real(one), Raw::Real(other)) => one.total_cmp(other),
        (Raw::Text(one), Raw::Text(other)) => one.cmp(other),
        (Raw::Bytes(one), Raw::Bytes(other)) => one.cmp(other),
        _ => rank(one).cmp(&rank(other)),
    }
}
