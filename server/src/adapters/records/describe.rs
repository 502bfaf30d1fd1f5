//! What the table makes possible, what it hides, and the DDL that would help. The DDL is printed, never run.

use super::catalogue::Column;
use super::dialect::Dialect;
use super::piece::{self, Piece};
use super::rule::State;
use super::shape::Shape;
use crate::config::{Code, Release, Write};
use crate::ports::records::Description;
use app::model::{Capability, CapabilityName, Problem, Status};

pub fn describe(shape: &Shape) -> Description {
    Description {
        engine: shape.catalogue.engine.clone(),
        version: shape.catalogue.version.clone(),
        choice: shape.choice.clone(),
        estimated_rows: shape.catalogue.estimated_rows,
        capabilities: capabilities(shape),
        problems: problems(shape),
    }
}

fn capabilities(shape: &Shape) -> Vec<Capability> {
    use CapabilityName::{
        Ages, Attempts, Changes, FailedAndDead, LastError, LookupByKey, OneRecordPerKey, OwnerAndLease,
        StuckAndInProgress,
    };
    let from = |name, from: Option<String>| Capability { name, there: from.is_some(), from };
    let column = |column: &Option<Column>| column.as_ref().map(|column| column.name.clone());
    let time = |times: &[super::time::Time]| {
        let names: Vec<&str> = times.iter().map(|time| time.column.name.as_str()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let status = |wanted: &[Status]| {
        let codes = wanted.iter().any(|status| has_code(shape, *status));
        codes.then(|| judged_by(shape))
    };
    let joined = |parts: [Option<String>; 2]| {
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    };
    vec![
        from(LookupByKey, shape.lookup_index(&key_columns(shape)).map(|(index, _)| index.name.clone())),
        from(OneRecordPerKey, shape.unique_key().map(|index| index.name.clone())),
        from(StuckAndInProgress, status(&[Status::Processing])),
        from(Ages, joined([time(&shape.updated), time(&shape.created)])),
        from(Attempts, column(&shape.attempts)),
        from(LastError, shape.error.as_ref().and_then(Piece::read).map(|column| column.name.clone())),
        from(FailedAndDead, status(&[Status::Failed, Status::Dead])),
        from(OwnerAndLease, joined([column(&shape.owner), time(&shape.lease_until)])),
        Capability {
            name: Changes,
            there: shape.mapping.write.is_some(),
            from: Some(shape.mapping.write.as_ref().map_or_else(|| "[source.records.write]".to_owned(), changes)),
        },
    ]
}

fn key_columns(shape: &Shape) -> Vec<Column> {
    piece::columns(&shape.key).cloned().collect()
}

/// As the configuration writes it: `release = "delete", failed: status = 3, touch: update_time`.
fn changes(write: &Write) -> String {
    let release = write.release.map(|release| match release {
        Release::Status => "release = \"status\"".to_owned(),
        Release::Delete => "release = \"delete\"".to_owned(),
    });
    let set = |word: &str, columns: &Option<Vec<(String, Code)>>| {
        let columns = columns.as_ref()?.iter().map(|(column, code)| format!("{column} = {code}"));
        Some(format!("{word}: {}", columns.collect::<Vec<_>>().join(" and ")))
    };
    let touch = write.touch.as_ref().map(|column| format!("touch: {column}"));
    let parts: Vec<String> =
        [release, set("failed", &write.failed), set("dead", &write.dead), touch].into_iter().flatten().collect();
    if parts.is_empty() { "[source.records.write]".to_owned() } else { parts.join(", ") }
}

/// The columns that say in which state a row is; for a row whose existence says it, the table.
fn judged_by(shape: &Shape) -> String {
    let mut names: Vec<String> = match &shape.state {
        State::Always(_) => vec![shape.mapping.table.table.clone()],
        State::Codes(column, _) => vec![column.name.clone()],
        State::Rules { .. } => shape.judged().into_iter().map(|column| column.name).collect(),
    };
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names.join(", ")
}

fn has_code(shape: &Shape, wanted: Status) -> bool {
    shape.mapping.status.states().contains(&wanted)
}

fn problems(shape: &Shape) -> Vec<Problem> {
    let mut problems = Vec::new();
    // No index could be suggested for what lies inside JSON.
    match shape.key.iter().chain(&shape.r#type).find_map(Piece::document) {
        Some(document) => problems.push(Problem::KeyInsideJson { column: document.name.clone() }),
        None if shape.unique_key().is_none() => {
            problems.push(Problem::NoUniqueIndex { suggested_ddl: key_ddl(shape, Unique::Yes) });
        }
        None => {}
    }
    if !piece::has_json(&shape.key) && shape.lookup_index(&key_columns(shape)).is_none() {
        problems.push(Problem::NoKeyIndex { suggested_ddl: key_ddl(shape, Unique::No) });
    }
    if !has_code(shape, Status::Processing) {
        problems.push(Problem::NoProcessingCode);
    }
    problems
}

/// An index over type and key, as the engine would take it.
fn key_ddl(shape: &Shape, unique: Unique) -> String {
    let columns: Vec<&Column> = piece::columns(&shape.r#type).chain(piece::columns(&shape.key)).collect();
    index_ddl(shape, unique, "key", &columns)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unique {
    Yes,
    No,
}

/// Built while the table's writers go on.
pub fn index_ddl(shape: &Shape, unique: Unique, purpose: &str, columns: &[&Column]) -> String {
    let quote = |name: &str| shape.dialect.quote(name);
    let table = &shape.mapping.table;
    let (what, prefix) = if unique == Unique::Yes { ("UNIQUE INDEX", "uk") } else { ("INDEX", "idx") };
    let name = quote(&format!("{prefix}_{}_{purpose}", table.table));
    let qualified = match &table.schema {
        Some(schema) => format!("{}.{}", quote(schema), quote(&table.table)),
        None => quote(&table.table),
    };
    let lengthless = |column: &Column| shape.dialect == Dialect::MySql && column.declared.ends_with("text");
    // A text without a length can only be indexed by its beginning, which proves no uniqueness.
    let part = |column: &&Column| match unique {
        Unique::No if lengthless(column) => format!("{}(191)", quote(&column.name)),
        _ => quote(&column.name),
    };
    let lengths: Vec<String> = match unique {
        Unique::No => Vec::new(),
        Unique::Yes => {
            columns.iter().filter(|column| lengthless(column)).map(|column| with_length(column, quote)).collect()
        }
    };
    let columns = columns.iter().map(part).collect::<Vec<_>>().join(", ");
    match shape.dialect {
        Dialect::MySql if !lengths.is_empty() => {
            format!("ALTER TABLE {qualified} {}, ADD {what} {name} ({columns})", lengths.join(", "))
        }
        Dialect::MySql => {
            format!("ALTER TABLE {qualified} ADD {what} {name} ({columns}), ALGORITHM=INPLACE, LOCK=NONE")
        }
        Dialect::Postgres => format!("CREATE {what} CONCURRENTLY {name} ON {qualified} ({columns})"),
        Dialect::Sqlite => format!("CREATE {what} {name} ON {qualified} ({columns})"),
    }
}

/// In the strict mode, a value that is longer makes the statement fail, and nothing is cut.
fn with_length(column: &Column, quote: impl Fn(&str) -> String) -> String {
    let null = if column.nullable { "" } else { " NOT NULL" };
    format!("MODIFY {} VARCHAR(255){null}", quote(&column.name))
}
