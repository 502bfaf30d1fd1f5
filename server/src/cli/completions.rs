//! `completions`.

use super::{Cli, Exit, Failure, Io};
use clap::CommandFactory;
use clap_complete::Shell;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    shell: Shell,
}

pub(super) fn run(args: &Args, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "oncewatch", &mut text);
    io.out.write_all(&text)?;
    Ok(Exit::Done)
}
