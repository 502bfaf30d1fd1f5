//! A small Redis Cluster: three primaries without replicas, each with a third of the slots.

use super::certificate::Certificate;
use super::redis::{self, Extra};
use super::{Running, free_address};
use anyhow::Context;
use futures::future::try_join_all;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

const NODES: u16 = 3;
const SLOTS: u16 = 16_384;
const JOIN_WITHIN: Duration = Duration::from_secs(30);
const ASK_EVERY: Duration = Duration::from_millis(50);

/// A cluster of our own.
pub struct RedisCluster {
    nodes: Vec<Running>,
    /// Where its nodes speak TLS, and by what.
    tls: Option<(Vec<SocketAddr>, Certificate)>,
}

impl RedisCluster {
    /// `redis+cluster://`, all nodes.
    #[must_use]
    pub fn url(&self) -> String {
        let hosts: Vec<String> = self.nodes.iter().map(|node| node.address().to_string()).collect();
        format!("redis+cluster://{}", hosts.join(","))
    }

    /// `rediss+cluster://`, all nodes; and the file of the certificate that they show.
    #[must_use]
    pub fn tls(&self) -> Option<(String, PathBuf)> {
        let (addresses, certificate) = self.tls.as_ref()?;
        let hosts: Vec<String> = addresses.iter().map(SocketAddr::to_string).collect();
        Some((format!("rediss+cluster://{}", hosts.join(",")), certificate.file()))
    }

    /// One `redis://` URL for each node.
    #[must_use]
    pub fn node_urls(&self) -> Vec<String> {
        self.nodes.iter().map(|node| node.url().to_owned()).collect()
    }

    /// Its nodes, in the order of their slots.
    #[must_use]
    pub fn nodes(&mut self) -> &mut [Running] {
        &mut self.nodes
    }

    /// Moves one slot with its keys from node to node; both are indexes of [`Self::node_urls`].
    ///
    /// # Errors
    /// What a node answered.
    pub async fn move_slot(&self, slot: u16, from: usize, to: usize) -> anyhow::Result<()> {
        let (from_url, to_url) = (self.nodes[from].url(), self.nodes[to].url());
        let ids = (id(from_url).await?, id(to_url).await?);
        run(to_url, &format!("CLUSTER SETSLOT {slot} IMPORTING {}", ids.0)).await?;
        run(from_url, &format!("CLUSTER SETSLOT {slot} MIGRATING {}", ids.1)).await?;
        let mut connection = connect(from_url).await?;
        let keys: Vec<String> = ::redis::cmd("CLUSTER")
            .arg("GETKEYSINSLOT")
            .arg(slot)
            .arg(1_000)
            .query_async(&mut connection)
            .await
            .context("list the slot's keys")?;
        let target = self.nodes[to].address();
        for key in keys {
            let mut migrate = ::redis::cmd("MIGRATE");
            migrate.arg(target.ip().to_string()).arg(target.port()).arg(key).arg(0).arg(5_000);
            migrate.exec_async(&mut connection).await.context("move a key")?;
        }
        for url in [to_url, from_url] {
            run(url, &format!("CLUSTER SETSLOT {slot} NODE {}", ids.1)).await?;
        }
        Ok(())
    }
}

/// # Errors
/// When Redis is not installed, does not come up, or the nodes do not find each other.
pub async fn start() -> anyhow::Result<RedisCluster> {
    let nodes = try_join_all((0..NODES).map(|_| redis::start_with(Extra::Cluster))).await?;
    join(&nodes, nodes[0].address()).await?;
    Ok(RedisCluster { nodes, tls: None })
}

/// Its nodes speak TLS, beside the plain ports by which they are set up.
///
/// # Errors
/// As [`start`], and when there is no openssl.
pub async fn start_by_tls() -> anyhow::Result<RedisCluster> {
    let certificate = Certificate::make().await?;
    let addresses = (0..NODES).map(|_| free_address()).collect::<anyhow::Result<Vec<_>>>()?;
    let node = |address: &SocketAddr| redis::start_with(Extra::ClusterByTls(*address, &certificate));
    let nodes = try_join_all(addresses.iter().map(node)).await?;
    join(&nodes, addresses[0]).await?;
    Ok(RedisCluster { nodes, tls: Some((addresses, certificate)) })
}

/// Gives each its slots and makes them meet at `first`, which is how the first of them is known to the others.
async fn join(nodes: &[Running], first: SocketAddr) -> anyhow::Result<()> {
    let bus = bus(nodes[0].url()).await?;
    let share = SLOTS.div_ceil(NODES);
    for (at, node) in (0..NODES).zip(nodes) {
        let (from, to) = (at * share, ((at + 1) * share).min(SLOTS) - 1);
        run(node.url(), &format!("CLUSTER ADDSLOTSRANGE {from} {to}")).await?;
        run(node.url(), &format!("CLUSTER SET-CONFIG-EPOCH {}", at + 1)).await?;
    }
    for node in &nodes[1..] {
        run(node.url(), &format!("CLUSTER MEET {} {} {bus}", first.ip(), first.port())).await?;
    }
    let joined = tokio::time::timeout(JOIN_WITHIN, try_join_all(nodes.iter().map(|node| knows_all(node.address()))));
    joined.await.context("the nodes have not found each other")??;
    Ok(())
}

async fn knows_all(address: SocketAddr) -> anyhow::Result<()> {
    let mut connection = connect(&format!("redis://{address}/")).await?;
    let whole = [format!("cluster_known_nodes:{NODES}"), "cluster_state:ok".into(), format!("cluster_size:{NODES}")];
    loop {
        let mut info = ::redis::cmd("CLUSTER");
        let info: String = info.arg("INFO").query_async(&mut connection).await.context("CLUSTER INFO")?;
        if whole.iter().all(|line| info.lines().any(|found| found.trim() == line)) {
            return Ok(());
        }
        tokio::time::sleep(ASK_EVERY).await;
    }
}

/// The port by which nodes talk to each other.
async fn bus(url: &str) -> anyhow::Result<String> {
    let mut connection = connect(url).await?;
    let mut command = ::redis::cmd("CONFIG");
    let (_, port): (String, String) =
        command.arg("GET").arg("cluster-port").query_async(&mut connection).await.context("CONFIG GET cluster-port")?;
    Ok(port)
}

async fn id(url: &str) -> anyhow::Result<String> {
    let mut connection = connect(url).await?;
    ::redis::cmd("CLUSTER").arg("MYID").query_async(&mut connection).await.context("CLUSTER MYID")
}

async fn run(url: &str, line: &str) -> anyhow::Result<()> {
    let mut connection = connect(url).await?;
    let mut words = line.split(' ');
    let mut command = ::redis::cmd(words.next().unwrap_or_default());
    words.for_each(|word| {
        command.arg(word);
    });
    command.exec_async(&mut connection).await.with_context(|| line.to_owned())
}

async fn connect(url: &str) -> anyhow::Result<::redis::aio::MultiplexedConnection> {
    let client = ::redis::Client::open(url).context("read the URL")?;
    client.get_multiplexed_async_connection().await.context("connect")
}
