//! `records`: normalised records, newest first.

use super::which::Which;
use super::{Exit, Failure, Given, Io, need_sources, one_source, print_json, table};
use crate::boot;
use crate::ports::records::RecordStore;
use app::model::{Fault, Record, RecordsQuery, Search, Window, time};
use chrono::{DateTime, Utc};
use serde::Serialize;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// May be left out where only one is configured.
    #[arg(long)]
    source: Option<String>,
    #[command(flatten)]
    which: Which,
    /// Records to print.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    limit: u32,
    /// Where to go on: `next` of an earlier answer.
    #[arg(long)]
    cursor: Option<String>,
    #[arg(long)]
    json: bool,
}

/// What is printed: the shape of every list.
#[derive(Serialize)]
struct Answer {
    items: Vec<Record>,
    next: Option<String>,
    /// Said to people when the table has no index for the filter.
    #[serde(skip)]
    window: Window,
}

pub(super) async fn run(args: Args, given: &Given<'_>, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let config = given.config()?;
    need_sources(&config)?;
    let sources = boot::sources(&config, &boot::clock())?;
    let source = one_source(&sources, args.source.as_deref())?;
    let json = args.json;
    let answer = match args.which.search() {
        Ok(search) => newest(source.records.as_ref(), search, args).await,
        Err(fault) => Err(fault),
    }
    .map_err(Failure::of(source))?;
    if json {
        print_json(io.out, &answer)?;
    } else {
        print(&answer, io)?;
    }
    Ok(Exit::Done)
}

/// Rows of one page; the port's own limit.
const PAGE: u32 = 200;
/// Rows that one command examines where no index serves the filter; then it says how to go on.
const EXAMINED: u64 = 100_000;

async fn newest(store: &dyn RecordStore, search: Search, args: Args) -> Result<Answer, Fault> {
    let mut query = RecordsQuery { cursor: args.cursor, ..search.query(0) };
    let mut answer = Answer { items: Vec::new(), next: None, window: Window::All };
    let mut missing = args.limit;
    loop {
        query.limit = missing.min(PAGE);
        let page = store.list(&query).await?;
        missing = missing.saturating_sub(u32::try_from(page.items.len()).unwrap_or(u32::MAX));
        answer.items.extend(page.items.into_iter().map(|row| row.record));
        answer.window = examined_together(&answer.window, page.window);
        query.cursor.clone_from(&page.next);
        answer.next = page.next;
        let examined = if let Window::Examined { rows, .. } = answer.window { rows } else { 0 };
        if missing == 0 || answer.next.is_none() || examined >= EXAMINED {
            return Ok(answer);
        }
    }
}

fn examined_together(before: &Window, page: Window) -> Window {
    match (before, page) {
        (Window::Examined { rows: before, .. }, Window::Examined { rows, back_to }) => {
            Window::Examined { rows: before + rows, back_to }
        }
        (_, window) => window,
    }
}

fn print(answer: &Answer, io: &mut Io<'_>) -> Result<(), Failure> {
    let at = |at: Option<DateTime<Utc>>| at.map(time::text);
    let rows: Vec<_> = answer
        .items
        .iter()
        .map(|record| {
            [
                record.id.clone(),
                record.r#type.clone(),
                record.key.clone(),
                Some(record.status.as_str().to_owned()),
                at(record.created_at),
                at(record.updated_at),
                record.attempts.map(|attempts| attempts.to_string()),
                record.owner.clone(),
                record.error.clone(),
            ]
        })
        .collect();
    table::print(io.out, ["id", "type", "key", "status", "created", "updated", "attempts", "owner", "error"], &rows)?;
    if let Window::OnePage { rows } = &answer.window {
        writeln!(
            io.err,
            "Nothing tells the rows of this table apart: these are from {rows} rows, and there is no more to page to."
        )?;
    }
    if let (Some(next), Window::Examined { rows, back_to }) = (&answer.next, &answer.window) {
        let back_to = back_to.map(|at| format!(", back to {}", time::text(at))).unwrap_or_default();
        writeln!(
            io.err,
            "No index serves this filter: {rows} rows were examined{back_to}. Go on with --cursor {next}"
        )?;
    } else if let Some(next) = &answer.next {
        writeln!(io.err, "There is more: --cursor {next}")?;
    }
    Ok(())
}
