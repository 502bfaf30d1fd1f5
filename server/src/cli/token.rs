//! `token add|list|revoke`.

use super::{Exit, Failure, Given, Io, table, to_the_second};
use crate::auth::{self, NewToken};
use crate::boot;
use crate::config::parse_duration;
use app::model::Role;
use std::time::Duration;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Makes a token and prints it, once.
    Add {
        #[arg(long)]
        name: String,
        /// viewer, operator or admin.
        #[arg(long, value_parser = parse_role)]
        role: Role,
        /// Only this source.
        #[arg(long)]
        source: Option<String>,
        /// As in 90d; without it the token lives until it is revoked.
        #[arg(long, value_parser = parse_span)]
        expires: Option<Duration>,
    },
    /// Lists tokens; never their secrets.
    List,
    /// Ends a token at once.
    Revoke { name: String },
}

pub(super) fn parse_role(word: &str) -> Result<Role, String> {
    Role::parse(word).ok_or_else(|| format!("accepted: {}", Role::ALL.map(Role::as_str).join(", ")))
}

fn parse_span(text: &str) -> Result<Duration, String> {
    parse_duration(text).ok_or_else(|| "accepted: a duration such as 12h or 90d".to_owned())
}

pub(super) async fn run(command: Command, given: &Given<'_>, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let config = given.config()?;
    if let Command::Add { source: Some(source), .. } = &command
        && !config.sources.iter().any(|known| known.name == *source)
    {
        return Err(Failure::Usage(format!("--source {source:?}: there is no such source in the configuration")));
    }
    let clock = boot::clock();
    let opened = boot::state(&config, boot::Role::Cli, &clock).await?;
    match command {
        Command::Add { name, role, source, expires } => {
            let now = clock.now();
            let expires_at = expires.map(|after| now + after);
            let new = NewToken { name: &name, role, source: source.as_deref(), expires_at };
            let secret = auth::new_token(&opened.stores, now, new).await?;
            writeln!(io.err, "This token is not shown again. Send it as \"Authorization: Bearer …\".")?;
            writeln!(io.out, "{secret}")?;
        }
        Command::List => {
            let row = |token: crate::ports::state::Token| {
                [
                    Some(token.name),
                    Some(token.role.as_str().to_owned()),
                    token.source,
                    Some(to_the_second(token.created_at)),
                    token.expires_at.map(to_the_second),
                ]
            };
            let rows: Vec<_> = opened.stores.credentials.tokens().await?.into_iter().map(row).collect();
            table::print(io.out, ["name", "role", "source", "created", "expires"], &rows)?;
        }
        Command::Revoke { name } => {
            if !opened.stores.credentials.revoke_token(&name).await? {
                writeln!(io.err, "error: there is no token {name:?}; oncewatch token list shows all")?;
                return Ok(Exit::No);
            }
            writeln!(io.err, "{name} is revoked.")?;
        }
    }
    Ok(Exit::Done)
}
