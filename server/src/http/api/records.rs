use super::{Answer, answer};
use crate::http::App;
use crate::http::problem::ProblemDocument;
use app::model::{RecordsPage, RecordsQuery, Status};
use axum::extract::{Path, Query, State};
use serde::Deserialize;

/// Rows of a page when the request does not say.
const LIMIT: u32 = 50;
const MOST: u32 = 200;

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct List {
    status: Option<Status>,
    r#type: Option<String>,
    /// `next` or `previous` of an earlier answer.
    cursor: Option<String>,
    /// 1 to 200, 50 when absent.
    limit: Option<u32>,
}

/// One page of records, newest first.
#[utoipa::path(get, path = "/api/sources/{source}/records", tag = "records", params(("source" = String, Path), List),
    responses((status = 200, body = RecordsPage), (status = 400, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub async fn list(State(app): State<App>, Path(source): Path<String>, Query(list): Query<List>) -> Answer<RecordsPage> {
    let limit = list.limit.unwrap_or(LIMIT).clamp(1, MOST);
    let query = RecordsQuery { status: list.status, r#type: list.r#type, cursor: list.cursor, limit };
    answer(app.reads.records(&source, &query).await)
}
