//! `init`: a configuration to begin with; with `--url` one for a table that is there, proven by reading it.

use super::{Exit, Failure, Given, Io, print_json, table, to_the_second};
use crate::boot;
use crate::config::{Config, Environment, from_toml, without_password};
use crate::proposal::{Asked, Candidate, Draft, Proposal, Refusal, propose};
use app::model::{Record, RecordsQuery};
use serde::Serialize;
use std::io::Write;

const STARTER: &str = include_str!("../proposal/starter.toml");
/// What the proposal calls the database.
const VARIABLE: &str = "ONCEWATCH_DB_URL";
/// Rows of the preview.
const PREVIEW: u32 = 5;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The database with the table: mysql://, mariadb://, postgres:// or sqlite://; ${VAR} is expanded. Without it, a
    /// commented configuration to fill in is printed.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The table; else the one whose columns look most like it.
    #[arg(long, value_name = "TABLE", requires = "url")]
    table: Option<String>,
    #[arg(long, requires = "url")]
    json: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    table: &'a str,
    preset: Option<&'a str>,
    score: i32,
    reasons: &'a [String],
    /// What a person has to say.
    undecided: &'a [String],
    /// Rows of the sample.
    rows: usize,
    /// Tables that look alike, the next best first.
    others: &'a [Candidate],
    toml: &'a str,
    preview: &'a [Record],
}

pub(super) async fn run(args: Args, given: &Given<'_>, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let Some(url) = &args.url else {
        write!(io.out, "{STARTER}")?;
        return Ok(Exit::Done);
    };
    let config = probe(url, given.environment)?;
    let url = config.sources[0].records.url.expose().to_owned();
    let clock = boot::clock();
    let survey = boot::survey(&config, &clock)?;
    let address = without_password(&url);
    let asked = Asked { table: args.table.as_deref(), address: &address, variable: VARIABLE };
    let proposal = propose(survey.as_ref(), &asked).await.map_err(|refusal| failure(refusal, &address))?;
    let environment: Environment = [(VARIABLE.to_owned(), url)].into_iter().collect();
    let (draft, preview) = first_that_loads(&proposal, &environment).await?;
    if args.json {
        print_json(io.out, &answer(&proposal, draft, &preview))?;
    } else {
        print(&proposal, draft, &preview, io)?;
    }
    if proposal.rows > 0 {
        return Ok(Exit::Done);
    }
    let empty = format!("{} is empty, so its values could not be looked at", proposal.best.table);
    if draft.undecided.is_empty() {
        writeln!(io.err, "{empty}")?;
        return Ok(Exit::Done);
    }
    Err(Failure::Failed(format!("{empty}; what is undecided stands in the proposal")))
}

/// A configuration of nothing but this URL, which is checked and expanded on the way.
fn probe(url: &str, environment: &Environment) -> Result<Config, Failure> {
    let url = toml::Value::from(url);
    let text = format!(
        "[[source]]\nname = 'init'\n[source.records]\nurl = {url}\ntable = 'any'\nkey = ['any']\nstatus = {{ exists = 'completed' }}\n"
    );
    from_toml(&text, environment).map_err(|error| {
        let said = error.to_string().replace("source[0].records.url: ", "");
        Failure::Usage(format!("--url: {said}"))
    })
}

fn failure(refusal: Refusal, address: &str) -> Failure {
    match refusal {
        Refusal::NoSuchTable { .. } => Failure::Usage(format!("--table: {refusal}")),
        Refusal::Fault(fault) => Failure::from(fault),
        refusal => Failure::Failed(format!("{address}: {refusal}")),
    }
}

/// What is printed was loaded, and has read the rows of the preview.
async fn first_that_loads<'a>(
    proposal: &'a Proposal,
    environment: &Environment,
) -> Result<(&'a Draft, Vec<Record>), Failure> {
    let mut last = None;
    for draft in &proposal.drafts {
        match preview(draft, environment).await {
            Ok(preview) => return Ok((draft, preview)),
            Err(failure) => last = Some(failure),
        }
    }
    Err(last.unwrap_or_else(|| Failure::Failed("there is nothing to propose".to_owned())))
}

async fn preview(draft: &Draft, environment: &Environment) -> Result<Vec<Record>, Failure> {
    let config = from_toml(&draft.toml, environment)?;
    let sources = boot::sources(&config, &boot::clock())?;
    let store = &sources[0].records;
    store.describe().await?;
    let page = store.list(&RecordsQuery { limit: PREVIEW, ..RecordsQuery::default() }).await?;
    Ok(page.items.into_iter().map(|row| row.record).collect())
}

fn answer<'a>(proposal: &'a Proposal, draft: &'a Draft, preview: &'a [Record]) -> Answer<'a> {
    Answer {
        table: &proposal.best.table,
        preset: draft.preset.as_deref(),
        score: proposal.best.score,
        reasons: &proposal.best.reasons,
        undecided: &draft.undecided,
        rows: proposal.rows,
        others: &proposal.others,
        toml: &draft.toml,
        preview,
    }
}

/// The TOML is all that goes to standard output, so that it can be sent to a file; the rest is a comment in it.
fn print(proposal: &Proposal, draft: &Draft, preview: &[Record], io: &mut Io<'_>) -> Result<(), Failure> {
    write!(io.out, "{}", draft.toml)?;
    let mut said = Vec::new();
    writeln!(said, "\nTaken because it has {}.", proposal.best.reasons.join("; "))?;
    for other in &proposal.others {
        let (name, score) = (&other.table, other.score);
        writeln!(
            said,
            "Looks alike: {name} ({score} points against {}), with {}.",
            proposal.best.score,
            other.reasons.join("; ")
        )?;
    }
    if draft.undecided.is_empty() {
        writeln!(said, "Nothing was left undecided.")?;
    }
    if !preview.is_empty() {
        writeln!(said, "\nSome of its rows, read by this mapping:")?;
        let rows: Vec<_> = preview.iter().map(row).collect();
        let heads = ["id", "type", "key", "status", "created", "updated", "attempts", "owner", "error"];
        table::print(&mut said, heads, &rows)?;
    }
    writeln!(said, "\nSet {VARIABLE}, save this as oncewatch.toml, then: oncewatch check")?;
    for line in String::from_utf8_lossy(&said).lines() {
        writeln!(io.out, "{}", format!("# {}", table::plain(line)).trim_end())?;
    }
    Ok(())
}

fn row(record: &Record) -> [Option<String>; 9] {
    [
        record.id.clone(),
        record.r#type.clone(),
        record.key.clone(),
        Some(record.status.as_str().to_owned()),
        record.created_at.map(to_the_second),
        record.updated_at.map(to_the_second),
        record.attempts.map(|attempts| attempts.to_string()),
        record.owner.clone(),
        record.error.clone(),
    ]
}

#[cfg(test)]
mod tests {
    use super::STARTER;
    use crate::config::{Environment, from_toml};

    #[test]
    fn the_starter_loads_as_it_is_and_with_everything_that_it_offers() {
        let environment: Environment =
            [("POINTS_DB_URL", "mysql://console@db/points"), ("MQ_PW", "x")].into_iter().collect();
        from_toml(STARTER, &environment).unwrap();
        // A line of settings that is commented out begins so; prose does not.
        let offered = |line: &str| line.starts_with('[') || line.split(' ').nth(1) == Some("=");
        let uncomment = |line: &str| match line.strip_prefix("# ") {
            Some(rest) if offered(rest) => rest.to_owned(),
            _ => line.to_owned(),
        };
        let all: String = STARTER.lines().map(|line| uncomment(line) + "\n").collect();
        let config = from_toml(&all, &environment).unwrap();
        assert!(config.sources[0].locks.is_some() && config.sources[0].records.attempts.is_some());
    }
}
