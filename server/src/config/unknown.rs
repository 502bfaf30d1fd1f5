//! Keys that are not read: unknown ones, and those of later versions.

use super::keys::{Key, Kind, Place, join, names, place};
use super::layers::Layers;
use super::problem::{self, Problem};
use super::suggest;
use toml::{Table, Value};

/// Refuses what [`super::keys::KEYS`] does not have.
pub(super) fn refuse(layers: &Layers, problems: &mut Vec<Problem>) {
    let mut found = Vec::new();
    walk(&layers.tree, "", "", &mut found);
    problems.extend(found.into_iter().map(|mut problem| {
        if let Some(variable) = layers.variables.get(&problem.key) {
            problem.key = format!("{} ({})", problem.key, variable.name);
        }
        problem
    }));
}

fn walk(table: &Table, path: &str, pattern: &str, problems: &mut Vec<Problem>) {
    for (name, value) in table {
        let (path, below) = (join(path, name), join(pattern, name));
        match (place(&below), value) {
            (Place::Leaf(_), _) => {}
            (Place::Table, Value::Table(inner)) => walk(inner, &path, &below, problems),
            (Place::Table, _) => {
                let accepted = names(&below).join(", ");
                problems.push(Problem::new(
                    path,
                    format!("found {}; accepted: a table with {accepted}", problem::unshown(value)),
                ));
            }
            (Place::List, Value::Array(elements)) => {
                for (at, element) in elements.iter().enumerate() {
                    let (path, below) = (format!("{path}[{at}]"), format!("{below}[]"));
                    match element {
                        Value::Table(inner) => walk(inner, &path, &below, problems),
                        other => problems
                            .push(Problem::new(path, format!("found {}; accepted: a table", problem::unshown(other)))),
                    }
                }
            }
            (Place::List, _) => {
                problems.push(Problem::new(
                    path,
                    format!(
                        "found {}; accepted: a list of tables, written [[{}]]",
                        problem::unshown(value),
                        below.replace("[]", "")
                    ),
                ));
            }
            (Place::Unknown, _) if is_file_of_secret(&below) => {}
            (Place::Unknown, _) => {
                problems.push(Problem::new(path, says(value, name, &names(pattern))));
            }
        }
    }
}

fn is_file_of_secret(pattern: &str) -> bool {
    pattern.strip_suffix("_file").is_some_and(|base| matches!(place(base), Place::Leaf(Key { kind: Kind::Secret, .. })))
}

/// What to say about a key that no table has. Its value may be a misspelt password: only its type is shown.
pub(super) fn says(value: &Value, name: &str, accepted: &[&str]) -> String {
    let hint = suggest::hint(name, accepted.iter().copied());
    format!("found an unknown key ({}); accepted: {}{hint}", problem::kind(value), accepted.join(", "))
}
