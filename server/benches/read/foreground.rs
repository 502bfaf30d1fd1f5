//! What collecting costs the consumers: their P99 with and without it, in pairs of runs.

use super::collector::Collector;
use super::measure::{now, ratio};
use super::report::{Line, ms};
use super::table::Table;
use futures::stream::{FuturesUnordered, StreamExt};
use std::time::Duration;

const PAIRS_PER_SECOND: u32 = 500;
const RUN: Duration = Duration::from_secs(10);
const MOST: f64 = 1.2;

/// Consumers insert and finish 500 records a second; returns the P99 of a pair.
async fn load(table: &Table, name: &str) -> Duration {
    let began = now();
    let mut running = FuturesUnordered::new();
    let mut times = Vec::new();
    let every = Duration::from_secs(1) / PAIRS_PER_SECOND;
    let mut sent = 0_u32;
    while now() - began < RUN {
        let due = began + every * sent;
        tokio::select! {
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
    }
    while let Some(took) = running.next().await {
        times.push(took);
    }
    times.sort_unstable();
    times[times.len() * 99 / 100]
}

pub async fn measured(table: &Table, pairs: usize) -> Vec<Line> {
    if pairs == 0 {
        return Vec::new();
    }
    let engine = table.engine.name();
    let mut collector = Collector::start(table);
    load(table, "warm").await;
    let (mut with, mut without, mut again) = (Vec::new(), Vec::new(), Vec::new());
    for pair in 0..pairs {
        without.push(load(table, &format!("off{pair}")).await);
        collector.on();
        with.push(load(table, &format!("on{pair}")).await);
        collector.off();
        again.push(load(table, &format!("again{pair}")).await);
    }
    let ratios = |over: &[Duration]| {
        let mut ratios: Vec<f64> = over.iter().zip(&without).map(|(one, base)| ratio(*one, *base)).collect();
        ratios.sort_by(f64::total_cmp);
        ratios
    };
    let (on, off) = (ratios(&with), ratios(&again));
    let (found, widest) = (on[pairs / 2], off[pairs - 1]);
    let range = |times: &[Duration]| {
        let (least, most) = (times.iter().min().copied(), times.iter().max().copied());
        format!("{}–{}", ms(least.unwrap_or_default()), ms(most.unwrap_or_default()))
    };
    let measured = format!("{found:.2} (off {}, on {})", range(&without), range(&with));
    let what = format!(
        "consumers' P99 at {PAIRS_PER_SECOND} pairs/s, collecting each second / not; off against off up to {widest:.2}"
    );
    vec![Line::ratio(engine, what, measured, found, MOST.max(widest))]
}
