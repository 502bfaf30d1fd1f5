use super::{Answer, answer};
use crate::action::archive::{self, Ask, Missing, RestoreAsk, Speed};
use crate::http::App;
use crate::http::archive::{Wanted, plan_restore, planned, restore as restored, run, wish_of};
use crate::http::asked::Asked;
use crate::http::caller::Caller;
use crate::http::problem::{Problem, ProblemDocument};
use crate::http::visit::Visit;
use app::model::{Archive, ArchivePlan, ArchiveRestored, ArchiveRun, RestorePlan};
use axum::extract::{Path, State};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct List {
    /// `next` of an earlier answer.
    before: Option<i64>,
}

#[derive(Deserialize, utoipa::ToSchema)]
pub struct NewRun {
    /// Chosen by the caller: the same id runs once, however often it is sent.
    operation_id: String,
    reason: String,
    /// The plan's own.
    phrase: String,
    /// Small chunks, and long rests between them.
    #[serde(default)]
    polite: bool,
    /// Makes the archive's table where it is missing, by the statements of the plan.
    #[serde(default)]
    create_table: bool,
}

#[derive(Deserialize, utoipa::ToSchema)]
pub struct Steer {
    /// The id of the run.
    run: String,
}

#[derive(Deserialize, utoipa::ToSchema)]
pub struct NewRestore {
    operation_id: String,
    reason: String,
    #[serde(flatten)]
    wanted: Wanted,
    /// `found` of the plan: no more than so many come back.
    found: u64,
    /// The plan's own, where it has one.
    #[serde(default)]
    phrase: String,
}

#[derive(Serialize, utoipa::ToSchema)]
pub struct Restored {
    operation_id: String,
    /// `null`: it goes on, and the audit says what came of it.
    restored: Option<ArchiveRestored>,
}

/// Archiving of a source: its policy, what stands in its way, and its runs, newest first.
#[utoipa::path(get, path = "/api/sources/{source}/archive", tag = "archive", params(("source" = String, Path), List),
    responses((status = 200, body = Archive), (status = 404, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub async fn read(State(app): State<App>, Path(source): Path<String>, Asked(list): Asked<List>) -> Answer<Archive> {
    answer(app.reads.archive(&source, list.before).await)
}

/// What a run would do, counted over at most 200,000 rows of each table; nothing is changed.
#[utoipa::path(get, path = "/api/sources/{source}/archive/plan", tag = "archive", params(("source" = String, Path)),
    responses((status = 200, body = ArchivePlan), (status = 403, body = ProblemDocument), (status = 404, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub async fn plan(State(app): State<App>, Path(source): Path<String>) -> Answer<ArchivePlan> {
    let plan = planned(async { Ok(archive::plan(&app.system, &source).await?) }).await;
    Ok(Json(plan.map_err(Problem::from)?))
}

/// Hands a run to a runner. Needs the role operator; a session also its form token, as the header `x-form-token`.
#[utoipa::path(post, path = "/api/sources/{source}/archive", tag = "archive", params(("source" = String, Path)), request_body = NewRun,
    responses((status = 200, body = ArchiveRun), (status = 403, body = ProblemDocument), (status = 409, body = ProblemDocument), (status = 422, body = ProblemDocument)))]
pub async fn begin(
    State(app): State<App>,
    Path(source): Path<String>,
    Extension(visit): Extension<Visit>,
    Extension(caller): Extension<Caller>,
    Json(new): Json<NewRun>,
) -> Answer<ArchiveRun> {
    let ask = Ask {
        operation_id: new.operation_id,
        source,
        speed: if new.polite { Speed::Polite } else { Speed::Usual },
        missing: if new.create_table { Missing::Create } else { Missing::Refuse },
        until: None,
        planned: None,
        actor: caller.actor(visit.from),
        reason: new.reason,
    };
    Ok(Json(archive::begin_confirmed(&app.system, ask, &new.phrase).await.map_err(Problem::from)?))
}

/// Between two chunks: `pause`, `stop`, or `resume` for one that stands still.
#[utoipa::path(post, path = "/api/sources/{source}/archive/{wish}", tag = "archive", params(("source" = String, Path), ("wish" = String, Path)), request_body = Steer,
    responses((status = 200, body = ArchiveRun), (status = 403, body = ProblemDocument), (status = 404, body = ProblemDocument), (status = 409, body = ProblemDocument)))]
pub async fn wish(
    State(app): State<App>,
    Path((source, wish)): Path<(String, String)>,
    Extension(visit): Extension<Visit>,
    Extension(caller): Extension<Caller>,
    Json(Steer { run: id }): Json<Steer>,
) -> Answer<ArchiveRun> {
    let wish = wish_of(&wish)?;
    run(&app, &source, &id).await.map_err(Problem::from)?;
    archive::wish(&app.system, &id, &caller.actor(visit.from), wish).await.map_err(Problem::from)?;
    let run = run(&app, &source, &id).await.map_err(Problem::from)?;
    Ok(Json(archive::run_of(&run).map_err(Problem::from)?))
}

/// How many archived records would be put back, 10,000 at most, and the first of them; nothing is changed.
#[utoipa::path(get, path = "/api/sources/{source}/archive/restore", tag = "archive", params(("source" = String, Path), Wanted),
    responses((status = 200, body = RestorePlan), (status = 400, body = ProblemDocument), (status = 403, body = ProblemDocument), (status = 409, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub async fn find(
    State(app): State<App>,
    Path(source): Path<String>,
    Asked(wanted): Asked<Wanted>,
) -> Answer<RestorePlan> {
    Ok(Json(plan_restore(&app, &source, &wanted).await.map_err(Problem::from)?))
}

/// Puts archived records back, each unless its key or its id is there again.
#[utoipa::path(post, path = "/api/sources/{source}/archive/restore", tag = "archive", params(("source" = String, Path)), request_body = NewRestore,
    responses((status = 200, body = Restored), (status = 400, body = ProblemDocument), (status = 403, body = ProblemDocument), (status = 409, body = ProblemDocument), (status = 422, body = ProblemDocument)))]
pub async fn restore(
    State(app): State<App>,
    Path(source): Path<String>,
    Extension(visit): Extension<Visit>,
    Extension(caller): Extension<Caller>,
    Json(new): Json<NewRestore>,
) -> Answer<Restored> {
    let NewRestore { operation_id, reason, wanted, found, phrase } = new;
    let ask = RestoreAsk {
        operation_id: operation_id.clone(),
        which: wanted.which(&app, &source)?,
        source,
        most: Some(found.min(archive::MOST)),
        actor: caller.actor(visit.from),
        reason,
    };
    let restored = restored(&app, ask, phrase).await.map_err(Problem::from)?;
    Ok(Json(Restored { operation_id, restored }))
}
