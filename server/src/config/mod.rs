//! `oncewatch.toml`: read, layered, expanded, checked. A wrong configuration is refused at start with the key's path,
//! what was found and what would be accepted.

mod source;

pub use source::{
    Broker, Code, DonePattern, Locks, Records, Retry, Source, StatusColumn, TableName, TimeColumn, TimeUnit, TypeFrom,
};

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

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
    /// Open records kept per source; beyond that the console says "more than".
    pub open_set: usize,
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
