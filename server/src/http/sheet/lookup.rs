use super::{Cell, Marking, Sheet, named, records};
use crate::http::App;
use crate::http::asked::Asked;
use crate::http::problem::{Problem, ProblemDocument};
use app::model::Lookup;
use axum::extract::{Path, State};
use axum::response::Response;
use serde::Deserialize;

/// What of the look-up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// What consumers wrote down of each delivery, newest first.
    #[default]
    Trace,
    /// Every record that has the key.
    Records,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Key {
    /// Without it every type that has the key is found.
    r#type: Option<String>,
    key: String,
    /// `trace` when absent.
    #[serde(default)]
    #[param(inline)]
    table: Part,
}

/// One key as CSV: its trace, or its records.
#[utoipa::path(get, path = "/api/sources/{source}/lookup.csv", tag = "records", params(("source" = String, Path), Key, Marking),
    responses((status = 200, body = String, content_type = "text/csv"), (status = 400, body = ProblemDocument)))]
pub async fn read(
    State(app): State<App>,
    Path(source): Path<String>,
    Asked(asked): Asked<Key>,
    Asked(marking): Asked<Marking>,
) -> Result<Response, Problem> {
    let r#type = asked.r#type.as_deref().filter(|r#type| !r#type.is_empty());
    let lookup = app.reads.lookup(&source, r#type, &asked.key).await?;
    let now = app.system.clock.now();
    // Not the key: it may hold what no file's name may.
    match asked.table {
        Part::Trace => trace(&lookup)?.answer(&named(&source, "trace", now), &marking),
        Part::Records => records::sheet(&lookup.records)?.answer(&named(&source, "lookup", now), &marking),
    }
}

fn trace(lookup: &Lookup) -> Result<Sheet, Problem> {
    let mut sheet = Sheet::new(&["type", "key", "at", "worker", "delivery", "lock", "record", "outcome"])?;
    for entry in &lookup.trace {
        let texts = [&entry.worker, &entry.delivery, &entry.lock, &entry.record, &entry.outcome];
        let of = [Cell::some_text(lookup.r#type.as_deref()), Cell::text(&lookup.key), Cell::some_time(entry.at)];
        sheet.row(of.into_iter().chain(texts.map(|text| Cell::some_text(text.as_deref()))))?;
    }
    Ok(sheet)
}
