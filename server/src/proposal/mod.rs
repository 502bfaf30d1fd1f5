//! `init --url`: which table of a database a team consumes with, and the mapping for it.
//!
//! [`rank`] finds the table by its columns ([`roles`], [`keys`], [`status`]) and unique indexes; a bounded sample of its
//! newest rows then says what only values can: codes ([`codes`]), units and zones of times ([`times`]). What cannot be
//! known is left to a person, in a comment with what was seen, and the mapping loads all the same.

mod codes;
mod draft;
mod keys;
mod names;
mod presets;
mod rank;
mod roles;
mod status;
mod text;
mod times;

pub use draft::Draft;

use crate::config::TableName;
use crate::ports::survey::{Survey, TableSketch};
use app::model::Fault;
use draft::{Sampled, own, with_preset};
use rank::{Ranked, rank};

/// Tables whose indexes are looked at.
const LOOKED_AT: usize = 12;
/// Tables that are named besides the best.
const OTHERS: usize = 3;
/// Rows of the sample.
const ROWS: u32 = 200;

/// What is asked for.
pub struct Asked<'a> {
    /// `--table`; `None`: the best one.
    pub table: Option<&'a str>,
    /// The database's address without its password, for comments.
    pub address: &'a str,
    /// The variable that holds the URL.
    pub variable: &'a str,
}

/// A table that looked alike.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Candidate {
    pub table: String,
    pub score: i32,
    pub reasons: Vec<String>,
}

#[derive(Debug)]
pub struct Proposal {
    pub best: Candidate,
    /// The next best, in order.
    pub others: Vec<Candidate>,
    /// Rows of the sample.
    pub rows: usize,
    /// The first that loads is it.
    pub drafts: Vec<Draft>,
}

/// Why there is none.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("the database has no table that this account may see")]
    NoTables,
    #[error("there is no table {table}; there are: {there}")]
    NoSuchTable { table: String, there: String },
    #[error(
        "no column of {table} looks like a business key; its columns are {columns}; write the mapping by hand, with key = [\"…\"]"
    )]
    NoKey { table: String, columns: String },
    #[error("none of {tables} tables looks like one that messages are consumed with{nearest}; --table names one")]
    NothingFits { tables: usize, nearest: String },
    #[error(transparent)]
    Fault(#[from] Fault),
}

pub async fn propose(survey: &dyn Survey, asked: &Asked<'_>) -> Result<Proposal, Refusal> {
    let tables = survey.tables().await?;
    let mut ranked = match asked.table {
        Some(name) => vec![named(survey, tables, name).await?],
        None => likely(survey, tables).await?,
    };
    let best = ranked.remove(0);
    let Some(keys) = best.keys.clone() else {
        return Err(Refusal::NoKey { table: best.table.name.to_string(), columns: columns(&best.table) });
    };
    let sample = Sampled::read(survey, &best.table, &keys, ROWS).await?;
    let now = survey.clock().await?;
    let drafts =
        with_preset(&best, asked, &keys, &sample, now).into_iter().chain([own(&best, asked, &keys, &sample, now)]);
    Ok(Proposal {
        drafts: drafts.collect(),
        rows: sample.rows.len(),
        others: ranked.into_iter().take(OTHERS).map(candidate).collect(),
        best: candidate(best),
    })
}

/// `schema.table`, or a table's own name, dots and all.
async fn named(survey: &dyn Survey, tables: Vec<TableSketch>, name: &str) -> Result<Ranked, Refusal> {
    let there = listed(&tables);
    let is_it = |table: &TableName| table.table == name || table.to_string() == name;
    let Some(table) = tables.into_iter().find(|table| is_it(&table.name)) else {
        return Err(Refusal::NoSuchTable { table: name.to_owned(), there });
    };
    let indexes = survey.indexes(&table.name).await?;
    Ok(rank(table, &indexes.indexes))
}

/// The best first. Only the likeliest by their columns alone are asked for their indexes.
async fn likely(survey: &dyn Survey, tables: Vec<TableSketch>) -> Result<Vec<Ranked>, Refusal> {
    if tables.is_empty() {
        return Err(Refusal::NoTables);
    }
    let count = tables.len();
    let mut first: Vec<Ranked> = tables.into_iter().map(|table| rank(table, &[])).collect();
    first.sort_by_key(|ranked| std::cmp::Reverse(ranked.score));
    let mut ranked = Vec::new();
    for one in first.into_iter().take(LOOKED_AT) {
        match survey.indexes(&one.table.name).await {
            Ok(indexes) => ranked.push(rank(one.table, &indexes.indexes)),
            // It went away meanwhile.
            Err(Fault::TableMissing { .. }) => {}
            Err(fault) => return Err(fault.into()),
        }
    }
    ranked.sort_by_key(|ranked| std::cmp::Reverse(ranked.score));
    let nearest = ranked.first().map(|one| {
        let lacks = one.lacks.as_deref().unwrap_or("nothing");
        format!("; the nearest, {}, has {lacks}", one.table.name)
    });
    ranked.retain(|one| one.lacks.is_none());
    match ranked.is_empty() {
        true => Err(Refusal::NothingFits { tables: count, nearest: nearest.unwrap_or_default() }),
        false => Ok(ranked),
    }
}

fn listed(tables: &[TableSketch]) -> String {
    let names: Vec<String> = tables.iter().take(10).map(|table| table.name.to_string()).collect();
    match (names.is_empty(), tables.len() > names.len()) {
        (true, _) => "none".to_owned(),
        (false, true) => format!("{}, …", names.join(", ")),
        (false, false) => names.join(", "),
    }
}

fn columns(table: &TableSketch) -> String {
    table.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn candidate(ranked: Ranked) -> Candidate {
    Candidate { table: ranked.table.name.to_string(), score: ranked.score, reasons: ranked.reasons }
}
