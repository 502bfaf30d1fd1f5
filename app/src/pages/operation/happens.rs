//! What would be done to each record, how fast, when it ends early, and whether it can be taken back.

use crate::context::PageContext;
use crate::model::{Lang, Plan, PlanWarning, RowOperation};
use crate::words::plan as word;
use leptos::prelude::*;

pub(super) fn view(ctx: &PageContext, plan: &Plan) -> AnyView {
    let lang = ctx.viewer.lang;
    let at = ctx.clock().short(plan.planned_at);
    let deletes = plan.warnings.contains(&PlanWarning::Deletes);
    let each = match plan.operation {
        RowOperation::MarkDead => word::each_dead(lang, at),
        RowOperation::Retry if deletes => word::each_deleted(lang, at),
        RowOperation::Retry | RowOperation::MarkFailed => word::each_failed(lang, at),
    };
    let lines = [
        (word::each(lang), each),
        (word::then_head(lang), then(lang, plan.operation, &plan.warnings).to_owned()),
        (word::pace(lang), word::pace_is(lang).to_owned()),
        (word::takes(lang), word::takes_about(lang, plan.estimate_ms)),
        (word::stops(lang), stops(lang, &plan.warnings).to_owned()),
        (word::undo(lang), undo(lang, plan.operation, deletes).to_owned()),
    ];
    let lines = lines.into_iter().map(|(name, text)| view! { <dt>{name}</dt><dd>{text}</dd> });
    view! {
        <section class="panel">
            <header class="panel__head"><h2>{word::will_happen(lang)}</h2></header>
            <div class="panel__body"><dl class="kv">{lines.collect_view()}</dl></div>
        </section>
    }
    .into_any()
}

/// What becomes of its message.
fn then(lang: Lang, operation: RowOperation, warnings: &[PlanWarning]) -> &'static str {
    let sent = warnings.iter().find_map(|warning| match warning {
        PlanWarning::LeavesDeadLetter => Some(word::moved_back(lang)),
        PlanWarning::Publishes => Some(word::published(lang)),
        PlanWarning::AsksWebhook => Some(word::webhook_asked(lang)),
        PlanWarning::NoBroker | PlanWarning::Deletes | PlanWarning::Capped { .. } | PlanWarning::Examined { .. } => {
            None
        }
    });
    match (sent, operation) {
        (Some(sent), _) => sent,
        (None, RowOperation::Retry) => word::comes_by_itself(lang),
        (None, RowOperation::MarkFailed | RowOperation::MarkDead) => word::nothing_more(lang),
    }
}

/// Messages go out for as long as the run lasts, so each batch of them is looked at.
pub(super) fn stops(lang: Lang, warnings: &[PlanWarning]) -> &'static str {
    let sends = [PlanWarning::LeavesDeadLetter, PlanWarning::Publishes, PlanWarning::AsksWebhook];
    if sends.iter().any(|warning| warnings.contains(warning)) {
        word::stops_each(lang)
    } else {
        word::stops_first(lang)
    }
}

fn undo(lang: Lang, operation: RowOperation, deletes: bool) -> &'static str {
    match operation {
        RowOperation::Retry if deletes => word::undo_delete(lang),
        RowOperation::Retry => word::undo_none(lang),
        RowOperation::MarkFailed | RowOperation::MarkDead => word::undo_mark(lang),
    }
}
