//! `[source.records.write]`: what operations may do to a row.

use crate::config::node::Node;
use crate::config::{Code, Codes, Release, StatusColumn, TimeColumn, Write, address};
use app::model::Status;
use toml::Value;

const RELEASES: [(&str, Release); 2] = [("status", Release::Status), ("delete", Release::Delete)];

/// `status` and `updated` as far as they could be read.
pub(super) fn write(
    node: &Node<'_>,
    status: Option<&StatusColumn>,
    updated: Option<&Vec<TimeColumn>>,
) -> Option<Write> {
    let url = if node.at("url").is_there() || node.at("url_file").is_there() {
        address::read(node, &address::RECORDS).map(Some)
    } else {
        Some(None)
    };
    let release = node.at("release").optional(|node| node.choice(&RELEASES, &[]));
    let assigned = |word: &str, wanted| {
        let node = node.at(word);
        if node.is_there() { assignment(&node, status, wanted).map(Some) } else { Some(the_only(status?, wanted)) }
    };
    let (failed, dead) = (assigned("failed", Status::Failed), assigned("dead", Status::Dead));
    let touch = node.at("touch").optional(|touch| self::touch(touch, updated));
    if let (Some(Some(Release::Status)), Some(None)) = (release, &failed) {
        return node.at("failed").refuse(
            "with release = \"status\" what makes a row failed, since [source.records.status] does not name exactly one failed code: a code, or { column = value, … }",
        );
    }
    Some(Write { url: url?, release: release?, failed: failed?, dead: dead?, touch: touch?.flatten() })
}

/// What a mapping with exactly one code for a state writes for it.
fn the_only(status: &StatusColumn, wanted: Status) -> Option<Vec<(String, Code)>> {
    let StatusColumn::Column(Codes { column, codes }) = status else { return None };
    let mut of = codes.iter().filter(|(_, status)| *status == wanted).map(|(code, _)| code);
    match (of.next(), of.next()) {
        (Some(code), None) if !matches!(code, Code::Range(..)) => Some(vec![(column.clone(), code.clone())]),
        _ => None,
    }
}

/// A code for the status column, or columns with their values.
fn assignment(node: &Node<'_>, status: Option<&StatusColumn>, wanted: Status) -> Option<Vec<(String, Code)>> {
    let codes = match status {
        Some(StatusColumn::Column(codes) | StatusColumn::Rules { otherwise: Some(codes), .. }) => Some(codes),
        _ => None,
    };
    let set: Vec<(String, Code)> = match node.value() {
        Some(Value::Table(table)) if !table.is_empty() => {
            // All of them are read before the first problem ends it.
            let read: Vec<_> = table.keys().map(|column| Some((column.clone(), value(&node.at(column))?))).collect();
            read.into_iter().collect::<Option<_>>()?
        }
        _ => match codes {
            Some(codes) => vec![(codes.column.clone(), value(node)?)],
            None => return node.refuse("{ column = value, … }, since no status column says it"),
        },
    };
    // Where rules decide, only the database can say what the row then is.
    if let Some(StatusColumn::Column(codes)) = status {
        for (column, code) in &set {
            if *column == codes.column && !reads_as(codes, code, wanted) {
                return node.refuse(format!("a code that [source.records.status] reads as {}", wanted.as_str()));
            }
        }
    }
    Some(set)
}

fn value(node: &Node<'_>) -> Option<Code> {
    let accepted = "an integer, a boolean, a string, or \"null\"";
    match node.value() {
        Some(Value::Integer(number)) => Some(Code::Int(i128::from(*number))),
        Some(Value::Boolean(flag)) => Some(Code::Bool(*flag)),
        Some(Value::String(text)) if text == "null" => Some(Code::Null),
        Some(Value::String(text)) if text.trim().is_empty() => Some(Code::Text(text.clone())),
        Some(Value::String(_)) => node.text(accepted).map(Code::Text),
        _ => node.refuse(accepted),
    }
}

/// What is written must read as what it was written for.
fn reads_as(codes: &Codes, written: &Code, wanted: Status) -> bool {
    let covers = |code: &Code| match (code, written) {
        (Code::Range(from, to), Code::Int(number)) => (*from..=*to).contains(number),
        (Code::Text(code), Code::Text(written)) => code.to_lowercase() == written.to_lowercase(),
        (code, written) => code == written,
    };
    codes.codes.iter().find(|(code, _)| covers(code)).is_some_and(|(_, status)| *status == wanted)
}

fn touch(node: &Node<'_>, updated: Option<&Vec<TimeColumn>>) -> Option<Option<String>> {
    match (node.value(), updated.map(Vec::as_slice)) {
        (Some(Value::Boolean(false)), _) => Some(None),
        (Some(Value::Boolean(true)), Some([first, ..])) => Some(Some(first.column.clone())),
        (Some(Value::Boolean(true)), Some([])) => node.refuse("true only with an updated column in [source.records]"),
        // It could not be read, which was said already.
        (Some(Value::Boolean(true)), None) => None,
        _ => node.refuse("true or false"),
    }
}
