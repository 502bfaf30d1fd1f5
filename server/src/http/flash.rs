//! What became of a form, carried over the redirect in a cookie that lives a minute. It holds codes, not words, and is
//! shown escaped: nothing rests on its being true.

use super::{App, cookies};
use app::model::Flash;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use axum_extra::extract::cookie::Cookie;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::time::Duration;

const LASTS: Duration = Duration::from_secs(60);

/// Browsers drop a cookie of more than 4 KB.
const LONGEST: usize = 3_000;

fn set(app: &App, flash: &Flash) -> Option<Cookie<'static>> {
    let value = URL_SAFE_NO_PAD.encode(serde_json::to_vec(flash).ok()?);
    if value.len() > LONGEST {
        tracing::warn!(?flash, "too long for a cookie: the next page does not say what became of the form");
        return None;
    }
    Some(cookies::cookie(app, cookies::FLASH, value, Some(LASTS)))
}

pub(super) fn read(headers: &HeaderMap) -> Option<Flash> {
    let bytes = URL_SAFE_NO_PAD.decode(cookies::value(headers, cookies::FLASH)?).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// A key as a message shows it: the whole of a usual one.
pub(super) fn shortened(key: &str) -> String {
    const SHOWN: usize = 160;
    match key.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &key[..at]),
        None => key.to_owned(),
    }
}

/// Back to a page, which says what became of the form.
pub(super) fn back(app: &App, to: &str, flash: &Flash) -> Response {
    let mut response = Redirect::to(to).into_response();
    if let Some(cookie) = set(app, flash) {
        cookies::add(&mut response, &cookie);
    }
    response
}
