//! Where one server, a cluster and sentinels differ: how a connection is made, and which server a key is asked at.
//!
//! The library follows `MOVED` and `ASK`, learns the slots anew after a failover, and tries a command up to its number
//! of retries; a pipeline must stay within one slot, so keys are grouped by slot here.

use crate::config::{RedisUrl, Secret, Topology};
use ::redis::aio::{ConnectionLike, MultiplexedConnection};
use ::redis::cluster::{ClusterClient, ClusterClientBuilder, ClusterConfig};
use ::redis::cluster_async::ClusterConnection;
use ::redis::cluster_routing::{Route, SingleNodeRoutingInfo, Slot, SlotAddr};
use ::redis::sentinel::{SentinelClient, SentinelClientBuilder, SentinelServerType};
use ::redis::{
    AsyncConnectionConfig, Cmd, ConnectionAddr, ErrorKind, IntoConnectionInfo, Pipeline, RedisError, RedisFuture,
    RedisResult, TlsMode, Value,
};
use futures::stream::{self, StreamExt, TryStreamExt};
use std::collections::HashMap;
use std::time::Duration;
use tokio::sync::Mutex;

/// Pipelines of one reading that are under way together, on one connection for each node.
const TOGETHER: usize = 64;
/// A command is tried so often again after `MOVED`, `TRYAGAIN` or a lost node, all within the statement time-out.
const RETRIES: u32 = 4;

pub(in crate::adapters) enum Client {
    One(Box<::redis::Client>),
    Cluster(Box<ClusterClient>),
    /// Remembers which sentinel answered last, so it is asked by one at a time.
    Sentinel(Box<Mutex<SentinelClient>>),
}

impl Client {
    /// Nothing connects yet.
    pub(in crate::adapters) fn open(url: &RedisUrl, answering: Duration) -> RedisResult<Self> {
        let hosts: Vec<&str> = url.hosts.iter().map(Secret::expose).collect();
        match &url.topology {
            Topology::One => Ok(Self::One(Box::new(::redis::Client::open(hosts.concat())?))),
            Topology::Cluster => {
                let builder = ClusterClientBuilder::new(hosts).retries(RETRIES);
                Ok(Self::Cluster(Box::new(builder.overall_response_timeout(Some(answering)).build()?)))
            }
            Topology::Sentinel { master, username, password } => {
                let mut builder = sentinel(&hosts, master)?;
                if let Some(username) = username {
                    builder = builder.set_client_to_sentinel_username(username);
                }
                if let Some(password) = password {
                    builder = builder.set_client_to_sentinel_password(password.expose());
                }
                Ok(Self::Sentinel(Box::new(Mutex::new(builder.build()?))))
            }
        }
    }

    pub(in crate::adapters) async fn connect(
        &self,
        connecting: Duration,
        answering: Duration,
    ) -> RedisResult<Connection> {
        let config =
            AsyncConnectionConfig::new().set_connection_timeout(Some(connecting)).set_response_timeout(Some(answering));
        match self {
            Self::One(client) => {
                client.get_multiplexed_async_connection_with_config(&config).await.map(Connection::One)
            }
            Self::Cluster(client) => {
                let config = ClusterConfig::new().set_connection_timeout(connecting).set_response_timeout(answering);
                client.get_async_connection_with_config(config).await.map(Connection::Cluster)
            }
            Self::Sentinel(client) => {
                let mut client = client.lock().await;
                client.get_async_connection_with_config(&config).await.map(Connection::One)
            }
        }
    }
}

/// Credentials, database and TLS of the URLs are the servers'; the sentinels share only TLS.
fn sentinel(hosts: &[&str], master: &str) -> RedisResult<SentinelClientBuilder> {
    let mut servers = None;
    let mut addresses = Vec::new();
    for host in hosts {
        let info = host.into_connection_info()?;
        addresses.push(info.addr().clone());
        servers.get_or_insert(info);
    }
    let is_tls = addresses.iter().any(|address| matches!(address, ConnectionAddr::TcpTls { .. }));
    let mut builder = SentinelClientBuilder::new(addresses, master, SentinelServerType::Master)?;
    if let Some(info) = servers {
        let settings = info.redis_settings();
        builder = builder.set_client_to_redis_db(settings.db());
        if let Some(username) = settings.username() {
            builder = builder.set_client_to_redis_username(username);
        }
        if let Some(password) = settings.password() {
            builder = builder.set_client_to_redis_password(password);
        }
    }
    Ok(if is_tls { builder.set_client_to_redis_tls_mode(TlsMode::Secure) } else { builder })
}

/// Cheap to clone: all clones share their sockets.
#[derive(Clone)]
pub(in crate::adapters) enum Connection {
    One(MultiplexedConnection),
    Cluster(ClusterConnection),
}

/// A primary of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::adapters) struct Primary {
    /// The lowest slot that it serves.
    pub slot: u16,
    pub id: String,
}

impl Connection {
    /// Asks about each key with commands of its own, all in one pipeline; in a cluster one for each slot. Answers in the
    /// order of the keys; what the server refuses is an answer too.
    pub(in crate::adapters) async fn ask(
        &self,
        keys: &[&str],
        commands: impl Fn(&mut Pipeline, &str),
    ) -> RedisResult<Vec<Vec<RedisResult<Value>>>> {
        let asked = |at: &[usize]| {
            let mut pipeline = Pipeline::new();
            pipeline.ignore_errors();
            at.iter().for_each(|at| commands(&mut pipeline, keys[*at]));
            pipeline
        };
        let groups: Vec<Vec<usize>> = match self {
            Self::One(_) => vec![(0..keys.len()).collect()],
            Self::Cluster(_) => by_slot(keys),
        };
        let questions = groups.into_iter().filter(|at| !at.is_empty()).map(|at| (asked(&at), at));
        let asking = stream::iter(questions).map(|(pipeline, at)| {
            let mut connection = self.clone();
            async move {
                let answers: Vec<RedisResult<Value>> = pipeline.query_async(&mut connection).await?;
                Ok::<_, RedisError>((at, answers))
            }
        });
        let answered: Vec<_> = asking.buffer_unordered(TOGETHER).try_collect().await?;
        let mut ordered = vec![Vec::new(); keys.len()];
        for (at, answers) in answered {
            let each = answers.len() / at.len();
            for (at, answers) in at.into_iter().zip(answers.chunks(each.max(1))) {
                ordered[at] = answers.to_vec();
            }
        }
        Ok(ordered)
    }

    /// `INFO` of each primary, the sections that say how it is set up.
    pub(in crate::adapters) async fn infos(&mut self) -> RedisResult<Vec<String>> {
        let mut pipeline = Pipeline::new();
        for section in ["server", "replication", "memory"] {
            pipeline.cmd("INFO").arg(section);
        }
        let Self::Cluster(cluster) = self else {
            let sections: Vec<String> = pipeline.query_async(self).await?;
            return Ok(vec![sections.concat()]);
        };
        let mut infos = Vec::new();
        for primary in primaries(cluster).await? {
            let sections = at_primary(cluster, &primary, pipeline.clone(), 3).await?;
            let texts = sections.into_iter().map(::redis::from_redis_value::<String>);
            infos.push(texts.collect::<Result<Vec<_>, _>>()?.concat());
        }
        Ok(infos)
    }
}

/// Indexes of keys, those of one slot together.
fn by_slot(keys: &[&str]) -> Vec<Vec<usize>> {
    let mut slots: HashMap<Slot, Vec<usize>> = HashMap::new();
    for (at, key) in keys.iter().enumerate() {
        slots.entry(Slot::for_key(key)).or_default().push(at);
    }
    slots.into_values().collect()
}

/// Asks the primary of a slot, and nobody in its place: a node that answers for another one is an error.
pub(in crate::adapters) async fn at_primary(
    cluster: &mut ClusterConnection,
    primary: &Primary,
    mut pipeline: Pipeline,
    answers: usize,
) -> RedisResult<Vec<Value>> {
    let no_such_slot = || RedisError::from((ErrorKind::UnexpectedReturnType, "a slot beyond the last one"));
    let slot = Slot::new(primary.slot).ok_or_else(no_such_slot)?;
    pipeline.cmd("CLUSTER").arg("MYID");
    let route = SingleNodeRoutingInfo::SpecificNode(Route::with_slot(slot, SlotAddr::Master));
    let mut answered = cluster.route_pipeline(pipeline, 0, answers + 1, route).await?;
    let id: String = ::redis::from_redis_value(answered.pop().unwrap_or(Value::Nil))?;
    if id != primary.id {
        return Err((ErrorKind::ClusterConnectionNotFound, "a primary is not connected", primary.id.clone()).into());
    }
    answered.into_iter().map(Value::extract_error).collect()
}

/// The primaries by their lowest slots.
pub(in crate::adapters) async fn primaries(cluster: &mut ClusterConnection) -> RedisResult<Vec<Primary>> {
    let ranges: Vec<Vec<Value>> = ::redis::cmd("CLUSTER").arg("SLOTS").query_async(cluster).await?;
    let mut primaries: Vec<Primary> = Vec::new();
    for range in ranges {
        let mut range = range.into_iter();
        let (Some(first), Some(_), Some(node)) = (range.next(), range.next(), range.next()) else {
            return Err((ErrorKind::UnexpectedReturnType, "CLUSTER SLOTS names a range without a node").into());
        };
        let slot: u16 = ::redis::from_redis_value(first)?;
        // Address, port, id, and more in later versions.
        let node: Vec<Value> = ::redis::from_redis_value(node)?;
        let id: String = ::redis::from_redis_value(node.into_iter().nth(2).unwrap_or(Value::Nil))?;
        match primaries.iter_mut().find(|primary| primary.id == id) {
            Some(known) => known.slot = known.slot.min(slot),
            None => primaries.push(Primary { slot, id }),
        }
    }
    primaries.sort_by_key(|primary| primary.slot);
    Ok(primaries)
}

impl ConnectionLike for Connection {
    fn req_packed_command<'a>(&'a mut self, command: &'a Cmd) -> RedisFuture<'a, Value> {
        match self {
            Self::One(one) => one.req_packed_command(command),
            Self::Cluster(cluster) => cluster.req_packed_command(command),
        }
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        pipeline: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        match self {
            Self::One(one) => one.req_packed_commands(pipeline, offset, count),
            Self::Cluster(cluster) => cluster.req_packed_commands(pipeline, offset, count),
        }
    }

    fn get_db(&self) -> i64 {
        match self {
            Self::One(one) => one.get_db(),
            Self::Cluster(cluster) => cluster.get_db(),
        }
    }
}
