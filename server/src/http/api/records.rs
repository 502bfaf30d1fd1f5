use super::{Answer, answer};
use crate::http::App;
use crate::http::asked::Asked;
use crate::http::problem::ProblemDocument;
use app::model::{RecordsPage, RecordsQuery, Search, Status};
use axum::extract::{Path, State};
use serde::Deserialize;

/// Rows of a page when the request does not say.
const LIMIT: u32 = 50;
const MOST: u32 = 200;

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct List {
    status: Option<Status>,
    r#type: Option<String>,
    /// A search: `status:failed age:>10m key:2023*`. Terms are `status:`, `type:`, `key:` (or a key alone; a star at its
    /// end means "begins so"), `owner:` (likewise), `age:>10m` (how long in its state; `<1h`, `10m..1h`),
    /// `created:>=2026-11-29` and `updated:` (`>`, `<`, `<=`, `..`, with a time and an offset; else in the source's
    /// zone), `attempts:>3`. Text with spaces stands in double quotes. Each at most once, also not beside its parameter.
    #[param(example = "status:processing age:>10m")]
    q: Option<String>,
    /// `next` or `previous` of an earlier answer.
    cursor: Option<String>,
    /// 1 to 200, 50 when absent.
    limit: Option<u32>,
}

/// One page of records, newest first.
#[utoipa::path(get, path = "/api/sources/{source}/records", tag = "records", params(("source" = String, Path), List),
    responses((status = 200, body = RecordsPage), (status = 400, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub async fn list(State(app): State<App>, Path(source): Path<String>, Asked(list): Asked<List>) -> Answer<RecordsPage> {
    let limit = list.limit.unwrap_or(LIMIT).clamp(1, MOST);
    let search = Search::parse(list.q.as_deref().unwrap_or_default())?.beside(list.status, list.r#type)?;
    let query = RecordsQuery { cursor: list.cursor, ..search.query(limit) };
    answer(app.reads.records(&source, &query).await)
}
