//! Coming in with name and password.

use crate::model::{Lang, Zone};
use crate::ui::{Clock, Icon, Tone, icon, small_icon};
use crate::words::{entry, measure};
use chrono::{DateTime, Utc};
use leptos::prelude::*;

/// Where to go on after signing in.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
pub struct Query {
    pub next: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    /// As the browser asked for it.
    pub host: String,
    pub sources: usize,
    /// What was typed as name, so that it stays.
    pub name: String,
    /// A path of this server; checked by whoever fills it in.
    pub next: String,
    pub failed: Option<Failure>,
    pub now: DateTime<Utc>,
}

/// Why the form is shown again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// Name or password: which of them is never said.
    Wrong {
        tries_left: Option<u32>,
    },
    TooMany {
        until: DateTime<Utc>,
    },
    SessionOver,
    /// Another origin, or no valid form token.
    Forged,
}

#[must_use]
pub fn title(lang: Lang, _: &Data) -> String {
    entry::sign_in(lang).into()
}

#[must_use]
pub fn view(lang: Lang, data: &Data) -> AnyView {
    let wrong = matches!(data.failed, Some(Failure::Wrong { .. })).then_some("true");
    let described = data.failed.is_some().then_some("why");
    let lost = view! { <p class="s12 t3">{entry::password_lost(lang)}" "<code class="nowrap">"oncewatch operator passwd"</code></p> };
    let over = matches!(data.failed, Some(Failure::SessionOver));
    view! {
        <form class="panel sign__card" method="post" action="/signin">
            <div class="stack">
                <h1>{if over { entry::sign_in_again(lang) } else { entry::sign_in_title(lang) }}</h1>
                <p class="t2 s13">{entry::host_sources(lang, u64::try_from(data.sources).unwrap_or(u64::MAX), &data.host)}</p>
            </div>
            {data.failed.as_ref().map(|failure| refusal(lang, failure, data.now))}
            <input type="hidden" name="next" value=data.next.clone()/>
            <div class="field">
                <label for="name">{entry::name(lang)}</label>
                <input class="input" id="name" name="name" type="text" value=data.name.clone() autocomplete="username"
                    autocapitalize="none" spellcheck="false" required aria-invalid=wrong aria-describedby=described/>
            </div>
            <div class="field">
                <label for="password">{entry::password(lang)}</label>
                <input class="input" id="password" name="password" type="password" autocomplete="current-password" required
                    aria-invalid=wrong aria-describedby=described/>
            </div>
            <label class="row s13"><input class="check" type="checkbox" name="keep"/>{entry::keep(lang)}</label>
            {submit(lang, data)}
            {lost}
        </form>
    }
    .into_any()
}

fn submit(lang: Lang, data: &Data) -> AnyView {
    match &data.failed {
        Some(Failure::TooMany { until }) if *until > data.now => {
            let at = clock(lang, data.now).absolute(*until);
            view! {
                <div>
                    <button class="btn" type="submit" aria-disabled="true" aria-describedby="wait">{entry::sign_in(lang)}</button>
                    <span class="why" id="wait">{entry::too_many_why(lang, at)}</span>
                </div>
            }
            .into_any()
        }
        _ => view! { <button class="btn btn--main" type="submit">{entry::sign_in(lang)}</button> }.into_any(),
    }
}

fn refusal(lang: Lang, failure: &Failure, now: DateTime<Utc>) -> AnyView {
    let (tone, shape, strong, rest) = match failure {
        Failure::Wrong { tries_left } => {
            let left = tries_left.map(|left| entry::wrong_left(lang, u64::from(left))).unwrap_or_default();
            (Tone::Crit, Icon::Crit, entry::wrong(lang), left)
        }
        Failure::TooMany { until } => {
            let left = measure::age(lang, (*until - now).num_milliseconds());
            let rest = entry::too_many_until(lang, clock(lang, now).absolute(*until), left);
            (Tone::Warn, Icon::Clock, entry::too_many(lang), rest)
        }
        Failure::SessionOver => {
            (Tone::Mute, Icon::Clock, entry::session_over(lang), entry::session_over_why(lang).into())
        }
        Failure::Forged => (Tone::Crit, Icon::Shield, entry::forged(lang), entry::forged_why(lang).into()),
    };
    view! {
        <div class=tone.class("note") role="alert" id="why">{icon(shape)}<p><strong>{strong}</strong>" "{rest}</p></div>
    }
    .into_any()
}

/// Nobody is signed in, so no source's zone is known.
pub(crate) fn clock(lang: Lang, now: DateTime<Utc>) -> Clock<'static> {
    static UTC: std::sync::LazyLock<Zone> = std::sync::LazyLock::new(Zone::utc);
    Clock { lang, zone: &UTC, now }
}

pub(crate) fn sign_in_link(lang: Lang) -> AnyView {
    view! { <div class="row"><a class="btn" href="/signin">{small_icon(Icon::Key, "")}{entry::sign_in(lang)}</a></div> }
        .into_any()
}
