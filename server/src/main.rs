//! The binary: arguments in, exit code out.

use clap::Parser;
use server::cli::{Cli, Exit, Failure, Io, run};
use server::config::Environment;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&Failure::Failed(format!("no threads can be started: {error}"))),
    };
    let mut io = Io { out: &mut io::stdout(), err: &mut io::stderr() };
    match runtime.block_on(run(cli, &Environment::of_process(), &mut io)) {
        Ok(Exit::Done) => ExitCode::SUCCESS,
        Ok(Exit::No) => ExitCode::from(1),
        Err(failure) => failed(&failure),
    }
}

fn failed(failure: &Failure) -> ExitCode {
    for line in failure.lines() {
        // Nobody is left to tell when standard error is closed.
        let _ = writeln!(io::stderr(), "error: {line}");
    }
    ExitCode::from(failure.code())
}

/// Help goes out as it is; a mistake becomes one line.
fn usage(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    let printed = match error.kind() {
        DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand => error.print(),
        _ => {
            let text = error.to_string();
            let said = text.lines().take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
            let said: Vec<_> = said.map(str::trim).filter(|line| !line.is_empty()).collect();
            writeln!(io::stderr(), "{}; see --help", said.join(" "))
        }
    };
    // As above: nobody is left to tell.
    let _ = printed;
    ExitCode::from(if error.use_stderr() { 2 } else { 0 })
}
