//! `demo`: the console over a live demonstration. Everything is real and private: a record table in SQLite, a Redis and a
//! RabbitMQ of its own where they are installed, consumers at work. Nothing is left behind.

use super::serve::{self, Signals};
use super::{Exit, Failure, Io, to_the_second};
use crate::auth;
use crate::boot::{self, Role as Opening};
use crate::config::{Config, Environment, from_toml};
use crate::ports::state::Operator;
use crate::system::System;
use anyhow::Context;
use app::model::Role;
use lab::cases::{self, Case, Place, WITH_MESSAGES, WITHOUT_MESSAGES};
use lab::generator::{self, Generator};
use lab::services::rabbitmq::RabbitMq;
use lab::services::{Running, rabbitmq, redis};
use std::future::Future;
use std::net::SocketAddr;
use std::path::Path;
use tempfile::TempDir;
use toml::Value;

const OPERATOR: &str = "demo";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
}

/// Sources that hold one message in each situation that a verdict is about.
const VERDICTS: [(&str, &[Case]); 2] = [("verdicts", &WITH_MESSAGES), ("verdicts-acked", &WITHOUT_MESSAGES)];

/// What the demonstration runs on. Dropping it stops the services and removes the folder.
struct Stage {
    generator: Generator,
    redis: Option<Running>,
    rabbitmq: Option<RabbitMq>,
    folder: TempDir,
}

pub(super) async fn run(args: Args, io: &mut Io<'_>) -> Result<Exit, Failure> {
    if !args.listen.ip().is_loopback() {
        return Err(Failure::Usage(format!(
            "--listen: found {}; accepted: a loopback address, since everybody who sees the demonstration may do everything in it",
            args.listen
        )));
    }
    let mut signals = Signals::heed()?;
    let stage = tokio::select! {
        stage = Stage::set(io) => stage?,
        () = signals.next() => return Ok(Exit::Done),
    };
    let mut system = boot::system(stage.config(args.listen)?, Opening::Server).await?;
    let listener = serve::listen(&mut system).await?;
    let link = invite(&system).await?;
    writeln!(io.out, "Oncewatch listens on http://{}", system.config.server.listen)?;
    writeln!(io.out, "Sign in, once and until {}, by {}", to_the_second(link.expires_at), link.url)?;
    writeln!(io.out, "Ctrl-C ends the demonstration and removes it.")?;
    io.out.flush()?;
    let exit = serve::serve(system, listener, signals).await;
    stage.generator.stop().await;
    exit
}

impl Stage {
    async fn set(io: &mut Io<'_>) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new()
            .prefix("oncewatch-demo-")
            .tempdir()
            .context("make a folder for the demonstration")?;
        writeln!(io.err, "Starting a private Redis and RabbitMQ …")?;
        let (redis, rabbitmq) = tokio::join!(
            where_installed(redis::is_installed(), redis::start()),
            where_installed(rabbitmq::is_installed(), rabbitmq::start()),
        );
        let (redis, rabbitmq) = (redis.context("start Redis")?, rabbitmq.context("start RabbitMQ")?);
        if redis.is_none() {
            writeln!(
                io.err,
                "Redis is not installed (package redis-server): the demonstration goes on without locks."
            )?;
        }
        if rabbitmq.is_none() {
            writeln!(
                io.err,
                "RabbitMQ is not installed (package rabbitmq-server): the demonstration goes on without queues."
            )?;
        }
        let generator = Generator::start(generator::Config {
            records_url: records_url(folder.path()),
            redis_url: redis.as_ref().map(|redis| redis.url().to_owned()),
            amqp_url: rabbitmq.as_ref().map(RabbitMq::amqp_url),
            cases: redis
                .iter()
                .flat_map(|redis| VERDICTS.map(|(of, cases)| (place(folder.path(), redis, of), cases)))
                .collect(),
        });
        let generator = generator.await.context("start the consumers of the demonstration")?;
        Ok(Self { generator, redis, rabbitmq, folder })
    }

    /// What somebody would write for such a team. The environment of a production console has no say in it.
    fn config(&self, listen: SocketAddr) -> Result<Config, Failure> {
        let text = |text: &str| Value::String(text.to_owned());
        let mut toml = format!(
            "server.listen = '{listen}'\nstate.url = {}\ncollect.period = '2s'\n\
             [[source]]\nname = '{}'\n\
             [source.records]\nurl = {}\npreset = 'idempotent_record'\ntable = '{}'\nstatus.failed = [3]\n",
            text(&format!("sqlite://{}", self.folder.path().join("console.db").display())),
            generator::SOURCE,
            text(&records_url(self.folder.path())),
            generator::TABLE,
        );
        if let Some(redis) = &self.redis {
            toml += &format!(
                "[source.locks]\nurl = {}\npattern = '{}:{{type}}:{{key}}'\ndone = ['done:*']\nttl = '{}ms'\n",
                text(redis.url()),
                generator::LOCK_PREFIX,
                generator::LOCK_TTL.as_millis(),
            );
            // In the same Redis.
            toml += "[source.signals]\nkind = 'redis'\n";
        }
        if let Some(rabbitmq) = &self.rabbitmq {
            toml += &format!(
                "[[source.broker]]\nkind = 'rabbitmq'\nurl = {}\nqueues = {}\ndead_letter = '{}'\n",
                text(rabbitmq.url()),
                Value::from(generator::QUEUES.map(text).to_vec()),
                generator::DEAD_LETTER,
            );
        }
        // Handlers of the demonstration run for seconds: what is stuck should show while somebody is looking.
        toml += "[source.retry]\nafter = '1m'\n";
        if let Some(redis) = &self.redis {
            toml += &VERDICTS.map(|(source, _)| verdicts(&place(self.folder.path(), redis, source))).concat();
        }
        Ok(from_toml(&toml, &Environment::default())?)
    }
}

fn place(folder: &Path, redis: &Running, source: &str) -> Place {
    Place {
        records_url: format!("sqlite://{}", folder.join(format!("{source}.db")).display()),
        redis_url: redis.url().to_owned(),
        source: source.to_owned(),
        prefix: source.to_owned(),
        suffix: String::new(),
    }
}

fn verdicts(place: &Place) -> String {
    let text = |text: &str| Value::String(text.to_owned());
    let Place { records_url, redis_url, source, prefix, .. } = place;
    let (records, redis) = (text(records_url), text(redis_url));
    format!(
        "[[source]]\nname = '{source}'\n\
         [source.records]\nurl = {records}\npreset = 'idempotent_record'\ntable = '{}'\n\
         status.failed = [3]\nstatus.dead = [4]\n\
         [source.locks]\nurl = {redis}\npattern = '{prefix}:{{type}}:{{key}}'\ndone = ['done:*']\n\
         [source.signals]\nkind = 'redis'\n\
         [[source.broker]]\nkind = 'redis-streams'\nurl = {redis}\nstreams = ['{}']\ngroup = '{}'\n\
         dead_letter = '{}'\nkey = {{ field = 'biz_id' }}\ntype = {{ field = 'biz_type' }}\n\
         [source.retry]\nafter = '1m'\n[source.archive]\ntable = '{}'\n",
        cases::TABLE,
        place.stream(),
        cases::GROUP,
        place.dead_letter(),
        cases::ARCHIVE,
    )
}

fn records_url(folder: &Path) -> String {
    format!("sqlite://{}", folder.join("points.db").display())
}

async fn where_installed<T>(
    installed: bool,
    start: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<Option<T>> {
    if installed { start.await.map(Some) } else { Ok(None) }
}

async fn invite(system: &System) -> Result<auth::NewLink, Failure> {
    let created_at = system.clock.now();
    let operator = Operator { name: OPERATOR.to_owned(), role: Role::Admin, password_hash: None, created_at };
    system.state.operators.add(&operator).await?;
    Ok(auth::new_signin_link(system, OPERATOR).await?)
}
