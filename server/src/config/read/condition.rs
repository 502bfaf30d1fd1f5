//! Conditions on a row: of `where`, and of rules.

use crate::config::node::Node;
use crate::config::{Code, Condition, Test};
use std::time::Duration;
use toml::Value;

const TESTS: [&str; 8] =
    ["equals", "not_equals", "in", "is_null", "not_null", "older_than", "newer_than", "greater_than_column"];

/// A list of `{ column = "…", equals = … }`; those that `accepted` names.
pub(super) fn conditions(node: &Node<'_>, accepted: &[&str]) -> Option<Vec<Condition>> {
    if !node.is_list() {
        return node.refuse("a list of conditions such as [ { column = \"is_deleted\", equals = 0 } ]");
    }
    // All of them are read before the first problem ends it.
    let read: Vec<_> = node.elements().iter().map(|node| condition(node, accepted)).collect();
    read.into_iter().collect()
}

/// Of `where`: a row belongs to the source or does not, whatever its other columns say.
pub(super) fn filters(node: &Node<'_>) -> Option<Vec<Condition>> {
    conditions(node, &["equals", "not_equals", "in", "is_null", "older_than", "newer_than"])
}

/// Of a rule.
pub(super) fn tests(node: &Node<'_>) -> Option<Vec<Condition>> {
    conditions(node, &TESTS)
}

fn condition(node: &Node<'_>, accepted: &[&str]) -> Option<Condition> {
    let wanted = || format!("{{ column = \"…\", and one of {} }}", accepted.join(", "));
    if !node.is_table() {
        return node.refuse(wanted());
    }
    node.only(&[&["column"], accepted].concat())?;
    let column = node.at("column").column();
    let found: Vec<&str> = accepted.iter().copied().filter(|test| node.at(test).is_there()).collect();
    let [test] = found.as_slice() else {
        return node.refuse(format!("{}; found {} of them", wanted(), found.len()));
    };
    let test = read(&node.at(test), test);
    Some(Condition { column: column?, test: test? })
}

fn read(node: &Node<'_>, test: &str) -> Option<Test> {
    let span = || node.duration(&(Duration::ZERO..=Duration::MAX));
    Some(match test {
        "equals" => Test::Equals(value(node)?),
        "not_equals" => Test::NotEquals(value(node)?),
        "in" => Test::In(values(node)?),
        "is_null" => null(node, Test::IsNull, Test::NotNull)?,
        "not_null" => null(node, Test::NotNull, Test::IsNull)?,
        "older_than" => Test::OlderThan(span()?),
        "newer_than" => Test::NewerThan(span()?),
        _ => Test::GreaterThanColumn(node.column()?),
    })
}

/// `is_null = false` says the reverse.
fn null(node: &Node<'_>, yes: Test, no: Test) -> Option<Test> {
    match node.value() {
        Some(Value::Boolean(true)) => Some(yes),
        Some(Value::Boolean(false)) => Some(no),
        _ => node.refuse("true or false"),
    }
}

fn values(node: &Node<'_>) -> Option<Vec<Code>> {
    let read: Vec<_> = node.elements().iter().map(value).collect();
    if read.is_empty() {
        return node.refuse("a list of integers, booleans or strings");
    }
    read.into_iter().collect()
}

/// Here `"null"` is a word: NULL has tests of its own.
fn value(node: &Node<'_>) -> Option<Code> {
    let accepted = "an integer, a boolean or a string; for NULL is_null = true";
    match node.value() {
        Some(Value::Integer(number)) => Some(Code::Int(i128::from(*number))),
        Some(Value::Boolean(flag)) => Some(Code::Bool(*flag)),
        Some(Value::String(text)) if text.trim().is_empty() => Some(Code::Text(text.clone())),
        Some(Value::String(_)) => node.text(accepted).map(Code::Text),
        _ => node.refuse(accepted),
    }
}
