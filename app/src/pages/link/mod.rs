//! What a one-time link opens: the first operator is made, or an operator comes in without a password.

use crate::model::Lang;
use crate::pages::signin::{clock, sign_in_link};
use crate::ui::{Icon, Tone, classed, code, icon, note};
use crate::words::{entry, frame};
use chrono::{DateTime, Utc};
use leptos::prelude::*;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    pub now: DateTime<Utc>,
    pub link: Link,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// Creates the first admin. `action` is the link's own path, to which the form posts.
    Setup {
        action: String,
        expires_at: DateTime<Utc>,
        min_password: usize,
        name: String,
        failed: Option<Failure>,
    },
    SignIn {
        action: String,
        expires_at: DateTime<Utc>,
        operator: String,
    },
    Used {
        at: DateTime<Utc>,
        operator: Option<String>,
    },
    Expired {
        at: DateTime<Utc>,
    },
    Unknown,
}

/// Why the set-up form is shown again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    BadName,
    ShortPassword,
}

#[must_use]
pub fn title(lang: Lang, data: &Data) -> String {
    match &data.link {
        Link::Setup { .. } => entry::setup_title(lang),
        _ => entry::sign_in(lang),
    }
    .into()
}

#[must_use]
pub fn view(lang: Lang, data: &Data) -> AnyView {
    let clock = clock(lang, data.now);
    match &data.link {
        Link::Setup { action, expires_at, min_password, name, failed } => {
            let until = entry::once_until(lang, clock.absolute(*expires_at));
            setup(lang, action, until, *min_password, name, *failed)
        }
        Link::SignIn { action, expires_at, operator } => view! {
            <form class="panel sign__card" method="post" action=action.clone()>
                <div class="stack"><h1>{entry::enter_as(lang, operator)}</h1><p class="t2 s13">{entry::enter_why(lang)}</p></div>
                {note(Tone::Busy, Icon::Key, entry::once_until(lang, clock.absolute(*expires_at)), "")}
                <button class="btn btn--main" type="submit">{entry::enter_as(lang, operator)}</button>
            </form>
        }
        .into_any(),
        Link::Used { at, operator } => {
            let why = operator.as_ref().map_or_else(|| entry::used_unknown_why(lang).to_owned(), |name| entry::used_why(lang, name));
            ended(lang, entry::used_at(lang, clock.absolute(*at)), why, Some(operator.as_deref().unwrap_or("NAME")))
        }
        Link::Expired { at } => ended(lang, entry::expired_at(lang, clock.absolute(*at)), entry::expired_why(lang).into(), None),
        Link::Unknown => ended(lang, entry::no_link(lang).into(), entry::no_link_why(lang).into(), None),
    }
}

fn setup(lang: Lang, action: &str, until: String, min_password: usize, name: &str, failed: Option<Failure>) -> AnyView {
    let refusal = failed.map(|failure| {
        let why = match failure {
            Failure::BadName => entry::bad_name(lang),
            Failure::ShortPassword => entry::short_password(lang),
        };
        view! { <div class="note note--crit" role="alert">{icon(Icon::Crit)}<p><strong>{why}</strong></p></div> }
    });
    let invalid = |of: Failure| (failed == Some(of)).then_some("true");
    view! {
        <form class="panel sign__card" method="post" action=action.to_owned()>
            <div class="stack"><h1>{entry::setup_title(lang)}</h1><p class="t2 s13">{entry::setup_why(lang)}</p></div>
            {note(Tone::Busy, Icon::Key, until, "")}
            {refusal}
            <div class="field">
                <label for="name">{entry::name(lang)}</label>
                <input class="input" id="name" name="name" type="text" value=name.to_owned() autocomplete="username" autocapitalize="none"
                    spellcheck="false" required maxlength="64" aria-describedby="name-help" aria-invalid=invalid(Failure::BadName)/>
                <span class="field__help" id="name-help">{entry::name_help(lang)}</span>
            </div>
            <div class="field">
                <label for="password">{entry::password(lang)}</label>
                <input class="input" id="password" name="password" type="password" autocomplete="new-password" required
                    minlength=min_password.to_string() aria-describedby="password-help" aria-invalid=invalid(Failure::ShortPassword)/>
                <span class="field__help" id="password-help">{entry::password_help(lang, min_password)}</span>
            </div>
            <button class="btn btn--main" type="submit">{entry::create(lang)}</button>
        </form>
    }
    .into_any()
}

/// A link that opens nothing. `passwd`: for whom a new password may have to be set.
fn ended(lang: Lang, what: String, why: String, passwd: Option<&str>) -> AnyView {
    let command = passwd.map(|name| code(lang, frame::the_command(lang), &format!("oncewatch operator passwd {name}")));
    view! {
        <div class="panel sign__card">
            <h1 class="state__title">{classed(Icon::Off, "icon warn")}{what}</h1>
            <p class="t2 s13">{why}</p>
            {command}
            {sign_in_link(lang)}
        </div>
    }
    .into_any()
}
