//! How far, does production suffer, is anything lost, is a door reopened? The run at work on top, then what stands in the way,
//! the policy, the runs, and the way back.

mod current;
mod plan;
mod policy;
mod refusals;
mod restore;
mod runs;

pub use plan::{title as plan_title, view as plan_view};
pub use restore::{Data as RestoreData, title as restore_title, view as restore_view};

use crate::context::PageContext;
use crate::model::{Archive, ArchiveRefusal, ArchiveWarning, Role};
use crate::ui::{Icon, State, Tone, code, note};
use crate::words::{self, archive, archiving as word};
use leptos::prelude::*;

#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    pub archive: Archive,
    /// Runs before this one are shown.
    pub before: Option<i64>,
}

const EXAMPLE: &str = "[source.archive]
keep = \"7d\"
table = \"idempotent_record_archive\"
schedule = \"0 3 * * *\"
window = \"2h\"";

#[must_use]
pub fn title(ctx: &PageContext, _: &Data) -> String {
    word::archive(ctx.viewer.lang).into()
}

#[must_use]
pub fn view(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    let archive = &data.archive;
    let Some(policy) = &archive.policy else {
        let state =
            State::new(Tone::Mute, Icon::Archive, word::not_configured(lang)).line(word::not_configured_why(lang));
        return view! {
            <header class="page__head"><h1>{word::archive(lang)}</h1></header>
            <section class="panel">
                {state.view()}
                <div class="panel__body">{code(lang, word::how_configured(lang), EXAMPLE)}</div>
            </section>
        }
        .into_any();
    };
    let to = (!policy.deletes).then(|| {
        view! { <p class="page__sub break">{word::from_to(lang, archive.table.clone(), policy.table.clone())}</p> }
    });
    let read_only =
        policy.read_only.then(|| note(Tone::Warn, Icon::Warn, word::read_only(lang), word::read_only_why(lang)));
    let trouble = archive.trouble.as_ref().map(|fault| {
        let why = words::overview::sentence(lang, words::fault(lang, fault));
        note(Tone::Warn, Icon::Off, word::trouble(lang), why)
    });
    view! {
        <header class="page__head">
            <h1>{word::archive(lang)}</h1>
            {to}
            <div class="row">{current::buttons(ctx, archive)}{plan_link(ctx, archive)}</div>
        </header>
        {archive.current.as_ref().map(|run| current::view(ctx, run))}
        {read_only}
        {trouble}
        {warnings(ctx, &archive.warnings)}
        <div class="split">
            <div class="stack">{refusals::view(ctx, &archive.tables)}{runs::view(ctx, data)}</div>
            <div class="stack">{policy::view(ctx, policy)}</div>
        </div>
        {(!policy.read_only && !policy.deletes).then(|| restore::form(ctx, archive))}
    }
    .into_any()
}

/// Where nothing is at work, and nothing but a missing archive stands in the way.
fn plan_link(ctx: &PageContext, archive: &Archive) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    let policy = archive.policy.as_ref()?;
    if archive.current.is_some() || policy.read_only || policy.keep_ms.is_none() {
        return None;
    }
    if ctx.viewer.role < Role::Operator {
        return Some(
            view! {
                <span class="step">
                    <a class="btn" role="link" aria-disabled="true" tabindex="0" aria-describedby="plan-why">{word::plan_run(lang)}</a>
                    <span class="step__why" id="plan-why">{word::needs_operator(lang)}</span>
                </span>
            }
            .into_any(),
        );
    }
    let href = format!("/s/{}/archive/plan", archive.source);
    Some(view! { <a class="btn btn--main" href=href>{word::plan_run(lang)}</a> }.into_any())
}

pub(super) fn warnings(ctx: &PageContext, warnings: &[ArchiveWarning]) -> AnyView {
    let lang = ctx.viewer.lang;
    let notes = warnings.iter().map(|warning| {
        let (tone, shape) = match warning {
            ArchiveWarning::KeepTooShort { .. } => (Tone::Warn, Icon::Warn),
            ArchiveWarning::BrokerAgeUnknown { .. } => (Tone::Mute, Icon::Unknown),
            ArchiveWarning::Deletes => (Tone::Warn, Icon::Warn),
        };
        let says = archive::warning(lang, warning);
        match warning {
            ArchiveWarning::Deletes => note(tone, shape, says, ""),
            _ => note(tone, shape, word::open_door(lang), says),
        }
    });
    notes.collect_view().into_any()
}

/// A plan may make it.
pub(super) fn is_missing(refusal: &ArchiveRefusal) -> bool {
    matches!(refusal, ArchiveRefusal::ArchiveMissing { .. })
}
