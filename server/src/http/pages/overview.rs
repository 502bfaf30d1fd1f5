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
    let load = async { overview::load(&*app.reads, &source, asking.read(&app, &source)?).await };
    page.answer_all(source.clone(), load, overview::title, overview::view).await
}
