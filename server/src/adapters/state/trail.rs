//! The rows behind [`Trail`], and the audit's chains read again.

use super::archive_runs::RUN;
use super::audit::{begun, chain_hash, entries, link_hash, read};
use super::database::{Database, Work, get, get_time};
use super::engine::Engine;
use super::failure::failed;
use super::job_rows::JOB;
use crate::ports::audit_log::{Chained, Verified, Walked};
use crate::ports::jobs::JobState;
use crate::ports::state::StateError;
use crate::ports::trail::{Event, EventKind, Trail};
use app::model::AuditBreak;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_query::{Expr, ExprTrait, Order, Query, SelectStatement};
use sqlx::any::AnyRow;

pub(super) const EVENT: &str = "oncewatch_audit_event";
const AT_ONCE: u64 = 1_000;
/// Of one INSERT: a row may be a megabyte.
const ROWS: usize = 50;

#[async_trait]
impl Trail for Database {
    async fn note(&self, event: &Event) -> Result<(), StateError> {
        let mut work = Database::begin(self).await?;
        self.append(&mut work, std::slice::from_ref(event)).await?;
        self.commit(work).await
    }

    async fn of(&self, operation_id: &str, after: Option<i64>) -> Result<Vec<(i64, Event)>, StateError> {
        let mut query = events();
        query.and_where(Expr::col("operation_id").eq(operation_id));
        query.and_where_option(after.map(|after| Expr::col("id").gt(after)));
        self.all(&query).await?.iter().map(|row| Ok((get(row, "id")?, read_event(row)?))).collect()
    }

    async fn broken(&self) -> Result<Option<AuditBreak>, StateError> {
        if !self.has_trail().await? {
            return Ok(None);
        }
        let mut walked = Walked::default();
        loop {
            match self.step(walked).await? {
                Verified::On(further) => walked = further,
                Verified::Whole(_) => return Ok(None),
                Verified::Broken(found) => return Ok(Some(found)),
            }
        }
    }

    async fn sweep(&self, begun_before: DateTime<Utc>, now: DateTime<Utc>) -> Result<u64, StateError> {
        let mut newest = entries();
        newest.order_by("id", Order::Desc).limit(AT_ONCE);
        let mut marked = 0;
        for row in self.all(&newest).await? {
            let entry = read(&row)?;
            if entry.ended_at.is_some() || entry.begun_at >= begun_before || self.goes_on(&entry.operation_id).await? {
                continue;
            }
            let mut noted = events();
            noted.and_where(Expr::col("operation_id").eq(&entry.operation_id));
            noted.and_where(Expr::col("kind").eq(EventKind::Unfinished.as_str()));
            if self.optional(self.pool(), &noted).await?.is_some() {
                continue;
            }
            tracing::warn!(operation = entry.operation_id, begun_at = %entry.begun_at, "an operation was begun and never ended");
            let event = Event {
                operation_id: entry.operation_id,
                kind: EventKind::Unfinished,
                actor: String::new(),
                origin: String::new(),
                at: now,
                body: "{}".to_owned(),
            };
            self.note(&event).await?;
            marked += 1;
        }
        Ok(marked)
    }
}

impl Database {
    /// Within a transaction that has its other locks already: whoever appends waits here for who did before.
    pub(super) async fn append(&self, work: &mut Work, new: &[Event]) -> Result<(), StateError> {
        for chunk in new.chunks(ROWS) {
            let count = i64::try_from(chunk.len()).unwrap_or(i64::MAX);
            let last = self.next_many(work, "audit_event", count).await?;
            let first = last - count + 1;
            let mut before = Query::select();
            before.column("hash").from(EVENT).and_where(Expr::col("id").eq(first - 1));
            // None: the first of all, or the one before was taken away, which shows without stopping anybody.
            let before = self.optional(&mut **work, &before).await?;
            let mut previous: String = before.map_or(Ok(String::new()), |row| get(&row, "hash"))?;
            let mut insert = Query::insert();
            insert.into_table(EVENT).columns(COLUMNS);
            for (id, event) in (first..).zip(chunk) {
                previous = event_hash(&previous, id, event);
                insert.values_panic([
                    id.into(),
                    event.operation_id.as_str().into(),
                    event.kind.as_str().into(),
                    event.actor.as_str().into(),
                    event.origin.as_str().into(),
                    event.at.timestamp_millis().into(),
                    event.body.as_str().into(),
                    previous.as_str().into(),
                ]);
            }
            self.run(&mut **work, &insert).await?;
            self.find_events(work, chunk).await?;
        }
        Ok(())
    }

    /// A command that only reads finds databases that nobody has migrated.
    async fn has_trail(&self) -> Result<bool, StateError> {
        let mut tables = Query::select();
        tables.expr(Expr::val(1));
        match self.engine {
            Engine::Sqlite => {
                tables.from("sqlite_master").and_where(Expr::col("name").eq(EVENT));
            }
            Engine::Mysql | Engine::Postgres => {
                let here = if self.engine == Engine::Mysql { "DATABASE()" } else { "current_schema()" };
                tables.from(("information_schema", "tables"));
                tables.and_where(Expr::col("table_name").eq(EVENT));
                tables.and_where(Expr::col("table_schema").eq(Expr::cust(here)));
            }
        }
        Ok(self.optional(self.pool(), &tables).await?.is_some())
    }

    /// A run that somebody works on, or may go on with.
    async fn goes_on(&self, operation_id: &str) -> Result<bool, StateError> {
        let open = [JobState::Waiting, JobState::Running, JobState::Paused].map(JobState::as_str);
        for table in [JOB, RUN] {
            let mut run = Query::select();
            run.column("id").from(table).and_where(Expr::col("id").eq(operation_id));
            run.and_where(Expr::col("state").is_in(open));
            if self.optional(self.pool(), &run).await?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// One page of the chain that is not through yet: beginnings first.
    pub(super) async fn step(&self, mut walked: Walked) -> Result<Verified, StateError> {
        let found = if walked.beginnings.through {
            self.read_events_again(&mut walked.events).await?
        } else {
            self.read_beginnings_again(&mut walked.beginnings).await?
        };
        Ok(match found {
            Some(found) => Verified::Broken(found),
            None if walked.events.through => Verified::Whole(walked),
            None => Verified::On(walked),
        })
    }

    async fn read_beginnings_again(&self, chained: &mut Chained) -> Result<Option<AuditBreak>, StateError> {
        let given = self.given_before(chained, "audit").await?;
        let mut page = entries();
        page.column("hash").and_where(Expr::col("id").gt(chained.id)).order_by("id", Order::Asc).limit(AT_ONCE);
        let rows = self.all(&page).await?;
        for row in &rows {
            let entry = read(row)?;
            let (id, hash) = (chained.id + 1, get::<String>(row, "hash")?);
            if entry.id != id {
                return Ok(Some(AuditBreak::Removed { operation_id: None, id }));
            }
            if hash != link_hash(&chained.hash, id, &begun(&entry)) {
                return Ok(Some(AuditBreak::Changed { operation_id: entry.operation_id, id }));
            }
            (chained.id, chained.hash) = (id, hash);
        }
        chained.through = rows.is_empty();
        Ok(if chained.through { removed_at_the_end(given, chained.id) } else { None })
    }

    async fn read_events_again(&self, chained: &mut Chained) -> Result<Option<AuditBreak>, StateError> {
        let given = self.given_before(chained, "audit_event").await?;
        let mut page = Query::select();
        page.columns(COLUMNS).from(EVENT).and_where(Expr::col("id").gt(chained.id)).order_by("id", Order::Asc);
        let rows = self.all(page.limit(AT_ONCE)).await?;
        for row in &rows {
            let (event, hash) = (read_event(row)?, get::<String>(row, "hash")?);
            let id = chained.id + 1;
            if get::<i64>(row, "id")? != id {
                return Ok(Some(AuditBreak::Removed { operation_id: Some(event.operation_id), id }));
            }
            let is_end = event.kind == EventKind::Ended;
            if hash != event_hash(&chained.hash, id, &event) || (is_end && !self.ended_so(&event).await?) {
                return Ok(Some(AuditBreak::Changed { operation_id: event.operation_id, id }));
            }
            (chained.id, chained.hash) = (id, hash);
        }
        chained.through = rows.is_empty();
        Ok(if chained.through { removed_at_the_end(given, chained.id) } else { None })
    }

    /// Asked before the first row is read: numbers that are given out meanwhile are no gap.
    async fn given_before(&self, chained: &mut Chained, counter: &str) -> Result<i64, StateError> {
        match chained.given {
            Some(given) => Ok(given),
            None => {
                let given = self.given(counter).await?;
                chained.given = Some(given);
                Ok(given)
            }
        }
    }

    /// The entry still has the end that was noted.
    async fn ended_so(&self, event: &Event) -> Result<bool, StateError> {
        let mut query = entries();
        query.and_where(Expr::col("operation_id").eq(&event.operation_id));
        let Some(row) = self.optional(self.pool(), &query).await? else { return Ok(false) };
        let entry = read(&row)?;
        let end = end_of(entry.outcome.as_deref().unwrap_or(""), entry.detail.as_deref().unwrap_or(""));
        Ok(entry.ended_at.map(|at| at.timestamp_millis()) == Some(event.at.timestamp_millis()) && end == event.body)
    }

    /// How many numbers were given out.
    async fn given(&self, counter: &str) -> Result<i64, StateError> {
        let mut query = Query::select();
        query.column("value").from("oncewatch_counter").and_where(Expr::col("name").eq(counter));
        let row = self.optional(self.pool(), &query).await?;
        row.map_or(Ok(0), |row| get(&row, "value"))
    }
}

fn removed_at_the_end(given: i64, last: i64) -> Option<AuditBreak> {
    (given > last).then(|| AuditBreak::Removed { operation_id: None, id: last + 1 })
}

pub(super) const COLUMNS: [&str; 8] = ["id", "operation_id", "kind", "actor", "origin", "happened_at", "body", "hash"];

/// What an event says of an end.
pub(super) fn end_of(outcome: &str, detail: &str) -> String {
    serde_json::json!({ "outcome": outcome, "detail": detail }).to_string()
}

fn events() -> SelectStatement {
    let mut query = Query::select();
    query.columns(COLUMNS).from(EVENT).order_by("id", Order::Asc).limit(AT_ONCE);
    query
}

fn event_hash(previous: &str, id: i64, event: &Event) -> String {
    let (id, at_ms) = (id.to_string(), event.at.timestamp_millis().to_string());
    let parts =
        [previous, &id, &event.operation_id, event.kind.as_str(), &event.actor, &event.origin, &at_ms, &event.body];
    chain_hash(&parts)
}

pub(super) fn read_event(row: &AnyRow) -> Result<Event, StateError> {
    let kind: String = get(row, "kind")?;
    let known = EventKind::ALL.into_iter().find(|known| known.as_str() == kind);
    Ok(Event {
        operation_id: get(row, "operation_id")?,
        kind: known.ok_or_else(|| failed(format!("an event is of the unknown kind {kind}")))?,
        actor: get(row, "actor")?,
        origin: get(row, "origin")?,
        at: get_time(row, "happened_at")?,
        body: get(row, "body")?,
    })
}
