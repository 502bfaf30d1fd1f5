//! The command `lab`: see [`lab::run`].

use lab::run::{Arguments, run};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    let ended = match Arguments::parse(std::env::args_os().skip(1)) {
        Ok(arguments) => run(&arguments).await,
        Err(usage) => return fail(&usage, 2),
    };
    match ended {
        // As shells say it: 128 and the signal.
        Ok(status) => status
            .code()
            .or_else(|| status.signal().map(|signal| 128 + signal))
            .and_then(|code| u8::try_from(code).ok())
            .map_or(ExitCode::FAILURE, ExitCode::from),
        Err(error) => fail(&error, 1),
    }
}

fn fail(error: &anyhow::Error, code: u8) -> ExitCode {
    // Nobody is left to tell when standard error is closed.
    let _nobody = writeln!(std::io::stderr(), "lab: {error:#}");
    ExitCode::from(code)
}
