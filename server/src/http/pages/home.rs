use crate::http::App;
use axum::extract::State;
use axum::response::Redirect;

/// The first source's overview; without a source, what is configured.
pub async fn show(State(app): State<App>) -> Redirect {
    match app.system.sources.first() {
        Some(source) => Redirect::to(&format!("/s/{}/overview", source.config.name)),
        None => Redirect::to("/settings"),
    }
}
