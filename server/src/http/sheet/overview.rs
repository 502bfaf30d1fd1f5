use super::{Cell, Marking, Sheet, named, stamp};
use crate::http::App;
use crate::http::asked::Asked;
use crate::http::problem::{Problem, ProblemDocument};
use crate::http::range::Asking;
use app::model::{Attention, Course, Minute, Overview, Signal};
use axum::extract::{Path, State};
use axum::response::Response;
use serde::Deserialize;

/// What of the Overview.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Every figure of every step.
    #[default]
    Course,
    /// Of each step: processing records that were too old.
    Aging,
    /// Of each step: handling times.
    Handling,
    /// Of each step: deliveries, and where duplicates were stopped.
    Layers,
    /// Of each step: lock conflicts and what the unique index stopped.
    Conflicts,
    /// Types with most duplicates, a row for each of their origins.
    Sources,
    /// Processing records by age, now.
    Ages,
    /// What needs a person, now.
    Attention,
    /// The records that have been processing for longest, now; at most 20.
    Oldest,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Of {
    /// `course` when absent.
    #[serde(default)]
    #[param(inline, example = "layers")]
    table: Part,
}

/// The Overview as CSV. A step in which nothing was read is a row whose figures are empty.
#[utoipa::path(get, path = "/api/sources/{source}/overview.csv", tag = "sources", params(("source" = String, Path), Of, Asking, Marking),
    responses((status = 200, body = String, content_type = "text/csv"), (status = 400, body = ProblemDocument), (status = 404, body = ProblemDocument)))]
pub async fn read(
    State(app): State<App>,
    Path(source): Path<String>,
    Asked(of): Asked<Of>,
    Asked(asking): Asked<Asking>,
    Asked(marking): Asked<Marking>,
) -> Result<Response, Problem> {
    let overview = app.reads.overview(&source, asking.read(&app, &source)?).await?;
    let signals = |signals: &[Signal]| -> Vec<Figure> { signals.iter().copied().map(Figure::Signal).collect() };
    match of.table {
        Part::Course => steps(&overview, "course", &all(), &marking),
        Part::Aging => steps(&overview, "aging", &[AGING], &marking),
        Part::Handling => steps(&overview, "handling", &[HANDLED, P50, P99], &marking),
        Part::Layers => {
            let by = signals(&[Signal::DupStatus, Signal::DupLock, Signal::DupIndex, Signal::DupGuard]);
            steps(&overview, "layers", &[vec![DELIVERIES, DUPLICATES], by].concat(), &marking)
        }
        Part::Conflicts => steps(&overview, "conflicts", &signals(&[Signal::Conflict, Signal::DupIndex]), &marking),
        Part::Sources => sources(&overview, &marking),
        Part::Ages => ages(&overview, &marking),
        Part::Attention => attention(&overview, &marking),
        Part::Oldest => {
            let rows = overview.records.body.iter().flat_map(|body| &body.oldest);
            super::records::sheet(rows)?.answer(&named(&overview.source, "oldest", overview.now), &marking)
        }
    }
}

/// What one column holds of a step.
#[derive(Clone, Copy)]
enum Figure {
    Of(&'static str, fn(&Minute) -> Option<i128>),
    /// As consumers reported it, in the convention's words.
    Signal(Signal),
}

const AGING: Figure = Figure::Of("aging", |step| step.aging.map(i128::from));
const DELIVERIES: Figure = Figure::Of("deliveries", |step| step.signals.map(|counts| counts.deliveries().into()));
const DUPLICATES: Figure = Figure::Of("duplicates", |step| step.signals.map(|counts| counts.duplicates().into()));
const HANDLED: Figure = Figure::Of("handled", |step| step.handling.map(|of| of.count.into()));
const P50: Figure = Figure::Of("p50_ms", |step| step.handling?.p50_ms.map(i128::from));
const P99: Figure = Figure::Of("p99_ms", |step| step.handling?.p99_ms.map(i128::from));

const FIGURES: [Figure; 15] = [
    Figure::Of("processing", |step| step.processing.map(i128::from)),
    AGING,
    Figure::Of("oldest_ms", |step| step.oldest_ms.map(i128::from)),
    Figure::Of("failed", |step| step.failed.map(i128::from)),
    Figure::Of("locks_held", |step| step.locks_held.map(i128::from)),
    Figure::Of("locks_wrong", |step| step.locks_wrong.map(i128::from)),
    Figure::Of("ready", |step| step.ready.map(i128::from)),
    Figure::Of("unacked", |step| step.unacked.map(i128::from)),
    Figure::Of("dead_letter", |step| step.dead_letter.map(i128::from)),
    DELIVERIES,
    DUPLICATES,
    HANDLED,
    P50,
    P99,
    Figure::Of("alive", |step| step.alive.map(i128::from)),
];

impl Figure {
    /// Records that are failed stand beside deliveries that failed, hence `reported_` before the latter.
    fn name(self) -> String {
        match self {
            Self::Of(name, _) => name.to_owned(),
            Self::Signal(Signal::Failed) => "reported_failed".to_owned(),
            Self::Signal(signal) => signal.as_str().to_owned(),
        }
    }

    fn read(self, step: &Minute) -> Option<i128> {
        match self {
            Self::Of(_, read) => read(step),
            Self::Signal(signal) => step.signals.map(|counts| counts.get(signal).into()),
        }
    }
}

fn all() -> Vec<Figure> {
    FIGURES.into_iter().chain(Signal::ALL.into_iter().map(Figure::Signal)).collect()
}

fn steps(overview: &Overview, what: &str, figures: &[Figure], marking: &Marking) -> Result<Response, Problem> {
    let Course { from, to, step_s, steps, .. } = &overview.course;
    let names: Vec<String> = figures.iter().map(|figure| figure.name()).collect();
    let head: Vec<&str> = ["at", "step_s"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let mut sheet = Sheet::new(&head)?;
    let mut read = steps.iter().peekable();
    for at in overview.course.stretch().starts() {
        let step = read.next_if(|step| step.at == at);
        let cells = figures.iter().map(|figure| Cell::some(step.and_then(|step| figure.read(step))));
        sheet.row([Cell::time(at), Cell::plain(step_s)].into_iter().chain(cells))?;
    }
    sheet.answer(&format!("{}-{what}-{}-{}", overview.source, stamp(*from), stamp(*to)), marking)
}

fn sources(overview: &Overview, marking: &Marking) -> Result<Response, Problem> {
    let mut sheet = Sheet::new(&["type", "duplicates", "origin", "origin_duplicates"])?;
    for of in &overview.course.sources {
        let of_type = || [Cell::text(&of.r#type), Cell::plain(of.duplicates)];
        if of.origins.is_empty() {
            sheet.row(of_type().into_iter().chain([Cell::EMPTY, Cell::EMPTY]))?;
        }
        for origin in &of.origins {
            sheet.row(of_type().into_iter().chain([Cell::text(&origin.name), Cell::plain(origin.duplicates)]))?;
        }
    }
    let Course { from, to, .. } = &overview.course;
    sheet.answer(&format!("{}-duplicates-{}-{}", overview.source, stamp(*from), stamp(*to)), marking)
}

fn ages(overview: &Overview, marking: &Marking) -> Result<Response, Problem> {
    let mut sheet = Sheet::new(&["from_ms", "to_ms", "records"])?;
    for bucket in overview.records.body.iter().flat_map(|body| &body.ages) {
        sheet.row([Cell::plain(bucket.from_ms), Cell::some(bucket.to_ms), Cell::plain(bucket.count)])?;
    }
    sheet.answer(&named(&overview.source, "ages", overview.now), marking)
}

fn attention(overview: &Overview, marking: &Marking) -> Result<Response, Problem> {
    let mut sheet = Sheet::new(&["kind", "of", "count", "since", "p99_ms", "ttl_ms"])?;
    for finding in &overview.attention {
        let none = || Cell::EMPTY;
        let count = |count: &u64| Cell::plain(count);
        let (of, counted, since, p99, ttl) = match finding {
            Attention::Records { verdict, count: records, oldest_at } => {
                (Cell::word(verdict)?, count(records), Cell::some_time(*oldest_at), none(), none())
            }
            Attention::NotSeen { layer, since } => (Cell::word(layer)?, none(), Cell::time(*since), none(), none()),
            Attention::OutlivesLock { p99_ms, ttl_ms } => {
                (none(), none(), none(), Cell::plain(p99_ms), Cell::plain(ttl_ms))
            }
            Attention::SharedOwner { owner } => (Cell::text(owner), none(), none(), none(), none()),
            Attention::EternalLocks { count: of }
            | Attention::OrphanLocks { count: of }
            | Attention::UnprotectedRecords { count: of }
            | Attention::DeadLetters { count: of }
            | Attention::UnmappedRecords { count: of }
            | Attention::RetryNoEffect { count: of }
            | Attention::Leaked { count: of }
            | Attention::Degraded { count: of } => (none(), count(of), none(), none(), none()),
        };
        sheet.row([Cell::plain(kind(finding)?), of, counted, since, p99, ttl])?;
    }
    sheet.answer(&named(&overview.source, "attention", overview.now), marking)
}

/// As JSON names it.
fn kind(finding: &Attention) -> Result<String, Problem> {
    let json = serde_json::to_value(finding).map_err(super::unwritten)?;
    json["kind"].as_str().map(str::to_owned).ok_or_else(|| super::unwritten("a finding has no kind"))
}

#[cfg(test)]
mod tests {
    use super::{Figure, all};
    use std::collections::BTreeSet;

    #[test]
    fn no_two_columns_have_one_name() {
        let names: Vec<String> = all().into_iter().map(Figure::name).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
    }
}
