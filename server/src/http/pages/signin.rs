use super::local_path;
use crate::auth::{NotSignedIn, Stay, close_session};
use crate::http::page::bare;
use crate::http::problem::Problem;
use crate::http::visit::{Visit, text};
use crate::http::{App, caller, cookies};
use app::pages::signin::{self, Data, Failure};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Extension, Form};
use chrono::TimeDelta;
use serde::Deserialize;
use std::time::Duration;

#[derive(Deserialize)]
pub struct Asked {
    next: Option<String>,
    /// A session was there and is over.
    over: Option<String>,
}

pub async fn show(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
) -> Response {
    let next = next(asked.next.as_deref());
    match caller::by_session(&app, &headers).await {
        Ok(Some(_)) => Redirect::to(&next).into_response(),
        Ok(None) => {
            let failed = asked.over.map(|_| Failure::SessionOver);
            form(&app, &visit, &headers, StatusCode::OK, Typed { name: String::new(), next }, failed).await
        }
        Err(error) => Problem::from(error).into_response(),
    }
}

#[derive(Deserialize)]
pub struct Entry {
    #[serde(default)]
    name: String,
    #[serde(default)]
    password: String,
    next: Option<String>,
    /// The check box "stay signed in".
    keep: Option<String>,
}

pub async fn enter(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    headers: HeaderMap,
    Form(entry): Form<Entry>,
) -> Response {
    let next = next(entry.next.as_deref());
    let stay = if entry.keep.is_some() { Stay::SevenDays } else { Stay::WhileUsed };
    let name = entry.name.trim().to_owned();
    match app.sign_in.run(&app.system, visit.from, &name, entry.password, stay).await {
        Ok(opened) => {
            let mut response = Redirect::to(&next).into_response();
            cookies::add(&mut response, &cookies::session(&app, &opened));
            response
        }
        Err(NotSignedIn::Wrong { tries_left }) => {
            let failed = Failure::Wrong { tries_left: Some(tries_left) };
            form(&app, &visit, &headers, StatusCode::UNAUTHORIZED, Typed { name, next }, Some(failed)).await
        }
        Err(NotSignedIn::Wait { wait }) => {
            let until = app.system.clock.now() + TimeDelta::from_std(wait).unwrap_or(TimeDelta::MAX);
            let failed = Failure::TooMany { until };
            let typed = Typed { name, next };
            let mut response = form(&app, &visit, &headers, StatusCode::TOO_MANY_REQUESTS, typed, Some(failed)).await;
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(whole_seconds(wait)));
            response
        }
        Err(NotSignedIn::Auth(error)) => Problem::from(error).into_response(),
    }
}

/// Rounded up: who comes back a moment too early is refused again.
fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

pub async fn leave(State(app): State<App>, headers: HeaderMap) -> Response {
    if let Some(cookie) = cookies::value(&headers, cookies::SESSION)
        && let Err(error) = close_session(&app.system, &cookie).await
    {
        return Problem::from(error).into_response();
    }
    let mut response = Redirect::to("/signin").into_response();
    cookies::add(&mut response, &cookies::gone(&app, cookies::SESSION));
    response
}

fn next(asked: Option<&str>) -> String {
    asked.and_then(local_path).unwrap_or("/").to_owned()
}

/// What stays in the form when it is shown again.
struct Typed {
    name: String,
    next: String,
}

async fn form(
    app: &App,
    visit: &Visit,
    headers: &HeaderMap,
    status: StatusCode,
    typed: Typed,
    failed: Option<Failure>,
) -> Response {
    let data = Data {
        host: text(headers, header::HOST).unwrap_or_default().to_owned(),
        sources: app.system.sources.len(),
        name: typed.name,
        next: typed.next,
        failed,
        now: app.system.clock.now(),
    };
    bare(visit, status, &data, signin::title, signin::view)
}
