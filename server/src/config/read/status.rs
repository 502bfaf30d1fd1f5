//! `[source.records.status]`: which code means what.

use super::condition;
use crate::config::node::Node;
use crate::config::{Code, Codes, Condition, Rule, StatusColumn, Test};
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
        for other in ["column", "processing", "completed", "failed", "dead", "rules"] {
            let other = node.at(other);
            if other.is_there() {
                return other.problem("found besides exists; accepted: one of the two");
            }
        }
        return exists.choice(&STATES, &[]).map(StatusColumn::Exists);
    }
    let rules = node.at("rules");
    if !rules.is_there() {
        return by_codes(node).map(StatusColumn::Column);
    }
    let otherwise = if node.at("column").is_there() { Some(by_codes(node)) } else { None };
    if otherwise.is_none() {
        for (word, _) in STATES {
            let codes = node.at(word);
            if codes.is_there() {
                return codes.problem("found without column; accepted: codes beside the column that holds them");
            }
        }
    }
    let rules = self::rules(&rules)?;
    Some(StatusColumn::Rules { rules, otherwise: otherwise.map_or(Some(None), |codes| codes.map(Some))? })
}

fn by_codes(node: &Node<'_>) -> Option<Codes> {
    let column = node.at("column").column();
    let codes = codes(node);
    Some(Codes { column: column?, codes: codes? })
}

fn rules(node: &Node<'_>) -> Option<Vec<Rule>> {
    let elements = node.elements();
    if elements.is_empty() {
        return node.refuse("a list of rules such as [ { status = \"completed\", not_null = \"processed_at\" } ]");
    }
    // All of them are read before the first problem ends it.
    let read: Vec<_> = elements.iter().map(rule).collect();
    let rules: Vec<Rule> = read.into_iter().collect::<Option<_>>()?;
    match rules.iter().position(|rule| rule.when.is_empty()) {
        Some(always) if always + 1 < rules.len() => {
            elements[always + 1].problem("comes after a rule that always holds; accepted: that one last")
        }
        _ => Some(rules),
    }
}

fn rule(node: &Node<'_>) -> Option<Rule> {
    let wanted = "{ status = \"…\", and one of when = [ conditions ], not_null = \"column\", always = true }";
    if !node.is_table() {
        return node.refuse(wanted);
    }
    node.only(&["status", "when", "not_null", "always"])?;
    let status = node.at("status").choice(&STATES, &[]);
    let (when, not_null, always) = (node.at("when"), node.at("not_null"), node.at("always"));
    let conditions = match (when.is_there(), not_null.is_there(), always.is_there()) {
        (true, false, false) => {
            condition::tests(&when).filter(|tests| !tests.is_empty()).or_else(|| when.refuse(wanted))
        }
        (false, true, false) => not_null.column().map(|column| vec![Condition { column, test: Test::NotNull }]),
        (false, false, true) => match always.value() {
            Some(Value::Boolean(true)) => Some(Vec::new()),
            _ => always.refuse("true"),
        },
        _ => node.refuse(wanted),
    };
    Some(Rule { status: status?, when: conditions? })
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
    let accepted = "integers, booleans, strings, \"null\", ranges such as \"400..599\"";
    match node.value() {
        Some(Value::Integer(number)) => Some(Code::Int(i128::from(*number))),
        Some(Value::Boolean(flag)) => Some(Code::Bool(*flag)),
        Some(Value::String(text)) if range(text).is_some() => match range(text) {
            Some((from, to)) if from <= to => Some(Code::Range(from, to)),
            _ => node.refuse("a range from the smaller number to the larger one"),
        },
        Some(Value::String(text)) if text == "null" => Some(Code::Null),
        // A blank code is a code.
        Some(Value::String(text)) if text.trim().is_empty() => Some(Code::Text(text.clone())),
        Some(Value::String(_)) => node.text(accepted).map(Code::Text),
        _ => node.refuse(accepted),
    }
}

/// `400..599`.
fn range(text: &str) -> Option<(i128, i128)> {
    let (from, to) = text.split_once("..")?;
    Some((from.trim().parse().ok()?, to.trim().parse().ok()?))
}

/// As the records are compared: text without case.
fn same(a: &Code, b: &Code) -> bool {
    match (a, b) {
        (Code::Text(a), Code::Text(b)) => a.to_lowercase() == b.to_lowercase(),
        _ => a == b,
    }
}
