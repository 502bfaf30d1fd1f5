use super::{Cell, Marking, Sheet, stamp};
use crate::http::App;
use crate::http::api::audit::List;
use crate::http::asked::Asked;
use crate::http::caller::Caller;
use crate::http::problem::{Problem, ProblemDocument};
use app::model::AuditEntry;
use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use std::time::Duration;

const PAGE: u32 = 200;
/// Less than any request may take.
const LONGEST: Duration = Duration::from_secs(20);
/// `before` of the next file, when this one ends before the list does.
const NEXT: HeaderName = HeaderName::from_static("x-next-cursor");

/// Operations as CSV, newest first, without their events: at most `limits.export_rows`, and no more than 20 seconds give. A
/// file that ends before the list does has `-incomplete` in its name and the header `x-next-cursor`, which is `before` of
/// the next one.
#[utoipa::path(get, path = "/api/audit.csv", tag = "audit", params(List, Marking),
    responses((status = 200, body = String, content_type = "text/csv", headers(("x-next-cursor" = String, description = "Where the next file begins; absent at the end"))),
        (status = 400, body = ProblemDocument), (status = 429, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub async fn list(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Asked(list): Asked<List>,
    Asked(marking): Asked<Marking>,
) -> Result<Response, Problem> {
    let mut query = list.query(&caller)?;
    (query.after, query.events) = (None, 0);
    let Ok(_place) = app.exports.clone().try_acquire_owned() else {
        return Err(Problem::of(StatusCode::TOO_MANY_REQUESTS).detail("other exports are being written; try again"));
    };
    let most = app.system.config.limits.export_rows;
    let begun = app.system.clock.instant();
    let mut entries = Vec::new();
    let next = loop {
        query.limit = u32::try_from(most - entries.len()).unwrap_or(PAGE).min(PAGE);
        let page = app.reads.audit(&query).await?;
        entries.extend(page.items);
        let enough = entries.len() >= most || app.system.clock.instant().duration_since(begun) >= LONGEST;
        match page.next {
            Some(_) if !enough => query.before = page.next,
            next => break next,
        }
    };
    let name = if next.is_some() { "audit-incomplete" } else { "audit" };
    let mut response = sheet(&entries)?.answer(&format!("{name}-{}", stamp(app.system.clock.now())), &marking)?;
    if let Some(next) = next {
        response.headers_mut().insert(NEXT, HeaderValue::from(next));
    }
    Ok(response)
}

fn sheet(entries: &[AuditEntry]) -> Result<Sheet, Problem> {
    let mut sheet = Sheet::new(&[
        "number",
        "operation_id",
        "operation",
        "source",
        "actor",
        "origin",
        "reason",
        "begun_at",
        "ended_at",
        "standing",
        "outcome",
        "target",
        "detail",
        "hash",
    ])?;
    for entry in entries {
        sheet.row([
            Cell::plain(entry.number),
            Cell::text(&entry.operation_id),
            Cell::text(&entry.operation),
            Cell::text(&entry.source),
            Cell::text(&entry.actor),
            Cell::text(&entry.origin),
            Cell::text(&entry.reason),
            Cell::time(entry.begun_at),
            Cell::some_time(entry.ended_at),
            Cell::word(&entry.standing)?,
            Cell::some_text(entry.outcome.as_deref()),
            Cell::text(entry.target.to_string()),
            Cell::some_text(entry.detail.as_ref().map(ToString::to_string).as_deref()),
            Cell::plain(&entry.hash),
        ])?;
    }
    Ok(sheet)
}
