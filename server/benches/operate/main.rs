//! What operations cost: `./dev bench operate`, with `ROWS` of the table, `ITEMS` of one run, `PAIRS` of interleaved runs,
//! `ENGINES=mariadb,postgres,sqlite` for some of the engines.
//!
//! Consumers insert and finish 500 records a second beside all of it. Figures are medians; compare ratios.

#[path = "../support/asked.rs"]
mod asked;
mod changing;
#[path = "../support/measure.rs"]
mod measure;
#[path = "../support/report.rs"]
#[expect(dead_code, reason = "each bench needs a part of it")]
mod report;
#[path = "../support/table.rs"]
mod table;
#[path = "../support/traffic.rs"]
mod traffic;

use asked::asked;
use report::Report;
use std::process::ExitCode;
use table::{Engine, Table};

struct Setting {
    rows: u64,
    /// Records of one run.
    items: u64,
    pairs: u64,
}

fn main() -> ExitCode {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let setting = Setting { rows: asked("ROWS", 1_000_000), items: asked("ITEMS", 10_000), pairs: asked("PAIRS", 5) };
    let engines = asked("ENGINES", String::from("mariadb,postgres,sqlite"));
    let size = format!("{} rows, {} records in a run", setting.rows, setting.items);
    let mut report = Report::new("engine", &size);
    for engine in engines.split(',').map(Engine::named) {
        let measured = runtime.block_on(async {
            let table = Table::filled(engine, "operate", setting.rows).await;
            changing::measured(&table, &setting).await
        });
        measured.iter().for_each(|line| report.add(line));
    }
    report.verdict()
}
