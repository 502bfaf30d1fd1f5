//! Whether the database is a replica, and how far behind.

use super::super::dialect::Dialect;
use super::super::store::{Failure, Shown, Store};
use super::{ask, fault};
use crate::ports::audit::Standing;
use app::model::Fault;

pub async fn standing(store: &Store) -> Result<Standing, Fault> {
    match store.engine.dialect() {
        Dialect::Sqlite => Ok(Standing::Primary),
        Dialect::Postgres => {
            let lines = ask(store, RECOVERY, Vec::new(), 2).await?;
            Ok(match lines.first() {
                Some(line) if line.holds(0) => {
                    Standing::Replica { behind_ms: line.text(1).and_then(|ms| ms.parse().ok()) }
                }
                _ => Standing::Primary,
            })
        }
        Dialect::MySql => mysql(store).await,
    }
}

/// A server that follows another says so to whoever may ask; one that only reads is taken for a replica as well.
async fn mysql(store: &Store) -> Result<Standing, Fault> {
    let lines = ask(store, "SELECT CAST(@@global.read_only AS CHAR)", Vec::new(), 1).await?;
    let read_only = lines.first().is_some_and(|line| !matches!(line.text(0), Some("0" | "OFF")));
    let mut shown: Vec<Shown> = Vec::new();
    // The newer word first; each engine refuses the one it does not know, and both an account without the right.
    for sql in ["SHOW REPLICA STATUS", "SHOW SLAVE STATUS"] {
        match store.engine.shown(sql).await {
            Ok(rows) => {
                shown = rows;
                break;
            }
            Err(Failure::Fault(Fault::Unreadable { .. }) | Failure::Gone) => {}
            Err(failure) => return Err(fault(store, failure)),
        }
    }
    let Some(status) = shown.first() else {
        return Ok(if read_only { Standing::Replica { behind_ms: None } } else { Standing::Primary });
    };
    let seconds = status.iter().find(|(name, _)| name.starts_with("Seconds_Behind_")).and_then(|(_, seconds)| {
        let seconds: u64 = seconds.as_ref()?.parse().ok()?;
        Some(seconds.saturating_mul(1_000))
    });
    Ok(Standing::Replica { behind_ms: seconds })
}

/// Without traffic nothing is replayed, which is no lag when all that came was replayed.
const RECOVERY: &str = "SELECT pg_is_in_recovery()::text, CASE WHEN pg_is_in_recovery() THEN \
    CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN '0' \
    ELSE GREATEST(0, EXTRACT(EPOCH FROM clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000)::bigint::text END END";
