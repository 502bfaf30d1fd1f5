//! `[source.records.status]`: which code means what.

use crate::config::node::Node;
use crate::config::{Code, StatusColumn};
use app::model::Status;
use toml::Value;

/// The states that a mapping can name.
const STATES: [(&str, Status); 4] = [
    ("processing", Status::Processing),
    ("completed", Status::Completed),
    ("failed", Status::Failed),
    ("dead", Status::Dead),
];

pub(super) fn status(node: &Node<'_>) -> Option<StatusColumn> {
    if !node.is_there() {
        return node.refuse("a table [source.records.status] with column and codes, or exists = \"completed\"");
    }
    let exists = node.at("exists");
    if exists.is_there() {
        for other in ["column", "processing", "completed", "failed", "dead"] {
            let other = node.at(other);
            if other.is_there() {
                return other.problem("found besides exists; accepted: one of the two");
            }
        }
        return exists.choice(&STATES, &[]).map(StatusColumn::Exists);
    }
    let column = node.at("column").column();
    let codes = codes(node);
    Some(StatusColumn::Column { column: column?, codes: codes? })
}

fn codes(node: &Node<'_>) -> Option<Vec<(Code, Status)>> {
    let mut codes: Vec<(Code, Status)> = Vec::new();
    let mut fine = Some(());
    for (word, status) in STATES {
        let list = node.at(word);
        let nodes = if list.is_list() || !list.is_there() { list.elements() } else { vec![list] };
        for node in nodes {
            let Some(code) = code(&node) else {
                fine = None;
                continue;
            };
            match codes.iter().find(|(known, _)| same(known, &code)) {
                Some((_, other)) if *other != status => {
                    fine = node.refuse(format!("a code that no other state has; {} has it already", other.as_str()));
                }
                Some(_) => {}
                None => codes.push((code, status)),
            }
        }
    }
    fine?;
    if codes.is_empty() {
        let words = STATES.map(|(word, _)| word).join(", ");
        return node.problem(format!("names no code; accepted: a list of codes for at least one of {words}"));
    }
    Some(codes)
}

fn code(node: &Node<'_>) -> Option<Code> {
    let accepted = "integers, booleans, strings, \"null\"";
    match node.value() {
        Some(Value::Integer(number)) => Some(Code::Int(i128::from(*number))),
        Some(Value::Boolean(flag)) => Some(Code::Bool(*flag)),
        Some(Value::String(text)) if is_range(text) => {
            node.problem(format!("found \"{text}\"; ranges are not read by this version; accepted: {accepted}"))
        }
        Some(Value::String(text)) if text == "null" => Some(Code::Null),
        // A blank code is a code.
        Some(Value::String(text)) if text.trim().is_empty() => Some(Code::Text(text.clone())),
        Some(Value::String(_)) => node.text(accepted).map(Code::Text),
        _ => node.refuse(accepted),
    }
}

/// `400..599`.
fn is_range(text: &str) -> bool {
    text.split_once("..").is_some_and(|(from, to)| from.parse::<i128>().is_ok() && to.parse::<i128>().is_ok())
}

/// As the records are compared: text without case.
fn same(a: &Code, b: &Code) -> bool {
    match (a, b) {
        (Code::Text(a), Code::Text(b)) => a.to_lowercase() == b.to_lowercase(),
        _ => a == b,
    }
}
