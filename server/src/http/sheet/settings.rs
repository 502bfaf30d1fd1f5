use super::{Cell, Marking, Sheet, stamp};
use crate::http::App;
use crate::http::asked::Asked;
use crate::http::problem::{Problem, ProblemDocument};
use app::model::{Lang, Settings, SourceSettings, Status};
use app::words;
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

/// What of the settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// How each source is read.
    #[default]
    Sources,
    /// What each table makes possible.
    Capabilities,
    /// What each table's codes mean.
    Codes,
    /// What to mend.
    Problems,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Of {
    /// `sources` when absent.
    #[serde(default)]
    #[param(inline)]
    table: Part,
    /// Only this source; all when absent.
    source: Option<String>,
}

/// How each source is read, what its table lacks and what to mend, as CSV.
#[utoipa::path(get, path = "/api/settings.csv", tag = "settings", params(Of, Marking),
    responses((status = 200, body = String, content_type = "text/csv"), (status = 400, body = ProblemDocument)))]
pub async fn read(
    State(app): State<App>,
    Asked(of): Asked<Of>,
    Asked(marking): Asked<Marking>,
) -> Result<Response, Problem> {
    let mut settings: Settings = app.reads.settings().await;
    settings.sources.retain(|source| of.source.as_ref().is_none_or(|only| *only == source.head.name));
    let (sheet, what) = match of.table {
        Part::Sources => (sources(&settings.sources)?, "sources"),
        Part::Capabilities => (capabilities(&settings.sources)?, "capabilities"),
        Part::Codes => (codes(&settings.sources)?, "codes"),
        Part::Problems => (problems(&settings.sources)?, "problems"),
    };
    sheet.answer(&format!("oncewatch-{what}-{}", stamp(app.system.clock.now())), &marking)
}

fn sources(sources: &[SourceSettings]) -> Result<Sheet, Problem> {
    let mut sheet = Sheet::new(&[
        "source",
        "engine",
        "version",
        "table",
        "timezone",
        "strategy",
        "index",
        "estimated_rows",
        "records",
        "locks",
        "broker",
        "signals",
        "signals_kind",
        "signals_heard_at",
        "signals_instances",
        "lock_pattern",
        "lock_ttl_ms",
        "retry_after_ms",
        "problems",
    ])?;
    for source in sources {
        let head = &source.head;
        let choice = source.strategy.as_ref();
        let reports = source.signals.as_ref().and_then(|signals| signals.panel.body.as_ref());
        sheet.row([
            Cell::text(&head.name),
            Cell::text(&head.engine),
            Cell::some_text(source.database_version.as_deref()),
            Cell::text(&source.table),
            Cell::text(&source.timezone),
            choice.map_or(Ok(Cell::EMPTY), |choice| Cell::word(&choice.strategy))?,
            Cell::some_text(choice.and_then(|choice| choice.index.as_deref())),
            Cell::some(source.estimated_rows),
            Cell::word(&head.records)?,
            Cell::word(&head.locks)?,
            Cell::word(&head.broker)?,
            Cell::word(&head.signals)?,
            Cell::some(reports.map(|body| &body.kind)),
            Cell::some_time(reports.and_then(|body| body.reported_at)),
            Cell::some(reports.map(|body| body.alive)),
            Cell::some_text(source.lock_pattern.as_deref()),
            Cell::some(source.lock_ttl_ms),
            Cell::plain(source.retry_after_ms),
            Cell::plain(source.problems.len()),
        ])?;
    }
    Ok(sheet)
}

fn capabilities(sources: &[SourceSettings]) -> Result<Sheet, Problem> {
    let mut sheet = Sheet::new(&["source", "capability", "there", "from"])?;
    for source in sources {
        for capability in &source.capabilities {
            sheet.row([
                Cell::text(&source.head.name),
                Cell::word(&capability.name)?,
                Cell::plain(capability.there),
                Cell::some_text(capability.from.as_deref()),
            ])?;
        }
    }
    Ok(sheet)
}

/// A row for each status, with its codes; without one where a rule or the row's existence means it.
fn codes(sources: &[SourceSettings]) -> Result<Sheet, Problem> {
    let mut sheet = Sheet::new(&["source", "codes", "status", "counted", "quality"])?;
    for source in sources {
        let body = source.records.body.as_ref().filter(|_| source.records.trouble.is_none());
        for (status, codes) in &source.codes {
            let count = body.zip(Status::parse(status)).and_then(|(body, status)| body.count(status));
            let quality = count.map_or(Ok(Cell::EMPTY), |count| Cell::word(&count.quality));
            let (counted, quality) = (count.map(|count| count.value), quality?);
            sheet.row([
                Cell::text(&source.head.name),
                Cell::text(codes.join(", ")),
                Cell::plain(status),
                Cell::some(counted),
                quality,
            ])?;
        }
    }
    Ok(sheet)
}

fn problems(sources: &[SourceSettings]) -> Result<Sheet, Problem> {
    let mut sheet = Sheet::new(&["source", "code", "what", "why"])?;
    for source in sources {
        for problem in &source.problems {
            let json = serde_json::to_value(problem).map_err(super::unwritten)?;
            let code = json["code"].as_str().ok_or_else(|| super::unwritten("a problem has no code"))?;
            let (what, why) = words::problem(Lang::En, problem);
            sheet.row([Cell::text(&source.head.name), Cell::plain(code), Cell::text(what), Cell::text(why)])?;
        }
    }
    Ok(sheet)
}
