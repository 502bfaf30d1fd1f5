//! One Redis, a cluster, or the master that sentinels name, for every port that has it behind it.
//!
//! [`connection`] is where the three differ. One multiplexed connection, made when it is first needed and dropped on the
//! first failure, so that the next reading starts afresh: after a failover the sentinels are asked again. Redis has no
//! server-side time-out for a command; every command used here is short by construction (known keys, ranges and `SCAN`
//! with a count), and the client stops waiting after the statement time-out.

pub(super) mod connection;

use crate::clock::millis;
use crate::config::{Limits, RedisUrl, Secret, Topology};
use ::redis::{ErrorKind, RedisError, RedisResult, ServerErrorKind};
use app::model::{Fault, Layer};
use connection::{Client, Connection};
use std::time::Duration;
use tokio::sync::Mutex;

pub(super) struct Redis {
    client: Client,
    /// Without credentials.
    pub address: String,
    /// Whose part it plays.
    pub layer: Layer,
    connect_timeout: Duration,
    answer_timeout: Duration,
    connection: Mutex<Option<Connection>>,
}

impl Redis {
    /// Connects when it is first asked. `what`: the configuration's key of the address.
    ///
    /// # Errors
    /// [`Fault::BadInput`] for an address that is none; its text is not repeated, it may hold a password.
    pub fn new(url: &Secret, what: &str, layer: Layer, limits: &Limits) -> Result<Self, Fault> {
        let bad = |detail: String| Fault::BadInput { what: what.into(), detail };
        let url = RedisUrl::parse(url.expose()).map_err(bad)?;
        let client = Client::open(&url, limits.statement_timeout)
            .map_err(|error| bad(format!("not a Redis address ({:?})", error.kind())))?;
        let (connect_timeout, answer_timeout) = (limits.connect_timeout, limits.statement_timeout);
        Ok(Self {
            client,
            address: address(&url),
            layer,
            connect_timeout,
            answer_timeout,
            connection: Mutex::new(None),
        })
    }

    /// The next question makes a new connection.
    pub async fn give_up(&self) {
        *self.connection.lock().await = None;
    }

    pub async fn connection(&self) -> Result<Connection, Fault> {
        let mut slot = self.connection.lock().await;
        if let Some(connection) = &*slot {
            return Ok(connection.clone());
        }
        let made =
            tokio::time::timeout(self.connect_timeout, self.client.connect(self.connect_timeout, self.answer_timeout));
        let after_ms = millis(self.connect_timeout);
        let connection = made
            .await
            .map_err(|_| Fault::TimedOut { layer: self.layer, after_ms })?
            .map_err(|error| self.fault(&error, self.connect_timeout))?;
        *slot = Some(connection.clone());
        Ok(connection)
    }

    /// Keeps the connection after a good answer and after a refusal by the server; gives it up after anything else, and
    /// when the server is no longer the one to ask.
    pub async fn kept<T>(&self, answer: RedisResult<T>) -> Result<T, Fault> {
        match answer {
            Ok(answer) => Ok(answer),
            Err(error) => {
                use ServerErrorKind::{BusyLoading, MasterDown, ReadOnly};
                let is_refusal = !matches!(error.kind(), ErrorKind::Server(BusyLoading | MasterDown | ReadOnly))
                    && matches!(error.kind(), ErrorKind::Server(_));
                if !is_refusal {
                    self.give_up().await;
                }
                Err(self.fault(&error, self.answer_timeout))
            }
        }
    }

    fn fault(&self, error: &RedisError, waited: Duration) -> Fault {
        let layer = self.layer;
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

fn address(url: &RedisUrl) -> String {
    let hosts = url.shown.join(",");
    let database = if url.database.is_empty() { "0" } else { &url.database };
    match &url.topology {
        Topology::One => format!("{hosts}/{database}"),
        Topology::Cluster => format!("{hosts} (cluster)"),
        Topology::Sentinel { master, .. } => format!("{hosts}/{database} (sentinel, {master})"),
    }
}
