use crate::http::page::Page;
use app::pages::brokers;
use axum::extract::Path;
use axum::response::Response;

pub async fn show(page: Page, Path(source): Path<String>) -> Response {
    let loaded = brokers::load(page.reads(), &source).await;
    page.answer(Some(source), loaded, brokers::title, brokers::view).await
}
