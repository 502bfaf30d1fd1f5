//! What reading costs: `./dev bench read`, with `ROWS=10000000` for the record, `ENGINES=mariadb,postgres,sqlite` for
//! some of the engines, `PAIRS=7` for the pairs of runs with and without collecting.
//!
//! Figures are medians of interleaved measurements in one run on one machine; compare ratios, not milliseconds. The
//! table is the textbook's: a growing id, a unique key, no index on status or time unless it says so; 20 types of which
//! one has half of all rows; some thousands are open.

#[path = "../support/asked.rs"]
mod asked;
mod collecting;
mod collector;
mod foreground;
mod lists;
#[path = "../support/measure.rs"]
mod measure;
mod memory;
#[path = "../support/report.rs"]
mod report;
mod setting;
#[path = "../support/table.rs"]
#[expect(dead_code, reason = "each bench needs a part of it")]
mod table;
#[path = "../support/traffic.rs"]
mod traffic;

use report::Report;
use setting::Setting;
use std::process::ExitCode;
use table::{Engine, Table};

fn main() -> ExitCode {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    if runtime.block_on(collector::serve()) {
        return ExitCode::SUCCESS;
    }
    // Answers are waited for where they are read, as a server's workers do: no other thread is to be woken up for them.
    let here = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let setting = Setting::from_environment();
    let mut report = Report::new("engine", &format!("{} rows", setting.rows));
    report.add(&memory::measured());
    for engine in &setting.engines {
        let measured = here.block_on(measured(*engine, &setting));
        measured.iter().for_each(|line| report.add(line));
    }
    report.verdict()
}

async fn measured(engine: Engine, setting: &Setting) -> Vec<report::Line> {
    let small = Table::filled(engine, "small", setting.rows.min(setting.rows / 10).max(1_000)).await;
    let table = Table::filled(engine, "large", setting.rows).await;
    let mut lines = collecting::by_tail(&small, &table).await;
    lines.extend(lists::measured(&table).await);
    lines.extend(foreground::measured(&table, setting.pairs).await);
    table.index_status().await;
    lines.extend(collecting::by_status_index(&table).await);
    lines.extend(lists::by_status(&table).await);
    lines
}
