//! `retry`, `mark-failed`, `mark-dead`: plan, show, run.

use super::which::Which;
use super::{Exit, Failure, Given, Io, need_sources, one_source, print_json, table};
use crate::action::rows::{Ask, Selection, confirm, plan, run as run_job};
use crate::action::{Actor, Refused};
use crate::boot::{self, Role};
use crate::config::Environment;
use crate::ports::jobs::{ItemOutcome, JobItem};
use crate::system::System;
use app::model::{Lang, Plan, Role as OperatorRole, RowOperation, Run, Setback};
use app::words;
use serde::Serialize;

/// Items that are named, of each kind.
const SHOWN: u32 = 20;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// May be left out where only one is configured.
    #[arg(long)]
    source: Option<String>,
    #[command(flatten)]
    which: Which,
    /// All records of the source that the operation may touch.
    #[arg(long)]
    all: bool,
    /// Shows what would be done, and does nothing.
    #[arg(long)]
    dry_run: bool,
    /// Does it without another question.
    #[arg(long)]
    yes: bool,
    /// Why; kept in the audit.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// The same id runs once, however often the command is given.
    #[arg(long, value_name = "ID")]
    operation_id: Option<String>,
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    plan: &'a Plan,
    /// `null`: nothing was done.
    run: Option<&'a Run>,
}

pub(super) async fn run(
    operation: RowOperation,
    args: Args,
    given: &Given<'_>,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let config = given.config()?;
    need_sources(&config)?;
    if args.which.is_all() && !args.all {
        return Err(Failure::Usage("say which records: --key, --status, --type, --query, or --all".into()));
    }
    let reason = args.reason.clone().unwrap_or_default();
    if args.yes && !args.dry_run && reason.trim().is_empty() {
        return Err(Failure::Usage("every operation needs a --reason".into()));
    }
    let system = boot::system(config, Role::Cli).await?;
    system.know_panels().await?;
    let source = one_source(&system.sources, args.source.as_deref())?.config.name.clone();
    let actor = actor(given.environment);
    let query = args.which.search()?.query(0);
    let ask = Ask {
        operation_id: args.operation_id.clone().unwrap_or_else(|| uuid::Uuid::new_v4().to_string()),
        source,
        operation,
        selection: Selection::All(Box::new(query)),
        actor: actor.clone(),
        reason: reason.clone(),
    };
    let plan = plan(&system, ask).await.map_err(refused)?;
    if !args.yes || args.dry_run || plan.eligible == 0 {
        return shown(&plan, &args, io);
    }
    let phrase = plan.phrase.clone();
    confirm(&system, &plan.id, &actor, &reason, phrase.as_deref()).await.map_err(refused)?;
    let run = work(&system, &plan).await?;
    let troubled = troubled(&system, &run).await?;
    if args.json {
        print_json(io.out, &Answer { plan: &plan, run: Some(&run) })?;
    } else {
        print_plan(&plan, io)?;
        print_run(&run, &troubled, io)?;
    }
    Ok(if run.state == "done" && run.failed + run.uncertain == 0 { Exit::Done } else { Exit::No })
}

/// Only the plan.
fn shown(plan: &Plan, args: &Args, io: &mut Io<'_>) -> Result<Exit, Failure> {
    if args.json {
        print_json(io.out, &Answer { plan, run: None })?;
    } else {
        print_plan(plan, io)?;
    }
    if plan.eligible == 0 {
        writeln!(io.err, "Nothing would be done.")?;
        return Ok(Exit::No);
    }
    if !args.dry_run {
        writeln!(io.err, "Nothing was done: give the command again with --yes and a --reason.")?;
        return Ok(Exit::No);
    }
    Ok(Exit::Done)
}

/// Here, and not in a server that may not be running.
async fn work(system: &System, plan: &Plan) -> Result<Run, Failure> {
    let holder = format!("cli {} {}", std::process::id(), uuid::Uuid::new_v4().simple());
    run_job(system, &plan.id, &holder).await.map_err(refused)
}

/// Items that did not end well, the first of them.
async fn troubled(system: &System, run: &Run) -> Result<Vec<JobItem>, Failure> {
    let mut items = Vec::new();
    for outcome in [ItemOutcome::Failed, ItemOutcome::Uncertain] {
        items.extend(system.state.jobs.items(&run.id, Some(outcome), None, SHOWN).await?);
    }
    Ok(items)
}

/// Whoever may read the configuration may do what it allows.
pub(super) fn actor(environment: &Environment) -> Actor {
    let user = environment.get("SUDO_USER").or(environment.get("USER")).unwrap_or("somebody");
    let host = environment.get("HOSTNAME").map_or_else(host, str::to_owned);
    Actor { name: user.to_owned(), role: OperatorRole::Admin, origin: format!("cli {user}@{host}") }
}

fn host() -> String {
    let name = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    if name.trim().is_empty() { "this host".to_owned() } else { name.trim().to_owned() }
}

pub(super) fn refused(refused: Refused) -> Failure {
    match refused {
        Refused::Fault(fault) => fault.into(),
        Refused::State(error) => error.into(),
        refused @ (Refused::Reason | Refused::IdTaken) => Failure::Usage(refused.to_string()),
        other => Failure::Failed(other.to_string()),
    }
}

fn print_plan(plan: &Plan, io: &mut Io<'_>) -> Result<(), Failure> {
    let name = words::operate::operation(Lang::En, plan.operation);
    writeln!(io.out, "{name} {} of {}", counted(plan.eligible), plan.source)?;
    let rows: Vec<_> = (plan.sample.iter())
        .map(|row| {
            let record = &row.record;
            let since = record.since().map(app::model::time::text);
            [record.id.clone(), record.r#type.clone(), record.key.clone(), Some(record.status.as_str().into()), since]
        })
        .collect();
    if !rows.is_empty() {
        table::print(io.out, ["id", "type", "key", "status", "since"], &rows)?;
    }
    if plan.eligible > plan.sample.len() as u64 && !rows.is_empty() {
        writeln!(io.out, "and {} more", plan.eligible - plan.sample.len() as u64)?;
    }
    for skipped in &plan.skipped {
        writeln!(io.out, "left alone: {}, {}", counted(skipped.count), words::operate::skip(Lang::En, &skipped.why))?;
    }
    for warning in &plan.warnings {
        writeln!(io.err, "{}", words::operate::warning(Lang::En, warning))?;
    }
    Ok(())
}

pub(super) fn counted(count: u64) -> String {
    if count == 1 { "1 record".to_owned() } else { format!("{count} records") }
}

fn print_run(run: &Run, troubled: &[JobItem], io: &mut Io<'_>) -> Result<(), Failure> {
    writeln!(io.out, "{}: {} done, {} left alone", run.state, run.done, run.skipped)?;
    if run.failed + run.uncertain > 0 {
        writeln!(io.err, "{} failed, {} uncertain: look at operation {}", run.failed, run.uncertain, run.id)?;
    }
    for item in troubled {
        let setback = item.why.as_deref().map(serde_json::from_str::<Setback>).transpose();
        let setback = setback.map_err(|error| Failure::Failed(error.to_string()))?;
        let why = setback.map(|setback| words::operate::setback(Lang::En, &setback)).unwrap_or_default();
        let outcome = item.outcome.map_or("", ItemOutcome::as_str);
        let key = item.key.as_deref().unwrap_or("");
        writeln!(io.err, "{}", table::plain(&format!("{outcome}: {key}: {why}")))?;
    }
    if let Some(note) = &run.note {
        writeln!(io.err, "{}", table::plain(&words::operate::note(Lang::En, note)))?;
    }
    Ok(())
}
