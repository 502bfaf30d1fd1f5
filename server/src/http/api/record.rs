use super::Answer;
use crate::http::App;
use crate::http::problem::{Problem, ProblemDocument};
use app::model::{BadReference, Fault, Lookup, RecordRef};
use axum::Json;
use axum::extract::{Path, State};

/// The look-up of the key that one row has.
#[utoipa::path(get, path = "/api/sources/{source}/records/{ref}", tag = "records",
    params(("source" = String, Path), ("ref" = String, Path, description = "`ref` of a row")),
    responses((status = 200, body = Lookup), (status = 404, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub async fn read(State(app): State<App>, Path((source, token)): Path<(String, String)>) -> Answer<Lookup> {
    let found = app.reads.record(&source, &reference(&token)?).await?;
    found.map(Json).ok_or_else(|| Problem::not_found().detail("the row is gone"))
}

pub(in crate::http) fn reference(token: &str) -> Result<RecordRef, Fault> {
    token.parse().map_err(|error: BadReference| Fault::BadInput { what: "ref".into(), detail: error.to_string() })
}
