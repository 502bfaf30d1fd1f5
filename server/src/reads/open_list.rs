//! Lists of records. Where no index serves a status, the open records are listed from the set that this instance's
//! collector keeps: references from memory, rows by primary key, those that changed last first.

use super::LiveReads;
use crate::live::{Open, OpenSet, Place, Shared};
use crate::system::SourceSystem;
use crate::zone::local;
use app::model::{Fault, Layer, Pattern, Pk, RecordRef, RecordsPage, RecordsQuery, Row, Wanted, Window};
use chrono::{DateTime, Utc};
use std::collections::HashMap;

/// Marks a cursor as one of these lists.
const CURSOR: &str = "open";

/// Rows that are read at most for one page, when a filter throws most of them away.
const MOST_EXAMINED: usize = 2_000;
const CHUNK: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
enum From {
    Newest,
    Below(Place),
    Above(Place),
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
    let (Some(CURSOR), Some(way), Some(since), Some(reference), None) =
        (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(());
    };
    let place = (since.parse().map_err(drop)?, reference.parse().map_err(drop)?);
    match way {
        "below" => Ok(From::Below(place)),
        "above" => Ok(From::Above(place)),
        _ => Err(()),
    }
}

fn token(way: &str, (since, reference): &Place) -> String {
    format!("{CURSOR}.{way}.{since}.{reference}")
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
    let mut items: Vec<(Place, Row)> = Vec::new();
    let mut position = from.clone();
    let mut examined = 0;
    // One more than the page, so that it is known whether there is another.
    while items.len() <= limit && examined < MOST_EXAMINED {
        let places = set.with(|set| places(set, open, &wanted, &position)).unwrap_or_default();
        let Some(last) = places.last().cloned() else { break };
        let all = places.len() < CHUNK;
        examined += places.len();
        items.extend(rows(source, places, open, &wanted).await?);
        position = match from {
            _ if all => from.clone(),
            From::Above(_) => From::Above(last),
            From::Newest | From::Below(_) => From::Below(last),
        };
        if all {
            break;
        }
    }
    Ok(finish(items, limit, &from, &position))
}

/// A record grows younger when it changes, never older: what is too young by what the set knows need not be read.
fn places(set: &OpenSet, open: Open, wanted: &Wanted, position: &From) -> Vec<Place> {
    let oldest_young = wanted.since.to.map(|to| to.timestamp_millis() + 1);
    match position {
        From::Newest => {
            let before = oldest_young.map(|ms| (ms, RecordRef { table: String::new(), pk: Pk::Int(i128::MIN) }));
            set.below(open, before.as_ref(), CHUNK)
        }
        From::Below(place) => set.below(open, Some(place), CHUNK),
        From::Above(place) => {
            let mut places = set.above(open, place, CHUNK);
            places.retain(|(since, _)| oldest_young.is_none_or(|young| *since < young));
            places
        }
    }
}

/// Read again by primary key: those that changed their status since the collector saw them are left out.
async fn rows(
    source: &SourceSystem,
    places: Vec<Place>,
    open: Open,
    wanted: &Wanted,
) -> Result<Vec<(Place, Row)>, Fault> {
    let references: Vec<RecordRef> = places.iter().map(|(_, reference)| reference.clone()).collect();
    let rows = source.records.get(&references).await?;
    let mut kept: HashMap<RecordRef, Row> = rows
        .into_iter()
        .filter(|row| Open::of(row.record.status) == Some(open))
        .filter(|row| wanted.matches(&row.record))
        .map(|row| (row.reference.clone(), row))
        .collect();
    // In the order of the places, whichever way the list goes.
    Ok(places.into_iter().filter_map(|place| Some((place.clone(), kept.remove(&place.1)?))).collect())
}

/// Cuts the page and makes its cursors. `position` differs from `from` when there are places that were not examined.
fn finish(mut items: Vec<(Place, Row)>, limit: usize, from: &From, position: &From) -> RecordsPage {
    let more = items.len() > limit;
    items.truncate(limit);
    let below = |place: &Place| token("below", place);
    let above = |place: &Place| token("above", place);
    let newer_way = matches!(from, From::Above(_));
    if newer_way {
        items.reverse();
    }
    let (first, last) = (items.first().map(|(place, _)| place), items.last().map(|(place, _)| place));
    let unexamined = match position {
        From::Below(place) | From::Above(place) if position != from => Some(place),
        _ => None,
    };
    let onward = if more { if newer_way { first } else { last } } else { unexamined };
    let (next, previous) = match from {
        From::Newest => (onward.map(below), None),
        // An empty page: back to the one that it came from.
        From::Below(place) => (onward.map(below), Some(above(first.unwrap_or(place)))),
        From::Above(place) => (Some(below(last.unwrap_or(place))), onward.map(above)),
    };
    RecordsPage { items: items.into_iter().map(|(_, row)| row).collect(), next, previous, window: Window::OpenSet }
}
