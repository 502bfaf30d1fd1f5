use super::local_path;
use crate::action::{Operation, Outcome, Refused, Request, Target};
use crate::http::asked::Asked;
use crate::http::caller::Caller;
use crate::http::operation::run;
use crate::http::page::Page;
use crate::http::problem::Problem;
use crate::http::visit::Visit;
use crate::http::{App, flash};
use app::model::{Fault, Flash, Layer, LocksQuery, WhyNot};
use app::pages::locks;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Form};
use serde::Deserialize;

/// The page's filters; those of other pages are passed over.
#[derive(Deserialize)]
pub struct Filters {
    state: Option<String>,
    r#type: Option<String>,
    q: Option<String>,
    after: Option<String>,
}

pub async fn show(
    State(app): State<App>,
    page: Page,
    Path(source): Path<String>,
    Asked(asked): Asked<Filters>,
) -> Response {
    let Filters { state, r#type, q, after } = &asked;
    let query = LocksQuery::read(state.as_deref(), r#type.as_deref(), q.as_deref(), after.as_deref());
    let load = async { locks::load(&*app.reads, &source, query?).await };
    page.answer_all(source.clone(), load, locks::title, locks::view).await
}

/// The form of a lock; `form_token` was compared on the way here.
#[derive(Deserialize)]
pub struct Release {
    operation_id: String,
    key: String,
    owner: String,
    /// Empty in a form means that the record has none.
    #[serde(default)]
    r#type: String,
    biz_key: String,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    back: String,
}

pub async fn release(
    State(app): State<App>,
    Path(source): Path<String>,
    Extension(visit): Extension<Visit>,
    Extension(caller): Extension<Caller>,
    Form(form): Form<Release>,
) -> Response {
    let back = local_path(&form.back).map_or_else(|| format!("/s/{source}/locks"), str::to_owned);
    let shown = flash::shortened(&form.key);
    let r#type = Some(form.r#type).filter(|r#type| !r#type.is_empty());
    let request = Request {
        operation_id: form.operation_id,
        source,
        operation: Operation::ReleaseLock(Target { key: form.key, owner: form.owner, r#type, biz_key: form.biz_key }),
        actor: caller.actor(visit.from),
        reason: form.reason,
    };
    let flashed = match said(run(&app, request).await, shown) {
        Ok(flash) => flash,
        Err(problem) => return problem.into_response(),
    };
    flash::back(&app, &back, &flashed)
}

/// What the page says after the redirect; what no page of ours can cause is answered as a problem.
fn said(ran: Result<Outcome, Refused>, key: String) -> Result<Flash, Problem> {
    Ok(match ran {
        Ok(Outcome::Released) => Flash::LockReleased { key },
        Ok(Outcome::OwnerChanged { .. }) => Flash::LockOwnerChanged { key },
        Ok(Outcome::Gone) => Flash::LockGone { key },
        Err(Refused::NotAllowed(why)) => Flash::LockNotReleasable { key, why },
        Err(Refused::Role { needed }) => Flash::LockNotReleasable { key, why: WhyNot::Role { needed } },
        Err(Refused::Reason) => Flash::ReasonMissing,
        Err(Refused::Unfinished) => Flash::Unfinished,
        Err(Refused::Fault(fault @ (Fault::BadInput { .. } | Fault::NoSource { .. }))) => return Err(fault.into()),
        Err(Refused::Fault(fault)) => Flash::Failed { fault },
        Err(Refused::State(error)) => {
            tracing::error!(%error, "an operation could not be run or written down");
            Flash::Failed { fault: Fault::Unreachable { layer: Layer::State, detail: "see the log".into() } }
        }
        Err(
            refused @ (Refused::IdTaken
            | Refused::NoPlan
            | Refused::Over
            | Refused::NotOver
            | Refused::Expired
            | Refused::Phrase { .. }),
        ) => return Err(refused.into()),
    })
}
