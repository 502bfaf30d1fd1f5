//! What consumers report of their deliveries: counts by outcome, events, handling times, where duplicates come from.

mod counts;
mod handling;
mod unreported;

pub use counts::{Counts, Signal};
pub use handling::Handling;
pub use unreported::Unreported;

use super::time;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Body of the `signals` panel: the last hour of one source, as its consumers reported it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct SignalsPanel {
    /// `redis` or `http`.
    pub kind: String,
    /// `host:port/db` without credentials; `None` for `http`.
    pub address: Option<String>,
    /// The newest minute that anybody reported; `None`: nobody in the last hour.
    #[serde(with = "time::option")]
    pub reported_at: Option<DateTime<Utc>>,
    /// Instances that said in the last two whole minutes that they are there.
    pub alive: u64,
    /// All types together.
    pub total: Counts,
    pub handling: HandlingFigures,
    /// The last whole minute; `None`: nobody reported in it.
    pub last: Option<Counts>,
    /// The last five whole minutes.
    pub recent: HandlingFigures,
    /// What the consumers set as their locks' TTL, where the configuration says it.
    pub ttl_ms: Option<u64>,
    /// By deliveries, most first; beyond 200 types the rest together as `other`.
    pub types: Vec<TypeSignals>,
    /// Fields that were none of the convention's.
    pub unreadable: u64,
    /// Minutes with more fields than are read: their counts are too small.
    pub cut_minutes: u64,
}

/// The last hour of one type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct TypeSignals {
    /// Empty where the source has no types.
    pub r#type: String,
    pub counts: Counts,
    pub handling: HandlingFigures,
    /// Where its duplicates come from, most first, at most five.
    pub origins: Vec<Origin>,
}

/// Duplicates of one type over a stretch of time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct TypeDuplicates {
    /// Empty where the source has no types.
    pub r#type: String,
    pub duplicates: u64,
    /// Where they come from, most first, at most five.
    pub origins: Vec<Origin>,
}

/// A queue or producer that duplicates come from, or their cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Origin {
    pub name: String,
    pub duplicates: u64,
}

/// Percentiles of the handling time in milliseconds, from a histogram; `None` where nothing was handled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct HandlingFigures {
    pub count: u64,
    pub p50_ms: Option<u64>,
    /// 60,000 stands for a minute or more.
    pub p99_ms: Option<u64>,
}

impl From<&Handling> for HandlingFigures {
    fn from(handling: &Handling) -> Self {
        Self { count: handling.count(), p50_ms: handling.percentile(0.5), p99_ms: handling.percentile(0.99) }
    }
}
