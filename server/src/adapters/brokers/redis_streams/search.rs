//! One message looked for: in the newest entries that wait, in the oldest that are pending, in the newest of the dead
//! letter. In this order, which is that of a message's way: one that moves on meanwhile is met at its next place.
//!
//! An entry comes with all its fields, so how many are read is bounded for the whole look-up.

use super::RedisStreams;
use super::entry::{Entry, EntryId, Match, Wanted};
use super::groups::{Group, Pending};
use crate::ports::brokers::{Found, Sighting};
use ::redis::{Pipeline, cmd};
use app::model::{Fault, MessageState};

/// Entries of one answer: of 10 kB each it is half a megabyte.
const PAGE: usize = 50;

/// What is still allowed, and what came of it.
struct Search<'a> {
    wanted: Wanted<'a>,
    /// Entries that may be read at each place.
    most: usize,
    found: Vec<Found>,
    /// Every entry was read, and could be told.
    whole: bool,
}

impl RedisStreams {
    pub(super) async fn look_for(&self, r#type: Option<&str>, key: &str) -> Result<Sighting, Fault> {
        if self.key.is_empty() {
            return Ok(Sighting::Queue);
        }
        let overview = self.overview().await?;
        let groups = &overview.groups;
        let places = groups.len() * 2 + usize::from(self.dead_letter.is_some());
        let mut search = Search {
            wanted: Wanted { key_parts: &self.key, type_parts: &self.r#type, key, r#type },
            most: (self.message_search / places.max(1)).max(1),
            found: Vec::new(),
            whole: overview.is_whole(),
        };
        for group in groups {
            self.among_waiting(group, &mut search).await?;
            self.among_pending(group, &mut search).await?;
        }
        if let Some(name) = &self.dead_letter {
            let dead = |_: &Entry| found(MessageState::Dead, name.clone());
            self.newest(name, None, dead, &mut search).await?;
        }
        Ok(match search.found.into_iter().min_by_key(|found| found.state) {
            Some(found) => Sighting::Message(found),
            None if search.whole => Sighting::NotThere,
            None => Sighting::Queue,
        })
    }

    async fn among_waiting(&self, group: &Group, search: &mut Search<'_>) -> Result<(), Fault> {
        let waiting = |_: &Entry| Found { deliveries: Some(0), ..found(MessageState::Waiting, group.full_name()) };
        self.newest(&group.stream, Some(group.last_delivered), waiting, search).await
    }

    /// The newest entries of a stream, back to the one `after` which they begin.
    async fn newest(
        &self,
        stream: &str,
        after: Option<EntryId>,
        found: impl Fn(&Entry) -> Found,
        search: &mut Search<'_>,
    ) -> Result<(), Fault> {
        let Some(first) = after.map_or(Some("-".to_owned()), |after| Some(after.next()?.to_string())) else {
            return Ok(());
        };
        let mut last = "+".to_owned();
        let mut left = search.most;
        loop {
            let count = PAGE.min(left);
            if count == 0 {
                search.whole = false;
                return Ok(());
            }
            let mut range = cmd("XREVRANGE");
            range.arg(stream).arg(&last).arg(&first).arg("COUNT").arg(count);
            let mut connection = self.redis.connection().await?;
            let page: Vec<Entry> = self.redis.kept(range.query_async(&mut connection).await).await?;
            for entry in &page {
                search.meet(entry, || found(entry));
            }
            left -= count;
            let Some((id, _)) = page.last().filter(|_| page.len() == count) else { return Ok(()) };
            let id = EntryId::parse(id).ok_or_else(|| self.unreadable(format!("{id:?} is no entry's id")))?;
            match id.previous() {
                Some(previous) => last = previous.to_string(),
                None => return Ok(()),
            }
        }
    }

    async fn among_pending(&self, group: &Group, search: &mut Search<'_>) -> Result<(), Fault> {
        let mut list = cmd("XPENDING");
        list.arg(&group.stream).arg(&group.name).arg("-").arg("+").arg(search.most);
        let mut connection = self.redis.connection().await?;
        let pending: Vec<Pending> = self.redis.kept(list.query_async(&mut connection).await).await?;
        search.whole &= pending.len() < search.most;
        for page in pending.chunks(PAGE) {
            let mut pipeline = Pipeline::new();
            for (id, ..) in page {
                pipeline.cmd("XRANGE").arg(&group.stream).arg(id).arg(id);
            }
            let entries: Vec<Vec<Entry>> = self.redis.kept(pipeline.query_async(&mut connection).await).await?;
            for ((_, _, idle_ms, deliveries), entry) in page.iter().zip(entries) {
                match entry.first() {
                    Some(entry) => search.meet(entry, || Found {
                        deliveries: Some(*deliveries),
                        idle_ms: Some(*idle_ms),
                        ..found(MessageState::Unacked, group.full_name())
                    }),
                    // Trimmed or deleted while it was pending: whose it was cannot be told any more.
                    None => search.whole = false,
                }
            }
        }
        Ok(())
    }
}

impl Search<'_> {
    fn meet(&mut self, entry: &Entry, found: impl FnOnce() -> Found) {
        match self.wanted.matches(entry) {
            Match::Yes => self.found.push(found()),
            Match::No => {}
            Match::Unknown => self.whole = false,
        }
    }
}

fn found(state: MessageState, queue: String) -> Found {
    Found { state, queue, deliveries: None, idle_ms: None }
}
