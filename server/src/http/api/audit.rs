use super::Answer;
use crate::chain;
use crate::http::App;
use crate::http::asked::Asked;
use crate::http::caller::Caller;
use crate::http::problem::{Problem, ProblemDocument};
use app::model::{AuditEntry, AuditPage, AuditQuery, AuditSearch, ChainCheck};
use axum::extract::{Path, State};
use axum::{Extension, Json};
use serde::Deserialize;

/// Operations of a page when the request does not say.
const LIMIT: u32 = 50;
const MOST: u32 = 200;
/// Events of each operation of a list, and of one that is asked for alone.
const OF_EACH: u32 = 20;
const OF_ONE: u32 = 100;

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct List {
    /// A search: `by:lin.wei op:retry key:2026* item:failed source:points end:none since:24h`, all of it together. `by` and
    /// `key` (or a key alone) take a star at their end; `plan:` is the id of an operation, with its parts and what undid it;
    /// `end:` is an outcome, `none` of those that have no end though they should; `since:` an age or a time.
    #[param(example = "op:retry since:24h")]
    q: Option<String>,
    /// `next` of an earlier answer.
    before: Option<i64>,
    /// `newer` of an earlier answer; it wins over `before`.
    after: Option<i64>,
    /// Operations, at most 200; 50 when absent. There may be fewer where more than 20,000 would have to be looked at:
    /// `next` goes on.
    limit: Option<u32>,
}

impl List {
    pub fn query(&self, caller: &Caller) -> Result<AuditQuery, Problem> {
        let search = AuditSearch::parse(self.q.as_deref().unwrap_or_default())?;
        Ok(AuditQuery {
            search,
            before: self.before,
            after: self.after,
            only: caller.source.clone(),
            limit: self.limit.unwrap_or(LIMIT).clamp(1, MOST),
            events: OF_EACH,
        })
    }
}

/// Operations, newest first, each with the first twenty of its events. A token that is for one source finds that source's.
#[utoipa::path(get, path = "/api/audit", tag = "audit", params(List),
    responses((status = 200, body = AuditPage), (status = 400, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub async fn list(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Asked(list): Asked<List>,
) -> Answer<AuditPage> {
    Ok(Json(app.reads.audit(&list.query(&caller)?).await?))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Events {
    /// `next_event` of an earlier answer.
    after: Option<i64>,
}

/// One operation, with a hundred of its events.
#[utoipa::path(get, path = "/api/audit/{number}", tag = "audit", params(("number" = i64, Path), Events),
    responses((status = 200, body = AuditEntry), (status = 404, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub async fn read(
    State(app): State<App>,
    Path(number): Path<i64>,
    Extension(caller): Extension<Caller>,
    Asked(events): Asked<Events>,
) -> Answer<AuditEntry> {
    let entry = app.reads.audit_entry(number, events.after, OF_ONE).await?;
    let mine = |entry: &AuditEntry| caller.source.as_ref().is_none_or(|only| *only == entry.source);
    entry.filter(mine).map(Json).ok_or_else(Problem::not_found)
}

/// Begins to read the chains again, unless somebody does already, and says how far that is; a small audit is through at
/// once. Needs the role operator; a session also its form token, as the header `x-form-token`.
#[utoipa::path(post, path = "/api/audit/check", tag = "audit",
    responses((status = 200, body = ChainCheck), (status = 403, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub async fn check(State(app): State<App>, Extension(caller): Extension<Caller>) -> Answer<ChainCheck> {
    chain::check(&app.system, &caller.name).await.map_err(Problem::from)?;
    let last = chain::last(&app.system).await.map_err(Problem::from)?;
    last.map(Json).ok_or_else(|| Problem::internal("what the check of the audit found was not kept"))
}
