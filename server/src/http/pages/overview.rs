use crate::http::page::Page;
use app::pages::overview;
use axum::extract::Path;
use axum::response::Response;

pub async fn show(page: Page, Path(source): Path<String>) -> Response {
    let loaded = overview::load(page.reads(), &source).await;
    page.answer(Some(source), loaded, overview::title, overview::view).await
}
