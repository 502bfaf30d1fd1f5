//! RabbitMQ with its management API: 5 to 11 seconds to start, 6 to stop. Start one per run; tests take a vhost each.

use super::{Recipe, Running, folder, free_address};
use crate::guard::Invocation;
use crate::http;
use crate::program::Program;
use anyhow::Context;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::Path;

// Not the wrapper in /usr/sbin, which changes the user and drops the environment.
const PROGRAM: Program =
    Program { name: "rabbitmq-server", folders: &["/usr/lib/rabbitmq/bin"], package: "rabbitmq-server" };
const EPMD: Program = Program { name: "epmd", folders: &["/usr/bin", "/usr/local/bin"], package: "erlang-base" };

/// A broker of our own.
pub struct RabbitMq {
    running: Running,
    amqp: SocketAddr,
}

impl RabbitMq {
    /// The management API, with user and password.
    #[must_use]
    pub fn url(&self) -> &str {
        self.running.url()
    }

    /// The default vhost.
    #[must_use]
    pub fn amqp_url(&self) -> String {
        format!("amqp://guest:guest@{}", self.amqp)
    }

    /// Where the management API listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.running.address()
    }

    /// # Errors
    /// As [`Running::stop`].
    pub async fn stop(&mut self) -> anyhow::Result<()> {
        self.running.stop().await
    }

    /// # Errors
    /// As [`Running::start_again`].
    pub async fn start_again(&mut self) -> anyhow::Result<()> {
        self.running.start_again().await
    }
}

/// Whether [`start`] finds its program.
#[must_use]
pub fn is_installed() -> bool {
    PROGRAM.is_installed()
}

/// # Errors
/// When it is not installed, or does not come up.
pub async fn start() -> anyhow::Result<RabbitMq> {
    // It takes its ports seconds after they were found free, and somebody else may have them by then.
    match start_on_free_ports().await {
        Ok(running) => Ok(running),
        Err(first) => start_on_free_ports().await.with_context(|| format!("and before that: {first:#}")),
    }
}

async fn start_on_free_ports() -> anyhow::Result<RabbitMq> {
    let folder = folder("rabbitmq")?;
    let (amqp, management) = (free_address()?, free_address()?);
    write_configuration(folder.path(), amqp, management)?;
    // Erlang nodes find each other by epmd. This one is ours, in our process group, and ends with the broker;
    // one that Erlang starts itself would stay.
    let script = r#""$1" -port "$ERL_EPMD_PORT" -address 127.0.0.1 & shift; exec "$@""#;
    let mut command: Vec<OsString> = ["sh", "-c", script, "rabbitmq"].map(Into::into).into();
    command.extend([EPMD.find()?, PROGRAM.find()?].map(Into::into));
    let url = format!("http://guest:guest@{management}");
    let probed = url.clone();
    let recipe = Recipe {
        name: "RabbitMQ",
        invocation: Invocation { command, environment: environment(folder.path())?, signal: "TERM" },
        address: management,
        url,
        probe: Box::new(move || Box::pin(answer(probed.clone(), amqp))),
    };
    Ok(RabbitMq { running: Running::start(recipe, folder).await?, amqp })
}

fn write_configuration(folder: &Path, amqp: SocketAddr, management: SocketAddr) -> anyhow::Result<()> {
    let configuration = format!(
        "listeners.tcp.1 = {amqp}\n\
         management.tcp.ip = 127.0.0.1\n\
         management.tcp.port = {}\n\
         collect_statistics_interval = 1000\n\
         disk_free_limit.absolute = 50MB\n\
         log.console = true\n\
         log.console.level = warning\n\
         log.file = false\n",
        management.port()
    );
    std::fs::write(folder.join("rabbitmq.conf"), configuration).context("write rabbitmq.conf")?;
    std::fs::write(folder.join("plugins"), "[rabbitmq_management].\n").context("write RabbitMQ's list of plugins")?;
    std::fs::write(folder.join("env.conf"), "").context("write RabbitMQ's empty environment file")
}

fn environment(folder: &Path) -> anyhow::Result<Vec<(&'static str, OsString)>> {
    let port = || free_address().map(|address| OsString::from(address.port().to_string()));
    let inside = |name: &str| folder.join(name).into_os_string();
    Ok(vec![
        ("HOME", inside("")), // the Erlang cookie is made here
        ("ERL_EPMD_PORT", port()?),
        ("ERL_EPMD_ADDRESS", "127.0.0.1".into()),
        ("RABBITMQ_NODENAME", format!("lab-{}@localhost", uuid::Uuid::new_v4().simple()).into()),
        ("RABBITMQ_DIST_PORT", port()?),
        ("RABBITMQ_CONFIG_FILE", inside("rabbitmq.conf")),
        ("RABBITMQ_CONF_ENV_FILE", inside("env.conf")),
        ("RABBITMQ_ENABLED_PLUGINS_FILE", inside("plugins")),
        ("RABBITMQ_MNESIA_BASE", inside("mnesia")),
        ("RABBITMQ_LOG_BASE", inside("logs")),
        ("RABBITMQ_GENERATED_CONFIG_DIR", inside("generated")),
        ("RABBITMQ_PID_FILE", inside("pid")),
        // No busy waiting: many of these share few cores.
        ("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "+sbwt none +sbwtdcpu none +sbwtdio none -start_epmd false".into()),
        // Its start script then becomes the Erlang VM, which stops cleanly on TERM, in place of staying beside it.
        ("RUNNING_UNDER_SYSTEMD", "1".into()),
    ])
}

/// The management API first: `rabbitmqctl` takes half a second each time.
async fn answer(url: String, amqp: SocketAddr) -> anyhow::Result<()> {
    let response = http::client()?.get(format!("{url}/api/overview")).send().await.context("ask the management API")?;
    response.error_for_status().context("ask the management API")?;
    tokio::net::TcpStream::connect(amqp).await.context("connect by AMQP")?;
    Ok(())
}
