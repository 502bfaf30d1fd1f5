//! The form that releases one lock. One lock, but not to be undone: a reason and a plain confirmation.

use crate::context::PageContext;
use crate::model::{Role, WhyNot};
use crate::ui::cut;
use crate::words::{self, lock as word};
use leptos::prelude::*;

/// What the form names: the lock as it was shown. The server compares it with the lock as it is.
pub(crate) struct Release<'a> {
    pub source: &'a str,
    /// Number of the form on its page: each runs under an operation id of its own.
    pub form: usize,
    pub key: &'a str,
    pub owner: &'a str,
    pub of_type: Option<&'a str>,
    pub biz_key: &'a str,
}

pub(crate) fn release_form(ctx: &PageContext, release: &Release<'_>) -> AnyView {
    let lang = ctx.viewer.lang;
    if ctx.viewer.role < Role::Operator {
        return release_refused(ctx, Some(&WhyNot::Role { needed: Role::Operator }));
    }
    let hidden = [
        ("form_token", ctx.viewer.form_token.clone()),
        ("operation_id", format!("{}-{}", ctx.operation_id, release.form)),
        ("key", release.key.to_owned()),
        ("owner", release.owner.to_owned()),
        ("type", release.of_type.unwrap_or_default().to_owned()),
        ("biz_key", release.biz_key.to_owned()),
        ("back", ctx.url.clone()),
    ]
    .map(|(name, value)| view! { <input type="hidden" name=name value=value/> });
    let reason = format!("reason-{}", release.form);
    let why = format!("release-why-{}", release.form);
    view! {
        <form class="release__form" method="post" action=format!("/s/{}/locks/release", release.source)>
            {hidden.collect_view()}
            <div class="field">
                <label for=reason.clone()>{word::reason(lang)}</label>
                <input class="input" id=reason name="reason" required maxlength="500" autocomplete="off"/>
            </div>
            <button class="btn btn--crit" type="submit" aria-describedby=why.clone()>{word::release_sure(lang)}</button>
            <span class="why break" id=why>{word::release_why(lang, cut(release.key, 120), cut(release.owner, 80))}</span>
        </form>
    }
    .into_any()
}

/// It stays visible and says why it cannot be used.
pub(crate) fn release_refused(ctx: &PageContext, why: Option<&WhyNot>) -> AnyView {
    let lang = ctx.viewer.lang;
    let why = words::why_not(lang, why.unwrap_or(&WhyNot::NoLock));
    view! {
        <div>
            <button class="btn" type="button" aria-disabled="true" aria-describedby="release-why">{word::release(lang)}</button>
            <span class="why break" id="release-why">{why}</span>
        </div>
    }
    .into_any()
}
