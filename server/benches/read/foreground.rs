//! What collecting costs the consumers: their P99 with and without it, in pairs of runs.

use super::collector::Collector;
use super::measure::ratio;
use super::report::{Line, ms};
use super::table::Table;
use super::traffic::{PAIRS_PER_SECOND, beside};
use std::time::Duration;

const RUN: Duration = Duration::from_secs(10);
const MOST: f64 = 1.2;

async fn load(table: &Table, name: &str) -> Duration {
    beside(table, name, tokio::time::sleep(RUN)).await.1
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
