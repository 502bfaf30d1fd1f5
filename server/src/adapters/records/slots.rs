//! A few connections to one database, opened when first needed. A pool of the driver retries a refused connection until
//! its time-out and then says only that; here the refusal is known at once, in the database's own words.

use crate::clock::{Clock, SystemClock};
use app::model::{Fault, Layer};
use sqlx::{ConnectOptions, Connection};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, Semaphore, SemaphorePermit};
use tokio::time::timeout;

/// A connection that answered so lately is not asked whether it does: that would be a second way to the database and back
/// for each statement.
const ANSWERED_JUST_NOW: Duration = Duration::from_secs(1);

pub struct Slots<C: Connection> {
    options: C::Options,
    room: Semaphore,
    /// With the time since when they are idle.
    idle: Mutex<Vec<(C, Instant)>>,
    connect_timeout: Duration,
}

/// A connection in use. Dropped, it is closed: only [`Slots::keep`] gives a healthy one back.
pub struct Slot<'a, C> {
    pub connection: C,
    permit: SemaphorePermit<'a>,
}

impl<C: Connection> Slots<C> {
    pub fn new(options: C::Options, size: u32, connect_timeout: Duration) -> Self {
        let room = Semaphore::new(size.max(1) as usize);
        Self { options, room, idle: Mutex::new(Vec::new()), connect_timeout }
    }

    /// An idle connection that still answers, or did just now, else a new one. `Err(None)`: it took too long.
    pub async fn take(&self) -> Result<Slot<'_, C>, Option<sqlx::Error>> {
        let permit = match timeout(self.connect_timeout, self.room.acquire()).await {
            Ok(Ok(permit)) => permit,
            Ok(Err(_closed)) => return Err(Some(sqlx::Error::PoolClosed)),
            Err(_elapsed) => return Err(None),
        };
        loop {
            let Some((mut connection, since)) = self.idle.lock().await.pop() else { break };
            if SystemClock.instant().saturating_duration_since(since) < ANSWERED_JUST_NOW {
                return Ok(Slot { connection, permit });
            }
            if let Ok(Ok(())) = timeout(self.connect_timeout, connection.ping()).await {
                return Ok(Slot { connection, permit });
            }
        }
        match timeout(self.connect_timeout, self.options.connect()).await {
            Ok(Ok(connection)) => Ok(Slot { connection, permit }),
            Ok(Err(error)) => Err(Some(error)),
            Err(_elapsed) => Err(None),
        }
    }

    pub async fn keep(&self, slot: Slot<'_, C>) {
        self.idle.lock().await.push((slot.connection, SystemClock.instant()));
        drop(slot.permit);
    }

    pub fn too_late(&self) -> Fault {
        Fault::Unreachable {
            layer: Layer::Records,
            detail: format!("no connection within {} ms", self.connect_timeout.as_millis()),
        }
    }
}

/// What a driver's error means where the engine's own codes say nothing more. Never its `Display` as a whole: a
/// configuration error may hold the URL.
pub fn fault(error: &sqlx::Error) -> Fault {
    let layer = Layer::Records;
    match error {
        sqlx::Error::Io(error) => Fault::Unreachable { layer, detail: error.to_string() },
        sqlx::Error::Tls(error) => Fault::Unreachable { layer, detail: format!("TLS: {error}") },
        sqlx::Error::Protocol(detail) => Fault::Unreachable { layer, detail: detail.clone() },
        sqlx::Error::Configuration(_) => {
            Fault::BadInput { what: "records.url".into(), detail: "the driver does not accept it".into() }
        }
        sqlx::Error::Database(error) => Fault::Unreadable { layer, detail: error.message().to_owned() },
        sqlx::Error::ColumnDecode { source, .. } | sqlx::Error::Decode(source) => {
            Fault::Unreadable { layer, detail: source.to_string() }
        }
        _ => Fault::Unreachable { layer, detail: "the connection was lost".into() },
    }
}
