//! `lab run [--only mariadb,redis] -- CMD…`: starts the services, tells the command where they are, ends with its code.

use crate::environment::{MARIADB_URL, POSTGRES_URL, RABBITMQ_AMQP, RABBITMQ_URL, REDIS_URL};
use crate::services::{self, Running, rabbitmq::RabbitMq};
use anyhow::Context;
use std::ffi::OsString;
use std::future::Future;
use std::process::ExitStatus;
use tokio::process::Command;
use tokio::signal::unix::{SignalKind, signal};

pub const USAGE: &str = "usage: lab run [--only mariadb,postgres,redis,rabbitmq] -- COMMAND [ARGUMENT…]";
const NAMES: [&str; 4] = ["mariadb", "postgres", "redis", "rabbitmq"];

#[derive(Debug, PartialEq, Eq)]
pub struct Arguments {
    only: Vec<String>,
    command: Vec<OsString>,
}

impl Arguments {
    /// Without the program's own name.
    ///
    /// # Errors
    /// When they are none that [`USAGE`] shows.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> anyhow::Result<Self> {
        let mut arguments = arguments.into_iter();
        anyhow::ensure!(arguments.next().is_some_and(|verb| verb == "run"), USAGE);
        let mut only = NAMES.map(str::to_owned).to_vec();
        loop {
            let argument = arguments.next().context(USAGE)?;
            if argument == "--" {
                break;
            }
            anyhow::ensure!(argument == "--only", USAGE);
            let names = arguments.next().and_then(|names| names.into_string().ok()).context(USAGE)?;
            only = names.split(',').map(str::to_owned).collect();
        }
        if let Some(unknown) = only.iter().find(|name| !NAMES.contains(&name.as_str())) {
            anyhow::bail!("there is no service {unknown:?}; {USAGE}");
        }
        let command: Vec<OsString> = arguments.collect();
        anyhow::ensure!(!command.is_empty(), USAGE);
        Ok(Self { only, command })
    }

    async fn start<S>(&self, name: &str, start: impl Future<Output = anyhow::Result<S>>) -> anyhow::Result<Option<S>> {
        if self.only.iter().any(|only| only == name) { start.await.map(Some) } else { Ok(None) }
    }
}

/// # Errors
/// When a service does not come up, or the command cannot be started.
pub async fn run(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    let services = Services::start(arguments).await?;
    let [program, rest @ ..] = &arguments.command[..] else { anyhow::bail!(USAGE) };
    let child = Command::new(program).args(rest).envs(services.variables()).kill_on_drop(true).spawn();
    let mut child = child.with_context(|| format!("start {}", program.display()))?;
    // The terminal sends its interrupt to the command too: that one decides, and the services outlast it.
    let mut interrupts = signal(SignalKind::interrupt()).context("listen for interrupts")?;
    let mut terminates = signal(SignalKind::terminate()).context("listen for the signal to end")?;
    let status = loop {
        tokio::select! {
            status = child.wait() => break status.context("wait for the command")?,
            _ = interrupts.recv() => {}
            _ = terminates.recv() => child.start_kill().context("end the command")?,
        }
    };
    services.stop().await?;
    Ok(status)
}

struct Services {
    mariadb: Option<Running>,
    postgres: Option<Running>,
    redis: Option<Running>,
    rabbitmq: Option<RabbitMq>,
}

impl Services {
    async fn start(arguments: &Arguments) -> anyhow::Result<Self> {
        let (mariadb, postgres, redis, rabbitmq) = tokio::try_join!(
            arguments.start("mariadb", services::mariadb::start()),
            arguments.start("postgres", services::postgres::start()),
            arguments.start("redis", services::redis::start()),
            arguments.start("rabbitmq", services::rabbitmq::start()),
        )?;
        Ok(Self { mariadb, postgres, redis, rabbitmq })
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        let plain = [(MARIADB_URL, &self.mariadb), (POSTGRES_URL, &self.postgres), (REDIS_URL, &self.redis)];
        let mut variables: Vec<_> =
            plain.into_iter().filter_map(|(name, service)| Some((name, service.as_ref()?.url().to_owned()))).collect();
        if let Some(rabbitmq) = &self.rabbitmq {
            variables.push((RABBITMQ_URL, rabbitmq.url().to_owned()));
            variables.push((RABBITMQ_AMQP, rabbitmq.amqp_url()));
        }
        variables
    }

    async fn stop(self) -> anyhow::Result<()> {
        let plain = async |service: Option<Running>| match service {
            Some(mut service) => service.stop().await,
            None => Ok(()),
        };
        let rabbitmq = async |service: Option<RabbitMq>| match service {
            Some(mut service) => service.stop().await,
            None => Ok(()),
        };
        tokio::try_join!(plain(self.mariadb), plain(self.postgres), plain(self.redis), rabbitmq(self.rabbitmq))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> anyhow::Result<Arguments> {
        Arguments::parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn the_command_line_names_services_and_a_command() {
        let all = parse("run -- cargo test --only x").unwrap();
        assert_eq!(all.only, NAMES);
        assert_eq!(all.command, ["cargo", "test", "--only", "x"]);
        assert_eq!(parse("run --only redis,rabbitmq -- true").unwrap().only, ["redis", "rabbitmq"]);
    }

    #[test]
    fn a_wrong_command_line_is_refused_with_the_right_one() {
        for line in ["", "walk -- true", "run true", "run --only", "run --", "run --only mysql -- true"] {
            assert!(parse(line).unwrap_err().to_string().contains(USAGE), "{line}");
        }
    }
}
