//! `check`: connects to everything in the configuration and says what was found, what is missing and why.

use super::{Exit, Failure, Given, Io, need_sources, print_json};
use crate::audit::audit;
use crate::boot;
use crate::clock::Clock;
use crate::config::Config;
use crate::system::SourceSystem;
use app::model::{BrokerPanel, Capability, Fault, Lang, Layer, Note, Problem, StrategyChoice};
use app::words;
use futures::future::join_all;
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer {
    items: Vec<Checked>,
    next: Option<String>,
    /// Of Oncewatch's own state.
    problems: Vec<Problem>,
}

#[derive(Serialize)]
struct Checked {
    source: String,
    table: String,
    /// `null` when it was not reached, like all that the catalogue says.
    engine: Option<String>,
    version: Option<String>,
    strategy: Option<StrategyChoice>,
    estimated_rows: Option<u64>,
    capabilities: Vec<Capability>,
    /// How far the database's clock is ahead of this machine's.
    clock_ahead_ms: Option<i64>,
    /// Address of the Redis that answered.
    locks: Option<String>,
    /// Those that answered.
    brokers: Vec<BrokerPanel>,
    /// Each of them makes the exit code 1.
    problems: Vec<Problem>,
    /// Worth knowing.
    notes: Vec<Note>,
}

pub(super) async fn run(args: Args, given: &Given<'_>, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let config = given.config()?;
    need_sources(&config)?;
    let clock = boot::clock();
    let sources = boot::sources(&config, &clock)?;
    let (items, problems) =
        tokio::join!(join_all(sources.iter().map(|source| check(source, clock.as_ref()))), state(&config, &clock));
    let answer = Answer { items, next: None, problems };
    if args.json {
        print_json(io.out, &answer)?;
    } else {
        print(&answer, io.out)?;
    }
    let fine = answer.problems.is_empty() && answer.items.iter().all(|checked| checked.problems.is_empty());
    Ok(if fine { Exit::Done } else { Exit::No })
}

async fn check(source: &SourceSystem, clock: &dyn Clock) -> Checked {
    let found = audit(source, clock).await;
    let (mut engine, mut version, mut strategy) = (None, None, None);
    let (mut estimated_rows, mut capabilities) = (None, Vec::new());
    if let Some(description) = found.description {
        (engine, version) = (Some(description.engine), Some(description.version));
        strategy = Some(description.choice);
        (estimated_rows, capabilities) = (description.estimated_rows, description.capabilities);
    }
    Checked {
        source: source.config.name.clone(),
        table: source.config.records.table.to_string(),
        engine,
        version,
        strategy,
        estimated_rows,
        capabilities,
        clock_ahead_ms: found.clock_ahead_ms,
        locks: found.locks,
        brokers: found.brokers,
        problems: found.problems,
        notes: found.notes,
    }
}

/// Nothing is made here: an SQLite file that is not there yet is no problem.
async fn state(config: &Config, clock: &Arc<dyn Clock>) -> Vec<Problem> {
    let file = config.state.url.expose().strip_prefix("sqlite://");
    if file.is_some_and(|file| !Path::new(file.split('?').next().unwrap_or(file)).exists()) {
        return Vec::new();
    }
    match boot::check_state(config, clock).await {
        Ok(None) => Vec::new(),
        Ok(Some(at)) => vec![Problem::AuditBroken { at }],
        Err(error) => {
            vec![Problem::Fault { fault: Fault::Unreachable { layer: Layer::State, detail: format!("{error:#}") } }]
        }
    }
}

fn print(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    for checked in &answer.items {
        print_source(checked, out)?;
        writeln!(out)?;
    }
    print_problems(&answer.problems, out)?;
    let count = answer.problems.len() + answer.items.iter().map(|checked| checked.problems.len()).sum::<usize>();
    match count {
        0 => writeln!(out, "No problem."),
        1 => writeln!(out, "1 problem."),
        _ => writeln!(out, "{count} problems."),
    }
}

fn print_source(checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
    let engine = checked.engine.as_ref().zip(checked.version.as_ref());
    let engine = engine.map(|(engine, version)| format!(" on {engine} {version}")).unwrap_or_default();
    let rows = checked.estimated_rows.map(|rows| format!(", about {rows} rows")).unwrap_or_default();
    writeln!(out, "{}: {}{engine}{rows}", checked.source, checked.table)?;
    if let Some(choice) = &checked.strategy {
        let index = choice
            .index
            .as_deref()
            .map(|index| format!(", by {index} ({})", choice.columns.join(", ")))
            .unwrap_or_default();
        line(out, "read by", &format!("{}{index}", words::strategy(Lang::En, choice.strategy)))?;
        line(out, "", words::strategy_why(Lang::En, choice.strategy))?;
    }
    if let Some(address) = &checked.locks {
        line(out, "locks", &format!("{address} answers"))?;
    }
    for broker in &checked.brokers {
        print_broker(broker, out)?;
    }
    for capability in &checked.capabilities {
        let (name, lack) = words::capability(Lang::En, capability.name);
        match (capability.there, &capability.from) {
            (true, Some(from)) => line(out, "there", &format!("{name}, from {from}"))?,
            (true, None) => line(out, "there", name)?,
            (false, _) => line(out, "missing", &format!("{name}: {lack}"))?,
        }
    }
    print_notes(&checked.notes, out)?;
    print_problems(&checked.problems, out)
}

fn print_broker(broker: &BrokerPanel, out: &mut dyn Write) -> io::Result<()> {
    let queues = broker.queues.iter().filter(|queue| !queue.dead_letter);
    let (address, count) = (&broker.address, queues.clone().count());
    match &broker.vhost {
        Some(vhost) => line(out, "broker", &format!("{address} answers, vhost {vhost}, {count} matching queues"))?,
        None => line(out, "broker", &format!("{address} answers, {}, {count} matching groups", broker.kind.brand()))?,
    }
    for (queue, group) in queues.filter_map(|queue| Some((queue, queue.group.as_ref()?))) {
        line(out, "", &words::group(Lang::En, queue, group))?;
    }
    Ok(())
}

fn print_notes(notes: &[Note], out: &mut dyn Write) -> io::Result<()> {
    for note in notes {
        let (what, why) = words::note(Lang::En, note);
        line(out, "note", format!("{what}. {why}").trim_end())?;
        if let Note::IndexWouldHelp { suggested_ddl, .. } = note {
            suggestion(out, suggested_ddl)?;
        }
    }
    Ok(())
}

fn suggestion(out: &mut dyn Write, ddl: &str) -> io::Result<()> {
    line(out, "", &format!("suggested, for a person to run: {ddl}"))
}

fn print_problems(problems: &[Problem], out: &mut dyn Write) -> io::Result<()> {
    for problem in problems {
        let (what, why) = words::problem(Lang::En, problem);
        // A fault explains itself, and nothing is tried again here.
        let why = if matches!(problem, Problem::Fault { .. }) { String::new() } else { why };
        line(out, "problem", format!("{what}. {why}").trim_end())?;
        if let Problem::NoUniqueIndex { suggested_ddl } | Problem::NoKeyIndex { suggested_ddl } = problem {
            suggestion(out, suggested_ddl)?;
        }
    }
    Ok(())
}

fn line(out: &mut dyn Write, label: &str, text: &str) -> io::Result<()> {
    writeln!(out, "  {label:<8} {}", super::table::plain(text))
}
