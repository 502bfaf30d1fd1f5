//! One page of a list, newest first.
//!
//! 1. An index serves the filter: its streams give the page directly.
//! 2. The status is indexed but in no useful order, and few rows have it: all of them are read narrowly and sorted here.
//! 3. Otherwise the whole table is walked, newest first, in bounded chunks and narrowly; what matches is then read by
//!    primary key. The page says how far it looked.
//! 4. Nothing tells rows apart: the first rows that the table gives, sorted here, and no further page.

use super::catalogue::Column;
use super::cursor::{Cursor, Position, unreadable};
use super::dialect::{Direction, candidates};
use super::open::occurring;
use super::piece::ways;
use super::raw::Raw;
use super::select::Selection;
use super::shape::Shape;
use super::store::Store;
use super::walk::{Streams, Walk};
use crate::ports::records::RecordStore;
use app::model::{Fault, RecordRef, RecordsPage, RecordsQuery, Row, Status, Window};
use std::collections::HashMap;

/// Rows that a list without a serving index examines before it says "so far".
const EXAMINED: usize = 100_000;
/// Rows of one chunk of such a walk.
const CHUNK: usize = 5_000;
/// Most records of a page.
const PAGE: u32 = 200;
/// A list of more codes than this would be more statements than it is worth.
const MOST_CODES: usize = 16;

/// A part of a list, from a place on.
pub struct Part {
    /// The nearest to that place first; at most a page.
    pub items: Vec<(Position, Row)>,
    /// Where to go on; `None`: everything was seen.
    pub edge: Option<Position>,
    /// Set where the budget ended the search, not a full page.
    pub so_far: Option<Window>,
}

/// How a walk steps.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stride {
    /// The index gives what is wanted: whole rows, as many as a page needs.
    Page,
    /// Few rows may match: long chunks of narrow rows, and the whole of those that do.
    Search,
}

pub async fn list(store: &Store, shape: &Shape, query: &RecordsQuery) -> Result<RecordsPage, Fault> {
    let mut cursor = query.cursor.as_deref().map(Cursor::parse).transpose()?;
    let mut found = part(store, shape, query, cursor.as_ref()).await?;
    let newer = |cursor: &Cursor| cursor.direction == Direction::Newer;
    if cursor.as_ref().is_some_and(newer) && found.edge.is_none() {
        // The first page is always a full one.
        cursor = None;
        found = part(store, shape, query, None).await?;
    }
    page(found, cursor)
}

/// At most a page of the list, from a cursor on and in its direction.
pub async fn part(store: &Store, shape: &Shape, query: &RecordsQuery, cursor: Option<&Cursor>) -> Result<Part, Fault> {
    let list = List { store, shape, query, wanted: query.limit.clamp(1, PAGE) as usize };
    if list.never_matches() {
        return Ok(Part::nothing());
    }
    if let Some((streams, stride)) = list.served().await? {
        return list.by_streams(&streams, stride, cursor).await;
    }
    let Some(order) = shape.whole() else { return list.unordered().await };
    let streams = Streams::all(order);
    match list.by_few(&streams, cursor).await? {
        Some(part) => Ok(part),
        None => list.by_streams(&streams, Stride::Search, cursor).await,
    }
}

struct List<'a> {
    store: &'a Store,
    shape: &'a Shape,
    query: &'a RecordsQuery,
    wanted: usize,
}

impl List<'_> {
    fn matches(&self, row: &Row) -> bool {
        self.query.status.is_none_or(|status| row.record.status == status)
            && self.query.r#type.as_ref().is_none_or(|wanted| row.record.r#type.as_ref() == Some(wanted))
    }

    fn never_matches(&self) -> bool {
        use crate::config::StatusColumn;
        let status = match &self.shape.mapping.status {
            StatusColumn::Exists(status) => self.query.status.is_some_and(|wanted| wanted != *status),
            StatusColumn::Column(_) | StatusColumn::Rules { .. } => false,
        };
        // No way to put it together from columns and constants.
        let r#type = self.query.r#type.as_ref().is_some_and(|wanted| ways(&self.shape.r#type, wanted).is_empty());
        status || r#type
    }

    /// The columns that the filter fixes, as far as an index can use them.
    fn filtered_status(&self) -> Option<(&Column, Status)> {
        Some((self.shape.status.as_ref()?, self.query.status?))
    }

    fn filtered_type(&self) -> Option<(Column, Raw)> {
        let pieces = &self.shape.r#type;
        let at = pieces.iter().position(|piece| piece.column().is_some())?;
        // Constants are as they are; of two columns the text does not say where one ends.
        if pieces.iter().enumerate().any(|(other, piece)| other != at && piece.read().is_some()) {
            return None;
        }
        let (column, wanted) = (pieces[at].column()?, *ways(pieces, self.query.r#type.as_ref()?).first()?.get(at)?);
        // An empty type may be NULL as well, which is two values.
        match candidates(column, wanted).as_slice() {
            [value] if !wanted.is_empty() => Some((column.clone(), value.clone())),
            _ => None,
        }
    }

    /// Streams of an index that serves the filter; without a filter, of the whole table.
    async fn served(&self) -> Result<Option<(Streams, Stride)>, Fault> {
        // What is not of this source is met as well, and there may be much of it.
        let whole_rows = if self.shape.belongs.is_empty() { Stride::Page } else { Stride::Search };
        if self.query.status.is_none() && self.query.r#type.is_none() {
            return Ok(self.shape.whole().map(|order| (Streams::all(order), whole_rows)));
        }
        let by = |equal: &[&Column]| {
            let names: Vec<&str> = equal.iter().map(|column| column.name.as_str()).collect();
            self.shape.ordered(&names)
        };
        let r#type = self.filtered_type();
        let Some((column, status)) = self.filtered_status() else {
            let streams = r#type.and_then(|(column, value)| {
                Some(Streams { order: by(&[&column])?, equal: vec![(column, value)], codes: None, up_to: None })
            });
            return Ok(streams.map(|streams| (streams, whole_rows)));
        };
        if self.shape.status_index().is_none() {
            return Ok(None);
        }
        let with_type = r#type.and_then(|(of, value)| Some((by(&[column, &of])?, vec![(of, value)], Stride::Page)));
        let rest = if self.query.r#type.is_none() { Stride::Page } else { Stride::Search };
        let Some((order, equal, stride)) = with_type.or_else(|| Some((by(&[column])?, Vec::new(), rest))) else {
            return Ok(None);
        };
        let codes = occurring(self.store, self.shape, column).await?.of(status);
        let streams = Streams { order, equal, codes: Some((column.clone(), codes)), up_to: None };
        let few = streams.codes.as_ref().is_some_and(|(_, codes)| codes.len() <= MOST_CODES);
        Ok(few.then_some((streams, stride)))
    }

    async fn by_streams(&self, streams: &Streams, stride: Stride, cursor: Option<&Cursor>) -> Result<Part, Fault> {
        let (direction, from) = start(streams, cursor)?;
        let mut found = self.walk(streams, stride, direction, from).await?;
        if stride == Stride::Search {
            found.items = self.widened(found.items).await?;
        }
        Ok(found)
    }

    /// All rows of a status, when an index finds them and they are few, sorted here by the growing id.
    async fn by_few(&self, streams: &Streams, cursor: Option<&Cursor>) -> Result<Option<Part>, Fault> {
        let (Some((column, status)), Some(id)) = (self.filtered_status(), self.shape.growing_id()) else {
            return Ok(None);
        };
        // Completed rows are most of any table: the walk meets them at once.
        if self.shape.status_index().is_none() || status == Status::Completed {
            return Ok(None);
        }
        let codes = occurring(self.store, self.shape, column).await?.of(status);
        let selection = Selection::narrow(self.shape, std::slice::from_ref(id));
        let Some(rows) = super::open::few(self.store, self.shape, &selection, column, &codes).await? else {
            return Ok(None);
        };
        let number = |position: &Position| position.by[0].as_int();
        let (direction, from) = start(streams, cursor)?;
        let mut items: Vec<(Position, Row)> = (rows.iter())
            .filter_map(|cells| {
                let by = selection.values(cells, std::slice::from_ref(id));
                Some((Position { code: None, by }, self.store.row(self.shape, &selection, cells)?))
            })
            .filter(|(_, row)| self.matches(row))
            .filter(|(position, _)| match (from.map(number), direction) {
                (None, _) => true,
                (Some(from), Direction::Older) => number(position) < from,
                (Some(from), Direction::Newer) => number(position) > from,
            })
            .collect();
        items.sort_by_key(|(position, _)| std::cmp::Reverse(number(position)));
        if direction == Direction::Newer {
            items.reverse();
        }
        let mut found = Part { items, ..Part::nothing() };
        found.cut(self.wanted);
        found.items = self.widened(found.items).await?;
        Ok(Some(found))
    }

    /// Nothing tells rows apart, so there is no second page.
    async fn unordered(&self) -> Result<Part, Fault> {
        let selection = Selection::wide(self.shape);
        let mut select = selection.from(self.shape);
        let chunk = selection.at_most(CHUNK);
        select.limit(chunk as u64);
        let found = self.store.fetch(&selection.build(self.shape.dialect, &select)).await?;
        let examined = found.len();
        let rows = found.iter().filter_map(|cells| self.store.row(self.shape, &selection, cells));
        let mut items: Vec<Row> = rows.filter(|row| self.matches(row)).collect();
        items.sort_by_key(|row| std::cmp::Reverse(row.record.since()));
        items.truncate(self.wanted);
        let all = examined < chunk && items.len() < self.wanted;
        let back_to = items.last().and_then(|row| row.record.since());
        let so_far = (!all).then_some(Window::Examined { rows: examined as u64, back_to });
        let nowhere = || Position { code: None, by: Vec::new() };
        Ok(Part { items: items.into_iter().map(|row| (nowhere(), row)).collect(), edge: None, so_far })
    }

    /// Follows the streams until one more than the page holds is found, everything is seen, or the budget is spent.
    async fn walk(
        &self,
        streams: &Streams,
        stride: Stride,
        direction: Direction,
        from: Option<&Position>,
    ) -> Result<Part, Fault> {
        let (selection, chunk) = match stride {
            Stride::Page => (Selection::wide(self.shape), self.wanted + 1),
            Stride::Search => (Selection::narrow(self.shape, &streams.order.by), CHUNK),
        };
        let chunk = selection.at_most(chunk);
        let walk = Walk { store: self.store, shape: self.shape, selection: &selection, streams, direction };
        let began = self.store.clock.instant();
        let mut found = Part::nothing();
        let (mut at, mut examined) = (from.cloned(), 0);
        loop {
            let rows = walk.next(at.as_ref(), chunk).await?;
            let (seen, mut back_to) = (rows.len(), None);
            for (position, cells) in rows {
                at = Some(position.clone());
                let Some(row) = self.store.row(self.shape, &selection, &cells) else { continue };
                back_to = row.record.created_at.or(row.record.updated_at);
                if self.matches(&row) {
                    found.items.push((position, row));
                }
            }
            examined += seen;
            if found.items.len() > self.wanted {
                found.cut(self.wanted);
                return Ok(found);
            }
            if seen < chunk {
                return Ok(found);
            }
            let late = self.store.clock.instant().duration_since(began) > self.store.statement_timeout;
            if late || examined >= EXAMINED {
                // It goes on where it stopped looking, not at its last find.
                found.edge = at;
                found.so_far = Some(Window::Examined { rows: examined as u64, back_to });
                return Ok(found);
            }
        }
    }

    /// The whole records of narrow rows; those that went or changed meanwhile are left out.
    async fn widened(&self, items: Vec<(Position, Row)>) -> Result<Vec<(Position, Row)>, Fault> {
        let references: Vec<RecordRef> = items.iter().map(|(_, row)| row.reference.clone()).collect();
        let rows = self.store.get(&references).await?;
        let mut whole: HashMap<RecordRef, Row> = rows.into_iter().map(|row| (row.reference.clone(), row)).collect();
        let widen = |(position, row): (Position, Row)| Some((position, whole.remove(&row.reference)?));
        Ok(items.into_iter().filter_map(widen).filter(|(_, row)| self.matches(row)).collect())
    }
}

impl Part {
    pub fn nothing() -> Self {
        Self { items: Vec::new(), edge: None, so_far: None }
    }

    /// Down to a page; what is beyond it is where to go on.
    fn cut(&mut self, wanted: usize) {
        if self.items.len() > wanted {
            self.items.truncate(wanted);
            self.edge = self.items.last().map(|(position, _)| position.clone());
        }
    }
}

fn start<'a>(streams: &Streams, cursor: Option<&'a Cursor>) -> Result<(Direction, Option<&'a Position>), Fault> {
    let Some(Cursor { direction, position }) = cursor else { return Ok((Direction::Older, None)) };
    let Some(position) = position else { return Ok((*direction, None)) };
    if position.by.len() != streams.order.by.len() || position.code.is_some() != streams.codes.is_some() {
        return Err(unreadable("it belongs to another list"));
    }
    Ok((*direction, Some(position)))
}

/// Makes the cursors of a page that was read from `cursor` on.
fn page(found: Part, cursor: Option<Cursor>) -> Result<RecordsPage, Fault> {
    let direction = cursor.as_ref().map_or(Direction::Older, |cursor| cursor.direction);
    let from = cursor.and_then(|cursor| cursor.position);
    let came_from = from.map(|from| found.items.first().map_or(from, |(position, _)| position.clone()));
    let ahead = found.edge.map(|position| Cursor::token(direction, position)).transpose()?;
    let behind = came_from.map(|position| Cursor::token(direction.turned(), position)).transpose()?;
    let mut items: Vec<Row> = found.items.into_iter().map(|(_, row)| row).collect();
    let (next, previous) = match direction {
        Direction::Older => (ahead, behind),
        Direction::Newer => {
            items.reverse();
            (behind, ahead)
        }
    };
    Ok(RecordsPage { items, next, previous, window: found.so_far.unwrap_or(Window::All) })
}
