use crate::http::page::Page;
use app::pages::settings;
use axum::response::Response;

pub async fn show(page: Page) -> Response {
    let loaded = settings::load(page.reads()).await;
    page.answer(None, loaded, settings::title, settings::view).await
}
