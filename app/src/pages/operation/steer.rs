//! Pause, go on, stop: plain forms, each between two batches.

use super::{Data, address};
use crate::context::PageContext;
use crate::model::{Role, Run, WhyNot};
use crate::ui::{Icon, small_icon};
use crate::words::{self, run as word};
use leptos::prelude::*;

pub(super) fn view(ctx: &PageContext, data: &Data, run: &Run) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    if run.is_over() {
        return None;
    }
    let pause = ("pause", Icon::Pause, word::pause(lang).to_owned(), "btn");
    let resume = ("resume", Icon::Next, word::resume(lang).to_owned(), "btn btn--main");
    let stop = ("stop", Icon::Stop, word::stop(lang, run.open), "btn btn--crit");
    let asked = run.asked.as_deref();
    let mut ways = match (run.state.as_str(), asked) {
        ("paused", _) => vec![resume, stop],
        (_, Some("stop")) => Vec::new(),
        (_, Some(_)) => vec![resume, stop],
        (_, None) => vec![pause, stop],
    };
    if ctx.viewer.role < Role::Operator {
        let why = words::why_not(lang, &WhyNot::Role { needed: Role::Operator });
        let buttons = ways.drain(..).map(|(_, shape, said, _)| {
            view! { <button class="btn" type="button" aria-disabled="true" aria-describedby="steer-why">{small_icon(shape, "")}{said}</button> }
        });
        return Some(view! { {buttons.collect_view()}<span class="why" id="steer-why">{why}</span> }.into_any());
    }
    let forms = ways.into_iter().map(|(wish, shape, said, class)| {
        view! {
            <form method="post" action=format!("{}/{wish}", address(data))>
                <input type="hidden" name="form_token" value=ctx.viewer.form_token.clone()/>
                <button class=class type="submit">{small_icon(shape, "")}{said}</button>
            </form>
        }
    });
    Some(forms.collect_view().into_any())
}
