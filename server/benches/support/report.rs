//! Lines of a Markdown table, each with what it must not exceed.

use super::measure::Setting;
use std::process::ExitCode;
use std::time::Duration;

pub struct Line {
    pub engine: &'static str,
    pub what: String,
    pub measured: String,
    /// What is promised, and whether it was kept; `None`: a figure to compare with.
    pub promise: Option<(String, bool)>,
}

impl Line {
    pub fn at_most(engine: &'static str, what: impl Into<String>, found: Duration, most: Duration) -> Self {
        let promise = Some((format!("≤ {}", ms(most)), found <= most));
        Self { engine, what: what.into(), measured: ms(found), promise }
    }

    pub fn ratio(engine: &'static str, what: impl Into<String>, measured: String, found: f64, most: f64) -> Self {
        let promise = Some((format!("≤ {most:.3}"), found <= most));
        Self { engine, what: what.into(), measured, promise }
    }

    pub fn figure(engine: &'static str, what: impl Into<String>, found: Duration) -> Self {
        Self { engine, what: what.into(), measured: ms(found), promise: None }
    }
}

pub fn ms(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1_000.0;
    if ms >= 100.0 { format!("{ms:.0} ms") } else { format!("{ms:.2} ms") }
}

/// Printed line by line, because a run is long.
pub struct Report {
    broken: Vec<String>,
}

impl Report {
    pub fn new(setting: &Setting) -> Self {
        say(&format!("{} rows\n", setting.rows));
        say("| engine | what | measured | promised | |\n| --- | --- | ---: | ---: | --- |");
        Self { broken: Vec::new() }
    }

    pub fn add(&mut self, line: &Line) {
        let (promise, kept) = match &line.promise {
            Some((promise, true)) => (promise.as_str(), "kept"),
            Some((promise, false)) => (promise.as_str(), "**broken**"),
            None => ("", ""),
        };
        say(&format!("| {} | {} | {} | {promise} | {kept} |", line.engine, line.what, line.measured));
        if kept == "**broken**" {
            self.broken.push(format!("{}: {}", line.engine, line.what));
        }
    }

    pub fn verdict(self) -> ExitCode {
        if self.broken.is_empty() {
            return ExitCode::SUCCESS;
        }
        say(&format!("\nbroken: {}", self.broken.join("; ")));
        ExitCode::FAILURE
    }
}

#[expect(clippy::print_stdout, reason = "the report is what a bench is for")]
fn say(line: &str) {
    println!("{line}");
}
