//! Lines of a Markdown table, each with what it must not exceed.

use std::process::ExitCode;
use std::time::Duration;

pub struct Line {
    /// What it is about: the head of this column says as what.
    pub of: &'static str,
    pub what: String,
    pub measured: String,
    /// What is promised, and whether it was kept; `None`: a figure to compare with.
    pub promise: Option<(String, bool)>,
}

impl Line {
    pub fn at_most(of: &'static str, what: impl Into<String>, found: Duration, most: Duration) -> Self {
        Self::promised(of, what, ms(found), format!("≤ {}", ms(most)), found <= most)
    }

    pub fn ratio(of: &'static str, what: impl Into<String>, measured: String, found: f64, most: f64) -> Self {
        Self::promised(of, what, measured, format!("≤ {most:.3}"), found <= most)
    }

    pub fn promised(
        of: &'static str,
        what: impl Into<String>,
        measured: String,
        promise: impl Into<String>,
        kept: bool,
    ) -> Self {
        Self { of, what: what.into(), measured, promise: Some((promise.into(), kept)) }
    }

    pub fn figure(of: &'static str, what: impl Into<String>, found: Duration) -> Self {
        Self { of, what: what.into(), measured: ms(found), promise: None }
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
    /// `of`: the head of the first column; `size`: how large the run is.
    pub fn new(of: &str, size: &str) -> Self {
        say(&format!("{size}\n"));
        say(&format!("| {of} | what | measured | promised | |\n| --- | --- | ---: | ---: | --- |"));
        Self { broken: Vec::new() }
    }

    pub fn add(&mut self, line: &Line) {
        let (promise, kept) = match &line.promise {
            Some((promise, true)) => (promise.as_str(), "kept"),
            Some((promise, false)) => (promise.as_str(), "**broken**"),
            None => ("", ""),
        };
        say(&format!("| {} | {} | {} | {promise} | {kept} |", line.of, line.what, line.measured));
        if kept == "**broken**" {
            self.broken.push(format!("{}: {}", line.of, line.what));
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
