//! Which column says the state of a row, and what its codes mean.

use super::codes;
use super::names::Said;
use super::roles::{self, Role};
use super::text::quoted;
use crate::ports::survey::{ColumnKind, ColumnSketch, TableSketch};
use app::model::Status;
use std::fmt::Write;

/// How a table says the state of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum By {
    Column(String),
    /// The first that holds, as TOML writes them.
    Rules(Vec<String>),
    /// The row's existence.
    Exists,
}

/// A column called like a status, else columns whose presence says it, else nothing.
pub(super) fn by(table: &TableSketch, created: Option<&str>) -> By {
    if let Some((column, _)) = roles::best(&table.columns, Role::Status).filter(|(_, points)| *points >= 5) {
        return By::Column(column.name.clone());
    }
    let named = |role| roles::best(&table.columns, role).map(|(column, _)| column.name.as_str());
    // A time of processing alone is when the row was made.
    let Some(done) = named(Role::Done).filter(|done| created.is_some_and(|created| created != *done)) else {
        return By::Exists;
    };
    let rule =
        |status: Status, column: &str| format!("{{ status = \"{}\", not_null = {} }}", status.as_str(), quoted(column));
    let mut rules = vec![rule(Status::Completed, done)];
    rules.extend(named(Role::Abandoned).map(|column| rule(Status::Dead, column)));
    rules.extend(named(Role::FailedAt).map(|column| rule(Status::Failed, column)));
    let nullable = |name: &&str| table.column(name).is_some_and(|column| column.nullable);
    // With a time of locking, a row that has neither is only waiting; what it is then called is for a person to say.
    rules.push(match named(Role::LockedAt).filter(nullable) {
        Some(locked) => rule(Status::Processing, locked),
        None => "{ status = \"processing\", always = true }".to_owned(),
    });
    By::Rules(rules)
}

/// Where the meaning of codes comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Source {
    #[default]
    Nowhere,
    Comment,
    Name,
    Words,
}

/// What the codes of a column mean.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Codes {
    /// As TOML writes them.
    pub known: Vec<(Status, String)>,
    /// Where that comes from.
    pub by: Source,
    /// Values of the sample that nothing explains, with their counts.
    pub unknown: Vec<(Option<String>, usize)>,
}

pub(super) fn codes(column: &ColumnSketch, seen: &[(Option<String>, usize)]) -> Codes {
    let mut codes = match column.kind {
        ColumnKind::Integer => of_numbers(column, seen),
        ColumnKind::Boolean => of_flag(column, ["true", "false"]),
        _ => of_texts(column, seen),
    };
    let is_known = |value: &Option<String>| {
        let spelled = |code: &str| match value {
            None => code == "\"null\"",
            Some(text) => code.trim_matches('"').eq_ignore_ascii_case(text) || same_flag(code, text),
        };
        codes.known.iter().any(|(_, code)| spelled(code))
    };
    codes.unknown = seen.iter().filter(|(value, _)| !is_known(value)).cloned().collect();
    codes
}

/// Engines show a flag in their own way.
pub(super) fn same_flag(code: &str, shown: &str) -> bool {
    matches!((code, shown), ("true", "1" | "t" | "true") | ("false", "0" | "f" | "false"))
}

/// Only a comment can say what numbers mean, or the name of a flag.
fn of_numbers(column: &ColumnSketch, seen: &[(Option<String>, usize)]) -> Codes {
    let known = codes::in_comment(column.comment.as_deref().unwrap_or_default());
    if !known.is_empty() {
        let known = known.into_iter().map(|(number, status)| (status, number.to_string())).collect();
        return Codes { known, by: Source::Comment, unknown: Vec::new() };
    }
    let only_flags = seen.iter().all(|(value, _)| matches!(value.as_deref(), None | Some("0" | "1" | "2" | "-1")));
    if only_flags { of_flag(column, ["1", "0"]) } else { Codes::default() }
}

/// `is_success`, `dispatched`: the name says what yes means.
fn of_flag(column: &ColumnSketch, [yes, no]: [&str; 2]) -> Codes {
    let said = Said::of(&column.name, None);
    let code = |status, code: &str| (status, code.to_owned());
    let mut known = Vec::new();
    if said.any(&["success", "succeeded"]) {
        known.push(code(Status::Completed, yes));
        // Without NULL, no may also mean "not yet".
        if column.nullable {
            known.extend([code(Status::Failed, no), code(Status::Processing, "\"null\"")]);
        }
    } else if said.any(&[
        "dispatched",
        "processed",
        "consumed",
        "done",
        "handled",
        "completed",
        "finished",
        "delivered",
    ]) {
        known.extend([code(Status::Completed, yes), code(Status::Processing, no)]);
    }
    Codes { known, by: Source::Name, unknown: Vec::new() }
}

fn of_texts(column: &ColumnSketch, seen: &[(Option<String>, usize)]) -> Codes {
    let mut known: Vec<(Status, String)> = Vec::new();
    let labels = codes::labels(&column.declared);
    for text in labels.iter().chain(seen.iter().filter_map(|(value, _)| value.as_ref())) {
        let again = known.iter().any(|(_, code)| code.eq_ignore_ascii_case(&quoted(text)));
        if let Some(status) = codes::of_text(text).filter(|_| !again) {
            known.push((status, quoted(text)));
        }
    }
    // Digits in a text column are numbers all the same.
    if known.is_empty() {
        let numbers = codes::in_comment(column.comment.as_deref().unwrap_or_default());
        let known = numbers.into_iter().map(|(number, status)| (status, number.to_string())).collect();
        return Codes { known, by: Source::Comment, unknown: Vec::new() };
    }
    Codes { known, by: Source::Words, unknown: Vec::new() }
}

/// Where they come from, for people.
pub(super) fn by_what(codes: &Codes) -> &'static str {
    match codes.by {
        _ if codes.known.is_empty() => "",
        Source::Nowhere => "",
        Source::Comment => "# By the column's comment:\n",
        Source::Name => "# By the column's name:\n",
        Source::Words => "# By their words:\n",
    }
}

/// The lines of codes; a code that nobody can know is left to a person, and the mapping loads all the same.
pub(super) fn written(codes: &Codes) -> String {
    let mut lines = String::new();
    for status in [Status::Processing, Status::Completed, Status::Failed, Status::Dead] {
        let of: Vec<&str> =
            codes.known.iter().filter(|(known, _)| *known == status).map(|(_, code)| code.as_str()).collect();
        if !of.is_empty() {
            // Writing to a String does not fail.
            let _ = writeln!(lines, "{} = [{}]", status.as_str(), of.join(", "));
        }
    }
    if lines.is_empty() {
        lines.push_str("processing = [\"?\"]   # not known: put the code for it here\ncompleted = [\"??\"]   # and here; failed = […] and dead = […] where there are such\n");
    }
    lines
}

/// `1 (5×), "x" (2×), NULL (1×)`.
pub(super) fn counted(values: &[(Option<String>, usize)]) -> String {
    let one = |(value, count): &(Option<String>, usize)| match value {
        None => format!("NULL ({count}×)"),
        Some(text) if text.parse::<i128>().is_ok() => format!("{text} ({count}×)"),
        Some(text) => format!("{text:?} ({count}×)"),
    };
    values.iter().map(one).collect::<Vec<_>>().join(", ")
}
