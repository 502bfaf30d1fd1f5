//! The console that reads while consumers work: a process of its own, which gets what the machine has left. In a team's
//! house it lives on another machine; what is to be seen is what its statements cost the database.

use super::table::Table;
use app::model::RecordsPanel;
use server::boot;
use server::collect;
use server::config::{Environment, from_toml};
use server::system::System;
use std::io::{BufRead, BufReader, Lines, Write, stdin, stdout};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Holds the configuration of a process that is to collect.
const COLLECT: &str = "ONCEWATCH_BENCH_COLLECT";

pub struct Collector {
    process: Child,
    asks: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Collector {
    pub fn start(table: &Table) -> Self {
        let mut process = Command::new("chrt")
            .args(["--idle", "0"])
            .arg(std::env::current_exe().expect("this program"))
            .env(COLLECT, table.toml("1s"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("chrt of util-linux");
        let asks = process.stdin.take().expect("piped");
        let answers = BufReader::new(process.stdout.take().expect("piped")).lines();
        Self { process, asks, answers }
    }

    /// Returns when the first walk is over: what is measured is every day.
    pub fn on(&mut self) {
        self.ask("on");
    }

    pub fn off(&mut self) {
        self.ask("off");
    }

    fn ask(&mut self, what: &str) {
        writeln!(self.asks, "{what}").expect("it listens");
        let answer = self.answers.next().expect("it answers").expect("in words");
        assert_eq!(answer, what);
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.process.kill().and_then(|()| self.process.wait()).expect("it ends");
    }
}

/// The other side, when this process is the one that collects.
pub async fn serve() -> bool {
    #[expect(clippy::disallowed_methods, reason = "a bench's process is told by its environment what it is")]
    let Ok(toml) = std::env::var(COLLECT) else { return false };
    let config = from_toml(&toml, &Environment::default()).expect("it is a configuration");
    let system = Arc::new(boot::system(config, boot::Role::Server).await.expect("a system"));
    let (mut shutdown, mut tracker) = (CancellationToken::new(), None);
    for line in stdin().lines() {
        let line = line.expect("in words");
        if line == "on" {
            shutdown = CancellationToken::new();
            tracker = Some(collect::start(system.clone(), shutdown.clone()));
            walked(&system).await;
        } else if let Some(tracker) = tracker.take() {
            shutdown.cancel();
            tracker.wait().await;
        }
        writeln!(stdout(), "{line}").expect("somebody listens");
    }
    true
}

async fn walked(system: &System) {
    loop {
        let panel = system.board.panel::<RecordsPanel>("bench", "records").and_then(|panel| panel.body);
        let pass = panel.and_then(|body| body.pass);
        if pass.is_some_and(|pass| pass.complete_as_of.is_some()) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
