//! Redis: up at once; it keeps its keys over a restart.

use super::certificate::Certificate;
use super::{Recipe, Running, argument, folder, free_address};
use crate::guard::Invocation;
use crate::program::Program;
use anyhow::Context;
use std::net::SocketAddr;

pub(super) const PROGRAM: Program =
    Program { name: "redis-server", folders: &["/usr/bin", "/usr/local/bin"], package: "redis-server" };

/// Whether [`start`] finds its program.
#[must_use]
pub fn is_installed() -> bool {
    PROGRAM.is_installed()
}

/// # Errors
/// When it is not installed, or does not come up.
pub async fn start() -> anyhow::Result<Running> {
    start_with(Extra::None).await
}

/// What a server is besides.
pub(super) enum Extra<'a> {
    None,
    /// A node of a cluster, without slots.
    Cluster,
    /// The same, and it listens here for who speaks TLS, as the nodes among themselves do.
    ClusterByTls(SocketAddr, &'a Certificate),
    ReplicaOf(SocketAddr),
}

pub(super) async fn start_with(extra: Extra<'_>) -> anyhow::Result<Running> {
    let program = PROGRAM.find()?;
    let folder = folder("redis")?;
    let address = free_address()?;
    let mut command = vec![program.into_os_string()];
    let port = address.port().to_string();
    command
        .extend(["--bind", "127.0.0.1", "--port", &port, "--save", "", "--appendonly", "yes", "--dir"].map(Into::into));
    command.push(argument("", folder.path()));
    let more = match extra {
        Extra::None => Vec::new(),
        Extra::Cluster => cluster()?,
        Extra::ClusterByTls(address, certificate) => {
            let mut arguments = cluster()?;
            arguments.extend(["--tls-port".into(), address.port().to_string()]);
            for (name, file) in [
                ("--tls-cert-file", certificate.file()),
                ("--tls-key-file", certificate.key()),
                ("--tls-ca-cert-file", certificate.file()),
            ] {
                arguments.extend([name.to_owned(), file.display().to_string()]);
            }
            arguments.extend(["--tls-auth-clients", "no", "--tls-cluster", "yes"].map(str::to_owned));
            arguments
        }
        Extra::ReplicaOf(master) => [
            "--replicaof".to_owned(),
            master.ip().to_string(),
            master.port().to_string(),
            "--repl-diskless-sync-delay".into(),
            "0".into(),
        ]
        .into(),
    };
    command.extend(more.into_iter().map(Into::into));
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

/// Its port for the cluster itself is ten thousand higher unless it is told: that may be taken, or be none.
fn cluster() -> anyhow::Result<Vec<String>> {
    let bus = free_address()?.port().to_string();
    Ok(["--cluster-enabled", "yes", "--cluster-port", &bus, "--cluster-node-timeout", "2000"].map(str::to_owned).into())
}

pub(super) async fn ping(url: String) -> anyhow::Result<()> {
    let client = redis::Client::open(url).context("read the URL")?;
    let mut connection = client.get_multiplexed_async_connection().await.context("connect")?;
    redis::cmd("PING").query_async(&mut connection).await.context("PING")
}
