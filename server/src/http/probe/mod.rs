//! For machines that watch this one.

mod ready;

pub(super) use ready::{Ready, readyz};

use super::App;
use crate::collect;
use crate::telemetry::metric;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

/// The process answers; it says nothing of what the process needs.
pub(super) async fn healthz() -> impl IntoResponse {
    "ok\n"
}

pub(super) async fn metrics(State(app): State<App>) -> impl IntoResponse {
    let text = metric::render(|| collect::gauges::set(&app.system));
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text)
}
