//! Operations that change rows, with plan, locks, judging and audit, beside an `UPDATE` of the same rows by primary key in
//! batches of the same size.

use super::Setting;
use super::measure::{median, ratio, timed};
use super::report::{Line, ms};
use super::table::{Engine, Table};
use super::traffic::beside;
use app::model::{Plan, RecordsQuery, Role as OperatorRole, RowOperation, Status};
use server::action::Actor;
use server::action::rows::{Ask, Selection, confirm, plan, run};
use server::boot::{self, Role};
use server::system::System;
use std::time::Duration;

/// As long as the bare one, at most.
const MOST: f64 = 3.0;
/// Rows of one statement.
const BATCH: u64 = 200;
const WRITE: &str = "
    [source.records.write]
    release = \"status\"
    touch = true
";

pub async fn measured(table: &Table, setting: &Setting) -> Vec<Line> {
    // Those that the table came with stand in the way of counting.
    table.sql("UPDATE idempotent_record SET status = 2 WHERE status = 3").await;
    table.index_status().await;
    let console = boot::system(table.config("5s", WRITE), Role::Cli).await.expect("the console starts");
    let mut lines = Vec::new();
    let mut rounds = (0..).map(|round| (1 + round * setting.items, (round + 1) * setting.items));
    for (operation, code) in [(RowOperation::Retry, 3), (RowOperation::MarkDead, 4)] {
        let (mut ours, mut bare, mut plans) = (Vec::new(), Vec::new(), Vec::new());
        let (mut beside_ours, mut beside_bare) = (Vec::new(), Vec::new());
        for _ in 0..setting.pairs {
            let range = rounds.next().expect("there is always another");
            fail(table, range).await;
            let ((_, took), p99) =
                beside(table, &format!("bare-{}", range.0), timed(batches(table, range, code))).await;
            bare.push(took);
            beside_bare.push(p99);
            let range = rounds.next().expect("there is always another");
            settle(table).await;
            fail(table, range).await;
            let (planned, took) = timed(planned(&console, operation, setting.items)).await;
            plans.push(took);
            let ((_, took), p99) = beside(table, &format!("ours-{}", range.0), timed(worked(&console, &planned))).await;
            ours.push(took);
            beside_ours.push(p99);
            settle(table).await;
        }
        lines.extend(compared(table.engine, operation, setting.items, [ours, bare, plans], [beside_ours, beside_bare]));
    }
    lines
}

fn compared(
    engine: Engine,
    operation: RowOperation,
    items: u64,
    [ours, bare, plans]: [Vec<Duration>; 3],
    [beside_ours, beside_bare]: [Vec<Duration>; 2],
) -> Vec<Line> {
    let (engine, operation) = (engine.name(), operation.as_str());
    let (ours, bare) = (median(ours), median(bare));
    let per_second = |took: Duration| format!("{:.0}/s", items as f64 / took.as_secs_f64());
    let found = ratio(ours, bare);
    let times = format!("{found:.2} ({}, bare {})", per_second(ours), per_second(bare));
    let beside = format!("{}, beside the bare one {}", ms(median(beside_ours)), ms(median(beside_bare)));
    vec![
        Line::ratio(engine, format!("{operation}, audit included / the bare batched UPDATE"), times, found, MOST),
        Line::figure(engine, format!("{operation}: its plan"), median(plans)),
        Line { of: engine, what: format!("{operation}: consumers' P99 beside it"), measured: beside, promise: None },
    ]
}

async fn fail(table: &Table, (from, to): (u64, u64)) {
    table.sql(&format!("UPDATE idempotent_record SET status = 3 WHERE id BETWEEN {from} AND {to}")).await;
}

/// What failed is in order again, so that the next plan finds only its own.
async fn settle(table: &Table) {
    table.sql("UPDATE idempotent_record SET status = 2 WHERE status = 3").await;
    table.analyze().await;
}

async fn batches(table: &Table, (from, to): (u64, u64), code: u8) {
    let now = table.engine.now();
    let ids: Vec<u64> = (from..=to).collect();
    for batch in ids.chunks(usize::try_from(BATCH).expect("few")) {
        let ids: Vec<String> = batch.iter().map(u64::to_string).collect();
        let ids = ids.join(", ");
        table
            .sql(&format!(
                "UPDATE idempotent_record SET status = {code}, update_time = {now} WHERE id IN ({ids}) AND status = 3"
            ))
            .await;
    }
}

fn ann() -> Actor {
    Actor { name: "ann".into(), role: OperatorRole::Operator, origin: "bench".into() }
}

async fn planned(console: &System, operation: RowOperation, items: u64) -> Plan {
    let query = RecordsQuery { status: Some(Status::Failed), ..RecordsQuery::default() };
    let ask = Ask {
        operation_id: uuid::Uuid::new_v4().to_string(),
        source: "bench".into(),
        operation,
        selection: Selection::All(Box::new(query)),
        actor: ann(),
        reason: "measured".into(),
    };
    let planned = plan(console, ask).await.expect("a plan");
    assert_eq!(planned.eligible, items, "{:?}", planned.skipped);
    planned
}

async fn worked(console: &System, planned: &Plan) {
    let confirmed = confirm(console, &planned.id, &ann(), "", planned.phrase.as_deref()).await;
    confirmed.expect("it is confirmed");
    let run = run(console, &planned.id, "bench").await.expect("it runs");
    assert_eq!((run.done, run.state.as_str()), (planned.eligible, "done"), "{run:?}");
}
