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
use super::raw::Raw;
use super::select::Selection;
use super::shape::Shape;
use super::store::Store;
use super::walk::{Streams, Walk};
use crate::ports::records::RecordStore;
use app::model::{Fault, Pk, RecordsPage, RecordsQuery, Row, Status, Window};
use chrono::{DateTime, Utc};
use std::collections::HashMap;

/// Rows that a list without a serving index examines before it says "so far".
const EXAMINED: usize = 100_000;
/// Rows of one chunk of such a walk.
const CHUNK: usize = 5_000;
/// Most records of a page.
const PAGE: u32 = 200;
/// A list of more codes than this would be more statements than it is worth.
const MOST_CODES: usize = 16;

/// What a walk brought home.
struct Found {
    items: Vec<(Position, Row)>,
    examined: usize,
    /// The last row looked at, wanted or not.
    last: Option<(Position, Option<DateTime<Utc>>)>,
    /// The walk reached the end of the table.
    ended: bool,
}

pub async fn list(store: &Store, shape: &Shape, query: &RecordsQuery) -> Result<RecordsPage, Fault> {
    let cursor = query.cursor.as_deref().map(Cursor::parse).transpose()?;
    let page = List { store, shape, query, wanted: query.limit.clamp(1, PAGE) as usize };
    if page.never_matches() {
        return Ok(RecordsPage { items: Vec::new(), next: None, previous: None, window: Window::All });
    }
    if let Some(streams) = page.served().await? {
        return page.from_index(&streams, cursor).await;
    }
    let Some(order) = shape.whole() else { return page.unordered().await };
    page.from_whole(&Streams::all(order), cursor).await
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
        use crate::config::{StatusColumn, TypeFrom};
        let status = match &self.shape.mapping.status {
            StatusColumn::Exists(status) => self.query.status.is_some_and(|wanted| wanted != *status),
            StatusColumn::Column { .. } => false,
        };
        let r#type = match &self.shape.mapping.r#type {
            TypeFrom::Constant(constant) => self.query.r#type.as_ref().is_some_and(|wanted| wanted != constant),
            TypeFrom::Columns(_) => false,
        };
        status || r#type
    }

    /// The columns that the filter fixes, as far as an index can use them.
    fn filtered_status(&self) -> Option<(&Column, Status)> {
        Some((self.shape.status.as_ref()?, self.query.status?))
    }

    fn filtered_type(&self) -> Option<(Column, Raw)> {
        let ([column], Some(wanted)) = (self.shape.r#type.as_slice(), &self.query.r#type) else { return None };
        // An empty type may be NULL as well, which is two values.
        match candidates(column, wanted).as_slice() {
            [value] if !wanted.is_empty() => Some((column.clone(), value.clone())),
            _ => None,
        }
    }

    /// Streams of an index that serves the filter; without a filter, of the whole table.
    async fn served(&self) -> Result<Option<Streams>, Fault> {
        let (status, r#type) = (self.filtered_status(), self.filtered_type());
        if self.query.status.is_none() && self.query.r#type.is_none() {
            return Ok(self.shape.whole().map(Streams::all));
        }
        let by = |equal: &[&Column]| {
            let names: Vec<&str> = equal.iter().map(|column| column.name.as_str()).collect();
            self.shape.ordered(&names)
        };
        if let Some((column, status)) = status {
            if self.shape.status_index().is_none() {
                return Ok(None);
            }
            let with_type = r#type
                .as_ref()
                .and_then(|(of_type, value)| Some((by(&[column, of_type])?, vec![(of_type.clone(), value.clone())])));
            let found = with_type.or_else(|| Some((by(&[column])?, Vec::new())));
            let Some((order, equal)) = found else { return Ok(None) };
            let codes = occurring(self.store, self.shape, column).await?.of(status);
            if codes.len() > MOST_CODES {
                return Ok(None);
            }
            return Ok(Some(Streams { order, equal, codes: Some((column.clone(), codes)) }));
        }
        let Some((column, value)) = r#type else { return Ok(None) };
        Ok(by(&[&column]).map(|order| Streams { order, equal: vec![(column, value)], codes: None }))
    }

    async fn from_index(&self, streams: &Streams, cursor: Option<Cursor>) -> Result<RecordsPage, Fault> {
        let selection = Selection::wide(self.shape);
        let (direction, from) = self.start(streams, cursor)?;
        let found = self.walk(streams, &selection, direction, from.as_ref(), self.wanted + 1).await?;
        if direction == Direction::Newer && found.items.len() <= self.wanted && found.ended {
            // The first page is always a full one.
            let found = self.walk(streams, &selection, Direction::Older, None, self.wanted + 1).await?;
            return self.page(found, Direction::Older, None);
        }
        self.page(found, direction, from)
    }

    /// Walks narrowly and reads what matches by primary key.
    async fn from_whole(&self, streams: &Streams, cursor: Option<Cursor>) -> Result<RecordsPage, Fault> {
        if let Some(page) = self.from_few(streams, cursor.as_ref()).await? {
            return Ok(page);
        }
        let selection = Selection::narrow(self.shape, &streams.order.by);
        let (direction, from) = self.start(streams, cursor)?;
        let (mut found, direction, from) = {
            let found = self.walk(streams, &selection, direction, from.as_ref(), CHUNK).await?;
            if direction == Direction::Newer && found.items.len() <= self.wanted && found.ended {
                (self.walk(streams, &selection, Direction::Older, None, CHUNK).await?, Direction::Older, None)
            } else {
                (found, direction, from)
            }
        };
        found.items = self.widened(found.items).await?;
        self.page(found, direction, from)
    }

    /// All rows of a status, when an index finds them and they are few, sorted here by the growing id.
    async fn from_few(&self, streams: &Streams, cursor: Option<&Cursor>) -> Result<Option<RecordsPage>, Fault> {
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
        let (direction, from) = self.start(streams, cursor.cloned())?;
        let mut items: Vec<(Position, Row)> = (rows.iter())
            .map(|cells| {
                let by = selection.values(cells, std::slice::from_ref(id));
                (Position { code: None, by }, self.store.row(self.shape, &selection, cells))
            })
            .filter(|(_, row)| self.matches(row))
            .collect();
        items.sort_by_key(|(position, _)| std::cmp::Reverse(number(position)));
        let examined = items.len();
        let mut start = 0;
        if let Some(from) = &from {
            let older = items.partition_point(|(position, _)| number(position) > number(from));
            let at_it = items.get(older).is_some_and(|(position, _)| position == from);
            start = match direction {
                Direction::Older => older + usize::from(at_it),
                Direction::Newer => older.saturating_sub(self.wanted),
            };
        }
        let from = (start > 0).then(|| items[start - 1].0.clone());
        items = items.into_iter().skip(start).take(self.wanted + 1).collect();
        items = self.widened(items).await?;
        let found = Found { items, examined, last: None, ended: true };
        self.page(found, Direction::Older, from).map(Some)
    }

    /// Nothing tells rows apart, so there is no second page.
    async fn unordered(&self) -> Result<RecordsPage, Fault> {
        let selection = Selection::wide(self.shape);
        let mut select = selection.from(self.shape);
        select.limit(CHUNK as u64);
        let rows = self.store.rows(self.shape, &selection, &select).await?;
        let examined = rows.len();
        let mut items: Vec<Row> = rows.into_iter().filter(|row| self.matches(row)).collect();
        items.sort_by_key(|row| std::cmp::Reverse(row.record.since()));
        items.truncate(self.wanted);
        let window = match examined < CHUNK && items.len() < self.wanted {
            true => Window::All,
            false => {
                Window::Examined { rows: examined as u64, back_to: items.last().and_then(|row| row.record.since()) }
            }
        };
        Ok(RecordsPage { items, next: None, previous: None, window })
    }

    fn start(&self, streams: &Streams, cursor: Option<Cursor>) -> Result<(Direction, Option<Position>), Fault> {
        let Some(Cursor { direction, position }) = cursor else { return Ok((Direction::Older, None)) };
        if position.by.len() != streams.order.by.len() || position.code.is_some() != streams.codes.is_some() {
            return Err(unreadable("it belongs to another list"));
        }
        Ok((direction, Some(position)))
    }

    /// Follows the streams until one more than the page holds is found, everything is seen, or the budget is spent.
    async fn walk(
        &self,
        streams: &Streams,
        selection: &Selection,
        direction: Direction,
        from: Option<&Position>,
        chunk: usize,
    ) -> Result<Found, Fault> {
        let walk = Walk { store: self.store, shape: self.shape, selection, streams, direction };
        let began = self.store.clock.instant();
        let mut found = Found { items: Vec::new(), examined: 0, last: None, ended: false };
        let mut at = from.cloned();
        loop {
            let rows = walk.next(at.as_ref(), chunk).await?;
            let seen = rows.len();
            for (position, cells) in rows {
                let row = self.store.row(self.shape, selection, &cells);
                found.examined += 1;
                found.last = Some((position.clone(), row.record.created_at.or(row.record.updated_at)));
                if self.matches(&row) {
                    found.items.push((position, row));
                }
                if found.items.len() > self.wanted {
                    return Ok(found);
                }
            }
            found.ended = seen < chunk;
            let late = self.store.clock.instant().duration_since(began) > self.store.statement_timeout;
            if found.ended || late || found.examined >= EXAMINED {
                return Ok(found);
            }
            at = found.last.as_ref().map(|(position, _)| position.clone());
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

    /// Cuts the page and makes its cursors.
    fn page(&self, mut found: Found, direction: Direction, from: Option<Position>) -> Result<RecordsPage, Fault> {
        let more = found.items.len() > self.wanted;
        found.items.truncate(self.wanted);
        // A walk that ran out of budget goes on where it stopped looking, not at its last find.
        let stopped_at =
            if more || found.ended { None } else { found.last.as_ref().map(|(position, _)| position.clone()) };
        let edge =
            stopped_at.clone().or_else(|| found.items.last().filter(|_| more).map(|(position, _)| position.clone()));
        let ahead = edge.map(|position| Cursor::token(direction, position)).transpose()?;
        let turned = match direction {
            Direction::Older => Direction::Newer,
            Direction::Newer => Direction::Older,
        };
        let came_from = from.map(|from| found.items.first().map_or(from, |(position, _)| position.clone()));
        let behind = came_from.map(|position| Cursor::token(turned, position)).transpose()?;
        let window = match (&stopped_at, &found.last) {
            (Some(_), Some((_, back_to))) => Window::Examined { rows: found.examined as u64, back_to: *back_to },
            _ => Window::All,
        };
        let mut items: Vec<Row> = found.items.into_iter().map(|(_, row)| row).collect();
        let (next, previous) = match direction {
            Direction::Older => (ahead, behind),
            Direction::Newer => (behind, ahead),
        };
        if direction == Direction::Newer {
            items.reverse();
        }
        Ok(RecordsPage { items, next, previous, window })
    }
}
