//! A Redis master with a replica, and two sentinels that watch over them.

use super::redis::{self, Extra};
use super::{Recipe, Running, folder, free_address};
use crate::guard::Invocation;
use anyhow::Context;
use std::net::SocketAddr;
use std::time::Duration;

/// The name under which the sentinels know the master.
pub const MASTER: &str = "lab";
const READY_WITHIN: Duration = Duration::from_secs(30);
const ASK_EVERY: Duration = Duration::from_millis(50);

/// A pair of our own.
pub struct RedisSentinel {
    servers: [Running; 2],
    sentinels: [Running; 2],
}

impl RedisSentinel {
    /// `redis+sentinel://`, both sentinels.
    #[must_use]
    pub fn url(&self) -> String {
        let [one, two] = &self.sentinels;
        format!("redis+sentinel://{},{}/0?master={MASTER}", one.address(), two.address())
    }

    /// `redis://` URLs: the first master, then its replica.
    #[must_use]
    pub fn server_urls(&self) -> [String; 2] {
        self.servers.each_ref().map(|server| server.url().to_owned())
    }

    /// Stops the server that is the master at the beginning.
    ///
    /// # Errors
    /// As [`Running::stop`].
    pub async fn stop_first_master(&mut self) -> anyhow::Result<()> {
        self.servers[0].stop().await
    }

    /// Stops one of the two sentinels.
    ///
    /// # Errors
    /// As [`Running::stop`].
    pub async fn stop_sentinel(&mut self, at: usize) -> anyhow::Result<()> {
        self.sentinels[at].stop().await
    }

    /// Makes the replica the master, and returns once the sentinels say so.
    ///
    /// # Errors
    /// When they refuse, or it takes too long.
    pub async fn fail_over(&self) -> anyhow::Result<()> {
        let before = master(self.sentinels[0].address()).await?;
        let mut connection = connect(self.sentinels[0].address()).await?;
        let mut command = ::redis::cmd("SENTINEL");
        command.arg("FAILOVER").arg(MASTER).exec_async(&mut connection).await.context("SENTINEL FAILOVER")?;
        let changed = async {
            for sentinel in &self.sentinels {
                while master(sentinel.address()).await? == before {
                    tokio::time::sleep(ASK_EVERY).await;
                }
            }
            anyhow::Ok(())
        };
        tokio::time::timeout(READY_WITHIN, changed).await.context("the sentinels have not changed the master")?
    }
}

/// # Errors
/// When Redis is not installed, or anything does not come up.
pub async fn start() -> anyhow::Result<RedisSentinel> {
    let first = redis::start_with(Extra::None).await?;
    let second = redis::start_with(Extra::ReplicaOf(first.address())).await?;
    let sentinels = [sentinel(first.address()).await?, sentinel(first.address()).await?];
    let pair = RedisSentinel { servers: [first, second], sentinels };
    tokio::time::timeout(READY_WITHIN, knows_all(&pair)).await.context("the sentinels have not found everything")??;
    Ok(pair)
}

/// Each sentinel knows the replica and the other sentinel.
async fn knows_all(pair: &RedisSentinel) -> anyhow::Result<()> {
    for sentinel in &pair.sentinels {
        let mut connection = connect(sentinel.address()).await?;
        for list in ["REPLICAS", "SENTINELS"] {
            loop {
                let mut command = ::redis::cmd("SENTINEL");
                let others: Vec<::redis::Value> =
                    command.arg(list).arg(MASTER).query_async(&mut connection).await.context("ask a sentinel")?;
                if !others.is_empty() {
                    break;
                }
                tokio::time::sleep(ASK_EVERY).await;
            }
        }
    }
    Ok(())
}

async fn sentinel(master: SocketAddr) -> anyhow::Result<Running> {
    let program = redis::PROGRAM.find()?;
    let (folder, address) = (folder("redis-sentinel")?, free_address()?);
    let file = folder.path().join("sentinel.conf");
    let configuration = format!(
        "port {}\nbind 127.0.0.1\ndir {}\nsentinel monitor {MASTER} {} {} 1\nsentinel down-after-milliseconds {MASTER} 1000\n\
         sentinel failover-timeout {MASTER} 3000\n",
        address.port(),
        folder.path().display(),
        master.ip(),
        master.port()
    );
    std::fs::write(&file, configuration).context("write sentinel.conf")?;
    let command = vec![program.into_os_string(), file.into_os_string(), "--sentinel".into()];
    let recipe = Recipe {
        name: "Redis Sentinel",
        invocation: Invocation { command, environment: Vec::new(), signal: "TERM" },
        address,
        url: format!("redis://{address}/"),
        probe: Box::new(move || Box::pin(redis::ping(format!("redis://{address}/")))),
    };
    Running::start(recipe, folder).await
}

async fn master(sentinel: SocketAddr) -> anyhow::Result<Vec<String>> {
    let mut connection = connect(sentinel).await?;
    let mut command = ::redis::cmd("SENTINEL");
    command.arg("GET-MASTER-ADDR-BY-NAME").arg(MASTER).query_async(&mut connection).await.context("ask for the master")
}

async fn connect(address: SocketAddr) -> anyhow::Result<::redis::aio::MultiplexedConnection> {
    let client = ::redis::Client::open(format!("redis://{address}/")).context("read the URL")?;
    client.get_multiplexed_async_connection().await.context("connect")
}
