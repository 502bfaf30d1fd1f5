//! Redis: up at once; it keeps its keys over a restart.

use super::{Recipe, Running, argument, folder, free_address};
use crate::guard::Invocation;
use crate::program::Program;
use anyhow::Context;

const PROGRAM: Program =
    Program { name: "redis-server", folders: &["/usr/bin", "/usr/local/bin"], package: "redis-server" };

/// Whether [`start`] finds its program.
#[must_use]
pub fn is_installed() -> bool {
    PROGRAM.is_installed()
}

/// # Errors
/// When it is not installed, or does not come up.
pub async fn start() -> anyhow::Result<Running> {
    let program = PROGRAM.find()?;
    let folder = folder("redis")?;
    let address = free_address()?;
    let mut command = vec![program.into_os_string()];
    let port = address.port().to_string();
    command
        .extend(["--bind", "127.0.0.1", "--port", &port, "--save", "", "--appendonly", "yes", "--dir"].map(Into::into));
    command.push(argument("", folder.path()));
    let url = format!("redis://{address}/");
    let probed = url.clone();
    let recipe = Recipe {
        name: "Redis",
        invocation: Invocation { command, environment: Vec::new(), signal: "TERM" },
        address,
        url,
        probe: Box::new(move || Box::pin(ping(probed.clone()))),
    };
    Running::start(recipe, folder).await
}

async fn ping(url: String) -> anyhow::Result<()> {
    let client = redis::Client::open(url).context("read the URL")?;
    let mut connection = client.get_multiplexed_async_connection().await.context("connect")?;
    redis::cmd("PING").query_async(&mut connection).await.context("PING")
}
