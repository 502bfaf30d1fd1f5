use super::{Answer, answer};
use crate::http::App;
use crate::http::problem::ProblemDocument;
use app::model::Brokers;
use axum::extract::{Path, State};

/// The queues of the source's brokers, as last read.
#[utoipa::path(get, path = "/api/sources/{source}/brokers", tag = "brokers", params(("source" = String, Path)),
    responses((status = 200, body = Brokers), (status = 404, body = ProblemDocument)))]
pub async fn read(State(app): State<App>, Path(source): Path<String>) -> Answer<Brokers> {
    answer(app.reads.brokers(&source).await)
}
