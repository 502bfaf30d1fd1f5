//! What pages and `/api` have in common about archiving: which records are meant, and how its answers are given.

use super::App;
use super::problem::Problem;
use crate::action::Refused;
use crate::action::archive::{self, NoSelection, NotBegun, RestoreAsk, Which};
use crate::ports::archive_runs::StoredArchiveRun;
use crate::ports::jobs::Wish;
use crate::ports::state::StateError;
use crate::telemetry::task;
use crate::zone::local;
use app::model::{ArchiveRestored, Fault, Layer, Moment, RestorePlan};
use axum::http::StatusCode;
use chrono_tz::Tz;
use serde::Deserialize;
use std::time::Duration;

/// A plan walks the table; a request may not for longer.
const PLANNED_WITHIN: Duration = Duration::from_secs(20);
/// What takes longer goes on behind the answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Which archived records are meant: by their key, else by when they were changed last.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams, utoipa::ToSchema)]
#[into_params(parameter_in = Query)]
pub struct Wanted {
    key: Option<String>,
    /// Beside `key`.
    r#type: Option<String>,
    /// `2026-11-29T08:00:00Z`; without an offset in the source's zone, also `2026-11-29`.
    #[param(example = "2026-11-29")]
    from: Option<String>,
    /// Likewise; a day or a minute is meant as a whole.
    to: Option<String>,
}

impl Wanted {
    pub fn of(key: Option<String>, r#type: Option<String>, from: Option<String>, to: Option<String>) -> Self {
        Self { key, r#type, from, to }
    }

    /// As it was said, by the names of parameters.
    pub fn said(&self) -> Vec<(&'static str, String)> {
        let said = [("key", &self.key), ("type", &self.r#type), ("from", &self.from), ("to", &self.to)];
        said.into_iter()
            .filter_map(|(name, value)| Some((name, value.clone().filter(|value| !value.is_empty())?)))
            .collect()
    }

    pub fn which(&self, app: &App, source: &str) -> Result<Which, Fault> {
        let zone = app.system.source(source).map_or(Tz::UTC, |source| source.config.timezone);
        let filled = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let span = |name: &str, text: &Option<String>| {
            let bad = |text: &str| Fault::BadInput {
                what: format!("parameter {name}"),
                detail: format!("{text:?}: a time is written 2026-11-29 or 2026-11-29T08:00, also with Z or +08:00"),
            };
            let read = |text: String| Moment::span(&text, &|wall| local(wall, zone)).ok_or_else(|| bad(&text));
            filled(text).map(read).transpose()
        };
        let (from, to) = (span("from", &self.from)?, span("to", &self.to)?);
        let said = Which::said(filled(&self.key), filled(&self.r#type), from.map(|from| from.0), to.map(|to| to.1));
        said.map_err(|problem| Fault::BadInput {
            what: "selection".into(),
            detail: match problem {
                NoSelection::Nothing => "say which records: key, or from and to".into(),
                NoSelection::Reversed => "from must be before to".into(),
            },
        })
    }
}

/// Asked of a plan, which changes nothing.
pub async fn planned<T>(plan: impl Future<Output = Result<T, NotBegun>>) -> Result<T, NotBegun> {
    let after_ms = u64::try_from(PLANNED_WITHIN.as_millis()).unwrap_or(u64::MAX);
    let late = || Err(Fault::TimedOut { layer: Layer::Archive, after_ms }.into());
    tokio::time::timeout(PLANNED_WITHIN, plan).await.unwrap_or_else(|_| late())
}

pub async fn plan_restore(app: &App, source: &str, wanted: &Wanted) -> Result<RestorePlan, NotBegun> {
    let which = wanted.which(app, source)?;
    planned(archive::plan_restore(&app.system, source, &which)).await
}

/// To its end, also when the browser goes away in the middle. `None`: it goes on, and the audit says what came of it.
pub async fn restore(app: &App, ask: RestoreAsk, typed: String) -> Result<Option<ArchiveRestored>, NotBegun> {
    let system = app.system.clone();
    let running = task::spawn("restore", async move { archive::restore_confirmed(&system, &ask, &typed).await });
    match tokio::time::timeout(PATIENCE, running).await {
        Err(_) => Ok(None),
        Ok(Ok(restored)) => restored.map(Some),
        Ok(Err(error)) => Err(StateError::Failed(format!("a restore ended early: {error}")).into()),
    }
}

/// The run that somebody saw on their page.
pub async fn run(app: &App, source: &str, id: &str) -> Result<StoredArchiveRun, Refused> {
    let run = app.system.state.archive_runs.run(id).await?;
    run.filter(|run| run.new.source == source).ok_or(Refused::NoPlan)
}

/// What a word of an address asks of a run.
pub fn wish_of(word: &str) -> Result<Option<Wish>, Fault> {
    match word {
        "pause" => Ok(Some(Wish::Pause)),
        "stop" => Ok(Some(Wish::Stop)),
        "resume" => Ok(None),
        other => {
            let detail = format!("{other}: accepted are pause, stop and resume");
            Err(Fault::BadInput { what: "wish".into(), detail })
        }
    }
}

impl From<NotBegun> for Problem {
    fn from(refused: NotBegun) -> Self {
        match refused {
            NotBegun::Refused(refused) => refused.into(),
            NotBegun::Another { id, state } => {
                let title = "Another run of this source has not ended: stop it, or let it go on";
                Self::new(StatusCode::CONFLICT, "another_run", title).detail(format!("{id} is {}", state.as_str()))
            }
            NotBegun::Archive(refusal) => {
                let title = "It may not be archived, or put back, as things stand";
                let says = app::words::archive::refusal(app::model::Lang::En, &refusal);
                Self::new(StatusCode::CONFLICT, "archive_refused", title).detail(says)
            }
        }
    }
}
