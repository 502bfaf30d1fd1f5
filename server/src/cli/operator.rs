//! `operator add|passwd|list`.

use super::{Exit, Failure, Given, Io, password, table, to_the_second, token};
use crate::auth;
use crate::boot::{self, Role as Opening};
use crate::ports::state::{Operator, StateError};
use crate::system::StateStores;
use app::model::Role;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Makes an account. The password is asked for, or read from standard input.
    Add {
        name: String,
        /// viewer, operator or admin; the first account is an admin, later ones are viewers.
        #[arg(long, value_parser = token::parse_role)]
        role: Option<Role>,
        /// Instead of a password: prints a one-time link that signs in.
        #[arg(long)]
        link: bool,
    },
    /// Sets a new password and ends the account's sessions.
    Passwd { name: String },
    /// Lists accounts.
    List,
}

pub(super) async fn run(command: Command, given: &Given<'_>, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let system = boot::system(given.config()?, Opening::Cli).await?;
    match command {
        Command::Add { name, role, link } => {
            let role = match role {
                Some(role) => role,
                None if system.state.operators.any().await? => Role::Viewer,
                None => Role::Admin,
            };
            let name = auth::parse_name(&name)?;
            let password_hash = if link { None } else { Some(auth::hash_password(&password::ask(&name)?)?) };
            let operator = Operator { name, role, password_hash, created_at: system.clock.now() };
            system.state.operators.add(&operator).await.map_err(|error| match error {
                StateError::Exists(who) => Failure::Failed(format!(
                    "{who} already exists; \"oncewatch operator passwd {name}\" sets a new password",
                    name = operator.name
                )),
                other => other.into(),
            })?;
            writeln!(io.err, "{} may sign in as {}.", operator.name, role.as_str())?;
            if link {
                let link = auth::new_signin_link(&system, &operator.name).await?;
                writeln!(
                    io.err,
                    "The link works once, until {}; it is not shown again:",
                    to_the_second(link.expires_at)
                )?;
                writeln!(io.out, "{}", link.url)?;
            }
            Ok(Exit::Done)
        }
        Command::Passwd { name } => {
            if system.state.operators.get(&name).await?.is_none() {
                return Ok(nobody(&name, io)?);
            }
            let hash = auth::hash_password(&password::ask(&name)?)?;
            if !system.state.operators.set_password(&name, &hash).await? {
                return Ok(nobody(&name, io)?);
            }
            writeln!(io.err, "{name} has a new password; the sessions of the account have ended.")?;
            Ok(Exit::Done)
        }
        Command::List => list(&system.state, io).await,
    }
}

fn nobody(name: &str, io: &mut Io<'_>) -> std::io::Result<Exit> {
    writeln!(io.err, "error: there is no operator {name:?}; oncewatch operator list shows all")?;
    Ok(Exit::No)
}

async fn list(stores: &StateStores, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let rows: Vec<_> = stores
        .operators
        .list()
        .await?
        .into_iter()
        .map(|operator| {
            let enters = if operator.password_hash.is_some() { "password" } else { "link" };
            [
                Some(operator.name),
                Some(operator.role.as_str().to_owned()),
                Some(enters.to_owned()),
                Some(to_the_second(operator.created_at)),
            ]
        })
        .collect();
    table::print(io.out, ["name", "role", "enters by", "created"], &rows)?;
    Ok(Exit::Done)
}
