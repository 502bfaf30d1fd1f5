//! The layers that are written down: a TOML file, and over it `ONCEWATCH__A__B=…` of the environment.

use super::problem::{ConfigError, Problem};
use super::{Environment, problem};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Where the file is looked for when nobody names one.
const PLACES: [&str; 2] = ["./oncewatch.toml", "/etc/oncewatch/oncewatch.toml"];
const PREFIX: &str = "ONCEWATCH__";

/// A variable that gave a key its value.
pub(super) struct Variable {
    pub name: String,
    /// Its text, for keys that want text: `12` there is no number.
    pub text: String,
}

pub(super) struct Layers {
    pub path: Option<PathBuf>,
    pub tree: Table,
    /// By the path of the key that they set.
    pub variables: BTreeMap<String, Variable>,
    pub problems: Vec<Problem>,
}

impl Layers {
    pub fn from_files(explicit: Option<&Path>, environment: &Environment) -> Result<Self, ConfigError> {
        let places: Vec<PathBuf> = match explicit {
            Some(path) => vec![path.to_owned()],
            None => PLACES.iter().map(PathBuf::from).collect(),
        };
        for path in places {
            match std::fs::read_to_string(&path) {
                Ok(text) => return Self::build(Some(path), &text, environment),
                Err(error) if error.kind() == ErrorKind::NotFound && explicit.is_none() => {}
                Err(error) => return Err(ConfigError::File { path, reason: format!("cannot be read: {error}") }),
            }
        }
        Self::build(None, "", environment)
    }

    pub fn from_text(text: &str, environment: &Environment) -> Result<Self, ConfigError> {
        Self::build(None, text, environment)
    }

    fn build(path: Option<PathBuf>, text: &str, environment: &Environment) -> Result<Self, ConfigError> {
        let tree = text.parse::<Table>().map_err(|error| ConfigError::File {
            path: path.clone().unwrap_or_else(|| PathBuf::from("configuration")),
            reason: syntax_error(text, &error),
        })?;
        let mut layers = Self { path, tree, variables: BTreeMap::new(), problems: Vec::new() };
        layers.overlay(environment);
        Ok(layers)
    }

    fn overlay(&mut self, environment: &Environment) {
        let mut written: Vec<_> = environment
            .starting_with(PREFIX)
            .map(|(rest, name, text)| (rest.split("__").map(Step::parse).collect::<Vec<_>>(), name, text))
            .collect();
        // By number, so that element 10 comes after element 9 that it follows.
        written.sort();
        for (steps, name, text) in written {
            if let Err(why) = set(&mut self.tree, &steps, text) {
                self.problems.push(Problem::new(name, why));
                continue;
            }
            let variable = Variable { name: name.to_owned(), text: text.to_owned() };
            self.variables.insert(path_of(&steps), variable);
        }
    }
}

/// `line 3, column 5: …` without the line itself, which may hold a password.
fn syntax_error(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    format!("line {line}, column {column}: {}", error.message().replace('\n', ", "))
}

/// One level of a variable's name: `SOURCE` or `0`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Key(String),
    Index(usize),
}

impl Step {
    fn parse(text: &str) -> Self {
        text.parse().map_or_else(|_| Self::Key(text.to_lowercase()), Self::Index)
    }
}

fn path_of(steps: &[Step]) -> String {
    steps.iter().fold(String::new(), |path, step| match step {
        Step::Key(key) if path.is_empty() => key.clone(),
        Step::Key(key) => format!("{path}.{key}"),
        Step::Index(index) => format!("{path}[{index}]"),
    })
}

/// Puts `text` where `steps` lead, making tables and the next list element on the way.
fn set(tree: &mut Table, steps: &[Step], text: &str) -> Result<(), String> {
    let Some((Step::Key(first), rest)) = steps.split_first() else {
        return Err("starts with a number; accepted: a name such as ONCEWATCH__SERVER__LISTEN".to_owned());
    };
    if rest.is_empty() {
        // The higher layer decides: a file named below it no longer counts, nor a value below a named file.
        tree.remove(&format!("{first}_file"));
        if let Some(base) = first.strip_suffix("_file") {
            tree.remove(base);
        }
        tree.insert(first.clone(), parsed(text));
        return Ok(());
    }
    let empty = match rest[0] {
        Step::Index(_) => Value::Array(Vec::new()),
        Step::Key(_) => Value::Table(Table::new()),
    };
    set_below(tree.entry(first.clone()).or_insert(empty), first, rest, text)
}

fn set_below(at: &mut Value, name: &str, steps: &[Step], text: &str) -> Result<(), String> {
    match (at, steps) {
        (Value::Table(table), [Step::Key(_), ..]) => set(table, steps, text),
        (Value::Array(list), [Step::Index(index), rest @ ..]) => {
            let count = list.len();
            if *index > count {
                return Err(format!("sets {name}[{index}], but there are only {count}; accepted: 0 to {count}"));
            }
            if *index == count {
                list.push(Value::Table(Table::new()));
            }
            match rest {
                [] => {
                    list[*index] = parsed(text);
                    Ok(())
                }
                _ => set_below(&mut list[*index], name, rest, text),
            }
        }
        (at, _) => Err(format!("goes below {name}, which is {}", problem::kind(at))),
    }
}

/// `5`, `true`, `["a", "b"]` and `{ column = "x" }` as TOML has them; everything else is text.
fn parsed(text: &str) -> Value {
    match text.parse::<Value>() {
        Ok(value @ (Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Array(_) | Value::Table(_))) => {
            value
        }
        _ => Value::String(text.to_owned()),
    }
}
