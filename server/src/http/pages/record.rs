use crate::http::api::record::reference;
use crate::http::page::Page;
use crate::http::problem::Problem;
use app::pages::lookup;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

/// A record's page is the look-up of its key.
pub async fn show(page: Page, Path((source, token)): Path<(String, String)>) -> Response {
    let reference = match reference(&token) {
        Ok(reference) => reference,
        Err(fault) => return Problem::from(fault).into_response(),
    };
    let loaded = lookup::load_record(page.reads(), &source, &reference).await;
    let gone = loaded.as_ref().is_ok_and(lookup::Data::is_gone);
    let mut response = page.answer(Some(source), loaded, lookup::title, lookup::view).await;
    if gone {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    response
}
