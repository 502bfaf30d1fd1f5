use crate::http::App;
use crate::http::asked::Asked;
use crate::http::page::Page;
use crate::http::range::Asking;
use app::pages::overview;
use axum::extract::{Path, State};
use axum::response::Response;

pub async fn show(
    State(app): State<App>,
    page: Page,
    Path(source): Path<String>,
    Asked(asking): Asked<Asking>,
) -> Response {
    let loaded = match asking.read(&app, &source) {
        Ok(range) => overview::load(page.reads(), &source, range).await,
        Err(fault) => Err(fault),
    };
    page.answer(Some(source), loaded, overview::title, overview::view).await
}
