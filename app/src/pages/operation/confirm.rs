//! The form that lets a plan run: a reason, and its phrase where a click is not enough.

use super::plan::{back, total};
use super::{Data, Wrong, address};
use crate::context::PageContext;
use crate::model::{Plan, PlanWarning, Role, WhyNot};
use crate::ui::{Icon, State, Tone, escaped, small_icon};
use crate::words::{self, plan as word};
use leptos::prelude::*;

pub(super) fn view(ctx: &PageContext, data: &Data, plan: &Plan) -> AnyView {
    let lang = ctx.viewer.lang;
    if plan.eligible == 0 {
        let why = if total(plan) == 0 { word::none_matched(lang) } else { word::nothing_why(lang) };
        let state = State::new(Tone::Mute, Icon::Info, word::nothing(lang)).line(why);
        return view! { <section class="panel">{state.view()}<div class="panel__note row">{back(ctx, data, plan)}</div></section> }
            .into_any();
    }
    let button = word::do_button(lang, plan.operation, plan.eligible);
    if ctx.viewer.role < Role::Operator {
        let why = words::why_not(lang, &WhyNot::Role { needed: Role::Operator });
        return view! {
            <section class="panel confirm">
                <header class="panel__head"><h2>{word::confirm(lang)}</h2></header>
                <div class="panel__body">
                    <button class="btn" type="button" aria-disabled="true" aria-describedby="confirm-why">{button}</button>
                    <span class="why" id="confirm-why">{why}</span>
                </div>
            </section>
        }
        .into_any();
    }
    view! {
        <form class="panel confirm" method="post" action=format!("{}/confirm", address(data))>
            <header class="panel__head"><h2>{word::confirm(lang)}</h2></header>
            <div class="panel__body stack">
                <input type="hidden" name="form_token" value=ctx.viewer.form_token.clone()/>
                {reason(ctx, data, plan)}
                {phrase(ctx, data, plan)}
                <div class="row"><button class="btn btn--main" type="submit">{button}</button>{back(ctx, data, plan)}</div>
            </div>
        </form>
    }
    .into_any()
}

fn reason(ctx: &PageContext, data: &Data, plan: &Plan) -> AnyView {
    let lang = ctx.viewer.lang;
    let typed = data.typed.as_ref();
    let text = typed.map_or(plan.reason.clone(), |typed| typed.reason.clone());
    let wrong = typed.is_some_and(|typed| typed.wrong == Wrong::Reason);
    view! {
        <div class="field">
            <label for="reason">{word::reason_label(lang)}</label>
            <textarea class="input" id="reason" name="reason" rows="2" required maxlength="1000" autocomplete="off"
                aria-invalid=wrong.then_some("true") aria-describedby=wrong.then_some("reason-wrong") inner_html=escaped(&text)></textarea>
            {wrong.then(|| error("reason-wrong", word::reason_missing(lang)))}
        </div>
    }
    .into_any()
}

fn phrase(ctx: &PageContext, data: &Data, plan: &Plan) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    let phrase = plan.phrase.clone()?;
    let wrong = data.typed.as_ref().filter(|typed| typed.wrong == Wrong::Phrase);
    let why = if plan.warnings.contains(&PlanWarning::Deletes) {
        word::phrase_deletes(lang)
    } else {
        word::phrase_many(lang)
    };
    let described = if wrong.is_some() { "phrase-wrong phrase-help" } else { "phrase-help" };
    Some(
        view! {
            <div class="field">
                <label for="phrase">{word::type_before(lang)}<span class="confirm__phrase">{phrase}</span>{word::type_after(lang)}</label>
                <input class="input mono" id="phrase" name="phrase" required autocomplete="off" autocapitalize="none" spellcheck="false"
                    value=wrong.map(|typed| typed.phrase.clone()) aria-invalid=wrong.map(|_| "true") aria-describedby=described/>
                {wrong.map(|_| error("phrase-wrong", word::phrase_wrong(lang)))}
                <span class="field__help" id="phrase-help">{why}</span>
            </div>
        }
        .into_any(),
    )
}

/// At the field that it is about.
pub(super) fn error(id: &'static str, text: &'static str) -> AnyView {
    view! { <span class="field__error" id=id role="alert">{small_icon(Icon::Crit, "")}{text}</span> }.into_any()
}
