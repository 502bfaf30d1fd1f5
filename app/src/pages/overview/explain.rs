//! What each figure of the Overview is, how it is worked out, and what it cannot see of this source.

use crate::context::PageContext;
use crate::model::{Overview, RecordsPanel};
use crate::pages::{brokers, locks};
use crate::ui::{Explained, TileName};
use crate::words::{explain as word, measure, overview};

/// The charts of what consumers report, and the one of aging.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chart {
    Handling,
    Layers,
    Conflicts,
    Sources,
    Aging,
}

pub(super) fn tile(ctx: &PageContext, data: &Overview, name: TileName) -> Explained {
    let lang = ctx.viewer.lang;
    let (id, what, how, blind) = match name {
        TileName::Aging => ("aging", word::aging(lang), aging_how(ctx, data), records(ctx, data)),
        TileName::Processing => {
            ("processing", word::processing(lang), word::processing_how(lang).into(), records(ctx, data))
        }
        TileName::Failed => ("failed", word::failed(lang), word::failed_how(lang).into(), records(ctx, data)),
        TileName::LocksWrong => {
            ("locks-wrong", word::locks_wrong(lang), word::locks_wrong_how(lang).into(), locked(ctx, data))
        }
        TileName::LocksHeld => {
            ("locks-held", word::locks_held(lang), word::locks_held_how(lang).into(), locked(ctx, data))
        }
        TileName::Ready => ("ready", word::ready(lang), word::ready_how(lang).into(), queued(ctx, data)),
        TileName::DeadLetter => {
            ("dead-letter", word::dead_letter(lang), word::dead_letter_how(lang).into(), queued(ctx, data))
        }
        TileName::HandlingTime => (
            "handling-time",
            word::handling_time(lang),
            word::handling_time_how(lang).into(),
            reported(ctx, data, Some(word::handling_blind(lang))),
        ),
        TileName::Conflicts => (
            "lock-conflicts",
            word::conflicts(lang),
            word::conflicts_how(lang).into(),
            reported(ctx, data, Some(word::conflicts_blind(lang))),
        ),
        TileName::DedupHits => {
            ("dedup-hits", word::dedup_hits(lang), word::dedup_hits_how(lang).into(), reported(ctx, data, None))
        }
        TileName::DuplicateRate => (
            "duplicate-rate",
            word::duplicate_rate(lang),
            word::duplicate_rate_how(lang).into(),
            reported(ctx, data, None),
        ),
        TileName::Interception => (
            "interception",
            word::interception(lang),
            word::interception_how(lang).into(),
            reported(ctx, data, Some(word::interception_blind(lang))),
        ),
        TileName::Failures => {
            ("failures", word::failures(lang), word::failures_how(lang).into(), reported(ctx, data, None))
        }
        TileName::Consumers => {
            ("consumers", word::consumers(lang), word::consumers_how(lang).into(), reported(ctx, data, None))
        }
    };
    Explained { id, figure: name.word(lang), what, how, blind }
}

pub(super) fn chart(ctx: &PageContext, data: &Overview, chart: Chart) -> Explained {
    let lang = ctx.viewer.lang;
    let (id, figure, what, how, blind) = match chart {
        Chart::Handling => (
            "handling-line",
            overview::handling_line(lang),
            word::handling_time(lang),
            word::handling_line_how(lang),
            reported(ctx, data, Some(word::handling_blind(lang))),
        ),
        Chart::Layers => (
            "layers-line",
            overview::layers_line(lang),
            word::layers_line(lang),
            word::layers_line_how(lang),
            reported(ctx, data, None),
        ),
        Chart::Conflicts => (
            "conflicts-line",
            overview::conflicts_line(lang),
            word::conflicts_line(lang),
            word::conflicts_line_how(lang),
            reported(ctx, data, Some(word::conflicts_blind(lang))),
        ),
        Chart::Sources => (
            "sources-bars",
            overview::sources_bars(lang),
            word::sources_bars(lang),
            word::sources_bars_how(lang),
            reported(ctx, data, Some(word::sources_bars_blind(lang))),
        ),
        Chart::Aging => (
            "aging-line",
            overview::aging_line(lang),
            word::aging(lang),
            word::aging_line_how(lang),
            records(ctx, data),
        ),
    };
    Explained { id, figure, what, how: how.into(), blind }
}

fn aging_how(ctx: &PageContext, data: &Overview) -> String {
    let lang = ctx.viewer.lang;
    match &data.records.body {
        Some(body) => word::aging_how(lang, measure::limit(lang, body.aging_after_ms)),
        None => word::aging_how_unknown(lang).into(),
    }
}

fn records(ctx: &PageContext, data: &Overview) -> Vec<&'static str> {
    let lang = ctx.viewer.lang;
    let blind = |body: &RecordsPanel| word::records_blind(lang, body.strategy, body.in_first_pass());
    vec![data.records.body.as_ref().map_or_else(|| word::nothing_read(lang), blind)]
}

fn locked(ctx: &PageContext, data: &Overview) -> Vec<&'static str> {
    locks::blind(ctx.viewer.lang, data.locks.is_some())
}

fn queued(ctx: &PageContext, data: &Overview) -> Vec<&'static str> {
    brokers::blind(ctx.viewer.lang, &data.brokers)
}

/// `also`: of this figure alone.
fn reported(ctx: &PageContext, data: &Overview, also: Option<&'static str>) -> Vec<&'static str> {
    let lang = ctx.viewer.lang;
    let body = data.signals.as_ref().and_then(|panel| panel.body.as_ref());
    let silent = body.is_some_and(|body| body.reported_at.is_none());
    let who = if silent { word::nobody_reports(lang) } else { word::who_reports(lang) };
    std::iter::once(who).chain(also).collect()
}
