//! All tables of a source that are followed, with their common open set, and their copy in the state database.

use super::ground::{Counted, Did, Ground};
use super::progress::Progress;
use super::track::Track;
use crate::live::{Open, OpenSet, Shared};
use crate::ports::records::RecordStore;
use crate::ports::state::{Checkpoint, Followed, Lease, StateError};
use crate::system::{SourceSystem, System};
use app::model::{Fault, Layer, Pk, RecordRef, Row, Status, Strategy};
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

/// References that one checkpoint adds or takes away for a table.
const STORED_AT_ONCE: usize = 5_000;
/// Once a table was walked: what was followed since is read again quickly.
const WRITTEN_EVERY: Duration = Duration::from_secs(30);

pub(super) struct Tracks {
    source: String,
    store: Arc<dyn RecordStore>,
    shared: Arc<Shared>,
    state: Arc<dyn Followed>,
    open_set: usize,
    scan_rows: u32,
    /// What the tables are followed by.
    strategy: Option<Strategy>,
    tracks: BTreeMap<String, Track>,
    /// Whose turn it is.
    next: usize,
    /// What an earlier following left behind, until its table is taken up again.
    stored: HashMap<String, Progress>,
    /// What was written last, so that an unchanged table is not written again.
    written: HashMap<String, (Duration, Progress)>,
    /// Tables that are no more, and whose copy is still stored.
    gone: Vec<String>,
}

impl Tracks {
    pub(super) fn new(source: &SourceSystem, system: &System, shared: Arc<Shared>) -> Self {
        Self {
            source: source.config.name.clone(),
            store: source.records.clone(),
            shared,
            state: system.state.followed.clone(),
            open_set: system.config.limits.open_set,
            scan_rows: system.config.limits.scan_rows,
            strategy: None,
            tracks: BTreeMap::new(),
            next: 0,
            stored: HashMap::new(),
            written: HashMap::new(),
            gone: Vec::new(),
        }
    }

    /// Nothing is followed any more.
    pub(super) fn end(&mut self) {
        if self.strategy.take().is_some() {
            self.shared.end();
        }
        self.tracks.clear();
        self.written.clear();
    }

    /// Everything that a panel must know of all tables.
    pub(super) async fn catch_up(
        &mut self,
        strategy: Strategy,
        now: Duration,
        db_now: DateTime<Utc>,
    ) -> Result<(), Fault> {
        if self.strategy != Some(strategy) {
            self.end();
            self.shared.start(OpenSet::new(self.open_set));
            match self.restore().await {
                Ok(stored) => (self.stored, self.strategy) = (stored, Some(strategy)),
                Err(fault) => {
                    // What is stored is not to be taken for nothing: it is asked for again.
                    self.shared.end();
                    return Err(fault);
                }
            }
        }
        let tables = self.store.tables().await?;
        self.let_go(&tables);
        for table in tables {
            match self.follow(table, strategy, now, db_now).await {
                // Dropped since the tables were looked up.
                Err(Fault::TableMissing { .. }) if self.tracks.len() > 1 => {}
                result => result?,
            }
        }
        Ok(())
    }

    fn let_go(&mut self, tables: &[String]) {
        let known = self.tracks.keys().chain(self.stored.keys()).cloned();
        let gone: Vec<String> = known.filter(|table| !tables.contains(table)).collect();
        for table in gone {
            self.shared.change(|set| set.forget(&table));
            self.tracks.remove(&table);
            self.stored.remove(&table);
            self.gone.push(table);
        }
    }

    async fn follow(
        &mut self,
        table: String,
        strategy: Strategy,
        now: Duration,
        db_now: DateTime<Utc>,
    ) -> Result<(), Fault> {
        if !self.tracks.contains_key(&table) {
            let ground = Ground {
                store: self.store.clone(),
                shared: self.shared.clone(),
                table: table.clone(),
                scan_rows: self.scan_rows,
            };
            let track = Track::begin(ground, strategy, self.stored.get(&table), now).await?;
            self.stored.remove(&table);
            self.tracks.insert(table.clone(), track);
        }
        match self.tracks.get_mut(&table) {
            Some(track) => track.catch_up(now, db_now).await,
            None => Ok(()),
        }
    }

    /// One statement of the next table that has something to do; `None`: none has.
    pub(super) async fn step(
        &mut self,
        now: Duration,
        db_now: DateTime<Utc>,
    ) -> Result<Option<(&mut Track, Did)>, Fault> {
        let names: Vec<String> = self.tracks.keys().cloned().collect();
        for _ in 0..names.len() {
            self.next = (self.next + 1) % names.len();
            let name = &names[self.next];
            let Some(track) = self.tracks.get_mut(name) else { continue };
            let did = track.step(now, db_now).await?;
            if did != Did::Nothing {
                return Ok(self.tracks.get_mut(name).map(|track| (track, did)));
            }
        }
        Ok(None)
    }

    /// `None`: nothing is followed here.
    pub(super) fn counted(&self) -> Option<Counted> {
        self.tracks.values().map(Track::counted).reduce(Counted::and)
    }

    /// The rows that have been processing for the longest time, as they are now.
    pub(super) async fn oldest(&mut self, count: usize) -> Result<Vec<Row>, Fault> {
        let references = self.shared.with(|set| set.oldest(Open::Processing, count)).unwrap_or_default();
        if references.is_empty() {
            return Ok(Vec::new());
        }
        let mut rows = self.store.get(&references).await?;
        for (table, track) in &mut self.tracks {
            let own = |reference: &RecordRef| reference.table == *table;
            let asked: Vec<Pk> =
                references.iter().filter(|reference| own(reference)).map(|reference| reference.pk.clone()).collect();
            let answered = rows.iter().filter(|row| own(&row.reference)).cloned().collect();
            track.checked(asked, answered);
        }
        rows.retain(|row| row.record.status == Status::Processing);
        rows.sort_by_key(|row| (row.record.since().is_none(), row.record.since()));
        Ok(rows)
    }

    /// Writes what changed since the last time: progress only together with all the open rows that it rests on.
    pub(super) async fn keep(&mut self, lease: &Lease, now: Duration, db_now: DateTime<Utc>) -> Result<(), StateError> {
        while let Some(table) = self.gone.last() {
            self.state.forget(lease, &self.source, table).await?;
            self.gone.pop();
        }
        for (table, track) in &self.tracks {
            let Some(progress) = track.progress(now) else { continue };
            let lasts = track.lasts(&progress, db_now);
            let changed = self.shared.change(|set| set.unstored(table, STORED_AT_ONCE, lasts));
            let Some((add, gone)) = changed else { return Ok(()) };
            let whole = add.len() < STORED_AT_ONCE;
            let lags = self.written.get(table).is_some_and(|(at, known)| {
                let both_whole = known.complete_as_of.is_some() && progress.complete_as_of.is_some();
                *known == progress || (both_whole && now.saturating_sub(*at) < WRITTEN_EVERY)
            });
            // A row that left the stored set is in the tally that goes with it.
            let news = whole && (!lags || !add.is_empty() || !gone.is_empty());
            if add.is_empty() && gone.is_empty() && !news {
                continue;
            }
            let json = serde_json::to_string(&progress).map_err(|error| StateError::Failed(error.to_string()))?;
            let checkpoint = Checkpoint {
                table: table.clone(),
                progress: news.then_some(json),
                add: add.iter().filter_map(token).collect(),
                gone: gone.iter().filter_map(token).collect(),
            };
            match self.state.put(lease, &self.source, &checkpoint).await {
                Ok(()) if news => {
                    self.written.insert(table.clone(), (now, progress));
                }
                Ok(()) => {}
                Err(error) => {
                    self.shared.change(|set| set.not_stored(table, &add, gone));
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Fills the open set with what was stored of it.
    async fn restore(&self) -> Result<HashMap<String, Progress>, Fault> {
        let failed = |error: StateError| Fault::Unreachable { layer: Layer::State, detail: error.to_string() };
        let mut found = HashMap::new();
        for (table, json) in self.state.progress(&self.source).await.map_err(failed)? {
            // Of another version of the server: the table is walked anew.
            let Ok(progress) = serde_json::from_str::<Progress>(&json) else { continue };
            let mut after = None;
            loop {
                let tokens = self.state.open(&self.source, &table, after.as_deref()).await.map_err(failed)?;
                let Some(last) = tokens.last().cloned() else { break };
                self.shared.change(|set| {
                    for pk in tokens.iter().filter_map(|token| serde_json::from_str::<Pk>(token).ok()) {
                        set.restore(&table, &pk);
                    }
                });
                after = Some(last);
            }
            found.insert(table, progress);
        }
        Ok(found)
    }
}

/// As the state database has it; `None`: too long for it, so the row is found again by a walk.
fn token(pk: &Pk) -> Option<String> {
    const LONGEST: usize = 255;
    serde_json::to_string(pk).ok().filter(|token| token.len() <= LONGEST)
}
