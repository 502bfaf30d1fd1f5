use super::{Cell, Marking, Sheet, named};
use crate::http::App;
use crate::http::asked::Asked;
use crate::http::problem::{Problem, ProblemDocument};
use app::model::{ItemsQuery, Outcome, RunItem};
use axum::extract::{Path, State};
use axum::response::Response;
use serde::{Deserialize, Serialize};

/// Items that are read at once.
const PAGE: u32 = 200;

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Items {
    /// `done`, `failed`, `skipped` or `uncertain` ones only.
    outcome: Option<Outcome>,
}

/// What became of each record of an operation, in the order of its plan; at most `limits.export_rows`. `why` is a code,
/// `detail` its parameters as JSON.
#[utoipa::path(get, path = "/api/sources/{source}/operations/{id}/items.csv", tag = "operations", params(("source" = String, Path), ("id" = String, Path), Items, Marking),
    responses((status = 200, body = String, content_type = "text/csv"), (status = 404, body = ProblemDocument)))]
pub async fn items(
    State(app): State<App>,
    Path((source, id)): Path<(String, String)>,
    Asked(asked): Asked<Items>,
    Asked(marking): Asked<Marking>,
) -> Result<Response, Problem> {
    if app.reads.operation(&source, &id).await?.is_none() {
        return Err(Problem::not_found());
    }
    let mut sheet = Sheet::new(&["at", "type", "key", "status", "outcome", "why", "detail", "changed_at", "ref"])?;
    let most = app.system.config.limits.export_rows;
    let (mut after, mut rows) = (None, 0);
    loop {
        let limit = u32::try_from(most - rows).unwrap_or(PAGE).min(PAGE);
        let page = app.reads.items(&source, &id, &ItemsQuery { outcome: asked.outcome, after, limit }).await?;
        rows += page.items.len();
        for item in &page.items {
            sheet.row(cells(item)?)?;
        }
        match page.next {
            Some(next) if rows < most => after = Some(next),
            _ => return sheet.answer(&named(&source, "operation", app.system.clock.now()), &marking),
        }
    }
}

fn cells(item: &RunItem) -> Result<[Cell; 9], Problem> {
    let (why, detail) = match (&item.skip, &item.setback) {
        (Some(skip), _) => coded(skip, "code")?,
        (_, Some(setback)) => coded(setback, "setback")?,
        (None, None) => (Cell::EMPTY, Cell::EMPTY),
    };
    Ok([
        Cell::plain(item.at),
        Cell::some_text(item.r#type.as_deref()),
        Cell::some_text(item.key.as_deref()),
        Cell::word(&item.status)?,
        Cell::word(&item.outcome)?,
        why,
        detail,
        Cell::some_time(item.changed_at),
        Cell::plain(&item.reference),
    ])
}

/// The code, and what it says besides.
fn coded(of: &impl Serialize, tag: &str) -> Result<(Cell, Cell), Problem> {
    let mut json = serde_json::to_value(of).map_err(super::unwritten)?;
    let parameters = json.as_object_mut().ok_or_else(|| super::unwritten("a reason is no object"))?;
    let code = parameters.remove(tag);
    let code = code.as_ref().and_then(|code| code.as_str()).map_or(Cell::EMPTY, Cell::plain);
    Ok((code, if parameters.is_empty() { Cell::EMPTY } else { Cell::text(json.to_string()) }))
}
