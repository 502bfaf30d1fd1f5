//! Locks in Redis: one server, a cluster, or the master that sentinels name.
//!
//! [`kind`] is how each kind of lock is read, [`scan`] the walk through the key space, [`release`] the scripts.

mod kind;
mod release;
mod scan;

use crate::adapters::redis::Redis;
use crate::config::{self, LockKind};
use crate::ports::locks::{Cursor, LockServer, LockStore, Reading, Released, Scanned};
use crate::ports::permit::Permit;
use ::redis::{ErrorKind, ServerErrorKind};
use app::model::{Fault, Layer};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;

/// Keys of one `read`, by the port's contract.
const MOST_KEYS: usize = 1_000;

/// Connects when it is first asked.
///
/// # Errors
/// [`Fault::BadInput`] for an address that is none; its text is not repeated, it may hold a password.
pub fn connect(locks: &config::Locks, limits: &config::Limits) -> Result<Arc<dyn LockStore>, Fault> {
    let redis = Redis::new(&locks.url, "locks.url", Layer::Lock, limits)?;
    Ok(Arc::new(Locks { redis, kind: locks.kind }))
}

struct Locks {
    redis: Redis,
    kind: LockKind,
}

#[async_trait]
impl LockStore for Locks {
    fn address(&self) -> String {
        self.redis.address.clone()
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
        let connection = self.redis.connection().await?;
        let readings = kind::read(&connection, self.kind, keys).await;
        self.redis.kept(readings).await
    }

    async fn scan(&self, glob: &str, cursor: &Cursor) -> Result<Scanned, Fault> {
        let mut connection = self.redis.connection().await?;
        let scanned = scan::step(&mut connection, glob, cursor).await;
        self.redis.kept(scanned).await
    }

    /// By INFO, which managed services allow where they forbid CONFIG.
    async fn server(&self) -> Result<LockServer, Fault> {
        let mut connection = self.redis.connection().await?;
        let infos = connection.infos().await;
        let mut servers = Vec::new();
        for info in self.redis.kept(infos).await? {
            servers.push(server(&info)?);
        }
        let may_drop = |server: &LockServer| server.policy != "noeviction";
        // The one that may drop locks first; those with a limit do.
        servers.sort_by_key(|server| std::cmp::Reverse((may_drop(server), server.max_memory > 0)));
        let none = || Fault::Unreadable { layer: Layer::Lock, detail: "the cluster has no primary".into() };
        servers.into_iter().next().ok_or_else(none)
    }

    async fn take(&self, permit: &Permit, keys: &[String], ttl: Duration) -> Result<Option<Vec<bool>>, Fault> {
        if self.kind != LockKind::String {
            return Ok(None);
        }
        let connection = self.redis.connection().await?;
        let taken = kind::take(&connection, keys, &self.ours(permit), ttl).await;
        self.redis.kept(taken).await.map(Some)
    }

    async fn release(&self, permit: &Permit, key: &str, owner: &str) -> Result<Released, Fault> {
        let mut connection = self.redis.connection().await?;
        let mut released = release::run(&mut connection, permit, self.kind, key, owner).await;
        if released.as_ref().is_err_and(|error| error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly)) {
            // It became a replica and has changed nothing: its successor is asked.
            self.redis.give_up().await;
            released = release::run(&mut self.redis.connection().await?, permit, self.kind, key, owner).await;
        }
        self.redis.kept(released).await
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
