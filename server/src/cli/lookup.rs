//! `lookup`: one key in three layers, and the verdict.

use super::table::plain;
use super::{Exit, Failure, Given, Io, need_sources, one_source, print_json};
use crate::boot::{self, Role};
use crate::reads::LiveReads;
use crate::system::{SourceSystem, System};
use app::model::{
    BrokerFacet, BrokerView, Lang, Layer, Lock, Lookup, MessageState, Operation, OperationName, Record, TraceEntry,
    Verdict, VerdictCode, time,
};
use app::reads::Reads;
use app::words;
use chrono::{DateTime, Utc};
use futures::future::try_join_all;
use serde::Serialize;
use std::io::{self, Write};
use std::sync::Arc;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    r#type: String,
    key: String,
    /// Without it every source is asked.
    #[arg(long)]
    source: Option<String>,
    #[arg(long)]
    json: bool,
}

/// The page's answer, its records in the shape that `records --json` prints.
#[derive(Serialize)]
struct Answer<'a> {
    r#type: &'a Option<String>,
    key: &'a str,
    records: Vec<&'a Record>,
    lock: &'a Option<Lock>,
    broker: &'a Option<BrokerFacet>,
    trace: &'a [TraceEntry],
    verdict: &'a Option<Verdict>,
    unseen: &'a [Layer],
    operations: &'a [Operation],
}

impl<'a> Answer<'a> {
    fn of(lookup: &'a Lookup) -> Self {
        Self {
            r#type: &lookup.r#type,
            key: &lookup.key,
            records: lookup.records.iter().map(|row| &row.record).collect(),
            lock: &lookup.lock,
            broker: &lookup.broker,
            trace: &lookup.trace,
            verdict: &lookup.verdict,
            unseen: &lookup.unseen,
            operations: &lookup.operations,
        }
    }
}

/// When several sources know the key.
#[derive(Serialize)]
struct Several<'a> {
    items: Vec<Answer<'a>>,
    next: Option<String>,
}

/// What one source said. The order is that of worth.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Worth {
    Found,
    /// Its database could not be asked.
    NotSeen,
    UnknownKey,
}

fn worth(lookup: &Lookup) -> Worth {
    match &lookup.verdict {
        None => Worth::NotSeen,
        Some(verdict) if verdict.code == VerdictCode::UnknownKey => Worth::UnknownKey,
        Some(_) => Worth::Found,
    }
}

pub(super) async fn run(args: Args, given: &Given<'_>, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let config = given.config()?;
    need_sources(&config)?;
    let system = Arc::new(boot::system(config, Role::Reader).await?);
    let reads = LiveReads::new(system.clone());
    let asked: Vec<&SourceSystem> = match &args.source {
        Some(name) => vec![one_source(&system.sources, Some(name))?],
        None => system.sources.iter().collect(),
    };
    let ask = |source: &&SourceSystem| {
        let (reads, args, name) = (&reads, &args, source.config.name.clone());
        async move { anyhow::Ok((reads.lookup(&name, Some(&args.r#type), &args.key).await?, name)) }
    };
    let mut answers = try_join_all(asked.iter().map(ask)).await?;
    // A key that one source knows is no riddle because others do not know it; where none does, the first one answers.
    let best = answers.iter().map(|(lookup, _)| worth(lookup)).min().unwrap_or(Worth::UnknownKey);
    let away: Vec<String> = (answers.iter())
        .filter(|(lookup, _)| best == Worth::Found && worth(lookup) == Worth::NotSeen)
        .map(|(_, name)| name.clone())
        .collect();
    answers.retain(|(lookup, _)| worth(lookup) == best);
    if best != Worth::Found {
        answers.truncate(1);
    }
    print(&answers, args.json, &system, io)?;
    // What they know of the key is not known.
    for name in away {
        writeln!(io.err, "warning: {name}: {}; \"oncewatch check\" says more", why_not_seen(&system, &name).await)?;
    }
    if best == Worth::NotSeen {
        let name = &answers[0].1;
        writeln!(io.err, "error: {name}: {}; \"oncewatch check\" says more", why_not_seen(&system, name).await)?;
    }
    Ok(if best == Worth::Found { Exit::Done } else { Exit::No })
}

/// The look-up itself does not tell why its records are missing; asking again does.
async fn why_not_seen(system: &System, name: &str) -> String {
    let Some(source) = system.source(name) else { return String::new() };
    match source.records.describe().await {
        Ok(_) => "the database did not answer in time".to_owned(),
        Err(fault) => words::fault(Lang::En, &fault),
    }
}

fn print(answers: &[(Lookup, String)], json: bool, system: &System, io: &mut Io<'_>) -> Result<(), Failure> {
    match answers {
        [(one, _)] if json => print_json(io.out, &Answer::of(one)),
        several if json => {
            let items = several.iter().map(|(lookup, _)| Answer::of(lookup)).collect();
            print_json(io.out, &Several { items, next: None })
        }
        answers => {
            let now = system.clock.now();
            for (at, (lookup, name)) in answers.iter().enumerate() {
                if at > 0 {
                    writeln!(io.out)?;
                }
                for_people(lookup, name, now, io.out)?;
            }
            Ok(())
        }
    }
}

fn for_people(lookup: &Lookup, source: &str, now: DateTime<Utc>, out: &mut dyn Write) -> io::Result<()> {
    let r#type = lookup.r#type.as_deref().unwrap_or("no type");
    writeln!(out, "{source}: {} {}", plain(r#type), plain(&lookup.key))?;
    match &lookup.verdict {
        Some(verdict) => {
            writeln!(out, "{}", words::verdict_title(Lang::En, verdict))?;
            writeln!(out, "{}", words::verdict_text(Lang::En, verdict))?;
        }
        None => writeln!(out, "No verdict: the database could not be asked")?,
    }
    for row in &lookup.records {
        line(out, "record", &record(&row.record))?;
    }
    if let Some(lock) = &lookup.lock {
        line(out, "lock", &format!("{}, {}", words::lock_state(Lang::En, lock.state), lock.key))?;
    }
    if let Some(broker) = &lookup.broker {
        line(out, "broker", &queues(broker))?;
    }
    for fact in lookup.verdict.iter().flat_map(|verdict| &verdict.evidence) {
        line(out, "because", &words::evidence(Lang::En, fact, now))?;
    }
    for unseen in &lookup.unseen {
        line(out, "unseen", words::layer(Lang::En, *unseen))?;
    }
    for operation in &lookup.operations {
        let name = match operation.name {
            OperationName::ReleaseLock => "release-lock",
            OperationName::Retry => "retry",
            OperationName::MarkFailed => "mark-failed",
            OperationName::MarkDead => "mark-dead",
        };
        match &operation.why {
            None => line(out, "may", name)?,
            Some(why) => line(out, "may not", &format!("{name}: {}", words::why_not(Lang::En, why)))?,
        }
    }
    Ok(())
}

fn record(record: &Record) -> String {
    let mut text = record.status.as_str().to_owned();
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            text.push_str(&format!(", {name} {value}"));
        }
    };
    add("id", record.id.clone());
    add("created", record.created_at.map(time::text));
    add("updated", record.updated_at.map(time::text));
    add("attempts", record.attempts.map(|attempts| attempts.to_string()));
    add("owner", record.owner.clone());
    add("lease until", record.lease_until.map(time::text));
    add("error", record.error.clone());
    text
}

fn queues(broker: &BrokerFacet) -> String {
    let number = |number: Option<u64>| number.map_or("unknown".to_owned(), |number| number.to_string());
    match broker.view {
        BrokerView::NotSeen if broker.ready.is_some() || broker.unacked.is_some() => {
            let (ready, unacked, dead) = (number(broker.ready), number(broker.unacked), number(broker.dead));
            format!("not found among ready {ready}, unacked {unacked}, dead letter {dead}")
        }
        BrokerView::NotSeen => "not seen".to_owned(),
        BrokerView::Message => {
            format!(
                "message {}, deliveries {}",
                broker.state.map_or("unknown", MessageState::as_str),
                number(broker.deliveries)
            )
        }
        BrokerView::Queue => format!(
            "queues: ready {}, unacked {}, dead letter {}",
            number(broker.ready),
            number(broker.unacked),
            number(broker.dead)
        ),
    }
}

fn line(out: &mut dyn Write, label: &str, text: &str) -> io::Result<()> {
    writeln!(out, "  {label:<8} {}", plain(text))
}
