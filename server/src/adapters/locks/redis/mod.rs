//! Locks in Redis: one server, a cluster, or the master that sentinels name.
//!
//! [`connection`] is where the three differ, [`kind`] how each kind of lock is read, [`scan`] the walk through the key
//! space, [`release`] the scripts. One multiplexed connection, made when it is first needed and dropped on the first
//! failure, so that the next reading starts afresh: after a failover the sentinels are asked again. Redis has no
//! server-side time-out for a command; every command used here is short by construction (known keys, `SCAN` with a
//! count), and the client stops waiting after the statement time-out.

mod connection;
mod kind;
mod release;
mod scan;

use crate::clock::millis;
use crate::config::{self, LockKind, RedisUrl, Topology};
use crate::ports::locks::{Cursor, LockServer, LockStore, Reading, Released, Scanned};
use crate::ports::permit::Permit;
use ::redis::{ErrorKind, RedisError, RedisResult, ServerErrorKind};
use app::model::{Fault, Layer};
use async_trait::async_trait;
use connection::{Client, Connection};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// Keys of one `read`, by the port's contract.
const MOST_KEYS: usize = 1_000;

/// Connects when it is first asked.
///
/// # Errors
/// [`Fault::BadInput`] for an address that is none; its text is not repeated, it may hold a password.
pub fn connect(locks: &config::Locks, limits: &config::Limits) -> Result<Arc<dyn LockStore>, Fault> {
    let bad = |detail: String| Fault::BadInput { what: "locks.url".into(), detail };
    let url = RedisUrl::parse(locks.url.expose()).map_err(bad)?;
    let client = Client::open(&url, limits.statement_timeout)
        .map_err(|error| bad(format!("not a Redis address ({:?})", error.kind())))?;
    Ok(Arc::new(Redis {
        client,
        kind: locks.kind,
        address: address(&url),
        connect_timeout: limits.connect_timeout,
        answer_timeout: limits.statement_timeout,
        connection: Mutex::new(None),
    }))
}

fn address(url: &RedisUrl) -> String {
    let hosts = url.shown.join(",");
    let database = if url.database.is_empty() { "0" } else { &url.database };
    match &url.topology {
        Topology::One => format!("{hosts}/{database}"),
        Topology::Cluster => format!("{hosts} (cluster)"),
        Topology::Sentinel { master, .. } => format!("{hosts}/{database} (sentinel, {master})"),
    }
}

struct Redis {
    client: Client,
    kind: LockKind,
    address: String,
    connect_timeout: Duration,
    answer_timeout: Duration,
    connection: Mutex<Option<Connection>>,
}

#[async_trait]
impl LockStore for Redis {
    fn address(&self) -> String {
        self.address.clone()
    }

    async fn read(&self, keys: &[String]) -> Result<Vec<Reading>, Fault> {
        if keys.len() > MOST_KEYS {
            return Err(Fault::BadInput {
                what: "keys".into(),
                detail: format!("{} at once, at most {MOST_KEYS}", keys.len()),
            });
        }
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let connection = self.connection().await?;
        let readings = kind::read(&connection, self.kind, keys).await;
        self.kept(readings).await
    }

    async fn scan(&self, glob: &str, cursor: &Cursor) -> Result<Scanned, Fault> {
        let mut connection = self.connection().await?;
        let scanned = scan::step(&mut connection, glob, cursor).await;
        self.kept(scanned).await
    }

    /// By INFO, which managed services allow where they forbid CONFIG.
    async fn server(&self) -> Result<LockServer, Fault> {
        let mut connection = self.connection().await?;
        let infos = connection.infos().await;
        let mut servers = Vec::new();
        for info in self.kept(infos).await? {
            servers.push(server(&info)?);
        }
        let may_drop = |server: &LockServer| server.policy != "noeviction";
        // The one that may drop locks first; those with a limit do.
        servers.sort_by_key(|server| std::cmp::Reverse((may_drop(server), server.max_memory > 0)));
        let none = || Fault::Unreadable { layer: Layer::Lock, detail: "the cluster has no primary".into() };
        servers.into_iter().next().ok_or_else(none)
    }

    async fn release(&self, permit: &Permit, key: &str, owner: &str) -> Result<Released, Fault> {
        let mut connection = self.connection().await?;
        let mut released = release::run(&mut connection, permit, self.kind, key, owner).await;
        if released.as_ref().is_err_and(|error| error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly)) {
            // It became a replica and has changed nothing: its successor is asked.
            *self.connection.lock().await = None;
            released = release::run(&mut self.connection().await?, permit, self.kind, key, owner).await;
        }
        self.kept(released).await
    }
}

impl Redis {
    async fn connection(&self) -> Result<Connection, Fault> {
        let mut slot = self.connection.lock().await;
        if let Some(connection) = &*slot {
            return Ok(connection.clone());
        }
        let made =
            tokio::time::timeout(self.connect_timeout, self.client.connect(self.connect_timeout, self.answer_timeout));
        let after_ms = millis(self.connect_timeout);
        let connection = made
            .await
            .map_err(|_| Fault::TimedOut { layer: Layer::Lock, after_ms })?
            .map_err(|error| self.fault(&error, self.connect_timeout))?;
        *slot = Some(connection.clone());
        Ok(connection)
    }

    /// Keeps the connection after a good answer and after a refusal by the server; gives it up after anything else, and
    /// when the server is no longer the one to ask.
    async fn kept<T>(&self, answer: RedisResult<T>) -> Result<T, Fault> {
        match answer {
            Ok(answer) => Ok(answer),
            Err(error) => {
                use ServerErrorKind::{BusyLoading, MasterDown, ReadOnly};
                let is_refusal = !matches!(error.kind(), ErrorKind::Server(BusyLoading | MasterDown | ReadOnly))
                    && matches!(error.kind(), ErrorKind::Server(_));
                if !is_refusal {
                    *self.connection.lock().await = None;
                }
                Err(self.fault(&error, self.answer_timeout))
            }
        }
    }

    fn fault(&self, error: &RedisError, waited: Duration) -> Fault {
        let layer = Layer::Lock;
        let away = || Fault::Unreachable { layer, detail: format!("{}: {error}", self.address) };
        match error.kind() {
            ErrorKind::AuthenticationFailed | ErrorKind::Server(ServerErrorKind::NoPerm) => Fault::Refused { layer },
            _ if error.code() == Some("NOAUTH") || error.code() == Some("WRONGPASS") => Fault::Refused { layer },
            ErrorKind::Io if error.is_timeout() => Fault::TimedOut { layer, after_ms: millis(waited) },
            ErrorKind::Io
            | ErrorKind::ClusterConnectionNotFound
            | ErrorKind::MasterNameNotFoundBySentinel
            | ErrorKind::Server(
                ServerErrorKind::ClusterDown
                | ServerErrorKind::MasterDown
                | ServerErrorKind::BusyLoading
                | ServerErrorKind::ReadOnly,
            ) => away(),
            _ => Fault::Unreadable { layer, detail: error.to_string() },
        }
    }
}

fn server(info: &str) -> Result<LockServer, Fault> {
    let field = |name: &str| {
        info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(|value| value.trim().to_owned())
    };
    let needed = |name: &str| {
        let detail = || format!("INFO has no {name}");
        field(name).ok_or_else(|| Fault::Unreadable { layer: Layer::Lock, detail: detail() })
    };
    Ok(LockServer {
        version: needed("redis_version")?,
        role: needed("role")?,
        policy: needed("maxmemory_policy")?,
        max_memory: field("maxmemory").and_then(|bytes| bytes.parse().ok()).unwrap_or(0),
    })
}
