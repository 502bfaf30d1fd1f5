//! Which locks a cycle asks, and the record behind each.

use super::records::DESCRIBED_EVERY;
use super::watch::Watch;
use crate::clock::Clock;
use crate::diagnose::LockKeys;
use crate::diagnose::lock_key::Named;
use crate::live::Shared;
use crate::ports::records::RecordStore;
use crate::system::{SourceSystem, System};
use app::model::{CapabilityName, Fault, PanelName, RecordRef, RecordsPanel, RecordsQuery, Row, Status, Strategy};
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Instant;

/// Open records whose locks are asked: the oldest and the youngest, so many of each.
const EACH_END: usize = 1_000;
/// The same where an index gives them, oldest first.
const OPEN_ROWS: u32 = 1_000;
/// Rows of the newest page where nothing better can be asked.
const NEWEST_ROWS: u32 = 200;
/// Primary keys of one `get`, by the port's contract.
const PKS: usize = 500;
/// Records looked for in one cycle behind locks that the search has found.
const FINDS: usize = 50;

/// A lock to ask, and what is known of its record.
pub(super) struct Target {
    pub named: Vec<Named>,
    pub row: Option<Row>,
    /// It stands for an open record of this cycle.
    pub open: bool,
}

/// The locks of one cycle, by Redis key.
pub(super) struct Cycle {
    pub targets: BTreeMap<String, Target>,
    /// Not all open records were asked.
    pub sampled: bool,
    /// By the database's clock.
    pub now: DateTime<Utc>,
    /// The database's clock minus ours, rather too little than too much.
    pub ahead: TimeDelta,
}

/// Chooses, cycle by cycle.
pub(super) struct Targets {
    system: Arc<System>,
    source: String,
    pub records: Arc<dyn RecordStore>,
    clock: Arc<dyn Clock>,
    open: Arc<Shared>,
    pub keys: LockKeys,
    pub watch: Watch,
    described: Option<Instant>,
    finds_by_index: bool,
}

impl Targets {
    /// `None`: the source has no locks.
    pub(super) fn new(source: &SourceSystem, system: &Arc<System>, open: Arc<Shared>) -> Option<Self> {
        Some(Self {
            system: system.clone(),
            source: source.config.name.clone(),
            records: source.records.clone(),
            clock: system.clock.clone(),
            open,
            keys: source.lock_keys()?,
            watch: Watch::default(),
            described: None,
            finds_by_index: false,
        })
    }

    /// Nothing was watched yet.
    pub(super) fn start(&mut self) {
        (self.watch, self.described) = (Watch::default(), None);
    }

    /// Whether this instance follows the open records.
    pub(super) fn lead(&self) -> bool {
        self.open.leads()
    }

    pub(super) async fn cycle(&mut self) -> Result<Cycle, Fault> {
        let now = self.records.clock().await?;
        let ahead = now - self.clock.now();
        let (open, sampled) = self.open_rows().await?;
        self.look_for_index().await?;
        let mut targets = BTreeMap::new();
        for row in open {
            let Some(key) = row.record.key.clone() else { continue };
            let r#type = row.record.r#type.clone();
            if let Some(lock_key) = self.keys.of(&row.record) {
                targets.insert(lock_key, Target { named: vec![Named { r#type, key }], row: Some(row), open: true });
            }
        }
        self.add_watched(&mut targets).await?;
        Ok(Cycle { targets, sampled, now, ahead })
    }

    /// Open records, and whether they are only some of all.
    async fn open_rows(&self) -> Result<(Vec<Row>, bool), Fault> {
        if let Some((ends, all)) = self.open.with(|set| (set.ends(EACH_END), set.len())) {
            let sampled = ends.len() < all;
            return Ok((self.rows(&ends).await?, sampled));
        }
        if self.strategy() == Some(Strategy::StatusIndex) {
            let open = self.records.open(OPEN_ROWS).await?;
            let sampled = (open.rows.len() as u64) < open.processing.value + open.failed.value;
            return Ok((open.rows, sampled));
        }
        let page = self.records.list(&RecordsQuery { limit: NEWEST_ROWS, ..RecordsQuery::default() }).await?;
        let sampled = page.next.is_some();
        Ok((page.items.into_iter().filter(is_open).collect(), sampled))
    }

    /// How the records collector follows the table; it works where this one does.
    fn strategy(&self) -> Option<Strategy> {
        let panel = self.system.board.panel::<RecordsPanel>(&self.source, PanelName::Records.as_str());
        panel.and_then(|panel| panel.body).map(|body| body.strategy)
    }

    /// Now and then: somebody may have added one.
    async fn look_for_index(&mut self) -> Result<(), Fault> {
        let now = self.clock.instant();
        if self.described.is_none_or(|at| now.saturating_duration_since(at) >= DESCRIBED_EVERY) {
            let description = self.records.describe().await?;
            let mut by_key = description.capabilities.iter().filter(|found| found.name == CapabilityName::LookupByKey);
            self.finds_by_index = by_key.any(|found| found.there);
            self.described = Some(now);
        }
        Ok(())
    }

    /// By primary key, however many.
    pub(super) async fn rows(&self, references: &[RecordRef]) -> Result<Vec<Row>, Fault> {
        let mut rows = Vec::with_capacity(references.len());
        for part in references.chunks(PKS) {
            rows.extend(self.records.get(part).await?);
        }
        Ok(rows)
    }

    /// Locks seen before whose record is not among the open ones: finished, gone, or never found.
    async fn add_watched(&mut self, targets: &mut BTreeMap<String, Target>) -> Result<(), Fault> {
        let mut others: Vec<_> = self.watch.iter().filter(|(key, _)| !targets.contains_key(*key)).collect();
        let references: Vec<RecordRef> = others.iter().filter_map(|(_, watched)| watched.reference.clone()).collect();
        let known: HashMap<_, _> =
            self.rows(&references).await?.into_iter().map(|row| (row.reference.clone(), row)).collect();
        // Those that were never looked for come first, then those whose look-up is the longest ago.
        others.sort_by_key(|(_, watched)| watched.missed);
        let mut finds = FINDS;
        let mut missed = Vec::new();
        for (key, watched) in others {
            let row = match &watched.reference {
                Some(reference) => known.get(reference).cloned(),
                None if finds > 0 => {
                    finds -= 1;
                    let Some(found) = self.find(key, &watched.named).await? else { continue };
                    if found.is_none() {
                        missed.push(key.clone());
                    }
                    found
                }
                None if watched.missed.is_some() => None,
                // Its turn comes in a later cycle: until then it is neither judged nor forgotten.
                None => continue,
            };
            let named = match &row {
                Some(row) => {
                    vec![Named { r#type: row.record.r#type.clone(), key: row.record.key.clone().unwrap_or_default() }]
                }
                None => watched.named.clone(),
            };
            let open = row.as_ref().is_some_and(is_open);
            targets.insert(key.clone(), Target { named, row, open });
        }
        let now = self.clock.instant();
        for key in missed {
            self.watch.miss(&key, now);
        }
        Ok(())
    }

    /// The record behind a lock, by any reading of its key. `None`: this table cannot be asked by key, or only by reading
    /// all of it, which a person may do and this may not.
    async fn find(&self, lock_key: &str, named: &[Named]) -> Result<Option<Option<Row>>, Fault> {
        if !self.finds_by_index {
            return Ok(None);
        }
        for named in named {
            match self.records.find(named.r#type.as_deref(), &named.key).await {
                Ok(rows) => {
                    // Under another spelling it is another lock's record.
                    let own = |row: &Row| self.keys.of(&row.record).as_deref() == Some(lock_key);
                    if let Some(row) = rows.into_iter().find(own) {
                        return Ok(Some(Some(row)));
                    }
                }
                // More types than can be asked for together.
                Err(Fault::Unreadable { .. } | Fault::BadInput { .. }) => return Ok(None),
                Err(fault) => return Err(fault),
            }
        }
        Ok(Some(None))
    }
}

fn is_open(row: &Row) -> bool {
    matches!(row.record.status, Status::Processing | Status::Failed)
}
