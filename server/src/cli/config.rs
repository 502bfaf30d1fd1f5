//! `config print`.

use super::{Exit, Failure, Given, Io};

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Prints the configuration in force with every default and its reason, without secrets.
    Print,
}

pub(super) fn run(command: &Command, given: &Given<'_>, io: &mut Io<'_>) -> Result<Exit, Failure> {
    match command {
        Command::Print => {
            let text = crate::config::print(given.path.as_deref(), given.environment)?;
            write!(io.out, "{text}")?;
        }
    }
    Ok(Exit::Done)
}
