//! The command line: one file for each command. Each reads the configuration, asks the same ports and `Reads` as the
//! pages, and prints to a `Write`.

mod archive;
mod check;
mod completions;
mod config;
mod demo;
mod failure;
mod init;
mod lookup;
mod migrate;
mod operate;
mod operator;
mod password;
mod records;
mod restore;
mod serve;
mod table;
mod token;
mod which;

pub use failure::{Exit, Failure};

use crate::config::{Config, ConfigError, Environment, load};
use crate::system::SourceSystem;
use crate::telemetry::log;
use app::model::{RowOperation, time};
use chrono::{DateTime, SubsecRound, Utc};
use clap::{Parser, Subcommand};
use std::io::Write;
use std::path::PathBuf;

/// The operations console for idempotent message consumption.
#[derive(Debug, Parser)]
#[command(name = "oncewatch", version, max_term_width = 100)]
pub struct Cli {
    /// The configuration; else ./oncewatch.toml, else /etc/oncewatch/oncewatch.toml.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// What is logged to standard error, as in "info,server::collect=debug".
    #[arg(long, global = true, value_name = "FILTER", env = "ONCEWATCH_LOG")]
    log: Option<String>,
    #[arg(
        long,
        global = true,
        value_name = "FORMAT",
        value_enum,
        default_value = "human",
        env = "ONCEWATCH_LOG_FORMAT"
    )]
    log_format: log::Format,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The web console.
    Serve,
    /// The web console over a live demonstration: real stores, real records, real duplicates.
    Demo(demo::Args),
    /// Connects to everything in the configuration and says what is missing.
    Check(check::Args),
    /// A configuration to begin with; with --url one for a table that is there.
    Init(init::Args),
    /// Lists normalised records.
    Records(records::Args),
    /// One key in the record table, the lock and the broker, with the verdict.
    Lookup(lookup::Args),
    /// Opens failed, dead and stuck records for their next delivery: shows what would be done, then does it.
    Retry(operate::Args),
    /// Marks stuck records as failed: shows what would be done, then does it.
    MarkFailed(operate::Args),
    /// Gives records up: shows what would be done, then does it.
    MarkDead(operate::Args),
    /// Moves old completed records into the archive: shows what would be done, then does it.
    Archive(archive::Args),
    /// Puts archived records back: shows what would be done, then does it.
    Restore(restore::Args),
    /// Makes or migrates the schema of Oncewatch's own database.
    Migrate,
    /// The configuration.
    #[command(subcommand)]
    Config(config::Command),
    /// People who may sign in.
    #[command(subcommand)]
    Operator(operator::Command),
    /// Tokens for scripts.
    #[command(subcommand)]
    Token(token::Command),
    /// Completions for a shell, to be sourced.
    Completions(completions::Args),
}

/// Where a command writes.
pub struct Io<'a> {
    pub out: &'a mut (dyn Write + Send),
    /// Notes that are no part of the answer.
    pub err: &'a mut (dyn Write + Send),
}

/// What every command has: where its configuration comes from.
struct Given<'a> {
    path: Option<PathBuf>,
    environment: &'a Environment,
}

impl Given<'_> {
    fn config(&self) -> Result<Config, ConfigError> {
        load(self.path.as_deref(), self.environment)
    }
}

/// Runs one command to its end.
pub async fn run(cli: Cli, environment: &Environment, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let serves = matches!(cli.command, Command::Serve | Command::Demo(_));
    let filter = cli.log.as_deref().unwrap_or(if serves { "info" } else { "error" });
    log::start(filter, cli.log_format).map_err(|error| Failure::Usage(format!("--log {filter}: {error}")))?;
    let given = Given { path: cli.config, environment };
    match cli.command {
        Command::Serve => serve::run(&given, io).await,
        Command::Demo(args) => demo::run(args, io).await,
        Command::Check(args) => check::run(args, &given, io).await,
        Command::Init(args) => init::run(args, &given, io).await,
        Command::Records(args) => records::run(args, &given, io).await,
        Command::Lookup(args) => lookup::run(args, &given, io).await,
        Command::Retry(args) => operate::run(RowOperation::Retry, args, &given, io).await,
        Command::MarkFailed(args) => operate::run(RowOperation::MarkFailed, args, &given, io).await,
        Command::MarkDead(args) => operate::run(RowOperation::MarkDead, args, &given, io).await,
        Command::Archive(args) => archive::run(args, &given, io).await,
        Command::Restore(args) => restore::run(args, &given, io).await,
        Command::Migrate => migrate::run(&given, io).await,
        Command::Config(command) => config::run(&command, &given, io),
        Command::Operator(command) => operator::run(command, &given, io).await,
        Command::Token(command) => token::run(command, &given, io).await,
        Command::Completions(args) => completions::run(&args, io),
    }
}

/// There is something to work on.
fn need_sources(config: &Config) -> Result<(), Failure> {
    if config.sources.is_empty() {
        let path = config
            .path
            .as_ref()
            .map_or("no configuration file was found".to_owned(), |path| path.display().to_string());
        return Err(Failure::Usage(format!("{path}: no [[source]]; add one with the table that your consumers use")));
    }
    Ok(())
}

/// The source of `--source`; the only one when it is not given.
fn one_source<'a>(sources: &'a [SourceSystem], name: Option<&str>) -> Result<&'a SourceSystem, Failure> {
    match (name, sources) {
        (None, [only]) => Ok(only),
        (None, _) => Err(Failure::Usage(format!("choose one with --source: {}", names(sources)))),
        (Some(name), _) => sources.iter().find(|source| source.config.name == name).ok_or_else(|| {
            Failure::Usage(format!("--source {name:?}: there is no such source; there are: {}", names(sources)))
        }),
    }
}

fn names(sources: &[SourceSystem]) -> String {
    sources.iter().map(|source| source.config.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// A time of the console's own, for people: nobody needs its nanoseconds.
fn to_the_second(at: DateTime<Utc>) -> String {
    time::text(at.trunc_subsecs(0))
}

/// `--json`: one object on one line.
fn print_json(out: &mut (dyn Write + Send), value: &impl serde::Serialize) -> Result<(), Failure> {
    serde_json::to_writer(&mut *out, value).map_err(std::io::Error::from)?;
    Ok(writeln!(out)?)
}
