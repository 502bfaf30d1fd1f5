//! What is going on, why we think so, and what may be done.

use super::{Data, operate};
use crate::context::PageContext;
use crate::model::{Evidence, Layer, Lookup, Operation, OperationName, Verdict, VerdictCode};
use crate::pages::locks::{Release, release_form, release_refused};
use crate::ui::{Icon, Tone, classed};
use crate::words::{self, verdict as word};
use leptos::prelude::*;

pub(super) fn view(ctx: &PageContext, data: &Data, lookup: &Lookup) -> AnyView {
    let lang = ctx.viewer.lang;
    let (tone, shape) = lookup.verdict.as_ref().map_or((Tone::Mute, Icon::Off), look);
    let (title, text) = match &lookup.verdict {
        Some(verdict) => (words::verdict_title(lang, verdict), words::verdict_text(lang, verdict)),
        None => (word::no_verdict(lang), word::no_verdict_text(lang)),
    };
    view! {
        <section class=tone.class("verdict") aria-labelledby="verdict">
            <div class="verdict__say">
                <h2 class=format!("verdict__title {}", tone.word()) id="verdict">{classed(shape, "icon icon--l")}{title}</h2>
                <p class="verdict__text">{text}</p>
                {lookup.verdict.as_ref().map(|verdict| facts(ctx, verdict))}
            </div>
            <div class="verdict__do">
                <h2>{word::what_may_be_done(lang)}</h2>
                {operations(ctx, data, lookup)}
            </div>
        </section>
    }
    .into_any()
}

fn facts(ctx: &PageContext, verdict: &Verdict) -> AnyView {
    let lang = ctx.viewer.lang;
    let facts = verdict.evidence.iter().map(|fact| {
        let shape = match fact {
            Evidence::Records { .. }
            | Evidence::NoRecord
            | Evidence::RecordSince { .. }
            | Evidence::InArchive { .. }
            | Evidence::LeaseUntil { .. }
            | Evidence::Effects { .. }
            | Evidence::SettledAsDuplicates { .. } => Icon::Records,
            Evidence::LockHeld { .. } | Evidence::LockDone { .. } | Evidence::NoLock => Icon::Lock,
            Evidence::Queues { .. } | Evidence::QueuesEmpty | Evidence::Message { .. } | Evidence::MessageNotFound => {
                Icon::Broker
            }
            Evidence::LockUnknown | Evidence::LockNotNamed | Evidence::NotSeen { .. } => Icon::Unknown,
            Evidence::OldAfter { .. } => Icon::Clock,
        };
        view! { <li>{classed(shape, "icon t3")}<span class="break">{words::evidence(lang, fact, ctx.now)}</span></li> }
    });
    view! {
        <h3 class="t2">{word::reasons(lang)}</h3>
        <ul class="facts">{facts.collect_view()}</ul>
    }
    .into_any()
}

fn operations(ctx: &PageContext, data: &Data, lookup: &Lookup) -> AnyView {
    let lang = ctx.viewer.lang;
    if lookup.operations.is_empty() {
        return view! { <p class="s13 t2">{word::no_operation(lang)}</p> }.into_any();
    }
    let nothing = matches!(
        lookup.verdict.as_ref().map(|verdict| verdict.code),
        Some(VerdictCode::Healthy | VerdictCode::InProgress)
    );
    let nothing = nothing.then(|| view! { <p class="s13 t2">{word::nothing_to_do(lang)}</p> });
    // What is done to the record comes first.
    let on_rows = |operation: &&Operation| operation.name.on_rows().is_some();
    let release = lookup.operations.iter().filter(|operation| operation.name == OperationName::ReleaseLock);
    view! {
        {nothing}
        {operate::view(ctx, data, lookup, lookup.operations.iter().filter(on_rows))}
        {release.map(|operation| self::release(ctx, data, lookup, operation)).collect_view()}
    }
    .into_any()
}

fn release(ctx: &PageContext, data: &Data, lookup: &Lookup, operation: &Operation) -> AnyView {
    let lock = lookup.lock.as_ref();
    let owner = lock.and_then(|lock| lock.owner.as_deref());
    match (lock, owner) {
        (Some(lock), Some(owner)) if operation.allowed => release_form(
            ctx,
            &Release {
                source: &data.source,
                form: 0,
                key: &lock.key,
                owner,
                of_type: lookup.r#type.as_deref(),
                biz_key: &lookup.key,
            },
        ),
        _ => release_refused(ctx, operation.why.as_ref()),
    }
}

fn look(verdict: &Verdict) -> (Tone, Icon) {
    match verdict.code {
        VerdictCode::InProgress if word::says(verdict, "at_risk") => (Tone::Warn, Icon::Clock),
        VerdictCode::Claiming if word::says(verdict, "orphan") => (Tone::Warn, Icon::Orphan),
        code => verdict_look(code),
    }
}

/// Red is for what is lost or doubled unless somebody acts.
pub(crate) fn verdict_look(code: VerdictCode) -> (Tone, Icon) {
    match code {
        VerdictCode::NotUnique
        | VerdictCode::Leaked
        | VerdictCode::Swallowed
        | VerdictCode::Stuck
        | VerdictCode::MarkerContradicts
        | VerdictCode::FailedMessageGone => (Tone::Crit, Icon::Crit),
        VerdictCode::Unprotected => (Tone::Crit, Icon::Bare),
        VerdictCode::StuckOrUnprotected
        | VerdictCode::WaitingBehindRecord
        | VerdictCode::InProgressAcked
        | VerdictCode::DuplicateInDeadLetter
        | VerdictCode::ProcessingInDeadLetter
        | VerdictCode::UnrecordedInDeadLetter
        | VerdictCode::FailedInDeadLetter
        | VerdictCode::FinishedLockHeld => (Tone::Warn, Icon::Warn),
        VerdictCode::Failed | VerdictCode::FailedWaiting => (Tone::Warn, Icon::Failed),
        VerdictCode::Dead => (Tone::Mute, Icon::Dead),
        VerdictCode::Healthy | VerdictCode::Archived => (Tone::Ok, Icon::Ok),
        VerdictCode::InProgress | VerdictCode::Retrying => (Tone::Busy, Icon::Busy),
        VerdictCode::Claiming => (Tone::Busy, Icon::Lock),
        VerdictCode::NotConsumed => (Tone::Mute, Icon::Clock),
        VerdictCode::Unclear | VerdictCode::Unmapped => (Tone::Mute, Icon::Unknown),
        VerdictCode::UnknownKey => (Tone::Mute, Icon::Search),
    }
}

/// Whether a layer is configured and could not be asked.
pub(super) fn unseen(lookup: &Lookup, layer: Layer) -> bool {
    lookup.unseen.contains(&layer)
}
