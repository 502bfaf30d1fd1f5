use super::Answer;
use crate::action::{Operation, Outcome, Request, Target};
use crate::http::App;
use crate::http::asked::Asked;
use crate::http::caller::Caller;
use crate::http::operation::run;
use crate::http::problem::{Problem, ProblemDocument};
use crate::http::visit::Visit;
use app::model::{Fault, Layer, LocksPanel, LocksQuery, Panel};
use axum::extract::{Path, State};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct List {
    /// Only rows of this state: `eternal`, `unprotected`, `orphan`, `unknown`, `expiring` or `held`.
    #[param(example = "orphan")]
    state: Option<String>,
    /// Only rows of this type.
    r#type: Option<String>,
    /// Only rows whose key, Redis key or owner has this text in it, in any case.
    q: Option<String>,
    /// `next` of an earlier answer, beside the same `state`: the rows behind those.
    after: Option<String>,
}

/// The locks of open and recently finished records and what the search of the key space has found, as last read: 60 of
/// each state at most; with `state` page after page of it. Counts stay those of all locks. With several instances only the
/// one that collects the locks has more than 60 of a state.
#[utoipa::path(get, path = "/api/sources/{source}/locks", tag = "locks", params(("source" = String, Path), List),
    responses((status = 200, body = Panel<LocksPanel>), (status = 400, body = ProblemDocument), (status = 404, body = ProblemDocument)))]
pub async fn read(
    State(app): State<App>,
    Path(source): Path<String>,
    Asked(list): Asked<List>,
) -> Answer<Panel<LocksPanel>> {
    let List { state, r#type, q, after } = &list;
    let query = LocksQuery::read(state.as_deref(), r#type.as_deref(), q.as_deref(), after.as_deref())?;
    let panel = app.reads.lock_list(&source, &query).await?;
    Ok(Json(panel.ok_or(Fault::NotConfigured { layer: Layer::Lock })?))
}

#[derive(Deserialize, utoipa::ToSchema)]
pub struct Release {
    /// Chosen by the caller: the same id runs once, however often it is sent.
    operation_id: String,
    /// The full Redis key.
    key: String,
    /// As it was shown: released only while it still holds the lock.
    owner: String,
    /// Of the record that the lock stands for.
    r#type: Option<String>,
    biz_key: String,
    reason: String,
}

#[derive(Serialize, utoipa::ToSchema)]
pub struct Ended {
    operation_id: String,
    #[serde(flatten)]
    outcome: Outcome,
}

/// Releases an orphan lock, if its owner is still the one that was shown. Needs the role operator; a session
/// also its form token, as the header `x-form-token`.
#[utoipa::path(post, path = "/api/sources/{source}/locks/release", tag = "locks", params(("source" = String, Path)), request_body = Release,
    responses((status = 200, body = Ended), (status = 403, body = ProblemDocument), (status = 409, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub async fn release(
    State(app): State<App>,
    Path(source): Path<String>,
    Extension(visit): Extension<Visit>,
    Extension(caller): Extension<Caller>,
    Json(release): Json<Release>,
) -> Answer<Ended> {
    let Release { operation_id, key, owner, r#type, biz_key, reason } = release;
    let request = Request {
        operation_id: operation_id.clone(),
        source,
        operation: Operation::ReleaseLock(Target { key, owner, r#type, biz_key }),
        actor: caller.actor(visit.from),
        reason,
    };
    let outcome = run(&app, request).await.map_err(Problem::from)?;
    Ok(Json(Ended { operation_id, outcome }))
}
