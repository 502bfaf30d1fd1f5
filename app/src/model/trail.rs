//! The audit: what was begun, by whom and why, how it ended, and what became of each item.

use super::{AuditBreak, AuditSearch, Role, Setback, Skip, WhyNot, time};
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How far an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum AuditStanding {
    /// Begun, and not ended yet.
    Open,
    /// Begun so long ago that it should have ended.
    Unfinished,
    /// Somebody tried it, and was not let: nothing was changed.
    Refused,
    Ended,
}

/// One operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct AuditEntry {
    pub number: i64,
    /// Of this entry and the hash of the one before.
    pub hash: String,
    pub operation_id: String,
    /// `retry`, `release_lock`, `archive`, ….
    pub operation: String,
    pub source: String,
    pub actor: String,
    /// `browser 10.0.0.7`, `token 10.0.0.7`, `cli root@host`.
    pub origin: String,
    pub reason: String,
    #[serde(with = "time")]
    pub begun_at: DateTime<Utc>,
    pub standing: AuditStanding,
    #[serde(with = "time::option")]
    pub ended_at: Option<DateTime<Utc>>,
    pub outcome: Option<String>,
    /// What it was about, with the values that were shown.
    #[cfg_attr(feature = "ssr", schema(value_type = Object))]
    pub target: Value,
    /// What came of it.
    #[cfg_attr(feature = "ssr", schema(value_type = Option<Object>))]
    pub detail: Option<Value>,
    /// The first of what became of it, in the order in which it was written.
    pub events: Vec<AuditEvent>,
    /// `after` of the next events; `null`: there are no more.
    pub next_event: Option<i64>,
}

/// What became of one item, or what somebody did to a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct AuditEvent {
    pub id: i64,
    #[serde(with = "time")]
    pub at: DateTime<Utc>,
    /// `item`, `paused`, `resumed`, `stopped`, `unfinished`, `refused`.
    pub kind: String,
    /// Empty where nobody did it but the run itself.
    pub actor: String,
    pub item: Option<AuditItem>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct AuditItem {
    pub r#ref: Option<String>,
    pub r#type: Option<String>,
    pub key: Option<String>,
    /// What it was when it was planned.
    pub status: Option<String>,
    /// `done`, `skipped`, `failed`, `uncertain`, `undone`; `null`: too large to be shown in a list.
    pub outcome: Option<String>,
    pub why: Option<AuditWhy>,
    /// Stored values by column.
    #[cfg_attr(feature = "ssr", schema(value_type = Option<Object>))]
    pub before: Option<Value>,
    /// `null` where it was deleted, or not touched.
    #[cfg_attr(feature = "ssr", schema(value_type = Option<Object>))]
    pub after: Option<Value>,
    /// Characters of what is kept of it and not shown.
    pub left_out: Option<u64>,
}

/// Why an item was not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum AuditWhy {
    Skip(Skip),
    Setback(Setback),
    Text(String),
}

/// Why somebody was not let.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum AuditRefusal {
    Role { needed: Role },
    NotAllowed { why: WhyNot },
    Phrase { phrase: String },
}

/// Which operations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditQuery {
    pub search: AuditSearch,
    /// Older than this one.
    pub before: Option<i64>,
    /// Newer than this one; it wins over `before`.
    pub after: Option<i64>,
    /// Nothing of other sources.
    pub only: Option<String>,
    /// At most 200.
    pub limit: u32,
    /// Events of each that are read with it, at most 100.
    pub events: u32,
}

/// Operations that match, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct AuditPage {
    pub items: Vec<AuditEntry>,
    /// `before` of the next page.
    pub next: Option<i64>,
    /// `after` of the page before; `null` on the first one.
    pub newer: Option<i64>,
    /// Numbers of operations that have no end, newest first, at most 100.
    pub unfinished: Vec<i64>,
    /// `null`: the chains were never read again.
    pub chain: Option<ChainCheck>,
}

/// The last time that the audit's chains were read again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct ChainCheck {
    #[serde(with = "time")]
    pub begun_at: DateTime<Utc>,
    /// When this was last written.
    #[serde(with = "time")]
    pub at: DateTime<Utc>,
    pub by: String,
    /// Rows that were read.
    pub rows: u64,
    /// Rows that there were when it began, as far as that is known yet.
    pub of: u64,
    pub state: ChainState,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum ChainState {
    Checking,
    Whole,
    Broken {
        at: AuditBreak,
    },
    /// It could not be read to its end.
    Failed,
}

impl ChainCheck {
    /// It says that it goes on, and whoever did it is gone.
    #[must_use]
    pub fn broke_off(&self, now: DateTime<Utc>) -> bool {
        /// It is written down each second.
        const SILENT: TimeDelta = TimeDelta::seconds(30);
        self.state == ChainState::Checking && now - self.at > SILENT
    }
}

impl AuditEntry {
    /// A number of the detail, such as `moved`.
    #[must_use]
    pub fn count(&self, name: &str) -> Option<u64> {
        self.detail.as_ref()?.get(name)?.as_u64()
    }

    /// A text of the target, such as `key`.
    #[must_use]
    pub fn said(&self, name: &str) -> Option<&str> {
        self.target.get(name)?.as_str()
    }

    #[must_use]
    pub fn refusal(&self) -> Option<AuditRefusal> {
        serde_json::from_value(self.detail.as_ref()?.get("refused")?.clone()).ok()
    }
}
