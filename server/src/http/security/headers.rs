use crate::http::App;
use crate::http::visit::Visit;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};

/// The same for every response; nothing that the pages do not need is left to the browser's default.
const ALWAYS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    // `no-referrer` would turn the `Origin` of plain forms into `null`.
    (header::REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (
        HeaderName::from_static("permissions-policy"),
        "accelerometer=(), camera=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), payment=(), usb=()",
    ),
];

pub(in crate::http) fn add(app: &App, visit: &Visit, headers: &mut HeaderMap) {
    for (name, value) in ALWAYS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // Leptos's inline script has the nonce; `wasm-unsafe-eval` lets WebAssembly compile and nothing else.
    let policy = format!(
        "default-src 'none'; script-src 'self' 'nonce-{}' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
         connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        visit.nonce
    );
    for (name, value) in
        [(header::CONTENT_SECURITY_POLICY, policy), (HeaderName::from_static("x-request-id"), visit.id.clone())]
    {
        match HeaderValue::from_str(&value) {
            Ok(value) => drop(headers.insert(name, value)),
            Err(error) => tracing::error!(%name, %error, "a header could not be written"),
        }
    }
    if app.https() {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    // Pages and data are of this moment and of this viewer; assets say otherwise themselves.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}
