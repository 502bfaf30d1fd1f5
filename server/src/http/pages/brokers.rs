use crate::http::App;
use crate::http::page::Page;
use app::pages::brokers;
use axum::extract::{Path, State};
use axum::response::Response;

pub async fn show(State(app): State<App>, page: Page, Path(source): Path<String>) -> Response {
    let load = brokers::load(&*app.reads, &source);
    page.answer_all(source.clone(), load, brokers::title, brokers::view).await
}
