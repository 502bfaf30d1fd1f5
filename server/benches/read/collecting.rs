//! What a collection cycle costs, beside the statement that it replaces.

use super::measure::{median, ratio, timed};
use super::report::{Line, ms};
use super::table::Table;
use app::model::{RecordsPanel, Strategy};
use server::boot;
use server::collect::RecordsReading;
use std::time::Duration;

const CYCLES: usize = 30;
/// The naive panel takes seconds.
const NAIVE: usize = 3;
/// Rows that consumers write between two cycles.
const TRAFFIC: u32 = 20;

/// The panel that a dashboard would ask for.
const GROUP_BY: &str = "SELECT biz_type, status, COUNT(*) FROM idempotent_record GROUP BY biz_type, status";

/// A reading whose first walk is over.
async fn settled(table: &Table) -> (RecordsReading, RecordsPanel) {
    let system = boot::system(table.config("5s", ""), boot::Role::Server).await.expect("a system");
    let mut reading = RecordsReading::new(&system.sources[0], &system);
    loop {
        let panel = reading.cycle().await.expect("the table is read");
        let walking = panel.pass.as_ref().is_some_and(|pass| pass.complete_as_of.is_none());
        if !walking {
            return (reading, panel);
        }
        for _ in 0..500 {
            reading.step().await.expect("a step");
        }
    }
}

async fn cycle(reading: &mut RecordsReading, table: &Table, name: &str) -> Duration {
    table.traffic(name, TRAFFIC).await;
    // What lies between two cycles: rereads and rechecks at their times.
    for _ in 0..5 {
        reading.step().await.expect("a step");
    }
    let (panel, took) = timed(reading.cycle()).await;
    panel.expect("the table is read");
    took
}

pub async fn by_tail(small: &Table, large: &Table) -> Vec<Line> {
    let engine = large.engine.name();
    let (mut of_small, _) = settled(small).await;
    let ((mut of_large, panel), first) = timed(settled(large)).await;
    assert_eq!(panel.strategy, Strategy::Tail);
    let (mut small_cycles, mut large_cycles, mut naive) = (Vec::new(), Vec::new(), Vec::new());
    for at in 0..CYCLES {
        small_cycles.push(cycle(&mut of_small, small, &format!("t{at}")).await);
        large_cycles.push(cycle(&mut of_large, large, &format!("t{at}")).await);
        if at % (CYCLES / NAIVE) == 0 {
            naive.push(timed(large.sql(GROUP_BY)).await.1);
        }
    }
    let (small_cycle, large_cycle, naive) = (median(small_cycles), median(large_cycles), median(naive));
    vec![
        Line::figure(engine, "first walk, without its rests", first),
        Line::figure(engine, "the naive panel: GROUP BY type, status", naive),
        Line::figure(engine, "cycle by tail, no index added", large_cycle),
        Line::ratio(
            engine,
            "cycle by tail / naive panel",
            format!("1/{:.0}", ratio(naive, large_cycle)),
            ratio(large_cycle, naive),
            1.0 / 50.0,
        ),
        Line::ratio(
            engine,
            format!("cycle by tail, {} rows / {} rows", large.rows, small.rows),
            format!("{:.2} ({} / {})", ratio(large_cycle, small_cycle), ms(large_cycle), ms(small_cycle)),
            ratio(large_cycle, small_cycle),
            1.2,
        ),
    ]
}

pub async fn by_status_index(table: &Table) -> Vec<Line> {
    let engine = table.engine.name();
    let (mut reading, panel) = settled(table).await;
    assert_eq!(panel.strategy, Strategy::StatusIndex);
    let (mut cycles, mut naive) = (Vec::new(), Vec::new());
    for at in 0..CYCLES {
        cycles.push(cycle(&mut reading, table, &format!("s{at}")).await);
        if at % (CYCLES / NAIVE) == 0 {
            naive.push(timed(table.sql(GROUP_BY)).await.1);
        }
    }
    let (cycle, naive) = (median(cycles), median(naive));
    vec![
        Line::figure(engine, "cycle by status index", cycle),
        Line::ratio(
            engine,
            "cycle by status index / naive panel",
            format!("1/{:.0}", ratio(naive, cycle)),
            ratio(cycle, naive),
            1.0 / 50.0,
        ),
    ]
}
