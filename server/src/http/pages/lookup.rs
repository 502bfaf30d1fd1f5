use crate::http::asked::Asked;
use crate::http::page::Page;
use app::pages::lookup;
use axum::extract::Path;
use axum::response::Response;

pub async fn show(page: Page, Path(source): Path<String>, Asked(query): Asked<lookup::Query>) -> Response {
    let loaded = lookup::load(page.reads(), &source, &query).await;
    page.answer(Some(source), loaded, lookup::title, lookup::view).await
}
