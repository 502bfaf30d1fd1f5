//! How a problem is told: to people as a page, to programs as a problem document.

use super::page;
use super::problem::Problem;
use super::visit::{Speaks, Visit};
use app::pages::fault;
use axum::Json;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

/// Gives a problem its words. Answers that are no problem, or have a page of their own, pass.
pub(super) fn spoken(visit: &Visit, mut response: Response) -> Response {
    let problem = match response.extensions_mut().remove::<Problem>() {
        Some(problem) => problem,
        None if is_bare_error(&response) => Problem::of(response.status()),
        None => return response,
    };
    let mut said = match visit.speaks {
        Speaks::Json => {
            let mut said = (problem.status(), Json(problem.document(&visit.id))).into_response();
            said.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
            said
        }
        Speaks::Html => page::bare(visit, problem.status(), &problem.for_people(&visit.id), fault::title, fault::view),
    };
    for name in [header::WWW_AUTHENTICATE, header::ALLOW, header::RETRY_AFTER] {
        if let Some(value) = response.headers().get(&name) {
            said.headers_mut().insert(name, value.clone());
        }
    }
    said
}

/// An error that somebody else worded, in plain text or not at all.
fn is_bare_error(response: &Response) -> bool {
    let error = response.status().is_client_error() || response.status().is_server_error();
    let kind = response.headers().get(header::CONTENT_TYPE);
    error && kind.is_none_or(|kind| kind.as_bytes().starts_with(b"text/plain"))
}
