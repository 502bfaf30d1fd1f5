//! Whether the chain is whole, as far as it was checked; and operations that have no end.

use crate::context::PageContext;
use crate::model::{AuditPage, ChainCheck, ChainState, Problem, Role, WhyNot};
use crate::ui::{Icon, Tone, icon, pill, small_icon};
use crate::words::{self, measure::grouped, trail as word};
use leptos::prelude::*;

pub(super) fn headline(ctx: &PageContext, check: Option<&ChainCheck>) -> AnyView {
    let lang = ctx.viewer.lang;
    let (tone, shape, says, why) = match check {
        None => (Tone::Mute, Icon::Chain, word::chain_never(lang), word::chain_never_why(lang).to_owned()),
        Some(check) => {
            let at = ctx.clock().short(check.at);
            match &check.state {
                ChainState::Checking if check.broke_off(ctx.now) => {
                    (Tone::Warn, Icon::Warn, word::chain_broke_off(lang), word::chain_broke_off_why(lang, at))
                }
                ChainState::Checking => {
                    (Tone::Busy, Icon::Busy, word::chain_checking(lang), word::rows_of(lang, check.rows, check.of))
                }
                ChainState::Whole => {
                    let why = word::chain_whole_why(lang, grouped(check.rows), at, &check.by);
                    (Tone::Ok, Icon::Chain, word::chain_whole(lang), why)
                }
                ChainState::Broken { at } => {
                    let (what, why) = words::problem(lang, &Problem::AuditBroken { at: at.clone() });
                    let what = words::overview::sentence(lang, what);
                    (Tone::Crit, Icon::Crit, word::chain_broken(lang), words::join(lang, &[&what, &why]))
                }
                ChainState::Failed => {
                    (Tone::Warn, Icon::Warn, word::chain_failed(lang), word::chain_failed_why(lang, at))
                }
            }
        }
    };
    view! { <div class="headline">{pill(tone, shape, says)}<p class="page__sub">{why}</p></div> }.into_any()
}

/// For whoever may not press it the button stays, and says why.
pub(super) fn button(ctx: &PageContext, check: Option<&ChainCheck>) -> AnyView {
    let lang = ctx.viewer.lang;
    if check.is_some_and(|check| check.state == ChainState::Checking && !check.broke_off(ctx.now)) {
        let again = word::look_again(lang);
        return view! { <a class="btn btn--s" href=ctx.url.clone()>{small_icon(Icon::Retry, "")}{again}</a> }
            .into_any();
    }
    if ctx.viewer.role < Role::Operator {
        let why = words::why_not(lang, &WhyNot::Role { needed: Role::Operator });
        return view! {
            <span class="step">
                <button class="btn btn--s" type="button" aria-disabled="true" aria-describedby="check-why">
                    {small_icon(Icon::Retry, "")}{word::check_chain(lang)}
                </button>
                <span class="step__why" id="check-why">{why}</span>
            </span>
        }
        .into_any();
    }
    view! {
        <form method="post" action="/audit/check">
            <input type="hidden" name="form_token" value=ctx.viewer.form_token.clone()/>
            <button class="btn btn--s" type="submit">{small_icon(Icon::Retry, "")}{word::check_chain(lang)}</button>
        </form>
    }
    .into_any()
}

pub(super) fn unfinished(ctx: &PageContext, page: &AuditPage) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    let count = u64::try_from(page.unfinished.len()).unwrap_or(u64::MAX);
    let (href, way) = match page.unfinished.as_slice() {
        [] => return None,
        [one] => (format!("/audit/{one}"), word::see_entry(lang, grouped(one.unsigned_abs()))),
        _ => ("/audit?q=end%3Anone".to_owned(), word::see_them(lang).to_owned()),
    };
    Some(
        view! {
            <div class="note note--warn">
                {icon(Icon::Warn)}
                <p><strong>{word::no_end_title(lang, count)}</strong>" "{word::no_end_why(lang)}</p>
                <a href=href>{way}</a>
            </div>
        }
        .into_any(),
    )
}
