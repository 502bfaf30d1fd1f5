//! One Redis, for every port that has it behind it.
//!
//! One multiplexed connection, made when it is first needed and dropped on the first failure, so that the next reading
//! starts afresh. Redis has no server-side time-out for a command; every command used here is short by construction
//! (known keys, ranges and `SCAN` with a count), and the client stops waiting after the statement time-out.

use crate::clock::millis;
use crate::config::{Limits, Secret};
use ::redis::aio::MultiplexedConnection;
use ::redis::{AsyncConnectionConfig, Client, ErrorKind, RedisError, RedisResult, ServerErrorKind};
use app::model::{Fault, Layer};
use std::time::Duration;
use tokio::sync::Mutex;

pub(super) struct Redis {
    client: Client,
    /// `host:port/database`, without credentials.
    pub address: String,
    /// Whose part it plays.
    pub layer: Layer,
    connect_timeout: Duration,
    answer_timeout: Duration,
    connection: Mutex<Option<MultiplexedConnection>>,
}

impl Redis {
    /// Connects when it is first asked. `what`: the configuration's key of the address.
    ///
    /// # Errors
    /// [`Fault::BadInput`] for an address that is none; its text is not repeated, it may hold a password.
    pub fn new(url: &Secret, what: &str, layer: Layer, limits: &Limits) -> Result<Self, Fault> {
        let client = Client::open(url.expose()).map_err(|error| Fault::BadInput {
            what: what.into(),
            detail: format!("not a redis:// address ({:?})", error.kind()),
        })?;
        let info = client.get_connection_info();
        let address = format!("{}/{}", info.addr(), info.redis_settings().db());
        let (connect_timeout, answer_timeout) = (limits.connect_timeout, limits.statement_timeout);
        Ok(Self { client, address, layer, connect_timeout, answer_timeout, connection: Mutex::new(None) })
    }

    pub async fn connection(&self) -> Result<MultiplexedConnection, Fault> {
        let mut slot = self.connection.lock().await;
        if let Some(connection) = &*slot {
            return Ok(connection.clone());
        }
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.connect_timeout))
            .set_response_timeout(Some(self.answer_timeout));
        let made = self.client.get_multiplexed_async_connection_with_config(&config).await;
        let connection = made.map_err(|error| self.fault(&error, self.connect_timeout))?;
        *slot = Some(connection.clone());
        Ok(connection)
    }

    /// Keeps the connection after a good answer and after a refusal by the server; gives it up after anything else.
    pub async fn kept<T>(&self, answer: RedisResult<T>) -> Result<T, Fault> {
        match answer {
            Ok(answer) => Ok(answer),
            Err(error) => {
                if !matches!(error.kind(), ErrorKind::Server(_)) {
                    *self.connection.lock().await = None;
                }
                Err(self.fault(&error, self.answer_timeout))
            }
        }
    }

    fn fault(&self, error: &RedisError, waited: Duration) -> Fault {
        let layer = self.layer;
        match error.kind() {
            ErrorKind::AuthenticationFailed | ErrorKind::Server(ServerErrorKind::NoPerm) => Fault::Refused { layer },
            _ if error.code() == Some("NOAUTH") || error.code() == Some("WRONGPASS") => Fault::Refused { layer },
            ErrorKind::Io if error.is_timeout() => Fault::TimedOut { layer, after_ms: millis(waited) },
            ErrorKind::Io => Fault::Unreachable { layer, detail: format!("{}: {error}", self.address) },
            _ => Fault::Unreadable { layer, detail: error.to_string() },
        }
    }
}
