//! What seeing costs: `./dev bench see`, with `KEYS=3000000` for the record; `PARTS=keys,pages,memory,stale,tab` chooses.
//!
//! The console is a real process of a release build, the stores are real, and all of it, with what asks and counts, shares
//! one machine: on two processors the asking takes its part of what the console may have.

#[path = "../support/asked.rs"]
mod asked;
mod console;
mod keyspace;
#[path = "../support/measure.rs"]
mod measure;
mod pages;
#[path = "../support/report.rs"]
mod report;
mod setting;
mod stale;
mod streams;
mod tab;
mod team;

use console::Console;
use report::{Line, Report, ms};
use setting::Setting;
use std::process::ExitCode;
use std::time::Duration;
use streams::Streams;
use team::{Engine, Team};

const P99: Duration = Duration::from_millis(50);
const MEMORY: f64 = 150e6;
const WARM_UP_SECONDS: u64 = 5;
/// How long streams are followed while memory is looked at: some collections of each source.
const FOLLOWED: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    // One thread asks: no other is to be woken up for an answer, and the console has the other processor.
    let here = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    here.block_on(run(&Setting::from_environment()))
}

async fn run(setting: &Setting) -> ExitCode {
    let mut report = Report::new("where", &setting.size());
    let mut add = |lines: Vec<Line>| lines.iter().for_each(|line| report.add(line));
    if setting.wants("keys") {
        add(keyspace::measured(setting).await);
    }
    if ["pages", "memory", "stale"].iter().any(|part| setting.wants(part)) {
        let redis = lab::services::redis::start().await.expect("Redis starts");
        let each = setting.open / 5;
        let one = async |name, engine| Team::new(name, engine, each, &redis).await.at_work(1).await;
        let teams = [
            one("points", Engine::Mariadb).await,
            one("coupons", Engine::Mariadb).await.at_a_distance(&redis).await,
            one("orders", Engine::Postgres).await,
            one("refunds", Engine::Postgres).await,
            one("mails", Engine::Sqlite).await,
        ];
        let far = &teams[1];
        let sources: String = teams.iter().map(Team::toml).collect();
        let console = Console::start("5s", &sources).await;
        settled(&console, &teams, each).await;
        if setting.wants("pages") {
            add(pages(&console, &teams, far, setting).await);
        }
        if setting.wants("memory") {
            add(vec![memory(&console, &teams, setting).await]);
        }
        if setting.wants("stale") {
            add(stale::measured(&console, far).await);
        }
    }
    if setting.wants("tab") {
        add(tab::measured(setting).await);
    }
    report.verdict()
}

/// Until every open record is counted and every lock was searched for once.
async fn settled(console: &Console, teams: &[Team], open: u64) {
    for team in teams {
        let counted = |overview: &app::model::Overview| {
            let records = overview.records.body.as_ref();
            let counts = records.map(|body| [body.processing, body.failed]);
            let sum: Option<u64> =
                counts.and_then(|counts| counts.iter().map(|count| Some(count.as_ref()?.value)).sum());
            let scan = overview.locks.as_ref().and_then(|panel| panel.body.as_ref()?.scan.as_ref());
            sum == Some(open) && scan.is_some_and(|scan| scan.complete_as_of.is_some())
        };
        let path = format!("/api/sources/{}/overview", team.name);
        console.until("a source whose open records are all counted", &path, counted).await;
    }
}

async fn pages(console: &Console, teams: &[Team], far: &Team, setting: &Setting) -> Vec<Line> {
    far.hang();
    let mut lines = Vec::new();
    for (name, path) in [("Overview", "overview"), ("Locks", "locks")] {
        let paths: Vec<String> = teams.iter().map(|team| format!("/s/{}/{path}", team.name)).collect();
        pages::load(console, &paths, setting.rate, WARM_UP_SECONDS).await;
        let load = pages::load(console, &paths, setting.rate, setting.seconds).await;
        let rate = f64::from(setting.rate);
        let (p99, p50) = (ms(load.percent(99)), ms(load.percent(50)));
        let measured = format!("{:.0}/s, P99 {p99}, P50 {p50}", load.per_second());
        lines.push(Line::promised(
            "page",
            format!("{name} of 5 sources, one of them hanging, asked for {rate} times a second"),
            measured,
            format!("{rate}/s, P99 ≤ {}", ms(P99)),
            load.per_second() >= rate * 0.99 && load.percent(99) <= P99,
        ));
        lines.push(Line::figure("page", format!("{name}, work of the console for each"), load.work_of_each()));
        let most = pages::most(console, &paths, 16, Duration::from_secs(WARM_UP_SECONDS)).await;
        lines.push(Line {
            of: "page",
            what: format!("{name}, as many as 16 at a time get"),
            measured: format!("{most:.0}/s"),
            promise: None,
        });
    }
    far.restore().await;
    lines
}

async fn memory(console: &Console, teams: &[Team], setting: &Setting) -> Line {
    let sources: Vec<&str> = teams.iter().map(|team| team.name).collect();
    let mut streams = Streams::open(console, &sources, setting.streams).await;
    tokio::time::sleep(FOLLOWED).await;
    let told = streams.told();
    assert!(told >= setting.streams as u64, "{told} events only");
    let (now, most) = console.memory();
    let mb = |bytes: u64| bytes as f64 / 1e6;
    Line::promised(
        "process",
        format!(
            "memory with 5 sources, {} open records and {} event streams ({told} events)",
            setting.open, setting.streams
        ),
        format!("{:.0} MB, at most {:.0} MB since its start", mb(now), mb(most)),
        format!("< {:.0} MB", MEMORY / 1e6),
        (most as f64) < MEMORY,
    )
}
