//! `oncewatch.toml`: read, layered, expanded, checked. A wrong configuration is refused at start with the key's path,
//! what was found and what would be accepted; all problems of one load are reported together.
//!
//! The way of a value: [`layers`] (file, then environment) → preset and defaults ([`keys`]) fill what is not written →
//! unknown keys are refused → typed readers over [`node::Node`]. Every key is named once, in [`keys`].

mod address;
mod archive;
mod broker;
mod environment;
mod keys;
mod layers;
mod node;
mod pointer;
mod preset;
mod print;
mod problem;
mod read;
mod redis_url;
mod retry;
mod schedule;
mod source;
mod span;
mod suggest;
mod unknown;

pub use address::without_password;
pub use archive::{Archive, ArchiveMode};
pub use broker::{Broker, EntryPart, MessagePart, RabbitMq, RedisStreams};
pub use environment::Environment;
pub use pointer::Pointer;
pub use preset::presets;
pub use print::{print, reference};
pub use problem::{ConfigError, Problem};
pub use redis_url::{RedisUrl, Topology};
pub use retry::{Republish, RetryMode, Webhook};
pub use schedule::Schedule;
pub use source::{
    Code, Codes, Condition, DonePattern, LockKind, Locks, Part, Records, Release, Retry, Rule, Signals, Source,
    StatusColumn, TableName, Test, TimeColumn, TimeUnit, Write,
};
pub use span::{parse as parse_duration, text as span_text};

use layers::Layers;
use node::Context;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Reads the configuration: defaults < file (`explicit`, else `./oncewatch.toml`, else
/// `/etc/oncewatch/oncewatch.toml`) < `ONCEWATCH__…` of the environment.
pub fn load(explicit: Option<&Path>, environment: &Environment) -> Result<Config, ConfigError> {
    checked(Layers::from_files(explicit, environment)?, environment).map(|(config, _)| config)
}

/// The same over text instead of a file.
pub fn from_toml(text: &str, environment: &Environment) -> Result<Config, ConfigError> {
    checked(Layers::from_text(text, environment)?, environment).map(|(config, _)| config)
}

/// The configuration, and the tree that it was read from, for printing.
fn checked(mut layers: Layers, environment: &Environment) -> Result<(Config, Layers), ConfigError> {
    let mut problems = std::mem::take(&mut layers.problems);
    preset::fill(&mut layers.tree, &mut problems);
    keys::fill_defaults(&mut layers.tree);
    unknown::refuse(&layers, &mut problems);
    let context = Context::new(environment, &layers.variables, problems);
    let config = read::config(&context.root(&layers.tree), layers.path.clone());
    match (config, context.into_problems()) {
        (Some(config), problems) if problems.is_empty() => Ok((config, layers)),
        (_, problems) => Err(ConfigError::Keys(problems)),
    }
}

/// Everything that `oncewatch.toml` says, checked.
#[derive(Debug, Clone)]
pub struct Config {
    /// The file it came from; `None`: built-in defaults and environment only.
    pub path: Option<PathBuf>,
    pub server: Server,
    pub state: State,
    pub collect: Collect,
    pub limits: Limits,
    pub sources: Vec<Source>,
}

#[derive(Debug, Clone)]
pub struct Server {
    pub listen: SocketAddr,
    /// What browsers type; its host joins the allow-list, `https` makes cookies `Secure`.
    pub public_url: Option<url::Url>,
}

#[derive(Debug, Clone)]
pub struct State {
    pub url: Secret,
}

#[derive(Debug, Clone, Copy)]
pub struct Collect {
    pub period: Duration,
}

/// Every limit has a name, a default and a reason in the printed defaults.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Server-side time-out of every statement on a team's database.
    pub statement_timeout: Duration,
    /// Connecting to anything.
    pub connect_timeout: Duration,
    /// Connections per source and role.
    pub pool_size: u32,
    /// Rows that one walk or tail statement reads.
    pub scan_rows: u32,
    /// Entries of streams that one look-up reads, shared among the places where its message may be.
    pub message_search: u32,
    /// Open records kept per source; beyond that the console says "more than".
    pub open_set: usize,
    /// Records in one CSV file.
    pub export_rows: usize,
    /// Bytes of a request's body.
    pub request_body: usize,
    /// A session without use ends after this.
    pub session_idle: Duration,
}

/// Text that cannot be printed: `Debug` and `Display` give `[secret]`.
#[derive(Clone)]
pub struct Secret(secrecy::SecretString);

impl Secret {
    #[must_use]
    pub fn new(text: String) -> Self {
        Self(text.into())
    }

    /// The text itself. For connecting, never for a message.
    #[must_use]
    pub fn expose(&self) -> &str {
        secrecy::ExposeSecret::expose_secret(&self.0)
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[secret]")
    }
}
