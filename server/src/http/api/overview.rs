use super::{Answer, answer};
use crate::http::App;
use crate::http::problem::ProblemDocument;
use app::model::Overview;
use axum::extract::{Path, State};

/// Panels, the last three hours by the minute, and what needs attention.
#[utoipa::path(get, path = "/api/sources/{source}/overview", tag = "sources", params(("source" = String, Path)),
    responses((status = 200, body = Overview), (status = 404, body = ProblemDocument)))]
pub async fn read(State(app): State<App>, Path(source): Path<String>) -> Answer<Overview> {
    answer(app.reads.overview(&source).await)
}
