//! Oncewatch's own database. Times are milliseconds, ids are text, every write of a background task carries its lease.

use super::permit::Permit;
use super::signals::TypeMinute;
use app::model::{Minute, Role, TraceEntry, TypeDuplicates};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// Another instance holds a newer lease: stop working.
    #[error("the lease on {name} was lost")]
    Fenced { name: String },
    #[error("{0} already exists")]
    Exists(String),
    #[error("the state database is locked by another process: {0}")]
    Locked(String),
    #[error("the state database has no room left: {0}")]
    Full(String),
    #[error("the state database failed: {0}")]
    Failed(String),
}

/// The right to run one background task, for ten seconds by the database's clock, renewed every three.
#[derive(Debug, Clone)]
pub struct Lease {
    /// For example `collect/points/records`.
    pub name: String,
    pub holder: String,
    /// Grows each time the lease changes hands; checked by every write made under it.
    pub fence: i64,
    /// Local monotonic deadline: after it nothing may be written, whatever the database would say.
    pub deadline: Instant,
}

#[async_trait]
pub trait Leases: Send + Sync {
    /// `Ok(None)`: somebody else holds it.
    async fn acquire(&self, name: &str, holder: &str) -> Result<Option<Lease>, StateError>;
    /// `Ok(None)`: it was lost.
    async fn renew(&self, lease: &Lease) -> Result<Option<Lease>, StateError>;
    async fn release(&self, lease: &Lease) -> Result<(), StateError>;
}

/// One (source, panel) as stored. `panel` is `records`, `locks`, or `brokers/<n>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotRow {
    pub source: String,
    pub panel: String,
    /// Grows with every write of any panel.
    pub version: i64,
    /// A serialised `app::model::Panel`.
    pub json: String,
}

#[async_trait]
pub trait Snapshots: Send + Sync {
    /// Writes one panel under the lease's fence; returns its new version.
    async fn put(&self, lease: &Lease, source: &str, panel: &str, json: &str) -> Result<i64, StateError>;
    /// Rows written after `version`, oldest first.
    async fn since(&self, version: i64) -> Result<Vec<SnapshotRow>, StateError>;
}

#[async_trait]
pub trait History: Send + Sync {
    /// Adds what `minute` has to the row of its minute; what is absent in it is left alone.
    async fn put(&self, lease: &Lease, source: &str, minute: &Minute) -> Result<(), StateError>;
    /// Minutes of `from..to`, oldest first.
    async fn minutes(&self, source: &str, from: DateTime<Utc>, to: DateTime<Utc>) -> Result<Vec<Minute>, StateError>;
    /// Deletes minutes older than `before`, at most 1,000; returns how many.
    async fn purge(&self, lease: &Lease, before: DateTime<Utc>) -> Result<u64, StateError>;
}

/// The history by the hour, for what is too old for minutes.
#[async_trait]
pub trait Hours: Send + Sync {
    /// Makes the source's oldest hour that ended before `before` of its minutes, once; `false`: none is left to make.
    async fn sum_up(&self, lease: &Lease, source: &str, before: DateTime<Utc>) -> Result<bool, StateError>;
    /// Hours of `from..to`, oldest first: of each gauge the highest.
    async fn gauges(&self, source: &str, from: DateTime<Utc>, to: DateTime<Utc>) -> Result<Vec<Minute>, StateError>;
    /// Hours of `from..to` of one type (empty: all together), oldest first: counts and histograms added up.
    async fn reported(
        &self,
        source: &str,
        r#type: &str,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<Reported>, StateError>;
    /// Deletes hours older than `before`, at most 1,000 of each kind; returns how many.
    async fn purge(&self, lease: &Lease, before: DateTime<Utc>) -> Result<u64, StateError>;
}

/// What changed in one table's following since the last checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    pub table: String,
    /// The follower's own words. `None`: as it was.
    pub progress: Option<String>,
    /// Tokens of rows that are open, at most 255 characters each.
    pub add: Vec<String>,
    /// Of rows that are not open any more.
    pub gone: Vec<String>,
}

/// How far the following of tables has come, for the next start.
#[async_trait]
pub trait Followed: Send + Sync {
    /// By table, as it was put.
    async fn progress(&self, source: &str) -> Result<Vec<(String, String)>, StateError>;
    /// Tokens of a table's open rows after one, in their order, at most 5,000.
    async fn open(&self, source: &str, table: &str, after: Option<&str>) -> Result<Vec<String>, StateError>;
    /// All of it or nothing, under the lease's fence.
    async fn put(&self, lease: &Lease, source: &str, checkpoint: &Checkpoint) -> Result<(), StateError>;
    /// The table is no more.
    async fn forget(&self, lease: &Lease, source: &str, table: &str) -> Result<(), StateError>;
}

#[derive(Debug, Clone)]
pub struct Operator {
    pub name: String,
    pub role: Role,
    /// Argon2id in PHC form. `None`: can only come in by a one-time link.
    pub password_hash: Option<String>,
    pub created_at: DateTime<Utc>,
}

#[async_trait]
pub trait Operators: Send + Sync {
    /// Fails with `Exists`.
    async fn add(&self, operator: &Operator) -> Result<(), StateError>;
    /// The first one only, by a one-time link that is used up with it: both or neither. `Ok(false)`: the link does not work
    /// any more. Fails with `Exists` when there is any operator.
    async fn add_first(&self, operator: &Operator, link_hash: &[u8; 32]) -> Result<bool, StateError>;
    async fn get(&self, name: &str) -> Result<Option<Operator>, StateError>;
    async fn list(&self) -> Result<Vec<Operator>, StateError>;
    /// `Ok(false)`: there is no such operator. Ends the operator's sessions.
    async fn set_password(&self, name: &str, password_hash: &str) -> Result<bool, StateError>;
    async fn any(&self) -> Result<bool, StateError>;
}

/// What a presented secret stands for. Secrets are stored as SHA-256, never as they are.
#[derive(Debug, Clone)]
pub struct Session {
    pub id: String,
    pub operator: String,
    pub role: Role,
    /// Without use until then; each use moves it, never past `ends_at`.
    pub expires_at: DateTime<Utc>,
    /// The end, whatever happens.
    pub ends_at: DateTime<Utc>,
}

#[derive(Debug, Clone)]
pub struct Token {
    pub name: String,
    pub role: Role,
    /// Only this source.
    pub source: Option<String>,
    pub created_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    /// Creates the first admin.
    Setup,
    /// Signs an existing operator in.
    SignIn,
}

#[derive(Debug, Clone)]
pub struct OneTimeLink {
    pub kind: LinkKind,
    pub operator: Option<String>,
    pub expires_at: DateTime<Utc>,
    pub used_at: Option<DateTime<Utc>>,
}

#[async_trait]
pub trait Credentials: Send + Sync {
    /// `Ok(false)`: the operator is gone or has another password than `password_hash`, which was checked before.
    async fn open_session(
        &self,
        secret_hash: &[u8; 32],
        session: &Session,
        password_hash: Option<&str>,
    ) -> Result<bool, StateError>;
    /// Only live sessions of operators that still exist; the role is the operator's present one.
    async fn session(&self, secret_hash: &[u8; 32], now: DateTime<Utc>) -> Result<Option<Session>, StateError>;
    /// The session was used: moves `expires_at`.
    async fn extend_session(&self, secret_hash: &[u8; 32], expires_at: DateTime<Utc>) -> Result<(), StateError>;
    async fn close_session(&self, secret_hash: &[u8; 32]) -> Result<(), StateError>;
    /// Fails with `Exists`.
    async fn add_token(&self, secret_hash: &[u8; 32], token: &Token) -> Result<(), StateError>;
    async fn token(&self, secret_hash: &[u8; 32], now: DateTime<Utc>) -> Result<Option<Token>, StateError>;
    async fn tokens(&self) -> Result<Vec<Token>, StateError>;
    /// `Ok(false)`: there is no such token.
    async fn revoke_token(&self, name: &str) -> Result<bool, StateError>;
}

#[async_trait]
pub trait Links: Send + Sync {
    async fn add(&self, secret_hash: &[u8; 32], link: &OneTimeLink) -> Result<(), StateError>;
    /// Whatever its state, so that a page can say why it no longer works.
    async fn get(&self, secret_hash: &[u8; 32]) -> Result<Option<OneTimeLink>, StateError>;
    /// Compare-and-set: `Ok(false)` when it was used or has expired meanwhile.
    async fn consume(&self, secret_hash: &[u8; 32], now: DateTime<Utc>) -> Result<bool, StateError>;
}

/// The first half of an audit entry, written before anything happens.
#[derive(Debug, Clone)]
pub struct Begin {
    /// The form's operation id: a second begin with it fails with `Exists`.
    pub operation_id: String,
    pub operation: String,
    pub source: String,
    pub actor: String,
    /// `browser 10.0.0.7`, `token ci`, `cli root@host`.
    pub origin: String,
    pub reason: String,
    pub at: DateTime<Utc>,
    /// JSON: what it is about to touch, with the values that were shown.
    pub target: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    pub id: i64,
    pub operation_id: String,
    pub operation: String,
    pub source: String,
    pub actor: String,
    pub origin: String,
    pub reason: String,
    pub begun_at: DateTime<Utc>,
    pub target: String,
    pub ended_at: Option<DateTime<Utc>>,
    /// `None`: begun and never ended.
    pub outcome: Option<String>,
    /// JSON: before and after.
    pub detail: Option<String>,
}

#[async_trait]
pub trait Audit: Send + Sync {
    /// The entry, and with it the right to act. Fails with `Exists` when the operation id was begun before.
    async fn begin(&self, begin: &Begin) -> Result<Permit, StateError>;
    /// For an operation that was begun and has not ended, to be taken up again; `None`: it has.
    async fn go_on(&self, operation_id: &str) -> Result<Option<Permit>, StateError>;
    async fn complete(
        &self,
        operation_id: &str,
        at: DateTime<Utc>,
        outcome: &str,
        detail: &str,
    ) -> Result<(), StateError>;
    async fn get(&self, operation_id: &str) -> Result<Option<AuditEntry>, StateError>;
    /// Newest first, at most 200.
    async fn recent(&self, source: Option<&str>, limit: u32) -> Result<Vec<AuditEntry>, StateError>;
}

/// What consumers reported of one type in one minute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reported {
    /// Its first instant.
    pub at: DateTime<Utc>,
    /// Empty: all types together.
    pub r#type: String,
    pub minute: TypeMinute,
    /// Instances that said that they are there; only of all types together.
    pub alive: BTreeSet<String>,
}

/// What came in one request.
#[derive(Debug, Clone, Default)]
pub struct Ingest {
    /// The request's Idempotency-Key and the hash of its body, each as 64 hex digits.
    pub once: Option<(String, String)>,
    /// By source.
    pub reports: BTreeMap<String, Vec<Reported>>,
    pub traces: Vec<Traced>,
}

/// What a consumer wrote down of one message's delivery.
#[derive(Debug, Clone)]
pub struct Traced {
    pub source: String,
    pub r#type: String,
    pub key: String,
    pub at: DateTime<Utc>,
    pub entry: TraceEntry,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ingested {
    Now,
    /// The same request came before, and nothing was taken twice.
    Before,
    /// The same key came with another body; nothing was taken.
    OtherBody,
}

/// The history of what consumers reported. A minute that nobody reported has no row.
#[async_trait]
pub trait Reports: Send + Sync {
    /// Under the lease's fence, all or nothing.
    async fn put(&self, lease: &Lease, source: &str, rows: &[Reported]) -> Result<(), StateError>;
    /// What came by HTTP, on top of what is there, all or nothing.
    async fn add(&self, ingest: &Ingest) -> Result<Ingested, StateError>;
    /// What came by HTTP of one message's deliveries, newest first, at most 20.
    async fn trace(&self, source: &str, r#type: &str, key: &str) -> Result<Vec<TraceEntry>, StateError>;
    /// Deletes what is older than it is kept, at most 1,000 rows of each kind; returns how many.
    async fn purge(&self, lease: &Lease, now: DateTime<Utc>) -> Result<u64, StateError>;
    /// Minutes of `from..to` of one type (empty: all together), oldest first.
    async fn minutes(
        &self,
        source: &str,
        r#type: &str,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<Reported>, StateError>;
    /// Minutes of `from..to` of all types, also of all together, in no order; at most 20,000 rows.
    async fn every(&self, source: &str, from: DateTime<Utc>, to: DateTime<Utc>) -> Result<Vec<Reported>, StateError>;
    /// The types with most duplicates in the hours of `from..minutes_from` and the minutes of `minutes_from..to` together,
    /// most first, at most five; the one without a name where the source has no types. Types without a duplicate are left
    /// out.
    async fn duplicates(
        &self,
        source: &str,
        from: DateTime<Utc>,
        minutes_from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<TypeDuplicates>, StateError>;
}
