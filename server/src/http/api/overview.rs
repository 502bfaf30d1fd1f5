use super::{Answer, answer};
use crate::http::App;
use crate::http::asked::Asked;
use crate::http::problem::ProblemDocument;
use crate::http::range::Asking;
use app::model::Overview;
use axum::extract::{Path, State};

/// Panels as they are now, the course of the source over the time that is asked for, and what needs attention. Steps are
/// of 1, 5, 15 or 60 minutes, 6 or 24 hours, so that there are at most about 300 (of days 400): counts are sums, of other
/// readings the highest stays, percentiles are of all that ended in the step. A step in which nothing was read is left
/// out. What lies more than eight days back is known by the hour.
#[utoipa::path(get, path = "/api/sources/{source}/overview", tag = "sources", params(("source" = String, Path), Asking),
    responses((status = 200, body = Overview), (status = 400, body = ProblemDocument), (status = 404, body = ProblemDocument)))]
pub async fn read(
    State(app): State<App>,
    Path(source): Path<String>,
    Asked(asking): Asked<Asking>,
) -> Answer<Overview> {
    let range = asking.read(&app, &source)?;
    answer(app.reads.overview(&source, range).await)
}
