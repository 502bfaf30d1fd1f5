//! The audit as pages and `/api` show it.

use super::{LiveReads, state_fault};
use crate::chain;
use crate::ports::audit_log::{Beside, Brief, Kept, Sought, Stretch, Wanted, word};
use crate::ports::state::StateError;
use crate::ports::trail::EventKind;
use crate::zone::local;
use app::model::{
    AuditEntry, AuditEvent, AuditItem, AuditPage, AuditQuery, AuditSearch, AuditStanding, AuditWhy, Fault, Layer,
    Pattern, Setback, Skip,
};
use futures::future::try_join_all;
use serde_json::Value;

/// Operations without an end that are named.
const UNFINISHED: u32 = 100;

impl LiveReads {
    pub(super) async fn audit_page(&self, query: &AuditQuery) -> Result<AuditPage, Fault> {
        let wanted = self.wanted(query);
        let log = &self.system.state.audit_log;
        let found = async {
            let found = log.find(&wanted).await?;
            let unfinished = log.find(&unfinished(query.only.as_deref())).await?;
            let chain = chain::last(&self.system).await?;
            let items =
                try_join_all(found.entries.into_iter().map(|kept| self.entry_of(kept, None, query.events))).await?;
            let next = found.next;
            Ok::<_, StateError>((items, next, unfinished, chain))
        };
        let (items, further, unfinished, chain) =
            self.within(Layer::State, async { found.await.map_err(|error| state_fault(&error)) }).await?;
        let (first, last) = (items.first().map(|entry| entry.number), items.last().map(|entry| entry.number));
        // Going newer, what is behind it is where it came from.
        let (next, newer) = match wanted.beside {
            Beside::Before(None) => (further, None),
            Beside::Before(Some(before)) => (further, Some(first.unwrap_or(before - 1))),
            Beside::After(after) => (Some(last.unwrap_or(after + 1)), further.map(|_| first.unwrap_or(after))),
        };
        let unfinished = unfinished.entries.into_iter().map(|kept| kept.entry.id).collect();
        Ok(AuditPage { items, next, newer, unfinished, chain })
    }

    pub(super) async fn audit_entry_of(
        &self,
        number: i64,
        after: Option<i64>,
        events: u32,
    ) -> Result<Option<AuditEntry>, Fault> {
        let read = async {
            match self.system.state.audit_log.entry(number).await? {
                Some(kept) => Ok(Some(self.entry_of(kept, after, events).await?)),
                None => Ok(None),
            }
        };
        self.within(Layer::State, async { read.await.map_err(|error: StateError| state_fault(&error)) }).await
    }

    fn wanted(&self, query: &AuditQuery) -> Wanted {
        let AuditSearch { since, by, op, key, item, plan, source, end } = &query.search;
        let is = |kind: &str, value: &Option<String>| value.as_ref().map(|value| Sought::Is(word(kind, value)));
        let pattern = |kind: &str, value: &Option<Pattern>| {
            value.as_ref().map(|value| match value {
                Pattern::Is(text) => Sought::Is(word(kind, text)),
                Pattern::Begins(text) => Sought::Begins(word(kind, text)),
            })
        };
        let mut sought: Vec<Sought> = [
            is("plan", plan),
            is("op", op),
            pattern("key", key),
            is("item", item),
            is("end", end),
            pattern("by", by),
            is("source", source),
            is("source", &query.only),
        ]
        .into_iter()
        .flatten()
        .collect();
        // Parts, such as chunks of an archiving, are shown to whoever asks for them.
        if plan.is_none() && op.is_none() {
            sought.push(Sought::Is("all".into()));
        }
        let zone = self.system.common_zone();
        let since = since.map(|since| since.instant(self.system.clock.now(), &|wall| local(wall, zone)));
        let beside = query.after.map_or(Beside::Before(query.before), Beside::After);
        Wanted { sought, since, beside, limit: query.limit }
    }

    /// With the first of its events behind one.
    async fn entry_of(&self, kept: Kept, after: Option<i64>, events: u32) -> Result<AuditEntry, StateError> {
        let Kept { entry, hash } = kept;
        let log = &self.system.state.audit_log;
        // One more tells that there are more.
        let mut brief = match events {
            0 => Vec::new(),
            events => log.events(&entry.operation_id, Stretch::After(after), events + 1).await?,
        };
        let next_event = (brief.len() > events as usize).then(|| {
            brief.truncate(events as usize);
            brief.last().map(|last| last.id)
        });
        let standing = match entry.outcome.as_deref() {
            Some("refused") => AuditStanding::Refused,
            Some(_) => AuditStanding::Ended,
            None => {
                let last = log.events(&entry.operation_id, Stretch::Last, 1).await?;
                let swept = last.first().is_some_and(|last| last.event.kind == EventKind::Unfinished);
                if swept { AuditStanding::Unfinished } else { AuditStanding::Open }
            }
        };
        Ok(AuditEntry {
            number: entry.id,
            hash,
            operation_id: entry.operation_id,
            operation: entry.operation,
            source: entry.source,
            actor: entry.actor,
            origin: entry.origin,
            reason: entry.reason,
            begun_at: entry.begun_at,
            standing,
            ended_at: entry.ended_at,
            outcome: entry.outcome,
            target: json(&entry.target),
            detail: entry.detail.as_deref().map(json),
            events: brief.into_iter().filter_map(event_of).collect(),
            next_event: next_event.flatten(),
        })
    }
}

fn unfinished(only: Option<&str>) -> Wanted {
    let source = only.map(|source| Sought::Is(word("source", source)));
    let sought = [Sought::Is(word("end", "none"))].into_iter().chain(source).collect();
    Wanted { sought, since: None, beside: Beside::Before(None), limit: UNFINISHED }
}

/// The end stands in the entry itself.
fn event_of(brief: Brief) -> Option<AuditEvent> {
    let Brief { id, event, left_out } = brief;
    let item = match event.kind {
        EventKind::Ended => return None,
        EventKind::Item => Some(item_of(&json(&event.body), left_out)),
        _ => None,
    };
    Some(AuditEvent { id, at: event.at, kind: event.kind.as_str().to_owned(), actor: event.actor, item })
}

fn item_of(body: &Value, left_out: Option<u64>) -> AuditItem {
    let text = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
    // Images and reasons are JSON inside a text.
    let inner = |name: &str| text(name).map(|text| json(&text));
    AuditItem {
        r#ref: text("ref"),
        r#type: text("type"),
        key: text("key"),
        status: text("status"),
        outcome: text("outcome"),
        why: text("why").map(why_of),
        before: inner("before"),
        after: inner("after"),
        left_out,
    }
}

fn why_of(text: String) -> AuditWhy {
    let skip = serde_json::from_str::<Skip>(&text).map(AuditWhy::Skip);
    let setback = || serde_json::from_str::<Setback>(&text).map(AuditWhy::Setback);
    skip.or_else(|_| setback()).unwrap_or(AuditWhy::Text(text))
}

/// What is no JSON stays the text that it is.
fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}
