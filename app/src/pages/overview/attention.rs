//! What needs a person, worst first, each with a way on.

use crate::context::PageContext;
use crate::model::{Attention, Freshness, Layer, Overview, Status, VerdictCode};
use crate::ui::{Icon, State, Tone, csv_link, fresh, speaking_icon};
use crate::words::{measure, overview as word};
use leptos::prelude::*;

pub(super) fn view(ctx: &PageContext, data: &Overview) -> AnyView {
    let lang = ctx.viewer.lang;
    let findings = worst_first(data);
    let count = findings.first().map(|worst| {
        let count = measure::grouped(u64::try_from(findings.len()).unwrap_or(u64::MAX));
        view! { <span class=tone(worst).class("count")>{count}</span> }
    });
    let body = if findings.is_empty() {
        nothing(ctx, data)
    } else {
        let items = findings.iter().map(|finding| item(ctx, data, finding)).collect_view();
        view! { <ul class="attention">{items}</ul> }.into_any()
    };
    view! {
        <section class="panel panel--flush">
            <header class="panel__head">
                <h2>{word::attention(lang)}</h2>
                {count}
                {fresh(&ctx.clock(), &data.records)}
                {csv_link(word::attention(lang), super::range::csv(data, "attention"))}
            </header>
            {body}
        </section>
    }
    .into_any()
}

/// What is not seen comes before all else, for it may hide the worst. Within a tone the server's order stays.
pub(super) fn worst_first(data: &Overview) -> Vec<&Attention> {
    let mut findings: Vec<_> = data.attention.iter().collect();
    findings.sort_by_key(|finding| (!matches!(finding, Attention::NotSeen { .. }), tone(finding).rank()));
    findings
}

/// An empty list says that all is well only where everything was read.
fn nothing(ctx: &PageContext, data: &Overview) -> AnyView {
    let lang = ctx.viewer.lang;
    let live = data.records.freshness(ctx.now) == Freshness::Live
        && data.locks.iter().all(|panel| panel.freshness(ctx.now) == Freshness::Live)
        && data.brokers.iter().all(|panel| panel.freshness(ctx.now) == Freshness::Live);
    if live {
        State::new(Tone::Ok, Icon::Ok, word::nothing(lang)).line(word::nothing_why(lang)).view()
    } else {
        State::new(Tone::Mute, Icon::Unknown, word::nothing_known(lang)).line(word::nothing_known_why(lang)).view()
    }
}

fn item(ctx: &PageContext, data: &Overview, finding: &Attention) -> AnyView {
    let lang = ctx.viewer.lang;
    let tone = tone(finding);
    let (shape, meaning) = match (finding, tone) {
        (Attention::NotSeen { .. }, _) => (Icon::Off, word::severe(lang)),
        (_, Tone::Crit) => (Icon::Crit, word::severe(lang)),
        (_, Tone::Warn) => (Icon::Warn, word::warning(lang)),
        _ => (Icon::Info, word::hint(lang)),
    };
    let (what, why) = word::attention_words(lang, finding, ctx.now, |at| ctx.clock().short(at));
    let (href, go) = way(ctx, &data.source, finding);
    view! {
        <li>
            <span class=format!("mark {}", tone.word())>{speaking_icon(shape, "icon", meaning.into())}</span>
            <span class="attention__what break">{what}</span>
            <a class="attention__go" href=href>{go}</a>
            <span class="attention__why break">{why}</span>
        </li>
    }
    .into_any()
}

pub(super) fn tone(finding: &Attention) -> Tone {
    match finding {
        Attention::Records { verdict, .. } => crate::pages::lookup::verdict_look(*verdict).0,
        Attention::EternalLocks { .. }
        | Attention::UnprotectedRecords { .. }
        | Attention::NotSeen { .. }
        | Attention::Leaked { .. }
        | Attention::OutlivesLock { .. } => Tone::Crit,
        Attention::OrphanLocks { .. }
        | Attention::RetryNoEffect { .. }
        | Attention::DeadLetters { .. }
        | Attention::SharedOwner { .. }
        | Attention::Degraded { .. } => Tone::Warn,
        Attention::UnmappedRecords { .. } => Tone::Mute,
    }
}

/// Where the rows behind a finding are.
fn way(ctx: &PageContext, source: &str, finding: &Attention) -> (String, &'static str) {
    let lang = ctx.viewer.lang;
    let records = |status: Status| (format!("/s/{source}/records?status={}", status.as_str()), word::see_records(lang));
    let locks = || (format!("/s/{source}/locks"), word::see_locks(lang));
    let brokers = || (format!("/s/{source}/brokers"), word::see_brokers(lang));
    match finding {
        Attention::Records { verdict, .. } => records(match verdict {
            VerdictCode::Failed
            | VerdictCode::FailedWaiting
            | VerdictCode::FailedInDeadLetter
            | VerdictCode::FailedMessageGone
            | VerdictCode::Retrying => Status::Failed,
            VerdictCode::Dead => Status::Dead,
            VerdictCode::Unmapped => Status::Unmapped,
            VerdictCode::Healthy | VerdictCode::FinishedLockHeld => Status::Completed,
            _ => Status::Processing,
        }),
        Attention::UnmappedRecords { .. } => records(Status::Unmapped),
        Attention::RetryNoEffect { .. } => records(Status::Failed),
        Attention::EternalLocks { .. }
        | Attention::OrphanLocks { .. }
        | Attention::UnprotectedRecords { .. }
        | Attention::SharedOwner { .. }
        | Attention::NotSeen { layer: Layer::Lock, .. } => locks(),
        Attention::DeadLetters { .. } | Attention::NotSeen { layer: Layer::Broker, .. } => brokers(),
        Attention::Leaked { .. } | Attention::OutlivesLock { .. } | Attention::Degraded { .. } => {
            ("#handling".into(), word::see_signals(lang))
        }
        Attention::NotSeen { layer: Layer::Records | Layer::State | Layer::Signals | Layer::Archive, .. } => {
            ("/settings".into(), word::see_settings(lang))
        }
    }
}
