//! Lists of records. Where no index serves a status, the open records are listed from the set that this instance's
//! collector keeps: ids from memory, rows by primary key.

use super::LiveReads;
use crate::live::{Entry, Open, Shared};
use crate::system::SourceSystem;
use crate::zone::local;
use app::model::{Fault, Layer, Pattern, Pk, RecordsPage, RecordsQuery, Row, Wanted, Window};
use chrono::{DateTime, Utc};

/// Marks a cursor as one of these lists.
const CURSOR: &str = "open";

/// Rows that are read at most for one page, when a filter throws most of them away.
const MOST_EXAMINED: usize = 2_000;
const CHUNK: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    Newest,
    Below(i128),
    Above(i128),
}

impl LiveReads {
    pub(super) async fn list(&self, source: &SourceSystem, query: &RecordsQuery) -> Result<RecordsPage, Fault> {
        let from = query.cursor.as_deref().map_or(Ok(From::Newest), parse);
        let set = self.system.open_sets.of(&source.config.name);
        // One key is found by its own index.
        let is_of_key = matches!(query.filter.key, Some(Pattern::Is(_)));
        let open = query.status.and_then(Open::of).filter(|_| !is_of_key && set.with(|_| ()).is_some());
        match (open, from) {
            (Some(open), Ok(from)) => {
                let now = self.system.clock.now();
                self.within(Layer::Records, page(source, &set, open, from, query, now)).await
            }
            // The cursor of a set that is kept elsewhere now: the list begins anew.
            (None, Ok(From::Below(_) | From::Above(_))) => {
                let anew = RecordsQuery { cursor: None, ..query.clone() };
                self.within(Layer::Records, source.records.list(&anew)).await
            }
            _ => self.within(Layer::Records, source.records.list(query)).await,
        }
    }
}

/// `Err`: a cursor of the record store.
fn parse(cursor: &str) -> Result<From, ()> {
    let mut parts = cursor.split('.');
    match (parts.next(), parts.next(), parts.next().map(str::parse), parts.next()) {
        (Some(CURSOR), Some("below"), Some(Ok(id)), None) => Ok(From::Below(id)),
        (Some(CURSOR), Some("above"), Some(Ok(id)), None) => Ok(From::Above(id)),
        _ => Err(()),
    }
}

async fn page(
    source: &SourceSystem,
    set: &Shared,
    open: Open,
    from: From,
    query: &RecordsQuery,
    now: DateTime<Utc>,
) -> Result<RecordsPage, Fault> {
    // Ages count by the database's clock.
    let now = if query.filter.age.is_some() { source.records.clock().await? } else { now };
    let wanted = Wanted::of(query, now, &|wall| local(wall, source.config.timezone));
    let limit = usize::try_from(query.limit.clamp(1, 200)).unwrap_or(CHUNK);
    let mut items: Vec<(i128, Row)> = Vec::new();
    let mut position = from;
    let mut examined = 0;
    // One more than the page, so that it is known whether there is another.
    while items.len() <= limit && examined < MOST_EXAMINED {
        let ids = set.with(|set| ids(set, open, &wanted, position)).unwrap_or_default();
        let Some(last) = ids.last().copied() else { break };
        examined += ids.len();
        position = if let From::Above(_) = from { From::Above(last) } else { From::Below(last) };
        items.extend(rows(source, &ids, open, &wanted).await?);
        if ids.len() < CHUNK {
            position = from;
            break;
        }
    }
    Ok(finish(items, limit, from, position))
}

/// A record grows younger when it changes, never older: what is too young by what the set knows need not be read.
fn ids(set: &crate::live::OpenSet, open: Open, wanted: &Wanted, position: From) -> Vec<i128> {
    let before_ms = wanted.since.to.map(|to| to.timestamp_millis());
    let like = |entry: &Entry| {
        let too_young = before_ms.zip(entry.since_ms).is_some_and(|(before, since)| since > before);
        entry.open == open && !too_young
    };
    match position {
        From::Newest => set.below_that(like, None, CHUNK),
        From::Below(id) => set.below_that(like, Some(id), CHUNK),
        From::Above(id) => set.above_that(like, id, CHUNK),
    }
}

/// Read again by primary key: those that changed their status since the collector saw them are left out.
async fn rows(source: &SourceSystem, ids: &[i128], open: Open, wanted: &Wanted) -> Result<Vec<(i128, Row)>, Fault> {
    let pks: Vec<Pk> = ids.iter().map(|id| Pk::Int(*id)).collect();
    let rows = source.records.get(&pks).await?;
    let mut kept: Vec<(i128, Row)> = rows
        .into_iter()
        .filter(|row| Open::of(row.record.status) == Some(open))
        .filter(|row| wanted.matches(&row.record))
        .filter_map(|row| match row.reference.pk {
            Pk::Int(id) => Some((id, row)),
            _ => None,
        })
        .collect();
    // In the order of the ids asked for, whichever way the list goes.
    kept.sort_by_key(|(id, _)| ids.iter().position(|asked| asked == id));
    Ok(kept)
}

/// Cuts the page and makes its cursors. `position` differs from `from` when there are ids that were not examined.
fn finish(mut items: Vec<(i128, Row)>, limit: usize, from: From, position: From) -> RecordsPage {
    let more = items.len() > limit;
    items.truncate(limit);
    let below = |id: i128| Some(format!("{CURSOR}.below.{id}"));
    let above = |id: i128| Some(format!("{CURSOR}.above.{id}"));
    let newer_way = matches!(from, From::Above(_));
    if newer_way {
        items.reverse();
    }
    let (first, last) = (items.first().map(|(id, _)| *id), items.last().map(|(id, _)| *id));
    let unexamined = match position {
        From::Below(id) | From::Above(id) if position != from => Some(id),
        _ => None,
    };
    let onward = if more { if newer_way { first } else { last } } else { unexamined };
    let (next, previous) = match from {
        From::Newest => (onward.and_then(below), None),
        From::Below(id) => (onward.and_then(below), above(first.map_or(id - 1, |first| first))),
        From::Above(id) => (below(last.map_or(id + 1, |last| last)), onward.and_then(above)),
    };
    RecordsPage { items: items.into_iter().map(|(_, row)| row).collect(), next, previous, window: Window::OpenSet }
}
