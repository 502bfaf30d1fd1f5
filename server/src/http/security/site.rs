use super::host::asked_host;
use crate::http::App;
use crate::http::access::changes_something;
use crate::http::problem::Problem;
use axum::extract::{Request, State};
use axum::http::HeaderName;
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use url::Url;

/// Unsafe methods come from our own pages, or from programs. Every browser sends `Origin` with a form by POST, most also
/// `Sec-Fetch-Site`; a request with neither was sent by no browser, so that no other site can have caused it.
pub(in crate::http) async fn same_site(State(app): State<App>, request: Request, next: Next) -> Response {
    if changes_something(request.method()) && !(fetched_here(&request) && from_here(&app, &request)) {
        return Problem::forged().into_response();
    }
    next.run(request).await
}

fn fetched_here(request: &Request) -> bool {
    let site = request.headers().get(HeaderName::from_static("sec-fetch-site"));
    site.is_none_or(|site| matches!(site.as_bytes(), b"same-origin" | b"none"))
}

fn from_here(app: &App, request: &Request) -> bool {
    let Some(origin) = request.headers().get(header::ORIGIN) else { return true };
    let Ok(origin) = origin.to_str() else { return false };
    let public = app.system.config.server.public_url.as_ref();
    if public.is_some_and(|url| url.origin().ascii_serialization() == origin) {
        return true;
    }
    // Behind a proxy that ends TLS only the scheme differs.
    let (Ok(origin), Some(host)) = (Url::parse(origin), asked_host(request)) else { return false };
    let Ok(asked) = Url::parse(&format!("{}://{host}", origin.scheme())) else { return false };
    origin.origin().is_tuple() && origin.origin() == asked.origin()
}
