//! Who did what, in two phases, each row chained to the one before.

use super::database::{Database, get, get_optional_time, get_time};
use super::failure::failed;
use super::trail::end_of;
use crate::ports::permit::Permit;
use crate::ports::state::{Audit, AuditEntry, Begin, StateError};
use crate::ports::trail::{Event, EventKind};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_query::{Expr, ExprTrait, Order, Query, SelectStatement};
use sha2::{Digest, Sha256};
use sqlx::any::AnyRow;

const AT_MOST: u32 = 200;

#[async_trait]
impl Audit for Database {
    #[expect(clippy::disallowed_methods, reason = "the one place that gives out permits")]
    async fn begin(&self, begin: &Begin) -> Result<Permit, StateError> {
        let mut work = Database::begin(self).await?;
        // The counter's row makes beginnings wait for each other, so the row before is complete, and ids have no gaps:
        // a missing one was removed.
        let id = self.next(&mut work, "audit").await?;
        let mut last = Query::select();
        last.column("hash").from("oncewatch_audit").and_where(Expr::col("id").eq(id - 1));
        let previous = match self.optional(&mut *work, &last).await? {
            Some(row) => get(&row, "hash")?,
            // The first row, or the one before was removed: then the chain shows it, and operations go on.
            None => String::new(),
        };
        let mut insert = Query::insert();
        insert
            .into_table("oncewatch_audit")
            .columns([
                "id",
                "operation_id",
                "operation",
                "source",
                "actor",
                "origin",
                "reason",
                "begun_at",
                "target",
                "hash",
            ])
            .values_panic([
                id.into(),
                begin.operation_id.as_str().into(),
                begin.operation.as_str().into(),
                begin.source.as_str().into(),
                begin.actor.as_str().into(),
                begin.origin.as_str().into(),
                begin.reason.as_str().into(),
                begin.at.timestamp_millis().into(),
                begin.target.as_str().into(),
                link_hash(&previous, id, begin).into(),
            ]);
        self.insert_new(&mut *work, &insert, &format!("operation {}", begin.operation_id)).await?;
        self.find_beginning(&mut work, id, begin).await?;
        self.commit(work).await?;
        Ok(Permit::begun(begin.operation_id.clone()))
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that gives out permits")]
    async fn go_on(&self, operation_id: &str) -> Result<Option<Permit>, StateError> {
        let entry = Audit::get(self, operation_id).await?;
        Ok(entry.filter(|entry| entry.ended_at.is_none()).map(|entry| Permit::begun(entry.operation_id)))
    }

    async fn complete(
        &self,
        operation_id: &str,
        at: DateTime<Utc>,
        outcome: &str,
        detail: &str,
    ) -> Result<(), StateError> {
        let mut complete = Query::update();
        complete
            .table("oncewatch_audit")
            .values([
                ("ended_at", at.timestamp_millis().into()),
                ("outcome", outcome.into()),
                ("detail", detail.into()),
            ])
            .and_where(Expr::col("operation_id").eq(operation_id))
            .and_where(Expr::col("ended_at").is_null());
        let mut work = Database::begin(self).await?;
        if self.run(&mut *work, &complete).await? == 1 {
            let event = Event {
                operation_id: operation_id.to_owned(),
                kind: EventKind::Ended,
                actor: String::new(),
                origin: String::new(),
                at,
                body: end_of(outcome, detail),
            };
            self.append(&mut work, &[event]).await?;
            self.find_end(&mut work, operation_id, outcome).await?;
            return self.commit(work).await;
        }
        drop(work);
        match Audit::get(self, operation_id).await? {
            Some(_) => Err(StateError::Exists(format!("the outcome of operation {operation_id}"))),
            None => Err(failed(format!("operation {operation_id} was never begun"))),
        }
    }

    async fn get(&self, operation_id: &str) -> Result<Option<AuditEntry>, StateError> {
        let mut query = entries();
        query.and_where(Expr::col("operation_id").eq(operation_id));
        self.optional(self.pool(), &query).await?.as_ref().map(read).transpose()
    }

    async fn recent(&self, source: Option<&str>, limit: u32) -> Result<Vec<AuditEntry>, StateError> {
        let mut query = entries();
        if let Some(source) = source {
            query.and_where(Expr::col("source").eq(source));
        }
        query.order_by("id", Order::Desc).limit(Ord::min(limit, AT_MOST).into());
        self.all(&query).await?.iter().map(read).collect()
    }
}

/// The hash of one row: SHA-256 over the hash of the row before (empty for the first) and what was begun, each part
/// preceded by its length, so that text cannot move from one part to the next unseen. Hex, as stored.
#[must_use]
pub fn link_hash(previous: &str, id: i64, begin: &Begin) -> String {
    let (id, at_ms) = (id.to_string(), begin.at.timestamp_millis().to_string());
    let parts = [
        previous,
        &id,
        &begin.operation_id,
        &begin.operation,
        &begin.source,
        &begin.actor,
        &begin.origin,
        &begin.reason,
        &at_ms,
        &begin.target,
    ];
    chain_hash(&parts)
}

pub(super) fn chain_hash(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hex::encode(hash.finalize())
}

pub(super) fn entries() -> SelectStatement {
    let mut query = Query::select();
    query
        .columns(["id", "operation_id", "operation", "source", "actor", "origin", "reason", "begun_at", "target"])
        .columns(["ended_at", "outcome", "detail"])
        .from("oncewatch_audit");
    query
}

/// Its first half again.
pub(super) fn begun(entry: &AuditEntry) -> Begin {
    let AuditEntry { operation_id, operation, source, actor, origin, reason, begun_at, target, .. } = entry.clone();
    Begin { operation_id, operation, source, actor, origin, reason, at: begun_at, target }
}

pub(super) fn read(row: &AnyRow) -> Result<AuditEntry, StateError> {
    Ok(AuditEntry {
        id: get(row, "id")?,
        operation_id: get(row, "operation_id")?,
        operation: get(row, "operation")?,
        source: get(row, "source")?,
        actor: get(row, "actor")?,
        origin: get(row, "origin")?,
        reason: get(row, "reason")?,
        begun_at: get_time(row, "begun_at")?,
        target: get(row, "target")?,
        ended_at: get_optional_time(row, "ended_at")?,
        outcome: get(row, "outcome")?,
        detail: get(row, "detail")?,
    })
}

#[cfg(test)]
mod tests {
    use super::link_hash;
    use crate::ports::state::Begin;
    use chrono::DateTime;

    fn begin() -> Begin {
        Begin {
            operation_id: "op-1".to_owned(),
            operation: "release_lock".to_owned(),
            source: "points".to_owned(),
            actor: "ann".to_owned(),
            origin: "cli root@host".to_owned(),
            reason: "stuck".to_owned(),
            at: DateTime::UNIX_EPOCH,
            target: "{}".to_owned(),
        }
    }

    #[test]
    fn every_part_of_a_row_changes_its_hash() {
        let changed = [
            link_hash("", 1, &begin()),
            link_hash("0", 1, &begin()),
            link_hash("", 2, &begin()),
            link_hash("", 1, &Begin { operation_id: "op-2".to_owned(), ..begin() }),
            link_hash("", 1, &Begin { operation: "retry".to_owned(), ..begin() }),
            link_hash("", 1, &Begin { source: "orders".to_owned(), ..begin() }),
            link_hash("", 1, &Begin { actor: "bob".to_owned(), ..begin() }),
            link_hash("", 1, &Begin { origin: "token ci".to_owned(), ..begin() }),
            link_hash("", 1, &Begin { reason: String::new(), ..begin() }),
            link_hash("", 1, &Begin { at: DateTime::from_timestamp_millis(1).unwrap(), ..begin() }),
            link_hash("", 1, &Begin { target: "[]".to_owned(), ..begin() }),
            // Text moved over the border between two parts.
            link_hash("", 1, &Begin { operation: "release_lockp".to_owned(), source: "oints".to_owned(), ..begin() }),
        ];
        let distinct: std::collections::HashSet<_> = changed.iter().collect();
        assert_eq!(distinct.len(), changed.len());
    }

    /// Chains that were written must be verified by later versions too.
    #[test]
    fn the_hash_never_changes_its_form() {
        insta::assert_snapshot!(link_hash("", 1, &begin()), @"0337f5a4c8c79893e054a115317ff049df30ac2cb8a7d865756c0b67ddfbdbd9");
    }
}
