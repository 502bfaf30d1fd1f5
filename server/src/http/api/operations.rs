use super::Answer;
use crate::action::Refused;
use crate::action::rows::{self, Ask, Selection};
use crate::http::App;
use crate::http::asked::Asked;
use crate::http::caller::Caller;
use crate::http::problem::{Problem, ProblemDocument};
use crate::http::visit::Visit;
use crate::ports::jobs::{Job, Wish};
use app::model::{
    Fault, ItemsPage, ItemsQuery, Outcome, Plan, RecordRef, RowOperation, Run, RunsPage, Search, Status, Undo,
};
use axum::extract::{Path, State};
use axum::{Extension, Json};
use serde::Deserialize;

/// Rows of one page of what is selected.
const MOST: u32 = 200;
/// Items of one answer, unless it is said.
const ITEMS: u32 = 50;

#[derive(Deserialize, utoipa::ToSchema)]
pub struct NewPlan {
    /// Chosen by the caller: the same id is planned and run once, however often it is sent.
    operation_id: String,
    operation: RowOperation,
    /// These records, by their `ref`; else all that the search matches.
    #[serde(default)]
    refs: Option<Vec<RecordRef>>,
    status: Option<Status>,
    r#type: Option<String>,
    /// As in the list of records. To mean every record of the source, send an empty text.
    q: Option<String>,
    /// May be said when it is confirmed.
    #[serde(default)]
    reason: String,
}

#[derive(Deserialize, utoipa::ToSchema)]
pub struct Confirm {
    /// The plan's reason, when empty.
    #[serde(default)]
    reason: String,
    /// The plan's own phrase, where it has one.
    phrase: Option<String>,
}

#[derive(Deserialize, utoipa::ToSchema)]
pub struct NewUndo {
    /// Of the undoing, chosen by the caller: the same id undoes once.
    operation_id: String,
    #[serde(default)]
    reason: String,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct List {
    /// `next` of an earlier answer.
    before: Option<i64>,
}

/// Freezes a selection and says what would be done to it; nothing is changed. Needs the role operator; a session also its
/// form token, as the header `x-form-token`.
#[utoipa::path(post, path = "/api/sources/{source}/operations", tag = "operations", params(("source" = String, Path)), request_body = NewPlan,
    responses((status = 200, body = Plan), (status = 400, body = ProblemDocument), (status = 403, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub async fn plan(
    State(app): State<App>,
    Path(source): Path<String>,
    Extension(visit): Extension<Visit>,
    Extension(caller): Extension<Caller>,
    Json(new): Json<NewPlan>,
) -> Answer<Plan> {
    let NewPlan { operation_id, operation, refs, status, r#type, q, reason } = new;
    let selection = match refs {
        Some(references) => Selection::Rows(references),
        None if q.is_none() && status.is_none() && r#type.is_none() => {
            let detail = "say which: refs, or status, type or q".to_owned();
            return Err(Fault::BadInput { what: "selection".into(), detail }.into());
        }
        None => {
            let search = Search::parse(q.as_deref().unwrap_or_default())?.beside(status, r#type)?;
            Selection::All(Box::new(search.query(MOST)))
        }
    };
    let ask = Ask { operation_id, source, operation, selection, actor: caller.actor(visit.from), reason };
    Ok(Json(rows::plan(&app.system, ask).await.map_err(Problem::from)?))
}

/// Hands a plan to a runner, which does to each record what was planned if it is still what it was.
#[utoipa::path(post, path = "/api/sources/{source}/operations/{id}/confirm", tag = "operations", params(("source" = String, Path), ("id" = String, Path)), request_body = Confirm,
    responses((status = 200, body = Run), (status = 403, body = ProblemDocument), (status = 404, body = ProblemDocument), (status = 409, body = ProblemDocument), (status = 422, body = ProblemDocument)))]
pub async fn confirm(
    State(app): State<App>,
    Path((source, id)): Path<(String, String)>,
    Extension(visit): Extension<Visit>,
    Extension(caller): Extension<Caller>,
    Json(Confirm { reason, phrase }): Json<Confirm>,
) -> Answer<Run> {
    let actor = caller.actor(visit.from);
    job(&app, &source, &id).await?;
    let job = rows::confirm(&app.system, &id, &actor, &reason, phrase.as_deref()).await.map_err(Problem::from)?;
    Ok(Json(rows::run_of(&app.system, &job).await.map_err(Problem::from)?))
}

/// Runs, newest first.
#[utoipa::path(get, path = "/api/sources/{source}/operations", tag = "operations", params(("source" = String, Path), List),
    responses((status = 200, body = RunsPage), (status = 503, body = ProblemDocument)))]
pub async fn list(State(app): State<App>, Path(source): Path<String>, Asked(list): Asked<List>) -> Answer<RunsPage> {
    Ok(Json(app.reads.runs(&source, list.before).await?))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Items {
    /// `done`, `failed`, `skipped` or `uncertain` ones only.
    outcome: Option<Outcome>,
    /// `next` of an earlier answer.
    after: Option<i64>,
    /// 1 to 200; 50 when absent.
    limit: Option<u32>,
}

impl Items {
    pub(in crate::http) fn query(&self) -> Result<ItemsQuery, Fault> {
        if let Some(other) = self.outcome.filter(|outcome| !Outcome::FILTERS.contains(outcome)) {
            let accepted = Outcome::FILTERS.map(Outcome::as_str).join(", ");
            let detail = format!("{}: accepted are {accepted}", other.as_str());
            return Err(Fault::BadInput { what: "parameter outcome".into(), detail });
        }
        Ok(ItemsQuery { outcome: self.outcome, after: self.after, limit: self.limit.unwrap_or(ITEMS) })
    }
}

/// What became of each record, in the order of the plan.
#[utoipa::path(get, path = "/api/sources/{source}/operations/{id}/items", tag = "operations", params(("source" = String, Path), ("id" = String, Path), Items),
    responses((status = 200, body = ItemsPage), (status = 400, body = ProblemDocument), (status = 404, body = ProblemDocument)))]
pub async fn items(
    State(app): State<App>,
    Path((source, id)): Path<(String, String)>,
    Asked(asked): Asked<Items>,
) -> Answer<ItemsPage> {
    let query = asked.query()?;
    job(&app, &source, &id).await?;
    Ok(Json(app.reads.items(&source, &id, &query).await?))
}

/// How far a run is.
#[utoipa::path(get, path = "/api/sources/{source}/operations/{id}", tag = "operations", params(("source" = String, Path), ("id" = String, Path)),
    responses((status = 200, body = Run), (status = 404, body = ProblemDocument)))]
pub async fn read(State(app): State<App>, Path((source, id)): Path<(String, String)>) -> Answer<Run> {
    let job = job(&app, &source, &id).await?;
    Ok(Json(rows::run_of(&app.system, &job).await.map_err(Problem::from)?))
}

/// Between two batches: `pause`, `stop`, or `resume` for one that is paused.
#[utoipa::path(post, path = "/api/sources/{source}/operations/{id}/{wish}", tag = "operations", params(("source" = String, Path), ("id" = String, Path), ("wish" = String, Path)),
    responses((status = 200, body = Run), (status = 403, body = ProblemDocument), (status = 404, body = ProblemDocument), (status = 409, body = ProblemDocument)))]
pub async fn wish(
    State(app): State<App>,
    Path((source, id, wish)): Path<(String, String, String)>,
    Extension(visit): Extension<Visit>,
    Extension(caller): Extension<Caller>,
) -> Answer<Run> {
    job(&app, &source, &id).await?;
    let wish = match wish.as_str() {
        "pause" => Some(Wish::Pause),
        "stop" => Some(Wish::Stop),
        "resume" => None,
        other => {
            let detail = format!("{other}: accepted are pause, stop and resume");
            return Err(Fault::BadInput { what: "wish".into(), detail }.into());
        }
    };
    rows::wish(&app.system, &id, &caller.actor(visit.from), wish).await.map_err(Problem::from)?;
    let job = job(&app, &source, &id).await?;
    Ok(Json(rows::run_of(&app.system, &job).await.map_err(Problem::from)?))
}

/// Makes each record of an ended run what it was before, as long as nobody has touched it since.
#[utoipa::path(post, path = "/api/sources/{source}/operations/{id}/undo", tag = "operations", params(("source" = String, Path), ("id" = String, Path)), request_body = NewUndo,
    responses((status = 200, body = Undo), (status = 403, body = ProblemDocument), (status = 404, body = ProblemDocument), (status = 409, body = ProblemDocument), (status = 422, body = ProblemDocument)))]
pub async fn undo(
    State(app): State<App>,
    Path((source, id)): Path<(String, String)>,
    Extension(visit): Extension<Visit>,
    Extension(caller): Extension<Caller>,
    Json(NewUndo { operation_id, reason }): Json<NewUndo>,
) -> Answer<Undo> {
    job(&app, &source, &id).await?;
    let actor = caller.actor(visit.from);
    Ok(Json(rows::undo(&app.system, &id, &operation_id, &actor, &reason).await.map_err(Problem::from)?))
}

/// One of the source: a token may be for it alone.
async fn job(app: &App, source: &str, id: &str) -> Result<Job, Problem> {
    let job = app.system.state.jobs.job(id).await.map_err(Problem::from)?;
    job.filter(|job| job.new.source == source).ok_or_else(|| Refused::NoPlan.into())
}
