//! Makes the records of a run what they were, where that was promised.

use super::run::again;
use super::{Data, address};
use crate::context::PageContext;
use crate::model::{PlanWarning, Role, Run, WhyNot};
use crate::ui::{Icon, small_icon};
use crate::words::{self, plan, run as word};
use leptos::prelude::*;

pub(super) fn view(ctx: &PageContext, data: &Data, run: &Run) -> AnyView {
    let lang = ctx.viewer.lang;
    let left = run.done - run.undone;
    let body = if !run.undoable {
        said(word::undo_never(lang))
    } else if !run.is_over() {
        said(word::undo_not_yet(lang))
    } else if run.done == 0 {
        said(word::undo_nothing(lang))
    } else if left == 0 {
        said(word::undo_gone(lang))
    } else {
        form(ctx, data, run, left)
    };
    view! {
        <section class="panel" id="run-undo" data-again=again(run)>
            <header class="panel__head"><h2>{word::undo(lang)}</h2></header>
            <div class="panel__body">{body}</div>
        </section>
    }
    .into_any()
}

fn said(text: &'static str) -> AnyView {
    view! { <p class="t2 s13">{text}</p> }.into_any()
}

/// Behind a summary, so that one hand does not do it by mistake; its id runs once.
fn form(ctx: &PageContext, data: &Data, run: &Run, left: u64) -> AnyView {
    let lang = ctx.viewer.lang;
    let button = word::undo_n(lang, left);
    let deletes = run.warnings.contains(&PlanWarning::Deletes);
    let why = if deletes { word::undo_delete(lang) } else { word::undo_mark(lang) };
    if ctx.viewer.role < Role::Operator {
        let why = words::why_not(lang, &WhyNot::Role { needed: Role::Operator });
        return view! {
            <button class="btn" type="button" aria-disabled="true" aria-describedby="undo-why">{button}</button>
            <span class="why" id="undo-why">{why}</span>
        }
        .into_any();
    }
    view! {
        <details class="release">
            <summary class="btn">{small_icon(Icon::Retry, "")}{word::undo(lang)}"…"</summary>
            <form class="release__form" method="post" action=format!("{}/undo", address(data))>
                <input type="hidden" name="form_token" value=ctx.viewer.form_token.clone()/>
                <input type="hidden" name="operation_id" value=ctx.operation_id.clone()/>
                <div class="field">
                    <label for="undo-reason">{plan::reason_label(lang)}</label>
                    <input class="input" id="undo-reason" name="reason" required maxlength="1000" autocomplete="off"/>
                </div>
                <button class="btn btn--crit" type="submit" aria-describedby="undo-why">{button}</button>
                <span class="why" id="undo-why">{why}</span>
            </form>
        </details>
    }
    .into_any()
}
