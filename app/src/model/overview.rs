use super::{BrokerPanel, Course, Layer, LocksPanel, Panel, RecordsPanel, SignalsPanel, VerdictCode, time};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Everything the Overview of one source shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Overview {
    pub source: String,
    /// The server's clock when this was put together: ages on the page count from it.
    #[serde(with = "time")]
    pub now: DateTime<Utc>,
    pub records: Panel<RecordsPanel>,
    /// `None`: not configured.
    pub locks: Option<Panel<LocksPanel>>,
    /// `None`: not configured.
    pub signals: Option<Panel<SignalsPanel>>,
    pub brokers: Vec<Panel<BrokerPanel>>,
    /// What charts draw.
    pub course: Course,
    /// What needs a person, worst first.
    pub attention: Vec<Attention>,
}

/// One line of "needs attention".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Attention {
    /// Records with this verdict, the oldest since `oldest_at`.
    Records {
        verdict: VerdictCode,
        count: u64,
        #[serde(with = "time::option")]
        oldest_at: Option<DateTime<Utc>>,
    },
    EternalLocks {
        count: u64,
    },
    OrphanLocks {
        count: u64,
    },
    UnprotectedRecords {
        count: u64,
    },
    DeadLetters {
        count: u64,
    },
    UnmappedRecords {
        count: u64,
    },
    /// Records that were retried, and that nobody took up.
    RetryNoEffect {
        count: u64,
    },
    NotSeen {
        layer: Layer,
        #[serde(with = "time")]
        since: DateTime<Utc>,
    },
    /// Effects that are known to have happened twice in the last hour.
    Leaked {
        count: u64,
    },
    /// Handlers run for longer than their lock lives.
    OutlivesLock {
        p99_ms: u64,
        ttl_ms: u64,
    },
    /// Deliveries of the last hour that were handled without the lock.
    Degraded {
        count: u64,
    },
    SharedOwner {
        owner: String,
    },
}
