use crate::http::page::Page;
use app::pages::records;
use axum::extract::{Path, Query};
use axum::response::Response;

pub async fn show(page: Page, Path(source): Path<String>, Query(query): Query<records::Query>) -> Response {
    let loaded = records::load(page.reads(), &source, &query).await;
    page.answer(Some(source), loaded, records::title, records::view).await
}
