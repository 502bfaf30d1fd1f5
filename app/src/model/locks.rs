use super::{Count, Fault, Pass, RecordRef, Status, VerdictCount, WhyNot};
use serde::{Deserialize, Serialize};

/// State of a lock, as look-up and the Locks page say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum LockState {
    Held,
    /// Less time left than the type usually needs.
    Expiring,
    /// The key is a done marker.
    Done,
    /// No TTL: it never goes away by itself.
    Eternal,
    /// Held, while its record is missing or finished for longer than any handler runs.
    Orphan,
    /// A processing record whose lock is gone. Only on the Locks page; a look-up says `none`.
    Unprotected,
    None,
    /// Redis could not be asked: it may be held.
    Unknown,
}

/// One lock as read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Lock {
    pub state: LockState,
    /// The full Redis key.
    pub key: String,
    pub owner: Option<String>,
    /// Milliseconds left; `None` without a TTL or without a key.
    pub ttl_ms: Option<i64>,
}

/// A line of the Locks page: a lock and the record it stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct LockRow {
    pub lock: Lock,
    pub r#type: Option<String>,
    pub key: String,
    /// `None`: no record.
    pub record_status: Option<Status>,
    #[serde(rename = "ref")]
    pub reference: Option<RecordRef>,
    /// For how long this owner has been seen on this key; 0 at first sight.
    pub watched_ms: u64,
    /// `None`: it may be released by owner compare.
    pub not_releasable: Option<WhyNot>,
}

/// Body of the `locks` panel: the locks of open and recently finished records, and what the background scan has found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct LocksPanel {
    /// `host:port/db`, without credentials.
    pub store: String,
    pub pattern: String,
    pub held: Count,
    pub expiring: Count,
    pub done: Count,
    pub eternal: Count,
    pub orphan: Count,
    pub unprotected: Count,
    /// Every lock that was seen at one time carried the same owner: it protects nothing and is never released.
    pub shared_owner: Option<String>,
    /// How far the scan of the key space has come: it finds locks without a record. In keys.
    pub scan: Option<Pass>,
    /// The open records whose locks were asked, by what is going on with them.
    pub verdicts: Vec<VerdictCount>,
    /// What needs a look first, sorted by danger; at most 200.
    pub rows: Vec<LockRow>,
    /// What keeps the scan from going on.
    pub problems: Vec<Fault>,
}

impl LocksPanel {
    /// For how long `owner` has been seen on `key`, at least.
    #[must_use]
    pub fn watched_ms(&self, key: &str, owner: &str) -> u64 {
        let row = self.rows.iter().find(|row| row.lock.key == key && row.lock.owner.as_deref() == Some(owner));
        row.map_or(0, |row| row.watched_ms)
    }
}
