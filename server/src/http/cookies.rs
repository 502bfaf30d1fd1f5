//! The cookies that Oncewatch sets: `oncewatch_session`, `_lang`, `_theme`, `_flash`. All `SameSite=Lax` and out of
//! reach of scripts, which need none of them.

use super::App;
use crate::auth::{Opened, Stay};
use app::model::{Lang, Theme};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use axum_extra::extract::CookieJar;
use axum_extra::extract::cookie::{Cookie, SameSite};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

pub(super) const SESSION: &str = "oncewatch_session";
const LANG: &str = "oncewatch_lang";
const THEME: &str = "oncewatch_theme";
pub(super) const FLASH: &str = "oncewatch_flash";

const YEAR: Duration = Duration::from_secs(365 * 86_400);

pub(super) fn value(headers: &HeaderMap, name: &str) -> Option<String> {
    CookieJar::from_headers(headers).get(name).map(|cookie| cookie.value().to_owned())
}

pub(super) fn lang(headers: &HeaderMap) -> Option<Lang> {
    word(&value(headers, LANG)?)
}

pub(super) fn theme(headers: &HeaderMap) -> Option<Theme> {
    word(&value(headers, THEME)?)
}

pub(super) fn session(app: &App, opened: &Opened) -> Cookie<'static> {
    let lasts = match opened.stay {
        Stay::WhileUsed => None,
        Stay::SevenDays => (opened.session.ends_at - app.system.clock.now()).to_std().ok(),
    };
    cookie(app, SESSION, opened.secret.clone(), lasts)
}

/// `None` for a value that is not one of ours.
pub(super) fn preference_lang(app: &App, lang: Lang) -> Option<Cookie<'static>> {
    Some(cookie(app, LANG, spelled(lang)?, Some(YEAR)))
}

pub(super) fn preference_theme(app: &App, theme: Theme) -> Option<Cookie<'static>> {
    Some(cookie(app, THEME, spelled(theme)?, Some(YEAR)))
}

/// Without `lasts` it ends with the browser.
pub(super) fn cookie(app: &App, name: &'static str, value: String, lasts: Option<Duration>) -> Cookie<'static> {
    let mut cookie =
        Cookie::build((name, value)).path("/").http_only(true).same_site(SameSite::Lax).secure(app.https()).build();
    if let Some(lasts) = lasts.and_then(|lasts| lasts.try_into().ok()) {
        cookie.set_max_age(Some(lasts));
    }
    cookie
}

/// Takes a cookie away.
pub(super) fn gone(app: &App, name: &'static str) -> Cookie<'static> {
    cookie(app, name, String::new(), Some(Duration::ZERO))
}

fn word<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_value(serde_json::Value::from(text)).ok()
}

fn spelled<T: Serialize>(value: T) -> Option<String> {
    serde_json::to_value(value).ok()?.as_str().map(str::to_owned)
}

pub(super) fn add(response: &mut Response, cookie: &Cookie<'_>) {
    if let Ok(value) = HeaderValue::from_str(&cookie.encoded().to_string()) {
        response.headers_mut().append(header::SET_COOKIE, value);
    }
}
