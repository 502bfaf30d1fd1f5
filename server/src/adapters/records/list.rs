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
use super::gather::{Gathered, after, looked_at, newest_first, of_key, of_status, position};
use super::select::Selection;
use super::served::{Stride, served};
use super::shape::Shape;
use super::store::Store;
use super::walk::{Streams, Walk};
use crate::ports::records::RecordStore;
use crate::zone::local;
use app::model::{Fault, Pattern, Pk, RecordsPage, RecordsQuery, Row, Wanted, Window};
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

/// What a walk brought home.
struct Found {
    /// At most a page.
    items: Vec<(Position, Row)>,
    /// Where to go on; `None`: everything was seen.
    edge: Option<Position>,
    /// Set where the budget ended the walk, not a full page.
    so_far: Option<Window>,
}

pub async fn list(store: &Store, shape: &Shape, query: &RecordsQuery) -> Result<RecordsPage, Fault> {
    let cursor = query.cursor.as_deref().map(Cursor::parse).transpose()?;
    // Ages count by the database's clock.
    let now = if query.filter.age.is_some() { store.clock().await? } else { store.clock.now() };
    let wanted = Wanted::of(query, now, &|wall| local(wall, store.zone()));
    let mut page = List { store, shape, wanted, limit: query.limit.clamp(1, PAGE) as usize };
    if page.never_matches() {
        return Ok(RecordsPage { items: Vec::new(), next: None, previous: None, window: Window::All });
    }
    if let Some(gathered) = of_key(store, shape, &page.wanted).await? {
        // The database has compared it, as its column does.
        page.wanted.key.take_if(|key| matches!(key, Pattern::Is(_)));
        return page.gathered(&gathered, cursor).await;
    }
    if let Some((streams, stride)) = served(store, shape, &page.wanted).await? {
        return page.by_streams(&streams, stride, cursor).await;
    }
    let Some(order) = shape.whole() else { return page.unordered().await };
    match of_status(store, shape, &page.wanted).await? {
        Some(gathered) => page.gathered(&gathered, cursor).await,
        None => page.by_streams(&Streams::all(order), Stride::Search, cursor).await,
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
        use crate::config::{StatusColumn, TypeFrom};
        let status = match &self.shape.mapping.status {
            StatusColumn::Exists(status) => self.wanted.status.is_some_and(|wanted| wanted != *status),
            StatusColumn::Column(_) | StatusColumn::Rules { .. } => false,
        };
        let r#type = match &self.shape.mapping.r#type {
            TypeFrom::Constant(constant) => self.wanted.r#type.as_ref().is_some_and(|wanted| wanted != constant),
            TypeFrom::Columns(_) => false,
        };
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

    async fn by_streams(
        &self,
        streams: &Streams,
        stride: Stride,
        cursor: Option<Cursor>,
    ) -> Result<RecordsPage, Fault> {
        let (mut direction, mut from) = start(cursor, streams.order.by.len(), streams.codes.is_some())?;
        let mut found = self.walk(streams, stride, direction, from.as_ref()).await?;
        if direction == Direction::Newer && found.edge.is_none() {
            // The first page is always a full one.
            (direction, from) = (Direction::Older, None);
            found = self.walk(streams, stride, direction, None).await?;
        }
        if stride == Stride::Search {
            found.items = self.widened(found.items).await?;
        }
        page(found, direction, from)
    }

    /// Everything is here: it is sorted, and the page cut out of it.
    async fn gathered(&self, gathered: &Gathered, cursor: Option<Cursor>) -> Result<RecordsPage, Fault> {
        let Gathered { selection, rows } = gathered;
        let mut items: Vec<(Position, Row)> = (rows.iter())
            .filter_map(|cells| {
                let row = self.store.row(self.shape, selection, cells)?;
                Some((position(self.shape, selection, cells, &row), row))
            })
            .filter(|(_, row)| self.matches(row))
            .collect();
        if self.shape.identity.is_empty() {
            newest_first(&mut items);
            return Ok(self.one_page(items.into_iter().map(|(_, row)| row).collect(), rows.len(), true));
        }
        let columns = self.shape.growing_id().map_or(1 + self.shape.identity.len(), |_| 1);
        let (direction, from) = start(cursor, columns, false)?;
        let (items, before) = after(items, from.as_ref(), direction, self.limit);
        let mut found = Found { items, edge: None, so_far: None };
        found.cut(self.limit);
        found.items = self.widened(found.items).await?;
        page(found, Direction::Older, before)
    }

    /// Nothing tells rows apart, so there is no second page.
    async fn unordered(&self) -> Result<RecordsPage, Fault> {
        let selection = Selection::wide(self.shape);
        let mut select = selection.from(self.shape);
        select.limit(CHUNK as u64);
        let found = self.store.fetch(&selection.build(self.shape.dialect, &select)).await?;
        let rows = found.iter().filter_map(|cells| self.store.row(self.shape, &selection, cells));
        let mut items: Vec<Row> = rows.filter(|row| self.matches(row)).collect();
        items.sort_by_key(|row| std::cmp::Reverse(row.record.since()));
        Ok(self.one_page(items, found.len(), found.len() < CHUNK))
    }

    /// `complete`: all that could match were examined.
    fn one_page(&self, mut items: Vec<Row>, examined: usize, complete: bool) -> RecordsPage {
        let window = match complete && items.len() <= self.limit {
            true => Window::All,
            false => Window::OnePage { rows: examined as u64 },
        };
        items.truncate(self.limit);
        RecordsPage { items, next: None, previous: None, window }
    }

    /// Follows the streams until one more than the page holds is found, everything is seen, or the budget is spent.
    async fn walk(
        &self,
        streams: &Streams,
        stride: Stride,
        direction: Direction,
        from: Option<&Position>,
    ) -> Result<Found, Fault> {
        let (selection, mut chunk) = match stride {
            Stride::Page => (Selection::wide(self.shape), self.limit + 1),
            Stride::Search => {
                let by: Vec<_> = streams.order.by.iter().cloned().chain(looked_at(self.shape, &self.wanted)).collect();
                (Selection::narrow(self.shape, &by), FIRST_CHUNK.max(self.limit + 1))
            }
        };
        let walk = Walk { store: self.store, shape: self.shape, selection: &selection, streams, direction };
        let began = self.store.clock.instant();
        let mut found = Found { items: Vec::new(), edge: None, so_far: None };
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
            if found.items.len() > self.limit {
                found.cut(self.limit);
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
            let longest = if stride == Stride::Page { WIDE_CHUNK } else { CHUNK };
            chunk = (chunk * GROWTH).min(longest).min(EXAMINED - examined);
        }
    }

    /// The whole records of narrow rows; those that went or changed meanwhile are left out.
    async fn widened(&self, items: Vec<(Position, Row)>) -> Result<Vec<(Position, Row)>, Fault> {
        let pks: Vec<Pk> = items.iter().map(|(_, row)| row.reference.pk.clone()).collect();
        let rows = self.store.get(&pks).await?;
        let mut whole: HashMap<Pk, Row> = rows.into_iter().map(|row| (row.reference.pk.clone(), row)).collect();
        let widen = |(position, row): (Position, Row)| Some((position, whole.remove(&row.reference.pk)?));
        Ok(items.into_iter().filter_map(widen).filter(|(_, row)| self.matches(row)).collect())
    }
}

/// Where a list of so many columns begins.
fn start(cursor: Option<Cursor>, columns: usize, has_codes: bool) -> Result<(Direction, Option<Position>), Fault> {
    let Some(Cursor { direction, position }) = cursor else { return Ok((Direction::Older, None)) };
    if position.by.len() != columns || position.code.is_some() != has_codes {
        return Err(unreadable("it belongs to another list"));
    }
    Ok((direction, Some(position)))
}

impl Found {
    /// Down to a page; what is beyond it is where to go on.
    fn cut(&mut self, wanted: usize) {
        if self.items.len() > wanted {
            self.items.truncate(wanted);
            self.edge = self.items.last().map(|(position, _)| position.clone());
        }
    }
}

/// Makes the cursors of a page that was read in `direction`, after `from`.
fn page(found: Found, direction: Direction, from: Option<Position>) -> Result<RecordsPage, Fault> {
    let turned = match direction {
        Direction::Older => Direction::Newer,
        Direction::Newer => Direction::Older,
    };
    let came_from = from.map(|from| found.items.first().map_or(from, |(position, _)| position.clone()));
    let ahead = found.edge.map(|position| Cursor::token(direction, position)).transpose()?;
    let behind = came_from.map(|position| Cursor::token(turned, position)).transpose()?;
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
