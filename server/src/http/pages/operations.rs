//! Operations on rows from the browser: plan, confirm, steer, undo.

use super::local_path;
use crate::action::Refused;
use crate::action::rows::{self, Ask, Selection};
use crate::http::asked::Asked;
use crate::http::caller::Caller;
use crate::http::page::Page;
use crate::http::planning::Begun;
use crate::http::problem::Problem;
use crate::http::visit::Visit;
use crate::http::{App, flash};
use crate::ports::jobs::Wish;
use crate::telemetry::task;
use app::model::{Fault, Flash, Layer, RecordRef, RowOperation, Search, Status, WhyNot};
use app::pages::{operation, operations};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Extension, Form};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::time::Duration;

/// Rows of one page of what is selected.
const PAGE: u32 = 200;
/// What takes longer is looked at on its own page.
const WAITS: Duration = Duration::from_secs(8);

#[derive(Deserialize)]
pub struct Before {
    before: Option<i64>,
}

pub async fn list(page: Page, Path(source): Path<String>, Asked(asked): Asked<Before>) -> Response {
    let loaded = operations::load(page.reads(), &source, asked.before).await;
    page.answer(Some(source), loaded, operations::title, operations::view).await
}

#[derive(Deserialize)]
pub struct Narrowed {
    outcome: Option<String>,
    after: Option<i64>,
}

pub async fn show(
    page: Page,
    State(app): State<App>,
    Path((source, id)): Path<(String, String)>,
    Asked(asked): Asked<Narrowed>,
) -> Response {
    let query = operation::query(asked.outcome.as_deref(), asked.after);
    let loaded = match operation::load(page.reads(), &source, &id, query).await {
        Ok(Some(data)) => Ok(data),
        Ok(None) => match app.planning.look(&source, &id) {
            Some(begun) => Ok(operation::Data::unplanned(&source, &id, begun.err())),
            None => return Problem::not_found().into_response(),
        },
        Err(fault) => Err(fault),
    };
    page.answer(Some(source), loaded, operation::title, operation::view).await
}

/// What a form selects. Names may come several times, so they are taken one by one.
#[derive(Default)]
struct Selected {
    operation_id: String,
    operation: Option<RowOperation>,
    scope: String,
    refs: Vec<RecordRef>,
    on_page: Vec<RecordRef>,
    status: Option<Status>,
    r#type: Option<String>,
    q: String,
    back: String,
}

impl Selected {
    fn of(fields: Vec<(String, String)>) -> Result<Self, Fault> {
        let bad = |what: &str, value: &str| Fault::BadInput { what: what.into(), detail: format!("found {value:?}") };
        let reference = |value: &str| value.parse::<RecordRef>().map_err(|_| bad("ref", value));
        let mut selected = Self::default();
        for (name, value) in fields {
            match name.as_str() {
                "operation_id" => selected.operation_id = value,
                "operation" => {
                    let known = RowOperation::parse(&value).ok_or_else(|| bad("operation", &value))?;
                    selected.operation = Some(known);
                }
                "scope" => selected.scope = value,
                "ref" => selected.refs.push(reference(&value)?),
                "on_page" => selected.on_page.push(reference(&value)?),
                "status" => selected.status = Some(Status::parse(&value).ok_or_else(|| bad("status", &value))?),
                "type" if !value.is_empty() => selected.r#type = Some(value),
                "q" => selected.q = value,
                "back" => selected.back = value,
                _ => {}
            }
        }
        Ok(selected)
    }

    /// `None`: nothing is picked.
    fn selection(self) -> Result<Option<Selection>, Fault> {
        let rows = |refs: Vec<RecordRef>| (!refs.is_empty()).then_some(Selection::Rows(refs));
        match self.scope.as_str() {
            "rows" => Ok(rows(self.refs)),
            "page" => Ok(rows(self.on_page)),
            "match" => {
                let search = Search::parse(&self.q)?.beside(self.status, self.r#type)?;
                Ok(Some(Selection::All(Box::new(search.query(PAGE)))))
            }
            other => {
                let detail = format!("found {other:?}; accepted are rows, page and match");
                Err(Fault::BadInput { what: "scope".into(), detail })
            }
        }
    }
}

/// Sent twice a form is planned once; with another selection, from a page that was gone back to, it is another plan.
fn plan_id(operation_id: &str, operation: RowOperation, selection: &Selection) -> String {
    let digest = Sha256::digest(format!("{operation:?} {selection:?}"));
    format!("{operation_id}-{}", hex::encode(&digest[..4]))
}

pub async fn plan(
    State(app): State<App>,
    Path(source): Path<String>,
    Extension(visit): Extension<Visit>,
    Extension(caller): Extension<Caller>,
    Form(fields): Form<Vec<(String, String)>>,
) -> Response {
    let selected = match Selected::of(fields) {
        Ok(selected) => selected,
        Err(fault) => return Problem::from(fault).into_response(),
    };
    let back = local_path(&selected.back).map_or_else(|| format!("/s/{source}/records"), str::to_owned);
    let Some(operation) = selected.operation else {
        let fault = Fault::BadInput { what: "operation".into(), detail: "none is named".into() };
        return Problem::from(fault).into_response();
    };
    let operation_id = selected.operation_id.clone();
    let selection = match selected.selection() {
        Ok(Some(selection)) => selection,
        Ok(None) => return flash::back(&app, &back, &Flash::NothingPicked),
        Err(fault) => return Problem::from(fault).into_response(),
    };
    if let Some(why) = why_not(&app, &source, operation).await {
        return flash::back(&app, &back, &Flash::OperationRefused { why });
    }
    let id = plan_id(&operation_id, operation, &selection);
    let there = format!("/s/{source}/operations/{id}");
    let actor = caller.actor(visit.from);
    let ask =
        Ask { operation_id: id.clone(), source: source.clone(), operation, selection, actor, reason: String::new() };
    // A plan of a great many rows outlives this request, and is looked at on its own page.
    let Begun::Here(planning) = app.planning.begin(&source, &id) else { return Redirect::to(&there).into_response() };
    let system = app.system.clone();
    let planned = task::spawn("plan", async move {
        let planned = rows::plan(&system, ask).await;
        planning.end(planned.as_ref().err().and_then(broken));
        planned.map(drop)
    });
    match tokio::time::timeout(WAITS, planned).await {
        Err(_) | Ok(Ok(Ok(()) | Err(Refused::Unfinished))) => Redirect::to(&there).into_response(),
        Ok(Ok(Err(refused))) => refuse(&app, &back, refused),
        Ok(Err(error)) => Problem::internal(format!("a plan ended early: {error}")).into_response(),
    }
}

/// What the page of a plan says that was not made.
fn broken(refused: &Refused) -> Option<Fault> {
    match refused {
        Refused::Unfinished => None,
        Refused::Fault(fault) => Some(fault.clone()),
        other => Some(Fault::Unreadable { layer: Layer::State, detail: other.to_string() }),
    }
}

/// As the page that was sent knew it, or not yet.
async fn why_not(app: &App, source: &str, operation: RowOperation) -> Option<WhyNot> {
    let operable = app.reads.operable(source).await.ok()?;
    operable.into_iter().find(|found| found.name == operation.into())?.why
}

#[derive(Deserialize)]
pub struct Confirm {
    #[serde(default)]
    reason: String,
    #[serde(default)]
    phrase: String,
}

pub async fn confirm(
    page: Page,
    State(app): State<App>,
    Path((source, id)): Path<(String, String)>,
    Extension(visit): Extension<Visit>,
    Extension(caller): Extension<Caller>,
    Form(Confirm { reason, phrase }): Form<Confirm>,
) -> Response {
    let there = format!("/s/{source}/operations/{id}");
    if let Err(answer) = of_source(&app, &source, &id).await {
        return answer;
    }
    let confirmed = rows::confirm(&app.system, &id, &caller.actor(visit.from), &reason, Some(&phrase)).await;
    let wrong = match confirmed {
        Ok(_) | Err(Refused::Expired) => return Redirect::to(&there).into_response(),
        Err(Refused::Reason) => operation::Wrong::Reason,
        Err(Refused::Phrase { .. }) => operation::Wrong::Phrase,
        Err(refused) => return refuse(&app, &there, refused),
    };
    let page = page.at(there.clone());
    let loaded = operation::load(page.reads(), &source, &id, operation::query(None, None)).await;
    let loaded = match loaded {
        Ok(Some(data)) => Ok(operation::Data { typed: Some(operation::Typed { reason, phrase, wrong }), ..data }),
        Ok(None) => return Problem::not_found().into_response(),
        Err(fault) => Err(fault),
    };
    let mut response = page.answer(Some(source), loaded, operation::title, operation::view).await;
    if response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    }
    response
}

pub async fn wish(
    State(app): State<App>,
    Path((source, id, wish)): Path<(String, String, String)>,
    Extension(visit): Extension<Visit>,
    Extension(caller): Extension<Caller>,
) -> Response {
    let there = format!("/s/{source}/operations/{id}");
    let wish = match wish.as_str() {
        "pause" => Some(Wish::Pause),
        "stop" => Some(Wish::Stop),
        "resume" => None,
        _ => return Problem::not_found().into_response(),
    };
    if let Err(answer) = of_source(&app, &source, &id).await {
        return answer;
    }
    match rows::wish(&app.system, &id, &caller.actor(visit.from), wish).await {
        Ok(()) => Redirect::to(&there).into_response(),
        Err(refused) => refuse(&app, &there, refused),
    }
}

#[derive(Deserialize)]
pub struct Undo {
    operation_id: String,
    #[serde(default)]
    reason: String,
}

pub async fn undo(
    State(app): State<App>,
    Path((source, id)): Path<(String, String)>,
    Extension(visit): Extension<Visit>,
    Extension(caller): Extension<Caller>,
    Form(Undo { operation_id, reason }): Form<Undo>,
) -> Response {
    let there = format!("/s/{source}/operations/{id}");
    if let Err(answer) = of_source(&app, &source, &id).await {
        return answer;
    }
    let (system, actor) = (app.system.clone(), caller.actor(visit.from));
    let undoing = task::spawn("undo", async move { rows::undo(&system, &id, &operation_id, &actor, &reason).await });
    match tokio::time::timeout(WAITS, undoing).await {
        Err(_) => flash::back(&app, &there, &Flash::Undoing),
        Ok(Ok(Ok(undo))) => flash::back(&app, &there, &Flash::Undone { undo }),
        Ok(Ok(Err(refused))) => refuse(&app, &there, refused),
        Ok(Err(error)) => Problem::internal(format!("an undo ended early: {error}")).into_response(),
    }
}

async fn of_source(app: &App, source: &str, id: &str) -> Result<(), Response> {
    match app.system.state.jobs.job(id).await {
        Ok(Some(job)) if job.new.source == source => Ok(()),
        Ok(_) => Err(Problem::not_found().into_response()),
        Err(error) => Err(Problem::from(error).into_response()),
    }
}

/// What no page of ours can cause is answered as a problem.
fn refuse(app: &App, back: &str, refused: Refused) -> Response {
    let flashed = match refused {
        Refused::Role { needed } => Flash::OperationRefused { why: WhyNot::Role { needed } },
        Refused::NotAllowed(why) => Flash::OperationRefused { why },
        Refused::Reason => Flash::ReasonMissing,
        Refused::Unfinished => Flash::Unfinished,
        Refused::Over => Flash::NotRunning,
        Refused::Fault(fault @ (Fault::BadInput { .. } | Fault::BadSearch { .. } | Fault::NoSource { .. })) => {
            return Problem::from(fault).into_response();
        }
        Refused::Fault(fault) => Flash::OperationRefused { why: WhyNot::NotKnown { fault } },
        Refused::State(error) => {
            tracing::error!(%error, "an operation could not be planned or written down");
            Flash::Failed { fault: Fault::Unreachable { layer: Layer::State, detail: "see the log".into() } }
        }
        refused @ (Refused::NoPlan
        | Refused::NotOver
        | Refused::Expired
        | Refused::Phrase { .. }
        | Refused::IdTaken) => {
            return Problem::from(refused).into_response();
        }
    };
    flash::back(app, back, &flashed)
}
