//! One file per service: how it is started, how one knows that it answers.
//!
//! To add a service: 1. a file here with its [`Program`], an `async fn start() -> Result<Running>` that prepares a
//! folder and hands over a [`Recipe`]; 2. a shared one in `shared.rs` if tests may share it; 3. its variable in
//! `environment.rs` and its line in `main.rs`.

pub mod certificate;
pub mod mariadb;
pub mod postgres;
pub mod rabbitmq;
pub mod redis;
pub mod redis_cluster;
pub mod redis_sentinel;

use crate::guard::{Guard, Invocation};
use anyhow::Context;
use futures::future::BoxFuture;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

const READY_WITHIN: Duration = Duration::from_secs(90);
const ANSWER_WITHIN: Duration = Duration::from_secs(5);
const ASK_EVERY: Duration = Duration::from_millis(25);

/// Succeeds once the service answers its own protocol.
pub(crate) type Probe = Box<dyn Fn() -> BoxFuture<'static, anyhow::Result<()>> + Send + Sync>;

pub(crate) struct Recipe {
    pub name: &'static str,
    pub invocation: Invocation,
    pub address: SocketAddr,
    pub url: String,
    pub probe: Probe,
}

/// A service of our own. Dropping it stops it and removes its data.
pub struct Running {
    recipe: Recipe,
    folder: PathBuf,
    guard: Option<Guard>,
}

impl Running {
    pub(crate) async fn start(recipe: Recipe, folder: TempDir) -> anyhow::Result<Self> {
        let mut running = Self { recipe, folder: folder.keep(), guard: None };
        running.start_again().await?;
        Ok(running)
    }

    /// With user and password.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.recipe.url
    }

    /// Where it listens: what a [`crate::Proxy`] takes.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.recipe.address
    }

    /// Stops it cleanly and waits for its end. Its data stay.
    ///
    /// # Errors
    /// When it is not running, or does not end.
    pub async fn stop(&mut self) -> anyhow::Result<()> {
        let name = self.recipe.name;
        let guard = self.guard.take().with_context(|| format!("{name} is not running"))?;
        guard.stop().await.with_context(|| format!("stop {name}"))
    }

    /// On the same port, with the same data.
    ///
    /// # Errors
    /// When it runs already, or does not come up; with the end of its log.
    pub async fn start_again(&mut self) -> anyhow::Result<()> {
        let name = self.recipe.name;
        anyhow::ensure!(self.guard.is_none(), "{name} is running already; stop it first");
        let guard = Guard::start(&self.recipe.invocation, &self.folder).with_context(|| format!("start {name}"))?;
        // Kept before anything is awaited: whoever drops us meanwhile leaves the folder to the guard.
        let guard = self.guard.insert(guard);
        wait_until_ready(guard, &self.recipe.probe).await.with_context(|| format!("start {name}"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A running service's folder goes with it, by its guard.
        if self.guard.is_none()
            && let Err(error) = std::fs::remove_dir_all(&self.folder)
        {
            tracing::warn!(folder = %self.folder.display(), %error, "the folder of a stopped service stays behind");
        }
    }
}

async fn wait_until_ready(guard: &mut Guard, probe: &Probe) -> anyhow::Result<()> {
    let mut last = None;
    let ready = tokio::time::timeout(READY_WITHIN, async {
        loop {
            guard.check()?;
            match tokio::time::timeout(ANSWER_WITHIN, probe()).await {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(error)) => last = Some(format!("{error:#}")),
                Err(_) => last = Some(format!("no answer within {ANSWER_WITHIN:?}")),
            }
            tokio::time::sleep(ASK_EVERY).await;
        }
    })
    .await;
    ready.unwrap_or_else(|_| {
        let last = last.unwrap_or_default();
        let log = guard.log_tail();
        Err(anyhow::anyhow!("it is not ready after {READY_WITHIN:?} ({last}); its log ends with:\n{log}"))
    })
}

pub(crate) fn free_address() -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("find a free port")?;
    listener.local_addr().context("find a free port")
}

pub(crate) fn folder(name: &str) -> anyhow::Result<TempDir> {
    tempfile::Builder::new().prefix(&format!("lab-{name}-")).tempdir().context("make a temporary folder")
}

/// Daemons treat root in their own ways.
pub(crate) fn is_root() -> anyhow::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(std::fs::metadata("/proc/self").context("read /proc/self")?.uid() == 0)
}

pub(crate) fn argument(flag: &str, value: &Path) -> std::ffi::OsString {
    let mut argument = std::ffi::OsString::from(flag);
    argument.push(value);
    argument
}
