use super::Answer;
use crate::http::App;
use crate::http::caller::{By, Caller};
use crate::http::problem::{Problem, ProblemDocument};
use crate::ingest;
use crate::ports::state::{Ingested, StateError};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::{Extension, Json};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// How many lines were taken.
#[derive(Serialize, utoipa::ToSchema)]
pub struct Taken {
    lines: usize,
    /// The same request came before: nothing was taken twice.
    before: bool,
}

/// What consumers report, as newline-delimited JSON: `{"source","type","signal","n","at","from","cause","ms"}`, or, with
/// a `key`, what happened to one message: `{"source","type","key","at","worker","delivery","lock","record","outcome"}`.
/// All lines are taken, or none. Needs a token. With an `Idempotency-Key`, a request that is sent again is taken once.
#[utoipa::path(post, path = "/api/ingest", tag = "signals", request_body(content = String, content_type = "application/x-ndjson"),
    params(("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, body = Taken), (status = 400, body = ProblemDocument), (status = 409, body = ProblemDocument),
        (status = 422, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub async fn take(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: String,
) -> Answer<Taken> {
    if matches!(caller.by, By::Session { .. }) {
        return Err(Problem::new(StatusCode::FORBIDDEN, "token_needed", "Only programs report").detail("send a token"));
    }
    let mut taken = ingest::read(&app.system, caller.source.as_deref(), &body).map_err(|refused| {
        let detail = format!("line {}: {}; nothing was taken", refused.line, refused.why);
        Problem::new(StatusCode::BAD_REQUEST, "bad_line", "A line cannot be read").detail(detail)
    })?;
    if let Some(key) = headers.get("idempotency-key") {
        // Of this token: another program may choose the same.
        let key = Sha256::new().chain_update(caller.name.as_bytes()).chain_update([0]).chain_update(key.as_bytes());
        taken.ingest.once = Some((hex::encode(key.finalize()), hex::encode(Sha256::digest(body.as_bytes()))));
    }
    match app.system.state.reports.add(&taken.ingest).await {
        Ok(Ingested::OtherBody) => {
            let title = "The Idempotency-Key was used with another body";
            Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "other_body", title).detail("nothing was taken"))
        }
        Ok(ingested) => Ok(Json(Taken { lines: taken.lines, before: ingested == Ingested::Before })),
        Err(StateError::Locked(cause)) if taken.ingest.once.is_some() => {
            tracing::warn!(cause, "a report waited too long for another");
            let title = "The same request, or another, is being taken in";
            Err(Problem::new(StatusCode::CONFLICT, "in_progress", title).detail("send it again"))
        }
        Err(error) => Err(error.into()),
    }
}
