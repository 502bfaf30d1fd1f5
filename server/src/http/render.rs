//! Views as HTML.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use hydration_context::SsrSharedContext;
use leptos::nonce::Nonce;
use leptos::prelude::{AnyView, Owner, RenderHtml, provide_context};
use std::sync::Arc;

/// In one go: all that a view shows is loaded before, and nothing in it waits.
pub(super) fn html(nonce: Option<&Nonce>, view: impl FnOnce() -> AnyView) -> String {
    let owner = Owner::new_root(Some(Arc::new(SsrSharedContext::new())));
    let html = owner.with(|| {
        if let Some(nonce) = nonce {
            provide_context(nonce.clone());
        }
        view().to_html()
    });
    owner.cleanup();
    html
}

pub(super) fn response(html: String) -> Response {
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    ([kind], html).into_response()
}
