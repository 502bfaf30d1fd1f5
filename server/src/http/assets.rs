//! Script, WebAssembly and styles, all in the binary. In a debug build the first two are read from `target/site`, so that
//! building the browser's half again needs no new server.

use super::problem::Problem;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rust_embed::{Embed, EmbeddedFile};
use sha2::{Digest, Sha256};
use std::borrow::Cow;

#[derive(Embed)]
#[folder = "../target/site/pkg"]
#[allow_missing = true]
struct Site;

pub(super) async fn script(headers: HeaderMap) -> Response {
    built("oncewatch.js", "text/javascript; charset=utf-8", &headers)
}

pub(super) async fn wasm(headers: HeaderMap) -> Response {
    built("oncewatch.wasm", "application/wasm", &headers)
}

pub(super) async fn style(headers: HeaderMap) -> Response {
    let css = app::layout::CSS;
    answer(css.as_bytes().into(), &Sha256::digest(css), "text/css; charset=utf-8", &headers)
}

/// As the build compressed it, which takes too long for each visit, where the browser takes that.
fn built(name: &str, kind: &'static str, headers: &HeaderMap) -> Response {
    if takes_brotli(headers)
        && let Some(EmbeddedFile { data, metadata }) = Site::get(&format!("{name}.br"))
    {
        let mut response = answer(data, &metadata.sha256_hash(), kind, headers);
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("br"));
        response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        return response;
    }
    match Site::get(name) {
        Some(EmbeddedFile { data, metadata }) => answer(data, &metadata.sha256_hash(), kind, headers),
        None => Problem::not_found().detail("the browser's half was not built into this server").into_response(),
    }
}

fn takes_brotli(headers: &HeaderMap) -> bool {
    let said = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|said| said.to_str().ok());
    // `br;q=0` refuses it.
    said.flat_map(|said| said.split(',')).any(|one| one.split(';').map(str::trim).eq(["br"]))
}

/// The names stay the same from version to version, so the browser asks each time, and mostly hears "unchanged".
fn answer(bytes: Cow<'static, [u8]>, hash: &[u8], kind: &'static str, headers: &HeaderMap) -> Response {
    let tag = format!("\"{}\"", hex::encode(&hash[..16]));
    let known = headers.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    // Compression makes the tag a weak one on its way.
    let unchanged = known.is_some_and(|known| known.split(',').any(|one| one.trim().trim_start_matches("W/") == tag));
    let mut response = if unchanged { StatusCode::NOT_MODIFIED.into_response() } else { bytes.into_response() };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, no-cache"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}
