//! A panel is what one collector knows of one layer of one source: the last good reading, and the trouble since.

use super::{Fault, time};
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PanelName {
    Records,
    Locks,
    Signals,
    Brokers,
}

impl PanelName {
    pub const ALL: [Self; 4] = [Self::Records, Self::Locks, Self::Signals, Self::Brokers];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Records => "records",
            Self::Locks => "locks",
            Self::Signals => "signals",
            Self::Brokers => "brokers",
        }
    }
}

/// The last reading of one panel. `body` survives trouble, so that a page can show what was known, greyed, with its age.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Panel<T> {
    /// Grows with every write of this panel, on every instance alike.
    pub version: i64,
    /// When `body` was read. `None`: never.
    #[serde(with = "time::option")]
    pub read_at: Option<DateTime<Utc>>,
    /// How often it is read. A reading older than three periods is stale.
    pub period_ms: u64,
    /// Set while the last attempt has failed.
    pub trouble: Option<Trouble>,
    pub body: Option<T>,
}

/// A failing collector: what it got, since when, and when it tries again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Trouble {
    pub fault: Fault,
    #[serde(with = "time")]
    pub since: DateTime<Utc>,
    pub attempts: u32,
    #[serde(with = "time")]
    pub next_try_at: DateTime<Utc>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    Live,
    /// Older than three periods, without a failure that explains it.
    Stale,
    /// The last attempt failed. Never shown as zero.
    Unreachable,
    /// Nothing was read yet.
    Waiting,
}

impl<T> Panel<T> {
    /// A panel that no collector has written yet.
    #[must_use]
    pub fn waiting(period_ms: u64) -> Self {
        Self { version: 0, read_at: None, period_ms, trouble: None, body: None }
    }

    #[must_use]
    pub fn freshness(&self, now: DateTime<Utc>) -> Freshness {
        if self.trouble.is_some() {
            return Freshness::Unreachable;
        }
        match self.read_at {
            None => Freshness::Waiting,
            Some(at)
                if now - at > TimeDelta::milliseconds(3 * i64::try_from(self.period_ms).unwrap_or(i64::MAX / 3)) =>
            {
                Freshness::Stale
            }
            Some(_) => Freshness::Live,
        }
    }

    /// The same panel with its body borrowed.
    pub fn as_ref(&self) -> Panel<&T> {
        Panel {
            version: self.version,
            read_at: self.read_at,
            period_ms: self.period_ms,
            trouble: self.trouble.clone(),
            body: self.body.as_ref(),
        }
    }

    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Panel<U> {
        Panel {
            version: self.version,
            read_at: self.read_at,
            period_ms: self.period_ms,
            trouble: self.trouble,
            body: self.body.map(f),
        }
    }
}
