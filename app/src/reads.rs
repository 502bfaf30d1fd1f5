//! What pages ask. The server answers it from snapshots (panels) and from the source's own stores (lists, look-ups);
//! `/api` and the command line ask the same.

use crate::model::{
    Archive, AuditEntry, AuditPage, AuditQuery, Beside, Brokers, Fault, ItemsPage, ItemsQuery, LocksPanel, LocksQuery,
    Lookup, Operated, Operation, Overview, Panel, RecordRef, RecordsPage, RecordsQuery, RunsPage, Settings, Signs,
    SourceHead, TimeRange,
};
use async_trait::async_trait;

/// Every method is bounded in time: a source that hangs gives [`Fault::TimedOut`], not a page that hangs.
#[async_trait]
pub trait Reads: Send + Sync {
    async fn sources(&self) -> Vec<SourceHead>;
    async fn overview(&self, source: &str, range: TimeRange) -> Result<Overview, Fault>;
    /// The Overview without its course: only what is in memory.
    async fn standing(&self, source: &str) -> Result<Overview, Fault>;
    /// The numbers beside the navigation's names, at most two seconds old.
    async fn signs(&self, source: &str) -> Result<Signs, Fault>;
    async fn records(&self, source: &str, query: &RecordsQuery) -> Result<RecordsPage, Fault>;
    /// Without a type, every type that has the key is found.
    async fn lookup(&self, source: &str, r#type: Option<&str>, key: &str) -> Result<Lookup, Fault>;
    /// The look-up of the key that this row has; `Ok(None)` when the row is gone.
    async fn record(&self, source: &str, reference: &RecordRef) -> Result<Option<Lookup>, Fault>;
    /// What the answer is held against: from memory.
    async fn beside(&self, source: &str, lookup: &Lookup) -> Result<Beside, Fault>;
    /// `Ok(None)`: the source has no locks configured.
    async fn locks(&self, source: &str) -> Result<Option<Panel<LocksPanel>>, Fault>;
    /// The same with the rows that are asked for.
    async fn lock_list(&self, source: &str, query: &LocksQuery) -> Result<Option<Panel<LocksPanel>>, Fault>;
    async fn brokers(&self, source: &str) -> Result<Brokers, Fault>;
    /// The operations on rows, each allowed or why not: by the mapping, and by the account that would write.
    async fn operable(&self, source: &str) -> Result<Vec<Operation>, Fault>;
    /// Runs, newest first, before a number.
    async fn runs(&self, source: &str, before: Option<i64>) -> Result<RunsPage, Fault>;
    /// `Ok(None)`: the source has no such operation.
    async fn operation(&self, source: &str, id: &str) -> Result<Option<Operated>, Fault>;
    /// Of an operation of the source.
    async fn items(&self, source: &str, id: &str, query: &ItemsQuery) -> Result<ItemsPage, Fault>;
    async fn settings(&self) -> Settings;
    async fn audit(&self, query: &AuditQuery) -> Result<AuditPage, Fault>;
    /// With as many of its events, behind one; `Ok(None)`: there is no such entry.
    async fn audit_entry(&self, number: i64, after: Option<i64>, events: u32) -> Result<Option<AuditEntry>, Fault>;
    /// With the runs before one.
    async fn archive(&self, source: &str, before: Option<i64>) -> Result<Archive, Fault>;
}
