use super::local_path;
use crate::http::{App, cookies};
use app::model::{Lang, Theme};
use axum::Form;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

#[derive(Deserialize)]
pub struct Choice {
    lang: Option<Lang>,
    theme: Option<Theme>,
    #[serde(default)]
    back: String,
}

/// Language and theme: of the browser, not of the account, so that it works before signing in.
pub async fn choose(State(app): State<App>, Form(choice): Form<Choice>) -> Response {
    let mut response = Redirect::to(local_path(&choice.back).unwrap_or("/")).into_response();
    let lang = choice.lang.and_then(|lang| cookies::preference_lang(&app, lang));
    let theme = choice.theme.and_then(|theme| cookies::preference_theme(&app, theme));
    for cookie in lang.iter().chain(&theme) {
        cookies::add(&mut response, cookie);
    }
    response
}
