//! The house as [`crate::boot`] puts it together: every part behind its port.

use crate::clock::Clock;
use crate::config::{Config, Source};
use crate::diagnose::{Handling, LockKeys, LockRules, minimum_age};
use crate::live::{Board, LockRows, OpenSets, Pokes};
use crate::ports::archive::RecordArchive;
use crate::ports::archive_runs::ArchiveRuns;
use crate::ports::audit::RecordAudit;
use crate::ports::audit_log::AuditLog;
use crate::ports::brokers::BrokerStats;
use crate::ports::changes::RecordChanges;
use crate::ports::jobs::Jobs;
use crate::ports::locks::LockStore;
use crate::ports::records::RecordStore;
use crate::ports::redelivery::Redelivery;
use crate::ports::retries::Retries;
use crate::ports::signals::SignalStore;
use crate::ports::state::{
    Audit, Credentials, Followed, History, Hours, Leases, Links, Operators, Reports, Snapshots, StateError,
};
use crate::ports::trail::Trail;
use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

/// Everything that a request, a background task or a command works with. Cheap to clone behind its `Arc`.
pub struct System {
    pub config: Config,
    pub clock: Arc<dyn Clock>,
    pub state: StateStores,
    /// In the configuration's order.
    pub sources: Vec<SourceSystem>,
    /// The latest panels, in memory.
    pub board: Arc<Board>,
    /// Open records as this instance's collectors follow them; empty where another instance holds the lease.
    pub open_sets: Arc<OpenSets>,
    /// All locks that this instance's collectors have seen.
    pub lock_rows: Arc<LockRows>,
    /// Wakes collectors after an operation.
    pub pokes: Arc<Pokes>,
    /// Holds the lock on an SQLite state for as long as the system lives. Nothing is asked of it.
    pub state_lock: Box<dyn Any + Send + Sync>,
}

/// The console's own state, one port each; all on one database.
#[derive(Clone)]
pub struct StateStores {
    pub leases: Arc<dyn Leases>,
    pub snapshots: Arc<dyn Snapshots>,
    pub history: Arc<dyn History>,
    pub followed: Arc<dyn Followed>,
    pub hours: Arc<dyn Hours>,
    pub jobs: Arc<dyn Jobs>,
    pub archive_runs: Arc<dyn ArchiveRuns>,
    pub reports: Arc<dyn Reports>,
    pub operators: Arc<dyn Operators>,
    pub credentials: Arc<dyn Credentials>,
    pub links: Arc<dyn Links>,
    pub audit: Arc<dyn Audit>,
    pub audit_log: Arc<dyn AuditLog>,
    pub trail: Arc<dyn Trail>,
    pub retries: Arc<dyn Retries>,
}

/// One source's stores. They connect lazily: a source that is down at start is down, not absent.
pub struct SourceSystem {
    pub config: Source,
    pub records: Arc<dyn RecordStore>,
    /// Where completed records were moved; `None`: no archive is configured.
    pub archive: Option<Arc<dyn RecordStore>>,
    /// A way to change its rows; `None`: the source is read-only.
    pub changes: Option<Arc<dyn RecordChanges>>,
    /// A way to move its rows into the archive; `None`: it has none, or is read-only.
    pub archiver: Option<Arc<dyn RecordArchive>>,
    /// The same table, for what only `check` asks.
    pub audit: Arc<dyn RecordAudit>,
    pub locks: Option<Arc<dyn LockStore>>,
    /// Where consumers leave what they report; `None` where they send it, or report nothing.
    pub signals: Option<Arc<dyn SignalStore>>,
    pub brokers: Vec<Arc<dyn BrokerStats>>,
    /// Makes the message of an opened record come again; `None`: it comes by itself.
    pub redelivery: Option<Arc<dyn Redelivery>>,
}

impl System {
    #[must_use]
    pub fn source(&self, name: &str) -> Option<&SourceSystem> {
        self.sources.iter().find(|source| source.config.name == name)
    }

    /// The zone of all sources, where they agree: of what belongs to none.
    #[must_use]
    pub fn common_zone(&self) -> chrono_tz::Tz {
        let mut zones = self.sources.iter().map(|source| source.config.timezone);
        zones.next().filter(|first| zones.all(|other| other == *first)).unwrap_or(chrono_tz::Tz::UTC)
    }

    /// Takes in the panels that a server's collectors left in the state: what they know of handling and locks.
    ///
    /// # Errors
    /// When the state cannot be read.
    pub async fn know_panels(&self) -> Result<(), StateError> {
        for row in self.state.snapshots.since(0).await? {
            self.board.put(&row.source, &row.panel, row.version, &row.json);
        }
        Ok(())
    }
}

impl SourceSystem {
    /// How locks of this source are judged; `None`: it has none.
    #[must_use]
    pub fn lock_rules(&self) -> Option<LockRules> {
        let locks = self.config.locks.as_ref()?;
        Some(LockRules {
            kind: locks.kind,
            done: locks.done.clone(),
            ttl: locks.ttl,
            minimum_age: self.minimum_age(Handling::default()),
            handling: Handling::default(),
        })
    }

    #[must_use]
    pub fn lock_keys(&self) -> Option<LockKeys> {
        self.config.locks.as_ref().map(|locks| LockKeys::new(&locks.pattern))
    }

    /// A processing record younger than this is never called stuck. `handling`: of its type.
    #[must_use]
    pub fn minimum_age(&self, handling: Handling) -> Duration {
        minimum_age(self.config.retry.after, self.config.locks.as_ref().and_then(|locks| locks.ttl), handling.p99)
    }
}
