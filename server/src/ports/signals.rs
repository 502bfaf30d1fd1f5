//! What consumers report of their deliveries, as they left it where the console reads it.
//!
//! To add a way of reporting: a module beside `adapters/signals/redis.rs` that fills [`MinuteSignals`], and its kind in
//! `config/read/stores.rs` and `boot.rs`.

use app::model::{Counts, Fault, Handling, TraceEntry};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// One minute of one source: what was reported until now, never less when it is read again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MinuteSignals {
    /// By type; empty where the source has no types.
    pub types: BTreeMap<String, TypeMinute>,
    /// Instances that said that they are there.
    pub alive: BTreeSet<String>,
    /// Fields that were none of the convention's.
    pub unreadable: u64,
    /// There were more fields than are read.
    pub cut: bool,
}

impl MinuteSignals {
    /// Nobody reported anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.types.is_empty() && self.alive.is_empty()
    }
}

/// One minute of one type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TypeMinute {
    pub counts: Counts,
    pub handling: Handling,
    pub origins: Origins,
}

impl TypeMinute {
    pub fn add(&mut self, other: &Self) {
        self.counts.add(&other.counts);
        self.handling.add(&other.handling);
        self.origins.add(&other.origins);
    }
}

/// Where duplicates of one type came from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origins {
    /// By queue or producer.
    pub from: BTreeMap<String, u64>,
    /// By cause: `producer`, `redelivery`, `rebalance`, `callback`.
    pub causes: BTreeMap<String, u64>,
}

impl Origins {
    pub fn add(&mut self, other: &Self) {
        for (own, others) in [(&mut self.from, &other.from), (&mut self.causes, &other.causes)] {
            for (name, count) in others {
                let sum = own.entry(name.clone()).or_default();
                *sum = sum.saturating_add(*count);
            }
        }
    }

    /// All that have an origin or a cause: grows with every report.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.from.values().chain(self.causes.values()).copied().fold(0, u64::saturating_add)
    }
}

#[async_trait]
pub trait SignalStore: Send + Sync {
    /// `host:port/db`, without credentials.
    fn address(&self) -> String;

    /// What was reported of these minutes, in their order. At most 60.
    async fn minutes(&self, minutes: &[DateTime<Utc>]) -> Result<Vec<MinuteSignals>, Fault>;

    /// What consumers wrote down of one message's deliveries, newest first, at most 20; empty where they write nothing.
    async fn trace(&self, r#type: Option<&str>, key: &str) -> Result<Vec<TraceEntry>, Fault>;
}
