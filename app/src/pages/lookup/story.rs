//! What happened to this message, as far as record, lock and consumers tell, newest last.

use super::{Data, csv};
use crate::context::PageContext;
use crate::model::{LockState, Lookup, Status, TraceEntry};
use crate::ui::{Icon, Tone, classed, csv_link};
use crate::words::{self, clock as word, trace as said};
use chrono::{DateTime, TimeDelta, Utc};
use leptos::prelude::*;

/// One thing that happened.
struct Event {
    /// `None`: nobody wrote down when.
    at: Option<DateTime<Utc>>,
    /// Worked out from something else.
    about: bool,
    look: (Tone, Icon),
    what: String,
    details: Vec<String>,
}

/// Nothing, where no single record and no consumer tells anything.
pub(super) fn view(ctx: &PageContext, data: &Data, lookup: &Lookup) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    let mut events = of_record(ctx, data, lookup);
    // Oldest first; they are kept newest first.
    events.extend(lookup.trace.iter().rev().map(|entry| of_trace(ctx, entry)));
    if events.is_empty() {
        return None;
    }
    // What has no time keeps its place behind what was written before it.
    let mut last = DateTime::<Utc>::MIN_UTC;
    events.sort_by_cached_key(|event| {
        last = event.at.unwrap_or(last);
        last
    });
    let traced = (!lookup.trace.is_empty()).then(|| csv_link(said::timeline(lang), csv(data, lookup, "trace")));
    let events = events.into_iter().map(|event| event.view(ctx)).collect_view();
    Some(
        view! {
            <section class="panel">
                <header class="panel__head">
                    <h2>{word::timeline(lang)}</h2>
                    <span class="end fresh">{said::newest_last(lang)}</span>
                    {traced}
                </header>
                <div class="panel__body"><ol class="timeline">{events}</ol></div>
            </section>
        }
        .into_any(),
    )
}

impl Event {
    fn view(self, ctx: &PageContext) -> AnyView {
        let at = match self.at {
            Some(at) => {
                let about = self.about.then_some("≈\u{a0}");
                view! { <span class="nowrap">{about}{ctx.clock().at(at)}</span> }.into_any()
            }
            None => view! { <span class="t3">"—"</span> }.into_any(),
        };
        let (tone, icon) = self.look;
        view! {
            <li>
                {at}
                {classed(icon, &format!("icon {}", tone.word()))}
                <div>
                    <p>{self.what}</p>
                    <p class="break">{self.details.join(" · ")}</p>
                </div>
            </li>
        }
        .into_any()
    }
}

/// Of a key that stands for one record.
fn of_record(ctx: &PageContext, data: &Data, lookup: &Lookup) -> Vec<Event> {
    let lang = ctx.viewer.lang;
    let [row] = lookup.records.as_slice() else { return Vec::new() };
    let record = &row.record;
    let owner = record.owner.as_deref().map(|owner| said::by_worker(lang, owner));
    let mut events = Vec::new();
    if let Some(at) = record.created_at {
        let id = record.id.as_deref().map(|id| word::with_id(lang, id));
        let details = id.into_iter().chain(owner.clone()).collect();
        events.push(Event {
            at: Some(at),
            about: false,
            look: (Tone::Busy, Icon::Records),
            what: word::inserted(lang).into(),
            details,
        });
    }
    if let Some(at) = record.updated_at.filter(|at| record.created_at != Some(*at)) {
        let look = match record.status {
            Status::Processing => (Tone::Busy, Icon::Busy),
            Status::Completed => (Tone::Ok, Icon::Ok),
            Status::Failed => (Tone::Warn, Icon::Failed),
            Status::Dead => (Tone::Crit, Icon::Dead),
            Status::Unmapped => (Tone::Mute, Icon::Unknown),
        };
        let attempts =
            record.attempts.and_then(|attempts| u64::try_from(attempts).ok()).filter(|attempts| *attempts > 0);
        let attempts = attempts.map(|attempts| word::attempts(lang, attempts));
        let details = record.error.clone().into_iter().chain(attempts).collect();
        let what = word::last_changed(lang, words::status(lang, record.status));
        events.push(Event { at: Some(at), about: false, look, what, details });
    }
    events.extend(lock_gone(ctx, data, lookup));
    events
}

/// The lock of a record that is still processing went with its TTL, unless somebody deleted it before.
fn lock_gone(ctx: &PageContext, data: &Data, lookup: &Lookup) -> Option<Event> {
    let lang = ctx.viewer.lang;
    let record = &lookup.records.first()?.record;
    let lock = lookup.lock.as_ref()?;
    if record.status != Status::Processing || !matches!(lock.state, LockState::None | LockState::Unprotected) {
        return None;
    }
    let ttl = TimeDelta::milliseconds(i64::try_from(data.beside.ttl_ms?).ok()?);
    let at = record.since()?.checked_add_signed(ttl).filter(|at| *at < ctx.now)?;
    Some(Event {
        at: Some(at),
        about: true,
        look: (Tone::Warn, Icon::Bare),
        what: word::lock_ended(lang).into(),
        details: vec![word::worked_out(lang).into()],
    })
}

fn of_trace(ctx: &PageContext, entry: &TraceEntry) -> Event {
    let lang = ctx.viewer.lang;
    let layers = [
        entry.lock.as_deref().map(|word| said::lock_said(lang, said::lock(lang, word))),
        entry.record.as_deref().map(|word| said::record_said(lang, said::record(lang, word))),
    ];
    let by = [
        entry.worker.as_deref().map(|worker| said::by_worker(lang, worker)),
        entry.delivery.as_deref().map(|delivery| said::of_delivery(lang, delivery)),
    ];
    let look = match entry.outcome.as_deref() {
        Some("completed" | "first") => (Tone::Ok, Icon::Ok),
        Some("takeover" | "deferred") => (Tone::Busy, Icon::Retry),
        Some("failed" | "late" | "refused") => (Tone::Warn, Icon::Failed),
        Some("dead") => (Tone::Mute, Icon::Dead),
        Some("leaked" | "fenced") => (Tone::Crit, Icon::Crit),
        Some(outcome) if outcome.starts_with("dup_") => (Tone::Mute, Icon::Info),
        _ => (Tone::Mute, Icon::Unknown),
    };
    Event {
        at: entry.at,
        about: false,
        look,
        what: said::outcome(lang, entry.outcome.as_deref()),
        details: layers.into_iter().chain(by).flatten().collect(),
    }
}
