//! One step through the key space: a `SCAN` of a thousand keys at one server. A cluster's primaries are walked one
//! after another, in the order of their slots.

use crate::adapters::redis::connection::{Connection, Primary, at_primary, primaries};
use crate::ports::locks::{Cursor, Scanned};
use ::redis::cluster_async::ClusterConnection;
use ::redis::{ErrorKind, Pipeline, RedisError, RedisResult, Value, from_redis_value};

/// `SCAN … COUNT`: blocks Redis for about 1 ms a call; ten times as many would block it ten times as long.
const COUNT: u64 = 1_000;

type Step = (u64, Vec<Vec<u8>>);

pub(super) async fn step(connection: &mut Connection, glob: &str, cursor: &Cursor) -> RedisResult<Scanned> {
    if let Connection::Cluster(cluster) = connection {
        return cluster_step(cluster, glob, cursor).await;
    }
    let mut pipeline = scan(glob, cursor.at);
    pipeline.cmd("DBSIZE");
    let ((next, keys), total): (Step, u64) = pipeline.query_async(connection).await?;
    Ok(scanned(keys, total, (next != 0).then(|| Cursor { at: next, ..Cursor::default() })))
}

/// Where the primary has been replaced, its keys are walked from their beginning.
async fn cluster_step(cluster: &mut ClusterConnection, glob: &str, cursor: &Cursor) -> RedisResult<Scanned> {
    let all = primaries(cluster).await?;
    let mut rest = all.iter().filter(|primary| primary.slot >= cursor.slot);
    let Some(primary) = rest.next() else {
        // Slots were moved while it was on its way: those that are left belong to others now.
        return if all.is_empty() { Err(no_primary()) } else { Ok(scanned(Vec::new(), 0, None)) };
    };
    let at = if primary.id == cursor.node && primary.slot == cursor.slot { cursor.at } else { 0 };
    let answered = at_primary(cluster, primary, scan(glob, at), 1).await?;
    let (next, keys): Step = from_redis_value(answered.into_iter().next().unwrap_or(Value::Nil))?;
    // Summed over the primaries.
    let total: u64 = ::redis::cmd("DBSIZE").query_async(cluster).await?;
    let at_node = |primary: &Primary, at| Cursor { slot: primary.slot, node: primary.id.clone(), at };
    let next = if next == 0 { rest.next().map(|other| at_node(other, 0)) } else { Some(at_node(primary, next)) };
    Ok(scanned(keys, total, next))
}

fn no_primary() -> RedisError {
    (ErrorKind::ClusterConnectionNotFound, "the cluster serves no slot").into()
}

fn scan(glob: &str, at: u64) -> Pipeline {
    let mut pipeline = Pipeline::new();
    pipeline.cmd("SCAN").arg(at).arg("MATCH").arg(glob).arg("COUNT").arg(COUNT);
    pipeline
}

fn scanned(keys: Vec<Vec<u8>>, total: u64, next: Option<Cursor>) -> Scanned {
    // A key that is no text cannot have been made from the pattern, a type and a key.
    let keys = keys.into_iter().filter_map(|key| String::from_utf8(key).ok()).collect();
    Scanned { keys, next, examined: COUNT, total }
}
