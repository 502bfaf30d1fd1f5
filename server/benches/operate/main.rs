//! What operations cost: `./dev bench operate`, with `ROWS` of the table, `ITEMS` of one run, `MOVED` of one archiving,
//! `PAIRS` of interleaved runs, `DEAD` tuples; `ENGINES=mariadb,postgres,sqlite` and `PARTS=change,archive,dead` choose.
//!
//! Consumers insert and finish 500 records a second beside all of it. Figures are medians; compare ratios.

mod archiving;
#[path = "../support/asked.rs"]
mod asked;
mod changing;
#[path = "../support/measure.rs"]
mod measure;
mod pt_archiver;
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
    /// Records of one archiving.
    moved: u64,
    pairs: u64,
    /// Rows of the table that is left full of dead tuples.
    dead: u64,
}

fn main() -> ExitCode {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let setting = Setting {
        rows: asked("ROWS", 1_000_000),
        items: asked("ITEMS", 10_000),
        moved: asked("MOVED", 100_000),
        pairs: asked("PAIRS", 3),
        dead: asked("DEAD", 5_000_000),
    };
    let engines = asked("ENGINES", String::from("mariadb,postgres,sqlite"));
    let parts = asked("PARTS", String::from("change,archive,dead"));
    let wants = |part: &str| parts.split(',').any(|wanted| wanted == part);
    let Setting { rows, items, moved, .. } = setting;
    let size = format!("{rows} rows, {items} records in a run, {moved} in an archiving");
    let mut report = Report::new("engine", &size);
    for engine in engines.split(',').map(Engine::named) {
        runtime.block_on(async {
            if wants("change") {
                let table = Table::filled(engine, "operate", rows).await;
                changing::measured(&table, &setting).await.iter().for_each(|line| report.add(line));
            }
            if wants("archive") {
                let table = Table::filled(engine, "archive", rows).await;
                archiving::measured(&table, &setting).await.iter().for_each(|line| report.add(line));
            }
            if wants("dead") && engine == Engine::Postgres {
                let table = Table::filled(engine, "dead", setting.dead).await;
                report.add(&archiving::over_the_dead(&table).await);
            }
        });
    }
    report.verdict()
}
