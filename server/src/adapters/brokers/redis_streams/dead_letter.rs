//! Moves entries from the dead letter back to their stream: found by key, then moved by one script, which also leaves a note
//! of it under the id of whoever asked. So whoever asks again is told, and nothing is moved twice; and an entry is never
//! nowhere and never in two places. The notes end by themselves.

use super::RedisStreams;
use super::entry::{Entry, EntryId, text};
use crate::clock::Clock;
use crate::config::{self, Limits};
use crate::ports::permit::Permit;
use crate::ports::redelivery::{Held, Redelivery, Sent, Wanted};
use ::redis::{RedisResult, Script, cmd};
use app::model::{Fault, Setback};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Instant;

const AT_ONCE: u32 = 100;
/// Entries of one answer: of 10 kB each it is a megabyte.
const PAGE: usize = 100;
/// Longer than anybody waits to take a run up again.
const NOTE_LASTS_S: u32 = 7 * 86_400;
const MOVE: &str = include_str!("move.lua");

/// Connects when it is first asked.
///
/// # Errors
/// As [`super::connect`].
pub fn dead_letter(
    broker: &config::RedisStreams,
    limits: &Limits,
    clock: Arc<dyn Clock>,
) -> Result<Arc<dyn Redelivery>, Fault> {
    Ok(Arc::new(DeadLetter(Arc::new(Mover { streams: super::open(broker, limits)?, clock }))))
}

struct DeadLetter(Arc<Mover>);

struct Mover {
    streams: RedisStreams,
    clock: Arc<dyn Clock>,
}

/// Where the message of one item is.
#[derive(Debug, Clone)]
enum Place {
    /// An earlier try has moved it.
    Moved,
    Dead(String),
    Lacks(Setback),
}

#[async_trait]
impl Redelivery for DeadLetter {
    fn interrupted(&self) -> Option<Setback> {
        None
    }

    fn at_once(&self) -> u32 {
        AT_ONCE
    }

    async fn hold(&self, wanted: &[Wanted], until: Instant) -> Result<Box<dyn Held>, Fault> {
        let mover = Arc::clone(&self.0);
        let origin = mover.origin().await?;
        let places = mover.places(wanted, origin.is_some(), until).await?;
        let notes = wanted.iter().map(note).collect();
        Ok(Box::new(Found { mover, origin: origin.unwrap_or_default(), places, notes }))
    }
}

fn note(wanted: &Wanted) -> String {
    format!("oncewatch:moved:{}", wanted.id)
}

impl Mover {
    /// An entry does not say which stream it came from, so there must be one only.
    async fn origin(&self) -> Result<Option<String>, Fault> {
        let found = self.streams.discovery.streams(&self.streams.redis).await?;
        if found.searching {
            return Err(self.streams.unreadable("the search for streams is not at its end yet; try again"));
        }
        match <[String; 1]>::try_from(found.names) {
            Ok([only]) => Ok(Some(only)),
            Err(_) => Ok(None),
        }
    }

    async fn places(&self, wanted: &[Wanted], has_origin: bool, until: Instant) -> Result<Vec<Place>, Fault> {
        let notes: Vec<String> = wanted.iter().map(note).collect();
        if notes.is_empty() {
            return Ok(Vec::new());
        }
        let mut connection = self.streams.redis.connection().await?;
        let noted: RedisResult<Vec<Option<String>>> = cmd("MGET").arg(&notes).query_async(&mut connection).await;
        let noted = self.streams.redis.kept(noted).await?;
        let place = |(wanted, noted): (&Wanted, Option<String>)| match (noted, &wanted.key) {
            (Some(_), _) => Place::Moved,
            (None, None) => Place::Lacks(Setback::NoKey),
            (None, Some(_)) if !has_origin => Place::Lacks(Setback::NoOrigin),
            (None, Some(_)) => Place::Lacks(Setback::NotInDeadLetter),
        };
        let mut places: Vec<Place> = wanted.iter().zip(noted).map(place).collect();
        let is_whole = self.search(wanted, &mut places, until).await?;
        if !is_whole {
            let messages = self.streams.message_search as u64;
            for place in places.iter_mut().filter(|place| matches!(place, Place::Lacks(Setback::NotInDeadLetter))) {
                *place = Place::Lacks(Setback::NotFoundAmong { messages });
            }
        }
        Ok(places)
    }

    /// The newest entries of the dead letter, until all are found; whether it was read to its beginning.
    async fn search(&self, wanted: &[Wanted], places: &mut [Place], until: Instant) -> Result<bool, Fault> {
        let Some(dead_letter) = &self.streams.dead_letter else { return Ok(true) };
        let is_open = |place: &Place| matches!(place, Place::Lacks(Setback::NotInDeadLetter));
        let (mut last, mut left) = ("+".to_owned(), self.streams.message_search);
        while places.iter().any(is_open) {
            let count = PAGE.min(left);
            if count == 0 {
                return Ok(false);
            }
            if self.clock.instant() >= until {
                return Err(self.streams.unreadable("the dead letter could not be searched in time"));
            }
            let mut range = cmd("XREVRANGE");
            range.arg(dead_letter).arg(&last).arg("-").arg("COUNT").arg(count);
            let mut connection = self.streams.redis.connection().await?;
            let page: Vec<Entry> = self.streams.redis.kept(range.query_async(&mut connection).await).await?;
            for entry in &page {
                let (key, r#type) = (text(&self.streams.key, entry), text(&self.streams.r#type, entry));
                let carries = |wanted: &Wanted| {
                    let any_type = self.streams.r#type.is_empty() || wanted.r#type.is_none();
                    key == wanted.key && (any_type || r#type == wanted.r#type)
                };
                let mut pairs = wanted.iter().zip(places.iter_mut());
                let first = pairs.find(|(wanted, place)| is_open(place) && carries(wanted));
                if let Some((_, place)) = first {
                    *place = Place::Dead(entry.0.clone());
                }
            }
            left -= count;
            let Some((id, _)) = page.last().filter(|_| page.len() == count) else { return Ok(true) };
            let id = EntryId::parse(id).and_then(EntryId::previous);
            last = id.ok_or_else(|| self.streams.unreadable("an entry's id is none"))?.to_string();
        }
        Ok(true)
    }

    async fn r#move(&self, entry: &str, origin: &str, note: &str) -> Sent {
        let Some(dead_letter) = &self.streams.dead_letter else { return Sent::Refused(Setback::NotInDeadLetter) };
        let mut connection = match self.streams.redis.connection().await {
            Ok(connection) => connection,
            Err(fault) => return not_begun(&fault),
        };
        let script = Script::new(MOVE);
        let mut call = script.key(dead_letter);
        call.key(origin).key(note).arg(entry).arg(NOTE_LASTS_S);
        let answer: RedisResult<String> = call.invoke_async(&mut connection).await;
        match self.streams.redis.kept(answer).await.as_deref() {
            Ok("moved") => Sent::Moved,
            Ok("gone") => Sent::Refused(Setback::NotInDeadLetter),
            Ok("no stream") => Sent::Refused(Setback::Unroutable { routing_key: origin.to_owned() }),
            Ok(other) => Sent::Unknown(Setback::NotTaken { detail: other.to_owned() }),
            // Whether it was moved is asked again: the note says it.
            Err(fault) => not_begun(fault),
        }
    }
}

fn not_begun(fault: &Fault) -> Sent {
    tracing::warn!(%fault, "an entry was not moved from the dead letter, or the answer was lost; it is asked again");
    Sent::NotBegun
}

struct Found {
    mover: Arc<Mover>,
    origin: String,
    places: Vec<Place>,
    notes: Vec<String>,
}

#[async_trait]
impl Held for Found {
    fn lack(&self, place: usize) -> Option<Setback> {
        match self.places.get(place) {
            Some(Place::Lacks(why)) => Some(why.clone()),
            Some(Place::Moved | Place::Dead(_)) => None,
            None => Some(Setback::NotInDeadLetter),
        }
    }

    async fn send(&mut self, _permit: &Permit, places: &[usize], until: Instant) -> Vec<Sent> {
        let mut sent = Vec::with_capacity(places.len());
        for place in places {
            sent.push(match self.places.get(*place) {
                Some(Place::Moved) => Sent::Moved,
                Some(Place::Dead(_)) if self.mover.clock.instant() >= until => Sent::NotBegun,
                Some(Place::Dead(entry)) => self.mover.r#move(entry, &self.origin, &self.notes[*place]).await,
                Some(Place::Lacks(why)) => Sent::Refused(why.clone()),
                None => Sent::NotBegun,
            });
        }
        sent
    }

    async fn finish(self: Box<Self>, _permit: &Permit, _places: &[usize]) -> Result<(), Fault> {
        Ok(())
    }
}
