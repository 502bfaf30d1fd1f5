//! Consumers at work beside what is measured.

use super::measure::now;
use super::table::Table;
use futures::stream::{FuturesUnordered, StreamExt};
use std::time::Duration;

pub const PAIRS_PER_SECOND: u32 = 500;

/// They insert and finish 500 records a second until the work has ended; with the P99 of a pair.
pub async fn beside<T>(table: &Table, name: &str, work: impl Future<Output = T>) -> (T, Duration) {
    let began = now();
    let mut running = FuturesUnordered::new();
    let mut times = Vec::new();
    let every = Duration::from_secs(1) / PAIRS_PER_SECOND;
    let mut sent = 0_u32;
    let mut work = std::pin::pin!(work);
    let done = loop {
        let due = began + every * sent;
        tokio::select! {
            done = &mut work => break done,
            () = tokio::time::sleep_until(due.into()) => {
                let name = format!("{name}-{sent}");
                // From when it was due, so that waiting for a connection counts.
                running.push(async move {
                    table.traffic(&name, 1).await;
                    now() - due
                });
                sent += 1;
            }
            Some(took) = running.next() => times.push(took),
        }
    };
    while let Some(took) = running.next().await {
        times.push(took);
    }
    times.sort_unstable();
    let p99 = times.get(times.len() * 99 / 100).copied().expect("the work lasted long enough for a pair");
    (done, p99)
}
