use crate::http::App;
use app::model::Settings;
use axum::Json;
use axum::extract::State;

/// How each source is read, and what its table lacks.
#[utoipa::path(get, path = "/api/settings", tag = "settings", responses((status = 200, body = Settings)))]
pub async fn read(State(app): State<App>) -> Json<Settings> {
    Json(app.reads.settings().await)
}
