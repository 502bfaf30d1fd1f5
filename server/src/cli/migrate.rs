//! `migrate`: what `serve` does at its start, by itself.

use super::{Exit, Failure, Given, Io};
use crate::boot::{self, Role};
use crate::config::without_password;

pub(super) async fn run(given: &Given<'_>, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let config = given.config()?;
    boot::state(&config, Role::Cli, &boot::clock()).await?;
    writeln!(io.out, "{} has everything that this version needs.", without_password(config.state.url.expose()))?;
    Ok(Exit::Done)
}
