//! Parts of a key or a type: columns, values inside JSON, constants, the table's name.

use crate::config::node::Node;
use crate::config::{Part, Pointer};
use toml::Value;

const PART: &str = "the name of a column, or { column = \"…\", json = \"/pointer\" }";
const KEY: &str = "the name of a column, { column = \"…\", json = \"/pointer\" }, or a list of these";
const TYPE: &str = "the name of a column, { constant = \"…\" }, { table_name = true }, \
    { column = \"…\", json = \"/pointer\" }, or a list of these";

pub(super) fn key(node: &Node<'_>) -> Option<Vec<Part>> {
    parts(node, KEY, |node| value(node, KEY))
}

pub(super) fn r#type(node: &Node<'_>) -> Option<Vec<Part>> {
    parts(node, TYPE, type_part)
}

/// A column or a value inside one.
pub(super) fn one(node: &Node<'_>) -> Option<Part> {
    value(node, PART)
}

/// One part or a list of them, without repetition.
fn parts(node: &Node<'_>, accepted: &str, read: impl Fn(&Node<'_>) -> Option<Part>) -> Option<Vec<Part>> {
    if !node.is_list() {
        return Some(vec![read(node)?]);
    }
    let nodes = node.elements();
    if nodes.is_empty() {
        return node.problem(format!("found an empty list; accepted: {accepted}"));
    }
    // All of them are read before the first problem ends it.
    let found: Vec<_> = nodes.iter().map(read).collect();
    let parts: Vec<Part> = found.into_iter().collect::<Option<_>>()?;
    for (at, part) in parts.iter().enumerate() {
        if parts[..at].contains(part) && !matches!(part, Part::Constant(_)) {
            return nodes[at].problem(format!("found {} a second time; accepted: each once", shown(part)));
        }
    }
    Some(parts)
}

fn shown(part: &Part) -> String {
    match part {
        Part::Column(column) => format!("{column:?}"),
        Part::Json { column, pointer } => format!("{pointer} of {column:?}"),
        Part::Constant(constant) => format!("{constant:?}"),
        Part::TableName => "the table's name".to_owned(),
    }
}

fn value(node: &Node<'_>, accepted: &str) -> Option<Part> {
    if !node.is_table() {
        return node.text(accepted).map(Part::Column);
    }
    node.only(&["column", "json"])?;
    let column = node.at("column").column();
    let pointer = node.at("json").optional(pointer);
    let column = column?;
    Some(match pointer? {
        Some(pointer) => Part::Json { column, pointer },
        None => Part::Column(column),
    })
}

fn type_part(node: &Node<'_>) -> Option<Part> {
    if !node.is_table() {
        return node.text(TYPE).map(Part::Column);
    }
    node.only(&["constant", "table_name", "column", "json"])?;
    let (constant, table_name) = (node.at("constant"), node.at("table_name"));
    let rest = node.at("column").is_there() || node.at("json").is_there();
    match (constant.is_there(), table_name.is_there(), rest) {
        (true, false, false) => constant.text("a text").map(Part::Constant),
        (false, true, false) => match table_name.value() {
            Some(Value::Boolean(true)) => Some(Part::TableName),
            _ => table_name.refuse("true"),
        },
        (false, false, true) => value(node, TYPE),
        _ => node.refuse(TYPE),
    }
}

pub(super) fn pointer(node: &Node<'_>) -> Option<Pointer> {
    let accepted = "a JSON pointer such as \"/Headers/cap-msg-id\" or \"/items/0\" (~1 stands for /, ~0 for ~)";
    // The empty one is the whole document.
    let text = match node.value() {
        Some(Value::String(text)) if text.is_empty() => String::new(),
        _ => node.text(accepted)?,
    };
    Pointer::parse(&text).or_else(|| node.refuse(accepted))
}
