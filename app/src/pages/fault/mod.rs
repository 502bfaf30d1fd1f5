//! What is shown instead of a page. It says what happened and leaks nothing.

use crate::model::{Fault, Lang, Role};
use crate::ui::{Icon, Tone, classed};
use crate::words::{self, entry};
use leptos::prelude::*;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Data {
    NotFound,
    Forbidden {
        needed: Role,
    },
    TooLarge,
    /// What the request or a system behind it got wrong.
    Fault(Fault),
}

#[must_use]
pub fn title(lang: Lang, data: &Data) -> String {
    match data {
        Data::NotFound | Data::Fault(Fault::NoSource { .. }) => entry::not_found(lang),
        Data::Forbidden { .. } => entry::forbidden(lang),
        Data::TooLarge => entry::too_large(lang),
        Data::Fault(Fault::BadInput { .. } | Fault::BadSearch { .. } | Fault::BadRange { .. }) => {
            entry::bad_request(lang)
        }
        Data::Fault(Fault::Internal { .. }) => entry::broken(lang),
        Data::Fault(_) => entry::unreachable_title(lang),
    }
    .into()
}

/// For both frames: it needs no session.
#[must_use]
pub fn view(lang: Lang, data: &Data) -> AnyView {
    let (tone, shape) = match data {
        Data::NotFound | Data::Fault(Fault::NoSource { .. }) => (Tone::Mute, Icon::Search),
        Data::Forbidden { .. } => (Tone::Mute, Icon::Shield),
        Data::TooLarge | Data::Fault(Fault::BadInput { .. } | Fault::BadSearch { .. } | Fault::BadRange { .. }) => {
            (Tone::Warn, Icon::Warn)
        }
        Data::Fault(Fault::Internal { .. }) => (Tone::Crit, Icon::Crit),
        Data::Fault(_) => (Tone::Crit, Icon::Off),
    };
    let why = match data {
        Data::NotFound => entry::not_found_why(lang).to_owned(),
        Data::Forbidden { needed } => entry::forbidden_why(lang, words::lock::role(lang, *needed)),
        Data::TooLarge => entry::too_large_why(lang).to_owned(),
        Data::Fault(Fault::Internal { .. }) => entry::broken_why(lang).to_owned(),
        Data::Fault(fault) => words::overview::sentence(lang, words::fault(lang, fault)),
    };
    let request = match data {
        Data::Fault(Fault::Internal { request_id }) => {
            Some(view! { <p class="mono s12 t3">{entry::request(lang, request_id)}</p> })
        }
        _ => None,
    };
    view! {
        <div class="panel sign__card">
            <h1 class="state__title">{classed(shape, &format!("icon {}", tone.word()))}{title(lang, data)}</h1>
            <p class="t2 s13 break">{why}</p>
            {request}
            <div class="row"><a class="btn" href="/">{entry::to_overview(lang)}</a></div>
        </div>
    }
    .into_any()
}
