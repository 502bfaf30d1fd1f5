//! One page of a list, newest first.
//!
//! 1. A key, or keys that begin alike, are found by their index: all of them are read narrowly and sorted here.
//! 2. An index serves the filter: its streams give the page directly.
//! 3. The status is indexed but in no useful order, and few rows have it: as with keys.
//! 4. Otherwise the whole table is walked, newest first, in bounded chunks and narrowly; what matches is then read by
//!    primary key. The page says how far it looked.
//! 5. Nothing tells rows apart: the first rows that the table gives, sorted here, and no further page.

use super::cursor::{Cursor, Position, unreadable};
use super::dialect::Direction;
use super::find::of_type;
use super::gather::{Gathered, after, looked_at, of_key, of_status, position};
use super::piece::ways;
use super::select::Selection;
use super::served::{Stride, served};
use super::shape::Shape;
use super::store::Store;
use super::walk::{Streams, Walk};
use crate::ports::records::RecordStore;
use crate::zone::local;
use app::model::{Fault, Pattern, RecordRef, RecordsPage, RecordsQuery, Row, Wanted, Window};
use std::collections::HashMap;

/// Rows that a list without a serving index examines before it says "so far".
const EXAMINED: usize = 100_000;
/// Rows of one chunk of such a walk, once it has looked around.
const CHUNK: usize = 5_000;
/// The same of whole rows.
const WIDE_CHUNK: usize = 1_000;
/// Its first chunk: most rows may match, and then a page is full.
const FIRST_CHUNK: usize = 250;
/// How much longer each chunk is than the one before.
const GROWTH: usize = 5;
/// Most records of a page.
const PAGE: u32 = 200;

/// A part of a list, from a place on.
pub struct Part {
    /// The nearest to that place first; at most a page.
    pub items: Vec<(Position, Row)>,
    /// Where to go on; `None`: everything was seen.
    pub edge: Option<Position>,
    /// Set where the budget ended the search, not a full page.
    pub so_far: Option<Window>,
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
    // Ages count by the database's clock.
    let now = if query.filter.age.is_some() { store.clock().await? } else { store.now() };
    let wanted = Wanted::of(query, now, &|wall| local(wall, store.zone()));
    let mut list = List { store, shape, wanted, limit: query.limit.clamp(1, PAGE) as usize };
    if list.never_matches() {
        return Ok(Part::nothing());
    }
    if let Some(gathered) = of_key(store, shape, &list.wanted).await? {
        if gathered.is_compared {
            // By the database, as its column does; only that there is a key is left to see.
            list.wanted.key = Some(Pattern::Begins(String::new()));
        }
        return list.gathered(&gathered, cursor).await;
    }
    if let Some((streams, stride)) = served(store, shape, &list.wanted).await? {
        return list.by_streams(&streams, stride, cursor).await;
    }
    let Some(order) = shape.whole() else { return list.unordered().await };
    match of_status(store, shape, &list.wanted).await? {
        Some(gathered) => list.gathered(&gathered, cursor).await,
        None => list.by_streams(&Streams::all(order), Stride::Search, cursor).await,
    }
}

struct List<'a> {
    store: &'a Store,
    shape: &'a Shape,
    wanted: Wanted,
    limit: usize,
}

impl List<'_> {
    fn matches(&self, row: &Row) -> bool {
        self.wanted.matches(&row.record)
    }

    fn never_matches(&self) -> bool {
        use crate::config::StatusColumn;
        let status = match &self.shape.mapping.status {
            StatusColumn::Exists(status) => self.wanted.status.is_some_and(|wanted| wanted != *status),
            StatusColumn::Column(_) | StatusColumn::Rules { .. } => false,
        };
        // No way to put it together from columns and constants.
        let r#type = self.wanted.r#type.as_ref().is_some_and(|wanted| ways(&self.shape.r#type, wanted).is_empty());
        // What the table does not have, no row matches.
        let has = |wanted: bool, columns: usize| !wanted || columns > 0;
        let (created, updated) = (self.shape.created.len(), self.shape.updated.len());
        let there = has(!self.wanted.since.is_everything(), created + updated)
            && has(!self.wanted.created.is_everything(), created)
            && has(!self.wanted.updated.is_everything(), updated)
            && has(self.wanted.owner.is_some(), self.shape.owner.iter().len())
            && has(self.wanted.attempts.is_some(), self.shape.attempts.iter().len());
        status || r#type || !there
    }

    async fn by_streams(&self, streams: &Streams, stride: Stride, cursor: Option<&Cursor>) -> Result<Part, Fault> {
        let (direction, from) = start(cursor, streams.order.by.len(), streams.codes.is_some())?;
        let mut found = self.walk(streams, stride, direction, from).await?;
        if stride == Stride::Search {
            found.items = self.widened(found.items).await?;
        }
        Ok(found)
    }

    /// Everything is here: it is sorted, and the page cut out of it.
    async fn gathered(&self, gathered: &Gathered, cursor: Option<&Cursor>) -> Result<Part, Fault> {
        let Gathered { selection, rows, .. } = gathered;
        let items: Vec<(Position, Row)> = (rows.iter())
            .filter_map(|cells| {
                let row = self.store.row(self.shape, selection, cells)?;
                Some((position(self.shape, selection, cells, &row), row))
            })
            .filter(|(_, row)| self.matches(row))
            .collect();
        if self.shape.identity.is_empty() {
            let rows = items.into_iter().map(|(_, row)| row).collect();
            return Ok(self.one_page(rows, Examined { rows: gathered.rows.len(), rest: Rest::None }));
        }
        let columns = self.shape.growing_id().map_or(1 + self.shape.identity.len(), |_| 1);
        let (direction, from) = start(cursor, columns, false)?;
        let mut found = Part { items: after(items, from, direction), ..Part::nothing() };
        found.cut(self.limit);
        found.items = self.widened(found.items).await?;
        Ok(found)
    }

    /// Nothing tells rows apart, so there is no second page.
    async fn unordered(&self) -> Result<Part, Fault> {
        let selection = Selection::wide(self.shape);
        let mut select = selection.from(self.shape);
        let chunk = selection.at_most(CHUNK);
        select.limit(chunk as u64);
        let found = self.store.fetch(&selection.build(self.shape.dialect, &select)).await?;
        let rows = found.iter().filter_map(|cells| self.store.row(self.shape, &selection, cells));
        let rest = if found.len() < chunk { Rest::None } else { Rest::Some };
        Ok(self.one_page(rows.filter(|row| self.matches(row)).collect(), Examined { rows: found.len(), rest }))
    }

    fn one_page(&self, mut items: Vec<Row>, examined: Examined) -> Part {
        items.sort_by_key(|row| std::cmp::Reverse(row.record.since()));
        let is_all = examined.rest == Rest::None && items.len() <= self.limit;
        items.truncate(self.limit);
        let nowhere = || Position { code: None, by: Vec::new() };
        let items = items.into_iter().map(|row| (nowhere(), row)).collect();
        let so_far = (!is_all).then_some(Window::OnePage { rows: examined.rows as u64 });
        Part { items, edge: None, so_far }
    }

    /// Follows the streams until one more than the page holds is found, everything is seen, or the budget is spent.
    async fn walk(
        &self,
        streams: &Streams,
        stride: Stride,
        direction: Direction,
        from: Option<&Position>,
    ) -> Result<Part, Fault> {
        let (selection, mut chunk) = match stride {
            Stride::Page => (Selection::wide(self.shape), self.limit + 1),
            Stride::Search => {
                let by: Vec<_> = streams.order.by.iter().cloned().chain(looked_at(self.shape, &self.wanted)).collect();
                (Selection::narrow(self.shape, &by), FIRST_CHUNK.max(self.limit + 1))
            }
        };
        chunk = selection.at_most(chunk);
        let walk = Walk { store: self.store, shape: self.shape, selection: &selection, streams, direction };
        let only = (stride == Stride::Search).then(|| of_type(self.shape, self.wanted.r#type.as_deref()?)).flatten();
        let began = self.store.clock.instant();
        let mut found = Part::nothing();
        let (mut at, mut examined) = (from.cloned(), 0);
        loop {
            let met = walk.chunk(at.as_ref(), chunk, only.as_ref()).await?;
            let mut back_to = None;
            for (position, cells) in met.rows {
                at = Some(position.clone());
                let Some(row) = self.store.row(self.shape, &selection, &cells) else { continue };
                back_to = row.record.created_at.or(row.record.updated_at);
                if self.matches(&row) {
                    found.items.push((position, row));
                }
            }
            examined += chunk;
            if found.items.len() > self.limit {
                found.cut(self.limit);
                return Ok(found);
            }
            if !met.is_full {
                return Ok(found);
            }
            let late = self.store.clock.instant().duration_since(began) > self.store.statement_timeout;
            if late || examined >= EXAMINED {
                // It goes on where it stopped looking, not at its last find.
                found.edge = at;
                found.so_far = Some(Window::Examined { rows: examined as u64, back_to });
                return Ok(found);
            }
            let longest = if stride == Stride::Page { WIDE_CHUNK } else { CHUNK };
            // As far as the page is likely to be full, with a quarter to spare.
            let likely = examined * (self.limit + 1 - found.items.len()) * 5 / 4 / found.items.len().max(1);
            let wanted = likely.max(FIRST_CHUNK).min(chunk * GROWTH);
            chunk = selection.at_most(wanted.min(longest)).min(EXAMINED - examined);
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

/// What a page without a second one is made of.
#[derive(Clone, Copy)]
struct Examined {
    rows: usize,
    rest: Rest,
}

/// Whether other rows may match.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    None,
    Some,
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

/// Where a list of so many columns begins.
fn start(cursor: Option<&Cursor>, columns: usize, has_codes: bool) -> Result<(Direction, Option<&Position>), Fault> {
    let Some(Cursor { direction, position }) = cursor else { return Ok((Direction::Older, None)) };
    let Some(position) = position else { return Ok((*direction, None)) };
    if position.by.len() != columns || position.code.is_some() != has_codes {
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
