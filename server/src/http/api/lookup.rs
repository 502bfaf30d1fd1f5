use super::{Answer, answer};
use crate::http::App;
use crate::http::asked::Asked;
use crate::http::problem::ProblemDocument;
use app::model::Lookup;
use axum::extract::{Path, State};
use serde::Deserialize;

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Key {
    /// Without it every type that has the key is found.
    r#type: Option<String>,
    key: String,
}

/// One key in all three layers, and the verdict.
#[utoipa::path(get, path = "/api/sources/{source}/lookup", tag = "records", params(("source" = String, Path), Key),
    responses((status = 200, body = Lookup), (status = 400, body = ProblemDocument)))]
pub async fn read(State(app): State<App>, Path(source): Path<String>, Asked(asked): Asked<Key>) -> Answer<Lookup> {
    let r#type = asked.r#type.as_deref().filter(|r#type| !r#type.is_empty());
    answer(app.reads.lookup(&source, r#type, &asked.key).await)
}
