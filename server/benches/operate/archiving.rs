//! Archiving beside what people archive with today: `pt-archiver` in its quickest way, and one giant statement. Each round
//! takes the next stretch of the table, so that both meet it alike.

use super::measure::{median, now, ratio, timed};
use super::report::{Line, ms};
use super::table::{Engine, Table};
use super::traffic::beside;
use super::{Setting, pt_archiver};
use app::model::{ArchiveRun, Role as OperatorRole};
use server::action::Actor;
use server::action::archive::{Ask, Missing, Speed, begin, run_of, work_off};
use server::boot::{self, Role};
use server::system::System;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

pub const ARCHIVE: &str = "idempotent_record_archive";
/// Rows of a chunk, for everybody.
pub const CHUNK: u32 = 5_000;
const PT_ARCHIVER: f64 = 1.5;
const GIANT: f64 = 0.8;
const POLITE_ROWS: f64 = 5_000.0;
const POLITE_P99: f64 = 2.0;
const LAST_TENTH: f64 = 0.5;
/// How long consumers are watched without anything beside them.
const BASE: Duration = Duration::from_secs(5);

/// Rows of one round, and how long they took.
#[derive(Clone, Copy)]
struct Moved {
    rows: u64,
    took: Duration,
}

impl Moved {
    fn per_second(self) -> f64 {
        self.rows as f64 / self.took.as_secs_f64().max(1e-9)
    }
}

pub async fn measured(table: &Table, setting: &Setting) -> Vec<Line> {
    let mut rounds = Rounds { table, size: setting.moved, next: 0 };
    // The first round makes the archive and fills the caches.
    rounds.ours(Speed::Usual).await;
    let mut lines = Vec::new();
    match table.engine {
        Engine::Mariadb => {
            let (mut theirs, mut ours) = (Vec::new(), Vec::new());
            for _ in 0..setting.pairs {
                theirs.push(rounds.pt_archiver().await);
                ours.push(rounds.ours(Speed::Usual).await);
            }
            lines.push(compared(table, "pt-archiver in bulk", theirs, ours, PT_ARCHIVER));
        }
        Engine::Postgres => {
            let (mut theirs, mut ours) = (Vec::new(), Vec::new());
            for _ in 0..setting.pairs {
                theirs.push(rounds.giant().await);
                ours.push(rounds.ours(Speed::Usual).await);
            }
            lines.push(compared(table, "one giant statement", theirs, ours, GIANT));
        }
        Engine::Sqlite => {
            let (moved, _) = rounds.ours(Speed::Usual).await;
            let measured = format!("{:.0} rows/s", moved.per_second());
            lines.push(Line { of: table.engine.name(), what: "archive".into(), measured, promise: None });
        }
    }
    if table.engine != Engine::Sqlite {
        lines.extend(polite(&mut rounds, setting).await);
    }
    lines
}

/// Rows a second of theirs and ours, each with the consumers' P99 beside it.
fn compared(
    table: &Table,
    name: &str,
    theirs: Vec<(Moved, Duration)>,
    ours: Vec<(Moved, Duration)>,
    least: f64,
) -> Line {
    let middle = |rounds: Vec<(Moved, Duration)>| {
        let mut rates: Vec<f64> = rounds.iter().map(|(moved, _)| moved.per_second()).collect();
        rates.sort_unstable_by(f64::total_cmp);
        (rates[rates.len() / 2], median(rounds.into_iter().map(|(_, p99)| p99).collect()))
    };
    let ((theirs, their_p99), (ours, our_p99)) = (middle(theirs), middle(ours));
    let found = ours / theirs;
    Line::promised(
        table.engine.name(),
        format!("archive by chunks of {CHUNK} / {name}"),
        format!("{found:.2} × ({ours:.0} / {theirs:.0} rows/s; consumers' P99 {} / {})", ms(our_p99), ms(their_p99)),
        format!("≥ {least} ×"),
        found >= least,
    )
}

async fn polite(rounds: &mut Rounds<'_>, setting: &Setting) -> Vec<Line> {
    let (mut rates, mut with, mut without) = (Vec::new(), Vec::new(), Vec::new());
    for pair in 0..setting.pairs {
        let quiet = format!("base-{pair}");
        without.push(beside(rounds.table, &quiet, tokio::time::sleep(BASE)).await.1);
        let (moved, p99) = rounds.ours(Speed::Polite).await;
        rates.push(moved.per_second());
        with.push(p99);
    }
    rates.sort_unstable_by(f64::total_cmp);
    let (rate, with, without) = (rates[rates.len() / 2], median(with), median(without));
    let engine = rounds.table.engine.name();
    let found = ratio(with, without);
    vec![
        Line::promised(
            engine,
            "archive, polite",
            format!("{rate:.0} rows/s"),
            format!("≥ {POLITE_ROWS:.0} rows/s"),
            rate >= POLITE_ROWS,
        ),
        Line::promised(
            engine,
            "consumers' P99 beside the polite one / without",
            format!("{found:.2} × ({} / {})", ms(with), ms(without)),
            format!("≤ {POLITE_P99} ×"),
            found <= POLITE_P99,
        ),
    ]
}

/// One long run over a table that nothing vacuums: the dead tuples that it leaves behind must not slow it down.
pub async fn over_the_dead(table: &Table) -> Line {
    table.sql("ALTER TABLE idempotent_record SET (autovacuum_enabled = false)").await;
    let console = console(table, "10m").await;
    let run = ask(&console, Speed::Usual).await;
    let mut marks: Vec<(u64, Duration)> = Vec::new();
    let began = now();
    let watched = async {
        loop {
            tokio::time::sleep(Duration::from_millis(250)).await;
            let seen = console.state.archive_runs.run(&run.id).await.expect("the state answers").expect("it is there");
            let seen = run_of(&seen).expect("it is readable");
            marks.push((seen.moved, now() - began));
        }
    };
    let ended = beside(table, "dead", async {
        tokio::select! {
            ended = worked(&console, &run) => ended,
            () = watched => unreachable!("it is watched for ever"),
        }
    });
    let (ended, _) = ended.await;
    marks.push((ended.moved, now() - began));
    let at = |rows: u64| marks.iter().find(|(moved, _)| *moved >= rows).map_or(now() - began, |(_, at)| *at);
    let tenth = ended.moved / 10;
    let rate = |from: u64, to: u64| tenth as f64 / (at(to).saturating_sub(at(from))).as_secs_f64().max(1e-9);
    let (first, last) = (rate(0, tenth), rate(9 * tenth, ended.moved));
    Line::promised(
        table.engine.name(),
        format!("last tenth of {} rows that leave as many dead tuples / the first", ended.moved),
        format!("{:.2} × ({last:.0} / {first:.0} rows/s)", last / first),
        format!("≥ {LAST_TENTH} ×"),
        last / first >= LAST_TENTH,
    )
}

/// Stretches of the table, oldest first.
struct Rounds<'a> {
    table: &'a Table,
    size: u64,
    next: u64,
}

impl Rounds<'_> {
    /// The last row of the next stretch.
    fn stretch(&mut self) -> u64 {
        self.next += self.size;
        assert!(self.next <= self.table.rows, "ROWS is too small for PAIRS of MOVED rows: {} at least", self.next);
        self.next
    }

    async fn ours(&mut self, speed: Speed) -> (Moved, Duration) {
        let to = self.stretch();
        let console = console(self.table, &format!("{}s", self.table.age_s(to))).await;
        let run = ask(&console, speed).await;
        let name = format!("ours-{to}");
        let ((ended, took), p99) = beside(self.table, &name, timed(worked(&console, &run))).await;
        (Moved { rows: ended.moved, took }, p99)
    }

    async fn pt_archiver(&mut self) -> (Moved, Duration) {
        let to = self.stretch();
        let before = self.table.count(ARCHIVE).await;
        let ((), took, p99) = self.beside(to, pt_archiver::run(self.table, to)).await;
        (Moved { rows: self.table.count(ARCHIVE).await - before, took }, p99)
    }

    async fn giant(&mut self) -> (Moved, Duration) {
        let to = self.stretch();
        let before = self.table.count(ARCHIVE).await;
        let statement = format!(
            "WITH moved AS (DELETE FROM idempotent_record WHERE id <= {to} AND status = 2 RETURNING *)
             INSERT INTO {ARCHIVE} SELECT * FROM moved"
        );
        let ((), took, p99) = self.beside(to, self.table.sql(&statement)).await;
        (Moved { rows: self.table.count(ARCHIVE).await - before, took }, p99)
    }

    async fn beside<T>(&self, to: u64, work: impl Future<Output = T>) -> (T, Duration, Duration) {
        let ((done, took), p99) = beside(self.table, &format!("theirs-{to}"), timed(work)).await;
        (done, took, p99)
    }
}

/// One that archives what is older than `keep`.
async fn console(table: &Table, keep: &str) -> System {
    let more = format!(
        "[source.records.write]\nrelease = \"status\"\n\
         [source.archive]\ntable = \"{ARCHIVE}\"\nkeep = \"{keep}\"\nbatch = {CHUNK}\n"
    );
    boot::system(table.config("5s", &more), Role::Cli).await.expect("the console starts")
}

async fn ask(console: &System, speed: Speed) -> ArchiveRun {
    let ask = Ask {
        operation_id: uuid::Uuid::new_v4().to_string(),
        source: "bench".into(),
        speed,
        missing: Missing::Create,
        planned: None,
        until: None,
        actor: Actor { name: "ann".into(), role: OperatorRole::Operator, origin: "bench".into() },
        reason: "measured".into(),
    };
    begin(console, ask).await.expect("it is begun")
}

async fn worked(console: &System, run: &ArchiveRun) -> ArchiveRun {
    let never = CancellationToken::new();
    assert!(work_off(console, &run.id, "bench", &never, &|_| {}).await.expect("it runs"), "another run has the lease");
    let ended = console.state.archive_runs.run(&run.id).await.expect("the state answers").expect("it is there");
    let ended = run_of(&ended).expect("it is readable");
    assert_eq!((ended.state.as_str(), &ended.note), ("done", &None), "{ended:?}");
    ended
}
