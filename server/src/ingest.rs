//! What consumers send by HTTP, line by line: read and checked as a whole, so that nothing of a bad request is taken.

use crate::config::Signals;
use crate::ports::signals::{CAUSES, OTHER, TYPE_LENGTH, TYPES, TypeMinute};
use crate::ports::state::{Ingest, Reported, Traced};
use crate::system::System;
use app::model::{Signal, SignalsPanel, TraceEntry};
use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// Of one request.
const LINES: usize = 10_000;
/// Minutes are kept for eight days.
const OLDEST: TimeDelta = TimeDelta::days(7);
/// Clocks differ.
const NEWEST: TimeDelta = TimeDelta::minutes(5);
/// Of one line.
const MOST: u64 = 1_000_000_000;

/// A count, or, with a `key`, what happened to one message.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    source: String,
    r#type: Option<String>,
    signal: Option<String>,
    n: Option<u64>,
    at: Option<DateTime<Utc>>,
    from: Option<String>,
    cause: Option<String>,
    ms: Option<u64>,
    key: Option<String>,
    worker: Option<String>,
    delivery: Option<serde_json::Value>,
    lock: Option<String>,
    record: Option<String>,
    outcome: Option<String>,
}

/// Which line, from 1, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub line: usize,
    pub why: String,
}

/// What was read: how many lines, and what is to be stored.
#[derive(Debug)]
pub struct Taken {
    pub lines: usize,
    pub ingest: Ingest,
}

type Minutes = BTreeMap<(String, DateTime<Utc>, String), (TypeMinute, BTreeSet<String>)>;

struct Reader<'a> {
    system: &'a System,
    /// The only source that the caller may speak of.
    only: Option<&'a str>,
    now: DateTime<Utc>,
    minutes: Minutes,
    traces: Vec<Traced>,
}

/// Reads newline-delimited JSON.
pub fn read(system: &System, only: Option<&str>, body: &str) -> Result<Taken, Refused> {
    let now = system.clock.now();
    let mut reader = Reader { system, only, now, minutes: Minutes::new(), traces: Vec::new() };
    let mut lines = 0;
    for (at, line) in (1..).zip(body.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let refused = |why: String| Refused { line: at, why };
        lines += 1;
        if lines > LINES {
            return Err(refused(format!("one request takes at most {LINES} lines")));
        }
        let line: Line = serde_json::from_str(line).map_err(|error| refused(error.to_string()))?;
        reader.take(line).map_err(refused)?;
    }
    let mut reports: BTreeMap<String, Vec<Reported>> = BTreeMap::new();
    for ((source, at, r#type), (minute, alive)) in reader.minutes {
        reports.entry(source).or_default().push(Reported { at, r#type, minute, alive });
    }
    Ok(Taken { lines, ingest: Ingest { once: None, reports, traces: reader.traces } })
}

impl Reader<'_> {
    fn take(&mut self, line: Line) -> Result<(), String> {
        self.may_speak_of(&line.source)?;
        let at = line.at.unwrap_or(self.now);
        if at < self.now - OLDEST || at > self.now + NEWEST {
            return Err(format!("at is {at}; from seven days ago to five minutes ahead is taken"));
        }
        match line.key {
            Some(_) => self.take_trace(line, at),
            None => self.take_signal(&line, at),
        }
    }

    fn may_speak_of(&self, name: &str) -> Result<(), String> {
        if self.only.is_some_and(|only| only != name) {
            return Err(format!("the token is not for source {name:?}"));
        }
        let source = self.system.source(name).ok_or_else(|| format!("there is no source {name:?}"))?;
        match source.config.signals {
            Some(Signals::Http) => Ok(()),
            _ => Err(format!("source {name:?} has no [source.signals] with kind = \"http\"")),
        }
    }

    fn take_signal(&mut self, line: &Line, at: DateTime<Utc>) -> Result<(), String> {
        let needed = "a line needs a signal, or the key of a message";
        let name = line.signal.as_deref().ok_or(needed)?;
        if line.worker.is_some() || line.outcome.is_some() || line.lock.is_some() || line.record.is_some() {
            return Err("worker, delivery, lock, record and outcome belong to a line with a key".into());
        }
        let at = at.duration_trunc(TimeDelta::minutes(1)).map_err(|error| error.to_string())?;
        let row = |r#type: String| (line.source.clone(), at, r#type);
        if name == "alive" {
            let instance = line.from.clone().ok_or("alive needs from: the instance's name")?;
            self.minutes.entry(row(String::new())).or_default().1.insert(instance);
            return Ok(());
        }
        let signal = Signal::named(name).ok_or_else(|| {
            let known = Signal::ALL.map(Signal::as_str).join(", ");
            format!("signal is {name:?}; accepted: {known}, alive")
        })?;
        let n = line.n.unwrap_or(1);
        if n > MOST {
            return Err(format!("n is {n}; at most {MOST} is taken"));
        }
        let duplicate = matches!(signal, Signal::DupStatus | Signal::DupLock | Signal::DupIndex | Signal::DupGuard);
        if !duplicate && (line.from.is_some() || line.cause.is_some()) {
            return Err(format!("from and cause say where duplicates come from, and {name} is none"));
        }
        if let Some(cause) = line.cause.as_deref().filter(|cause| !CAUSES.contains(cause)) {
            return Err(format!("cause is {cause:?}; accepted: {}", CAUSES.join(", ")));
        }
        let mut minute = TypeMinute::default();
        *minute.counts.of(signal) = n;
        if let Some(ms) = line.ms {
            minute.handling.add_ms(ms, n);
        }
        minute.origins.from.extend(line.from.clone().map(|from| (from, n)));
        minute.origins.causes.extend(line.cause.clone().map(|cause| (cause, n)));
        self.minutes.entry(row(String::new())).or_default().0.add(&minute);
        let r#type = self.named(&line.source, line.r#type.as_deref().unwrap_or_default());
        if !r#type.is_empty() {
            self.minutes.entry(row(r#type)).or_default().0.add(&minute);
        }
        Ok(())
    }

    /// Beyond the types that are known there is one more.
    fn named(&self, source: &str, r#type: &str) -> String {
        let panel = self.system.board.panel::<SignalsPanel>(source, "signals").and_then(|panel| panel.body);
        let known = |body: &SignalsPanel| body.types.iter().any(|of| of.r#type == r#type);
        let full = panel.is_some_and(|body| body.types.len() >= TYPES && !known(&body));
        if full || r#type.len() > TYPE_LENGTH { OTHER.to_owned() } else { r#type.to_owned() }
    }

    fn take_trace(&mut self, line: Line, at: DateTime<Utc>) -> Result<(), String> {
        if line.signal.is_some() || line.n.is_some() || line.ms.is_some() {
            return Err("signal, n and ms belong to a line without a key".into());
        }
        let (Some(key), Some(outcome)) = (line.key, line.outcome) else {
            return Err("what happened to a message needs an outcome".into());
        };
        let delivery = line.delivery.map(|delivery| match delivery {
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        });
        let entry = TraceEntry {
            at: Some(at),
            worker: line.worker,
            delivery,
            lock: line.lock,
            record: line.record,
            outcome: Some(outcome),
        };
        let r#type = line.r#type.unwrap_or_default();
        if r#type.len() > TYPE_LENGTH {
            return Err(format!("type is longer than {TYPE_LENGTH} bytes"));
        }
        self.traces.push(Traced { source: line.source, r#type, key, at, entry });
        Ok(())
    }
}
