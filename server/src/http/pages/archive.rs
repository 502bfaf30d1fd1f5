use super::local_path;
use crate::action::Refused;
use crate::action::archive::{self, Ask, Missing, NotBegun, RestoreAsk, Speed};
use crate::http::archive::{Wanted, plan_restore, planned, restore as restored, run, wish_of};
use crate::http::asked::Asked;
use crate::http::caller::Caller;
use crate::http::page::Page;
use crate::http::problem::Problem;
use crate::http::visit::Visit;
use crate::http::{App, flash};
use app::model::{Fault, Flash, Layer};
use app::pages::archive as pages;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Form};
use serde::Deserialize;

#[derive(Deserialize)]
pub struct Runs {
    before: Option<i64>,
}

pub async fn show(page: Page, Path(source): Path<String>, Asked(asked): Asked<Runs>) -> Response {
    let loaded = page.reads().archive(&source, asked.before).await;
    let loaded = loaded.map(|archive| pages::Data { archive, before: asked.before });
    page.answer(Some(source), loaded, pages::title, pages::view).await
}

/// It walks the tables, so it has an address of its own.
pub async fn plan(page: Page, State(app): State<App>, Path(source): Path<String>) -> Response {
    let plan = planned(async { Ok(archive::plan(&app.system, &source).await?) }).await;
    match plan {
        Err(error) => Problem::from(error).into_response(),
        Ok(plan) => page.answer(Some(source), Ok(plan), pages::plan_title, pages::plan_view).await,
    }
}

/// A form's; `form_token` was compared on the way here.
#[derive(Deserialize)]
pub struct Begin {
    operation_id: String,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    phrase: String,
    #[serde(default)]
    speed: String,
    /// There, where the box is ticked.
    create: Option<String>,
    planned: Option<u64>,
}

pub async fn begin(
    State(app): State<App>,
    Path(source): Path<String>,
    Extension(visit): Extension<Visit>,
    Extension(caller): Extension<Caller>,
    Form(form): Form<Begin>,
) -> Response {
    let ask = Ask {
        operation_id: form.operation_id,
        source: source.clone(),
        speed: if form.speed == "polite" { Speed::Polite } else { Speed::Usual },
        missing: if form.create.is_some() { Missing::Create } else { Missing::Refuse },
        until: None,
        planned: form.planned,
        actor: caller.actor(visit.from),
        reason: form.reason,
    };
    let (home, plan) = (format!("/s/{source}/archive"), format!("/s/{source}/archive/plan"));
    match archive::begin_confirmed(&app.system, ask, &form.phrase).await {
        Ok(run) => flash::back(&app, &home, &Flash::ArchiveBegun { number: run.number }),
        Err(error) => failed(&app, &plan, error),
    }
}

#[derive(Deserialize)]
pub struct Steer {
    run: String,
}

pub async fn wish(
    State(app): State<App>,
    Path((source, wish)): Path<(String, String)>,
    Extension(visit): Extension<Visit>,
    Extension(caller): Extension<Caller>,
    Form(Steer { run: id }): Form<Steer>,
) -> Response {
    let home = format!("/s/{source}/archive");
    let wanted = match wish_of(&wish) {
        Ok(wanted) => wanted,
        Err(fault) => return Problem::from(fault).into_response(),
    };
    let asked = async {
        let run = run(&app, &source, &id).await?;
        archive::wish(&app.system, &id, &caller.actor(visit.from), wanted).await?;
        Ok(run.number)
    };
    match asked.await {
        Ok(number) => flash::back(&app, &home, &Flash::ArchiveSteered { number, wish }),
        Err(error) => failed(&app, &home, NotBegun::Refused(error)),
    }
}

pub async fn find(
    page: Page,
    State(app): State<App>,
    Path(source): Path<String>,
    Asked(wanted): Asked<Wanted>,
) -> Response {
    let home = format!("/s/{source}/archive#restore");
    match plan_restore(&app, &source, &wanted).await {
        Ok(plan) => {
            let data = pages::RestoreData { plan, wanted: wanted.said() };
            page.answer(Some(source), Ok(data), pages::restore_title, pages::restore_view).await
        }
        Err(error) => failed(&app, &home, error),
    }
}

#[derive(Deserialize)]
pub struct Restore {
    operation_id: String,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    phrase: String,
    found: u64,
    key: Option<String>,
    r#type: Option<String>,
    from: Option<String>,
    to: Option<String>,
    #[serde(default)]
    back: String,
}

pub async fn restore(
    State(app): State<App>,
    Path(source): Path<String>,
    Extension(visit): Extension<Visit>,
    Extension(caller): Extension<Caller>,
    Form(form): Form<Restore>,
) -> Response {
    let home = format!("/s/{source}/archive");
    let back = local_path(&form.back).unwrap_or(&home).to_owned();
    let wanted = Wanted::of(form.key, form.r#type, form.from, form.to);
    let which = match wanted.which(&app, &source) {
        Ok(which) => which,
        Err(fault) => return Problem::from(fault).into_response(),
    };
    let ask = RestoreAsk {
        operation_id: form.operation_id,
        source,
        which,
        most: Some(form.found.min(archive::MOST)),
        actor: caller.actor(visit.from),
        reason: form.reason,
    };
    match restored(&app, ask, form.phrase).await {
        Ok(restored) => flash::back(&app, &home, &Flash::Restored { restored }),
        Err(error) => failed(&app, &back, error),
    }
}

/// What the page says after the redirect; what no page of ours can cause is answered as a problem.
fn failed(app: &App, back: &str, error: NotBegun) -> Response {
    let flashed = match error {
        NotBegun::Archive(refusal) => Flash::ArchiveRefused { refusal },
        NotBegun::Another { .. } => Flash::ArchiveAnother,
        NotBegun::Refused(Refused::Reason) => Flash::ReasonMissing,
        NotBegun::Refused(Refused::Unfinished) => Flash::Unfinished,
        NotBegun::Refused(Refused::Over) => Flash::ArchiveOver,
        NotBegun::Refused(Refused::Phrase { phrase }) => Flash::PhraseWrong { phrase },
        NotBegun::Refused(Refused::Fault(fault @ Fault::NoSource { .. })) => {
            return Problem::from(fault).into_response();
        }
        NotBegun::Refused(Refused::Fault(fault)) => Flash::Failed { fault },
        NotBegun::Refused(Refused::State(error)) => {
            tracing::error!(%error, "an operation could not be run or written down");
            Flash::Failed { fault: Fault::Unreachable { layer: Layer::State, detail: "see the log".into() } }
        }
        NotBegun::Refused(refused) => return Problem::from(refused).into_response(),
    };
    flash::back(app, back, &flashed)
}
