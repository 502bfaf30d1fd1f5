//! What consumers report of their deliveries, as they left it where the console reads it.
//!
//! To add a way of reporting: a module beside `adapters/signals/redis.rs` that fills [`MinuteSignals`], and its kind in
//! `config/read/stores.rs` and `boot.rs`.

use app::model::{Counts, Fault, Handling, TraceEntry};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Types that are told apart, and how long they may be, by the state's schema.
pub const TYPES: usize = 200;
pub const TYPE_LENGTH: usize = 191;
/// Origins of one type that are told apart.
pub const ORIGINS: usize = 50;
/// What is beyond those.
pub const OTHER: &str = "other";
/// Causes of duplicates, by the convention.
pub const CAUSES: [&str; 4] = ["producer", "redelivery", "rebalance", "callback"];

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
        for (name, count) in &other.from {
            self.add_from(name, *count);
        }
        for (name, count) in &other.causes {
            let sum = self.causes.entry(name.clone()).or_default();
            *sum = sum.saturating_add(*count);
        }
    }

    /// Beyond [`ORIGINS`] the rest is [`OTHER`].
    pub fn add_from(&mut self, name: &str, count: u64) {
        let has_its_own = self.from.len() < ORIGINS || self.from.contains_key(name);
        let sum = self.from.entry(if has_its_own { name } else { OTHER }.to_owned()).or_default();
        *sum = sum.saturating_add(count);
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
