use crate::chain;
use crate::http::App;
use crate::http::asked::Asked;
use crate::http::caller::Caller;
use crate::http::page::Page;
use crate::http::problem::Problem;
use app::pages::audit;
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

pub async fn show(page: Page, Asked(asked): Asked<Vec<(String, String)>>) -> Response {
    let loaded = match audit::load(page.reads(), &audit::Query::of(asked)).await {
        Ok(Err(shorter)) => return Redirect::to(&shorter).into_response(),
        Ok(Ok(data)) => Ok(data),
        Err(fault) => Err(fault),
    };
    let is_refused = loaded.as_ref().is_ok_and(audit::Data::is_refused);
    let mut response = page.answer(None, loaded, audit::title, audit::view).await;
    if is_refused {
        *response.status_mut() = StatusCode::BAD_REQUEST;
    }
    response
}

#[derive(Deserialize)]
pub struct Events {
    after: Option<i64>,
}

pub async fn entry(page: Page, Path(number): Path<i64>, Asked(asked): Asked<Events>) -> Response {
    let loaded = match audit::load_entry(page.reads(), number, asked.after).await {
        Ok(None) => return Problem::not_found().into_response(),
        Ok(Some(data)) => Ok(data),
        Err(fault) => Err(fault),
    };
    page.answer(None, loaded, audit::entry_title, audit::entry_view).await
}

/// What came of it stands at the head of the page.
pub async fn check(State(app): State<App>, Extension(caller): Extension<Caller>) -> Response {
    match chain::check(&app.system, &caller.name).await {
        Ok(()) => Redirect::to("/audit").into_response(),
        Err(error) => Problem::from(error).into_response(),
    }
}
