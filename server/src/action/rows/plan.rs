//! What an operation would do, before anybody confirms it.

use super::{Options, allows, changes, facts, run_of};
use crate::action::request::{Actor, Refused, checked_id, checked_reason, needs};
use crate::action::trail::{Attempt, noted, noted_of_job};
use crate::config::RetryMode;
use crate::diagnose::eligible::skip;
use crate::ports::changes::{Frozen, Possible};
use crate::ports::jobs::{Confirming, Job, JobState, NewItem, NewJob, Tally};
use crate::ports::records::RecordStore;
use crate::ports::state::StateError;
use crate::system::{SourceSystem, System};
use app::model::{
    Fault, Layer, Operated, Plan, PlanWarning, RecordRef, RecordsQuery, RowOperation, RunNote, Search, Selected, Skip,
    Skipped, Window,
};
use chrono::TimeDelta;
use serde::Serialize;
use std::collections::BTreeMap;

/// Rows of one plan.
const MOST: usize = 100_000;
/// Rows that a plan looks at where no index serves its search; then it says so.
const EXAMINED: u64 = 1_000_000;
/// Rows that are frozen and judged at once.
const BATCH: usize = 500;
const SAMPLE: usize = 20;
/// References that a plan keeps by name, so that it can be made anew.
const NAMED: usize = 200;
/// A plan that nobody confirms is forgotten.
const EXPIRES_AFTER: TimeDelta = TimeDelta::minutes(30);
/// Larger runs, and those that delete more than a few rows, are confirmed by typing.
const CLICKS: u64 = 50;
/// About what one batch takes, judging and audit included.
const MS_PER_BATCH: u64 = 400;

/// What somebody wants to do.
#[derive(Debug, Clone)]
pub struct Ask {
    pub operation_id: String,
    pub source: String,
    pub operation: RowOperation,
    pub selection: Selection,
    pub actor: Actor,
    /// May be said when it is confirmed.
    pub reason: String,
}

#[derive(Debug, Clone)]
pub enum Selection {
    /// These rows, one by one or a page of them.
    Rows(Vec<RecordRef>),
    /// All that match.
    All(Box<RecordsQuery>),
}

/// Freezes the selection and keeps what would be done. Asked again with the same operation id it answers the same.
pub async fn plan(system: &System, ask: Ask) -> Result<Plan, Refused> {
    checked_id(&ask.operation_id)?;
    let attempt =
        Attempt { id: &ask.operation_id, operation: ask.operation.as_str(), source: &ask.source, actor: &ask.actor };
    noted(system, &attempt, needs(&ask.actor)).await?;
    if let Some(job) = system.state.jobs.job(&ask.operation_id).await? {
        return if job.state == JobState::Planning { Err(Refused::Unfinished) } else { plan_of(system, &job).await };
    }
    let source = system.source(&ask.source).ok_or_else(|| Fault::NoSource { source_name: ask.source.clone() })?;
    let changes = changes(source)?;
    let possible = changes.possible().await?;
    if !allows(possible, ask.operation) {
        return Err(Fault::NotConfigured { layer: Layer::Records }.into());
    }
    let mut warnings = Vec::new();
    if source.brokers.is_empty() && ask.operation != RowOperation::MarkFailed {
        warnings.push(PlanWarning::NoBroker);
    }
    if ask.operation == RowOperation::Retry && possible.open_deletes {
        warnings.push(PlanWarning::Deletes);
    }
    if ask.operation == RowOperation::Retry {
        warnings.extend(sends(&source.config.retry.mode));
    }
    let selected = Some(selected(&ask.selection));
    let references = select(source, ask.selection, &mut warnings).await?;
    let mut items = Vec::with_capacity(references.len());
    for batch in references.chunks(BATCH) {
        items.extend(judged(system, source, ask.operation, possible, batch).await?);
    }
    let eligible = items.iter().filter(|item| item.skipped.is_none()).count() as u64;
    let deletes = warnings.contains(&PlanWarning::Deletes);
    let options = Options {
        operation: ask.operation,
        selected,
        mode: source.config.retry.mode.word().to_owned(),
        phrase: phrase(ask.operation, eligible, deletes),
        eligible,
        estimate_ms: eligible.div_ceil(BATCH as u64) * MS_PER_BATCH,
        warnings,
    };
    let now = system.clock.now();
    let job = NewJob {
        id: ask.operation_id,
        operation: ask.operation.as_str().to_owned(),
        source: ask.source,
        actor: ask.actor.name,
        origin: ask.actor.origin,
        reason: ask.reason,
        options: serde_json::to_string(&options).map_err(|error| StateError::Failed(error.to_string()))?,
        planned_at: now,
        expires_at: now + EXPIRES_AFTER,
    };
    system.state.jobs.plan(&job).await?;
    let mut at = 0;
    for batch in items.chunks(BATCH) {
        system.state.jobs.add(&job.id, at, batch).await?;
        at += i64::try_from(batch.len()).unwrap_or(i64::MAX);
    }
    system.state.jobs.planned(&job.id).await?;
    let kept = system.state.jobs.job(&job.id).await?;
    let kept = kept.ok_or_else(|| StateError::Failed(format!("the plan {} is gone", job.id)))?;
    plan_of(system, &kept).await
}

fn selected(selection: &Selection) -> Selected {
    match selection {
        Selection::Rows(references) => Selected::Rows {
            count: references.len() as u64,
            refs: if references.len() > NAMED { Vec::new() } else { references.clone() },
        },
        Selection::All(query) => {
            let RecordsQuery { status, r#type, filter, .. } = RecordsQuery::clone(query);
            Selected::Search { q: Search { status, r#type, filter }.to_string() }
        }
    }
}

/// What becomes of the messages.
fn sends(mode: &RetryMode) -> Option<PlanWarning> {
    match mode {
        RetryMode::Release => None,
        RetryMode::DeadLetter => Some(PlanWarning::LeavesDeadLetter),
        RetryMode::Republish(_) => Some(PlanWarning::Publishes),
        RetryMode::Webhook(_) => Some(PlanWarning::AsksWebhook),
    }
}

/// A typed word keeps a tired hand from doing to ten thousand rows what was meant for ten.
fn phrase(operation: RowOperation, eligible: u64, deletes: bool) -> Option<String> {
    let most = if deletes { CLICKS / 5 } else { CLICKS };
    (eligible > most).then(|| format!("{} {eligible}", operation.as_str().replace('_', " ")))
}

/// References of the rows, each once.
async fn select(
    source: &SourceSystem,
    selection: Selection,
    warnings: &mut Vec<PlanWarning>,
) -> Result<Vec<RecordRef>, Fault> {
    let mut query = match selection {
        Selection::Rows(mut references) => {
            references.truncate(MOST);
            references.sort_unstable();
            references.dedup();
            return Ok(references);
        }
        Selection::All(query) => *query,
    };
    query.limit = 200;
    let records: &dyn RecordStore = source.records.as_ref();
    let (mut references, mut examined) = (Vec::new(), 0);
    loop {
        let page = records.list(&query).await?;
        references.extend(page.items.into_iter().map(|row| row.reference));
        if references.len() >= MOST {
            references.truncate(MOST);
            warnings.push(PlanWarning::Capped { at: MOST as u64 });
            break;
        }
        match page.window {
            Window::Examined { rows, .. } => examined += rows,
            Window::OnePage { rows } => {
                warnings.push(PlanWarning::Examined { rows });
                break;
            }
            Window::All | Window::OpenSet => {}
        }
        match page.next {
            Some(_) if examined >= EXAMINED => {
                warnings.push(PlanWarning::Examined { rows: examined });
                break;
            }
            Some(next) => query.cursor = Some(next),
            None => break,
        }
    }
    // A row that moved while pages were turned may have been met twice.
    let mut seen = std::collections::HashSet::new();
    references.retain(|reference| seen.insert(reference.clone()));
    Ok(references)
}

async fn judged(
    system: &System,
    source: &SourceSystem,
    operation: RowOperation,
    possible: Possible,
    references: &[RecordRef],
) -> Result<Vec<NewItem>, Refused> {
    let frozen = changes(source)?.freeze(references).await?;
    let seen = facts::of(system, source, &frozen, None).await?;
    let item = |(frozen, seen): (Frozen, facts::Seen)| -> Result<NewItem, Refused> {
        let why = skip(operation, &seen.standing, possible, &source.config.retry.mode);
        let record = frozen.row.record;
        Ok(NewItem {
            reference: frozen.row.reference,
            r#type: record.r#type,
            key: record.key,
            status: record.status,
            stamp: frozen.stamp,
            skipped: why.as_ref().map(written).transpose()?,
        })
    };
    frozen.into_iter().zip(seen).map(item).collect()
}

/// Why something is as it is, as it is kept.
pub(super) fn written(why: &impl Serialize) -> Result<String, Refused> {
    Ok(serde_json::to_string(why).map_err(|error| StateError::Failed(error.to_string()))?)
}

pub(super) fn options_of(job: &Job) -> Result<Options, Refused> {
    let read = serde_json::from_str(&job.new.options);
    Ok(read.map_err(|error| StateError::Failed(format!("job {}: {error}", job.new.id)))?)
}

pub(super) fn read_note(job: &Job) -> Result<Option<RunNote>, Refused> {
    if job.note.is_empty() {
        return Ok(None);
    }
    let read = serde_json::from_str(&job.note);
    Ok(read.map_err(|error| StateError::Failed(format!("job {}: {error}", job.new.id)))?)
}

/// A job as far as it has come.
pub async fn operated(system: &System, job: &Job) -> Result<Operated, Refused> {
    Ok(match job.state {
        JobState::Planning => Operated::Planning,
        JobState::Planned | JobState::Expired => Operated::Planned(Box::new(plan_of(system, job).await?)),
        JobState::Waiting
        | JobState::Running
        | JobState::Paused
        | JobState::Stopped
        | JobState::Done
        | JobState::Failed => Operated::Confirmed(Box::new(run_of(system, job).await?)),
    })
}

/// What a kept plan says.
pub async fn plan_of(system: &System, job: &Job) -> Result<Plan, Refused> {
    let options = options_of(job)?;
    let jobs = &system.state.jobs;
    let Tally { open, .. } = jobs.tally(&job.new.id).await?;
    let first = jobs.next(&job.new.id, u32::try_from(SAMPLE).unwrap_or(20)).await?;
    let references: Vec<RecordRef> = first.into_iter().map(|item| item.reference).collect();
    let sample = match system.source(&job.new.source) {
        Some(source) if !references.is_empty() => source.records.get(&references).await?,
        _ => Vec::new(),
    };
    Ok(Plan {
        id: job.new.id.clone(),
        source: job.new.source.clone(),
        operation: options.operation,
        selected: options.selected,
        actor: job.new.actor.clone(),
        reason: job.new.reason.clone(),
        planned_at: job.new.planned_at,
        eligible: open,
        skipped: skipped(system, &job.new.id).await?,
        sample,
        warnings: options.warnings,
        estimate_ms: options.estimate_ms,
        phrase: options.phrase,
        expires_at: job.new.expires_at,
        expired: job.state == JobState::Expired || job.new.expires_at <= system.clock.now(),
    })
}

/// By reason, the most frequent first.
async fn skipped(system: &System, job: &str) -> Result<Vec<Skipped>, Refused> {
    let mut counts: BTreeMap<Skip, u64> = BTreeMap::new();
    for (why, count) in system.state.jobs.skipped(job).await? {
        let why: Skip =
            serde_json::from_str(&why).map_err(|error| StateError::Failed(format!("job {job}: {error}")))?;
        *counts.entry(why).or_default() += count;
    }
    let mut skipped: Vec<Skipped> = counts.into_iter().map(|(why, count)| Skipped { why, count }).collect();
    skipped.sort_by_key(|skipped| std::cmp::Reverse(skipped.count));
    Ok(skipped)
}

/// Hands a plan to a runner. `typed`: the phrase, where one is asked for.
pub async fn confirm(
    system: &System,
    id: &str,
    actor: &Actor,
    reason: &str,
    typed: Option<&str>,
) -> Result<Job, Refused> {
    noted_of_job(system, id, actor, confirmed(system, id, actor, reason, typed).await).await
}

async fn confirmed(
    system: &System,
    id: &str,
    actor: &Actor,
    reason: &str,
    typed: Option<&str>,
) -> Result<Job, Refused> {
    let job = system.state.jobs.job(id).await?.ok_or(Refused::NoPlan)?;
    let options = options_of(&job)?;
    needs(actor)?;
    let reason = checked_reason(if reason.trim().is_empty() { &job.new.reason } else { reason })?;
    match job.state {
        JobState::Planned => {}
        JobState::Planning => return Err(Refused::Unfinished),
        JobState::Expired => return Err(Refused::Expired),
        // Sent twice: what it became is the answer.
        _ => return Ok(job),
    }
    if options.phrase.as_deref().is_some_and(|phrase| typed.map(str::trim) != Some(phrase)) {
        return Err(Refused::Phrase { phrase: options.phrase.unwrap_or_default() });
    }
    let by = Confirming { actor: &actor.name, origin: &actor.origin, reason: &reason };
    if !system.state.jobs.confirm(id, by, system.clock.now()).await? {
        return match system.state.jobs.job(id).await? {
            Some(job) if !matches!(job.state, JobState::Planned | JobState::Expired) => Ok(job),
            _ => Err(Refused::Expired),
        };
    }
    system.state.jobs.job(id).await?.ok_or(Refused::NoPlan)
}
