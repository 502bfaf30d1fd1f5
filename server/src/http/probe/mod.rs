//! For machines that watch this one.

mod ready;

pub(super) use ready::{Ready, readyz};

use crate::telemetry::metric;
use axum::http::header;
use axum::response::IntoResponse;

/// The process answers; it says nothing of what the process needs.
pub(super) async fn healthz() -> impl IntoResponse {
    "ok\n"
}

pub(super) async fn metrics() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], metric::render())
}
