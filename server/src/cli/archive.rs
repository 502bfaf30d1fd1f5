//! `archive`: plan, show, run.

use super::operate::{actor, counted, refused};
use super::{Exit, Failure, Given, Io, need_sources, one_source, print_json};
use crate::action::Actor;
use crate::action::archive::{
    Ask, ExportError, Missing, NotBegun, PurgeAsk, Speed, begin_alone, current, export, plan, purge, run_of, to_purge,
    wish, work_off,
};
use crate::boot::{self, Role};
use crate::config::parse_duration;
use crate::ports::archive::Ripe;
use crate::ports::jobs::Wish;
use crate::system::System;
use app::model::{ArchiveLeft, ArchiveNote, ArchivePlan, ArchiveRefusal, ArchiveRun, ArchiveTable, Lang};
use app::words::{archive as words, duration};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use std::fs::File;
use std::io::{BufWriter, IntoInnerError, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A lease of somebody who died lasts ten seconds.
const TRIES: u32 = 15;
const BETWEEN_TRIES: Duration = Duration::from_secs(1);

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// May be left out where only one is configured.
    #[arg(long)]
    source: Option<String>,
    /// Shows what would be done, and does nothing.
    #[arg(long)]
    dry_run: bool,
    /// Does it without another question.
    #[arg(long)]
    yes: bool,
    /// Small chunks, and long rests between them.
    #[arg(long)]
    polite: bool,
    /// Makes the archive's table where it is missing, by the statements that are shown.
    #[arg(long)]
    create_table: bool,
    /// Deletes what lies in the archive and is older than this, as in 400d, instead of archiving.
    #[arg(long, value_name = "AGE", value_parser = age, conflicts_with_all = ["polite", "create_table", "pause", "resume", "stop"])]
    purge: Option<Duration>,
    /// Writes what lies in the archive to a new file, one JSON object a line, compressed by gzip; changes nothing.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["purge", "polite", "create_table", "pause", "resume", "stop"])]
    export: Option<PathBuf>,
    /// The run of this source stands still after its chunk.
    #[arg(long, conflicts_with_all = ["resume", "stop"])]
    pause: bool,
    /// A run that was paused, or whose process died, goes on, here.
    #[arg(long, conflicts_with = "stop")]
    resume: bool,
    /// The run of this source ends after its chunk.
    #[arg(long)]
    stop: bool,
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
    /// `null`: a run of before was steered.
    plan: Option<&'a ArchivePlan>,
    /// `null`: nothing was done.
    run: Option<&'a ArchiveRun>,
}

pub(super) async fn run(args: Args, given: &Given<'_>, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let config = given.config()?;
    need_sources(&config)?;
    let reason = args.reason.clone().unwrap_or_default();
    if args.yes && !args.dry_run && reason.trim().is_empty() {
        return Err(Failure::Usage("every operation needs a --reason".into()));
    }
    let system = boot::system(config, Role::Cli).await?;
    let source = one_source(&system.sources, args.source.as_deref())?.config.name.clone();
    if let Some(file) = &args.export {
        return exported(&system, &source, file, io).await;
    }
    let actor = actor(given.environment);
    if args.pause || args.resume || args.stop {
        let run = steered(&system, &source, &actor, &args, io).await?;
        return ended(None, &run, &args, io);
    }
    if let Some(keep) = args.purge {
        return purged(&system, source, Ripe { keep }, actor, &args, io).await;
    }
    let planned = plan(&system, &source).await.map_err(refused)?;
    let creates =
        |refusal: &ArchiveRefusal| args.create_table && matches!(refusal, ArchiveRefusal::ArchiveMissing { .. });
    let is_refused = planned.refusals().any(|refusal| !creates(refusal));
    if !args.yes || args.dry_run || is_refused {
        return shown(&planned, &args, is_refused, io);
    }
    let ask = Ask {
        operation_id: args.operation_id.clone().unwrap_or_else(|| uuid::Uuid::new_v4().to_string()),
        source,
        speed: if args.polite { Speed::Polite } else { Speed::Usual },
        missing: if args.create_table { Missing::Create } else { Missing::Refuse },
        until: None,
        planned: (!planned.tables.iter().any(|table| table.more)).then(|| planned.ripe()),
        actor,
        reason,
    };
    let begun = begin_alone(&system, ask).await.map_err(not_begun)?;
    let run = work(&system, &begun.id, io).await?;
    ended(Some(&planned), &run, &args, io)
}

fn age(text: &str) -> Result<Duration, String> {
    parse_duration(text).ok_or_else(|| "a duration such as \"400d\"".to_owned())
}

async fn exported(system: &System, source: &str, file: &Path, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let failed = |error: std::io::Error| Failure::Failed(format!("{}: {error}", file.display()));
    // What is there already may be the only copy of what was purged.
    let created = File::create_new(file).map_err(failed)?;
    let mut gzip = GzEncoder::new(BufWriter::new(created), Compression::default());
    let write = |row: &serde_json::Value| {
        serde_json::to_writer(&mut gzip, row)?;
        gzip.write_all(b"\n")
    };
    let count = export(system, source, write).await.map_err(|error| match error {
        ExportError::Read(error) => not_begun(error),
        ExportError::Write(error) => failed(error),
    })?;
    let written = gzip.finish().and_then(|file| file.into_inner().map_err(IntoInnerError::into_error));
    written.and_then(|file| file.sync_all()).map_err(failed)?;
    writeln!(io.out, "{} written to {}", counted(count), file.display())?;
    Ok(Exit::Done)
}

#[derive(Serialize)]
struct Purged {
    found: u64,
    /// `null`: nothing was done.
    purged: Option<u64>,
}

async fn purged(
    system: &System,
    source: String,
    older: Ripe,
    actor: Actor,
    args: &Args,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let found = to_purge(system, &source, older).await.map_err(not_begun)?;
    let does = args.yes && !args.dry_run && found > 0;
    let done = if does {
        let operation_id = args.operation_id.clone().unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
        let ask = PurgeAsk { operation_id, source, older, actor, reason: args.reason.clone().unwrap_or_default() };
        Some(purge(system, &ask).await.map_err(not_begun)?)
    } else {
        None
    };
    match done {
        _ if args.json => print_json(io.out, &Purged { found, purged: done })?,
        Some(done) => writeln!(io.out, "{} deleted from the archive", counted(done))?,
        None => writeln!(io.out, "Delete {} from the archive", counted(found))?,
    }
    if !does && !args.dry_run && found > 0 {
        writeln!(io.err, "Nothing was done: give the command again with --yes and a --reason.")?;
    }
    Ok(if done == Some(found) || (args.dry_run && found > 0) { Exit::Done } else { Exit::No })
}

pub(super) fn not_begun(error: NotBegun) -> Failure {
    match error {
        NotBegun::Archive(refusal) => Failure::Failed(words::refusal(Lang::En, &refusal)),
        NotBegun::Another { id, state } => {
            Failure::Failed(format!("run {id} of this source is {}: --resume or --stop it first", state.as_str()))
        }
        NotBegun::Refused(error) => refused(error),
    }
}

async fn steered(
    system: &System,
    source: &str,
    actor: &Actor,
    args: &Args,
    io: &mut Io<'_>,
) -> Result<ArchiveRun, Failure> {
    let none = || Failure::Failed(format!("no run of {source} is waiting, running or paused"));
    let run = current(system, source).await?.ok_or_else(none)?;
    let wanted = match (args.pause, args.stop) {
        (true, _) => Some(Wish::Pause),
        (_, true) => Some(Wish::Stop),
        _ => None,
    };
    wish(system, &run.new.id, actor, wanted).await.map_err(refused)?;
    if args.resume {
        return work(system, &run.new.id, io).await;
    }
    of(system, &run.new.id).await
}

async fn of(system: &System, id: &str) -> Result<ArchiveRun, Failure> {
    let run = system.state.archive_runs.run(id).await?;
    run_of(&run.ok_or_else(|| Failure::Failed(format!("there is no run {id}")))?).map_err(refused)
}

/// Here, and not in a server that may not be running.
async fn work(system: &System, id: &str, io: &mut Io<'_>) -> Result<ArchiveRun, Failure> {
    let holder = format!("cli {} {}", std::process::id(), uuid::Uuid::new_v4().simple());
    let told = std::sync::Mutex::new(&mut *io.err);
    let tell = |note: &ArchiveNote| {
        let mut err = told.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // Whoever does not listen any more does not stop it.
        writeln!(err, "{}", words::note(Lang::En, note)).ok();
    };
    for _ in 0..TRIES {
        if work_off(system, id, &holder, &CancellationToken::new(), &tell).await.map_err(refused)? {
            return of(system, id).await;
        }
        tokio::time::sleep(BETWEEN_TRIES).await;
    }
    Err(Failure::Failed(format!(
        "another run of this source is at work; {id} is taken up after it, by a server or --resume"
    )))
}

fn shown(plan: &ArchivePlan, args: &Args, is_refused: bool, io: &mut Io<'_>) -> Result<Exit, Failure> {
    if args.json {
        print_json(io.out, &Answer { plan: Some(plan), run: None })?;
    } else {
        print_plan(plan, io)?;
    }
    if is_refused {
        return Ok(Exit::No);
    }
    if plan.ripe() == 0 {
        writeln!(io.err, "Nothing would be done.")?;
        return Ok(Exit::No);
    }
    if !args.dry_run {
        writeln!(io.err, "Nothing was done: give the command again with --yes and a --reason.")?;
        return Ok(Exit::No);
    }
    Ok(Exit::Done)
}

fn print_plan(plan: &ArchivePlan, io: &mut Io<'_>) -> Result<(), Failure> {
    let keep = duration(Lang::En, i64::try_from(plan.keep_ms).unwrap_or(i64::MAX));
    for ArchiveTable { table, archive, refusals, ripe, left, examined, more } in &plan.tables {
        let to = archive.as_ref().map_or("to be deleted".to_owned(), |archive| format!("to {archive}"));
        let at_least = if *more { "at least " } else { "" };
        writeln!(
            io.out,
            "Archive {at_least}{} of {table} {to}: completed and older than {keep}, of {examined} looked at",
            counted(*ripe)
        )?;
        print_left(left, io)?;
        for refusal in refusals {
            writeln!(io.err, "refused: {}", words::refusal(Lang::En, refusal))?;
            if let ArchiveRefusal::ArchiveMissing { ddl, .. } = refusal {
                writeln!(io.out, "{};", ddl.join(";\n"))?;
            }
        }
    }
    for warning in &plan.warnings {
        writeln!(io.err, "{}", words::warning(Lang::En, warning))?;
    }
    Ok(())
}

fn print_left(left: &ArchiveLeft, io: &mut Io<'_>) -> Result<(), Failure> {
    let reasons = [
        (left.not_completed, "not completed"),
        (left.too_young, "too young"),
        (left.no_time, "without a time"),
        (left.locked, "held by other transactions"),
    ];
    for (count, reason) in reasons.into_iter().filter(|(count, _)| *count > 0) {
        writeln!(io.out, "left alone: {}, {reason}", counted(count))?;
    }
    Ok(())
}

fn ended(plan: Option<&ArchivePlan>, run: &ArchiveRun, args: &Args, io: &mut Io<'_>) -> Result<Exit, Failure> {
    if args.json {
        print_json(io.out, &Answer { plan, run: Some(run) })?;
    } else {
        writeln!(io.out, "{}: {} archived in {} chunks", run.state, counted(run.moved), run.chunks)?;
        print_left(&run.left, io)?;
    }
    // Whoever asked for a pause or a stop has got it.
    Ok(if run.state == "done" || args.pause || args.stop { Exit::Done } else { Exit::No })
}
