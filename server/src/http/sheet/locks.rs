use super::{Cell, Marking, Sheet, named};
use crate::http::App;
use crate::http::asked::Asked;
use crate::http::problem::{Problem, ProblemDocument};
use app::model::{Fault, Fit, Layer, LockRow, LocksFilter, LocksQuery, TtlFit};
use axum::extract::{Path, State};
use axum::response::Response;
use serde::Deserialize;

/// What of the locks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// What needs a look, sorted by danger.
    #[default]
    Rows,
    /// TTL against handling time, by type.
    Fits,
}

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
    /// `rows` when absent.
    #[serde(default)]
    #[param(inline)]
    table: Part,
}

/// Locks as CSV: all rows of the list in JSON, or how TTLs fit.
#[utoipa::path(get, path = "/api/sources/{source}/locks.csv", tag = "locks", params(("source" = String, Path), List, Marking),
    responses((status = 200, body = String, content_type = "text/csv"), (status = 400, body = ProblemDocument), (status = 404, body = ProblemDocument)))]
pub async fn read(
    State(app): State<App>,
    Path(source): Path<String>,
    Asked(list): Asked<List>,
    Asked(marking): Asked<Marking>,
) -> Result<Response, Problem> {
    let filter = LocksFilter::read(list.state.as_deref(), list.r#type.as_deref(), list.q.as_deref())?;
    // All of them: a file has no second page.
    let query = LocksQuery { most: usize::MAX, ..LocksQuery::first(filter) };
    let panel = app.reads.lock_list(&source, &query).await?.ok_or(Fault::NotConfigured { layer: Layer::Lock })?;
    let at = panel.read_at.unwrap_or_else(|| app.system.clock.now());
    let body = panel.body.as_ref();
    match list.table {
        Part::Rows => rows(body.iter().flat_map(|body| &body.rows))?.answer(&named(&source, "locks", at), &marking),
        Part::Fits => fits(body.iter().flat_map(|body| &body.fits))?.answer(&named(&source, "lock-ttls", at), &marking),
    }
}

fn rows<'a>(rows: impl Iterator<Item = &'a LockRow>) -> Result<Sheet, Problem> {
    let mut sheet = Sheet::new(&[
        "type",
        "key",
        "state",
        "ttl_ms",
        "owner",
        "lock_key",
        "record_status",
        "count",
        "watched_ms",
        "releasable",
    ])?;
    for row in rows {
        sheet.row([
            Cell::some_text(row.r#type.as_deref()),
            Cell::text(&row.key),
            Cell::plain(row.lock.state.as_str()),
            Cell::some(row.lock.ttl_ms),
            Cell::some_text(row.lock.owner.as_deref()),
            Cell::text(&row.lock.key),
            Cell::some(row.record_status.map(app::model::Status::as_str)),
            Cell::some(row.count),
            Cell::plain(row.watched_ms),
            Cell::plain(row.not_releasable.is_none()),
        ])?;
    }
    Ok(sheet)
}

fn fits<'a>(fits: impl Iterator<Item = &'a TtlFit>) -> Result<Sheet, Problem> {
    let mut sheet = Sheet::new(&["type", "ttl_ms", "p50_ms", "p99_ms", "longest_ms", "handled", "measured", "fit"])?;
    for fit in fits {
        let verdict = fit.fit().map(|fit| match fit {
            Fit::TooShort => "too_short",
            Fit::Tight => "tight",
            Fit::Fits => "fits",
            Fit::TooLong => "too_long",
        });
        sheet.row([
            Cell::some_text(fit.r#type.as_deref()),
            Cell::some(fit.ttl_ms),
            Cell::plain(fit.p50_ms),
            Cell::plain(fit.p99_ms),
            Cell::plain(fit.longest_ms),
            Cell::plain(fit.handled),
            Cell::word(&fit.measured)?,
            Cell::some(verdict),
        ])?;
    }
    Ok(sheet)
}
