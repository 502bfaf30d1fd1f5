use super::{Cell, Marking, Sheet, named};
use crate::http::App;
use crate::http::asked::Asked;
use crate::http::problem::{Problem, ProblemDocument};
use app::model::{RecordsPage, RecordsQuery, Row, Search, Status, Window};
use axum::extract::{Path, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use serde::Deserialize;
use std::time::Duration;

/// Rows of one page; the port's own limit.
const PAGE: u32 = 200;
/// Rows that are examined where no index serves the filter, as on the command line.
const EXAMINED: u64 = 100_000;
/// Less than any request may take.
const LONGEST: Duration = Duration::from_secs(20);

/// Where the next file begins, when this one ends before the list does.
const NEXT: HeaderName = HeaderName::from_static("x-next-cursor");

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct List {
    status: Option<Status>,
    r#type: Option<String>,
    /// A search, as of the list in JSON.
    #[param(example = "status:processing age:>10m")]
    q: Option<String>,
    /// `x-next-cursor` of an earlier answer, or `next` of a list in JSON.
    cursor: Option<String>,
}

/// Records as CSV, newest first: at most `limits.export_rows`, and no more than what 100,000 examined rows or 20 seconds
/// give. A file that ends before the list does has `-incomplete` in its name and the header `x-next-cursor`, with which
/// the next one begins. Few are written at the same time.
#[utoipa::path(get, path = "/api/sources/{source}/records.csv", tag = "records", params(("source" = String, Path), List, Marking),
    responses((status = 200, body = String, content_type = "text/csv", headers(("x-next-cursor" = String, description = "Where the next file begins; absent at the end"))),
        (status = 400, body = ProblemDocument), (status = 429, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub async fn list(
    State(app): State<App>,
    Path(source): Path<String>,
    Asked(list): Asked<List>,
    Asked(marking): Asked<Marking>,
) -> Result<Response, Problem> {
    let search = Search::parse(list.q.as_deref().unwrap_or_default())?.beside(list.status, list.r#type)?;
    let query = RecordsQuery { cursor: list.cursor, ..search.query(PAGE) };
    let Ok(_place) = app.exports.clone().try_acquire_owned() else {
        return Err(Problem::of(StatusCode::TOO_MANY_REQUESTS).detail("other exports are being written; try again"));
    };
    let (rows, next) = read(&app, &source, query).await?;
    let name = if next.is_some() { "records-incomplete" } else { "records" };
    let mut response = sheet(&rows)?.answer(&named(&source, name, app.system.clock.now()), &marking)?;
    if let Some(next) = next {
        response.headers_mut().insert(NEXT, HeaderValue::from_str(&next).map_err(super::unwritten)?);
    }
    Ok(response)
}

/// Page after page, and where it would go on.
async fn read(app: &App, source: &str, mut query: RecordsQuery) -> Result<(Vec<Row>, Option<String>), Problem> {
    let most = app.system.config.limits.export_rows;
    let begun = app.system.clock.instant();
    let (mut rows, mut examined) = (Vec::new(), 0);
    loop {
        query.limit = u32::try_from(most - rows.len()).unwrap_or(PAGE).min(PAGE);
        let RecordsPage { items, next, window, .. } = app.reads.records(source, &query).await?;
        rows.extend(items);
        if let Window::Examined { rows, .. } = window {
            examined += rows;
        }
        let enough = rows.len() >= most || examined >= EXAMINED;
        if next.is_none() || enough || app.system.clock.instant().duration_since(begun) >= LONGEST {
            return Ok((rows, next));
        }
        query.cursor = next;
    }
}

/// The columns are those of a record in JSON.
pub(super) fn sheet<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Result<Sheet, Problem> {
    let mut sheet = Sheet::new(&[
        "id",
        "type",
        "key",
        "status",
        "code",
        "created_at",
        "updated_at",
        "attempts",
        "error",
        "owner",
        "lease_until",
    ])?;
    for Row { record, code, .. } in rows {
        sheet.row([
            Cell::some_text(record.id.as_deref()),
            Cell::some_text(record.r#type.as_deref()),
            Cell::some_text(record.key.as_deref()),
            Cell::plain(record.status.as_str()),
            Cell::some_text(code.as_deref()),
            Cell::some_time(record.created_at),
            Cell::some_time(record.updated_at),
            Cell::some(record.attempts),
            Cell::some_text(record.error.as_deref()),
            Cell::some_text(record.owner.as_deref()),
            Cell::some_time(record.lease_until),
        ])?;
    }
    Ok(sheet)
}
