//! `config print`: the configuration in force, in the order of [`super::keys`], each key with its reason; what is not set
//! stands there as a comment. Secrets stay out. And the same keys as tables, for the documentation.

use super::keys::{self, Key, Kind, Place};
use super::layers::Layers;
use super::{ConfigError, Environment, checked, without_password};
use std::fmt::Write as _;
use std::path::Path;
use toml::{Table, Value};

/// Commented TOML: defaults, file and environment together, presets filled in.
pub fn print(explicit: Option<&Path>, environment: &Environment) -> Result<String, ConfigError> {
    let (_, layers) = checked(Layers::from_files(explicit, environment)?, environment)?;
    let mut out = match &layers.path {
        Some(path) => format!("# {} and the environment, over the built-in defaults.\n", path.display()),
        None => "# The environment over the built-in defaults; no file was found.\n".to_owned(),
    };
    Printer { environment, out: &mut out }.table(&layers.tree, "");
    Ok(out)
}

struct Printer<'a> {
    environment: &'a Environment,
    out: &'a mut String,
}

impl Printer<'_> {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a String does not fail.
        let _ = self.out.write_fmt(line);
        self.out.push('\n');
    }

    /// First the table's own keys, then the tables below it: TOML needs that order.
    fn table(&mut self, table: &Table, pattern: &str) {
        let names = keys::names(pattern);
        for name in &names {
            if let Place::Leaf(key) = keys::place(&keys::join(pattern, name)) {
                self.leaf(table, name, key);
            }
        }
        for name in names {
            let below = keys::join(pattern, name);
            let header = below.replace("[]", "");
            match (keys::place(&below), table.get(name)) {
                (Place::Table, Some(Value::Table(inner))) => {
                    self.line(format_args!("\n[{header}]"));
                    self.table(inner, &below);
                }
                (Place::List, Some(Value::Array(elements))) => {
                    for element in elements.iter().filter_map(Value::as_table) {
                        self.line(format_args!("\n[[{header}]]"));
                        self.table(element, &format!("{below}[]"));
                    }
                }
                (Place::Table, None) => self.unset(&format!("[{header}]"), &below),
                (Place::List, None) => self.unset(&format!("[[{header}]]"), &format!("{below}[]")),
                _ => {}
            }
        }
    }

    /// A table that is not there, as a comment.
    fn unset(&mut self, header: &str, pattern: &str) {
        self.line(format_args!("\n# {header}"));
        self.table_unset(pattern);
    }

    fn table_unset(&mut self, pattern: &str) {
        let names = keys::names(pattern);
        for name in &names {
            if let Place::Leaf(key) = keys::place(&keys::join(pattern, name)) {
                self.comment(name, key);
            }
        }
        for name in names {
            let below = keys::join(pattern, name);
            let header = below.replace("[]", "");
            match keys::place(&below) {
                Place::Table => self.unset(&format!("[{header}]"), &below),
                Place::List => self.unset(&format!("[[{header}]]"), &format!("{below}[]")),
                Place::Leaf(_) | Place::Unknown => {}
            }
        }
    }

    fn leaf(&mut self, table: &Table, name: &str, key: &Key) {
        let file = format!("{name}_file");
        let written = match (table.get(name), table.get(&file)) {
            (Some(value), _) if key.kind == Kind::Secret => format!("{name} = {}", self.secret(value)),
            (Some(value), _) => format!("{name} = {}", self.expanded(value)),
            (None, Some(path)) => format!("{file} = {}", self.expanded(path)),
            (None, None) => return self.comment(name, key),
        };
        self.line(format_args!("# {}", key.says));
        self.line(format_args!("{written}"));
    }

    fn comment(&mut self, name: &str, key: &Key) {
        self.line(format_args!("# {}", key.says));
        self.line(format_args!("# {name} = {}", key.default.unwrap_or(key.sample)));
    }

    fn secret(&self, value: &Value) -> Value {
        match self.expanded(value) {
            Value::String(url) => Value::String(without_password(&url)),
            other => other,
        }
    }

    fn expanded(&self, value: &Value) -> Value {
        match value {
            // It was expanded once already when it was checked.
            Value::String(text) => Value::String(self.environment.expand(text).unwrap_or_else(|_| text.clone())),
            Value::Array(elements) => Value::Array(elements.iter().map(|element| self.expanded(element)).collect()),
            Value::Table(table) => {
                Value::Table(table.iter().map(|(name, value)| (name.clone(), self.expanded(value))).collect())
            }
            scalar => scalar.clone(),
        }
    }
}

/// All keys as Markdown: a heading and a table for each table of the configuration.
#[must_use]
pub fn reference() -> String {
    let mut out = String::new();
    let mut heading = String::new();
    for key in keys::KEYS {
        let (table, name) = key.path.rsplit_once('.').unwrap_or(("", key.path));
        if table != heading {
            table.clone_into(&mut heading);
            let list = table.ends_with("[]");
            let shown = table.replace("[]", "");
            let shown = if list { format!("[[{shown}]]") } else { format!("[{shown}]") };
            out += &format!(
                "\n### `{shown}`\n\n| key | default | for example | what it does |\n| --- | --- | --- | --- |\n"
            );
        }
        let code =
            |value: &str| if value.is_empty() { String::new() } else { format!("`{}`", value.replace('|', "\\|")) };
        let sample = if key.default.is_some() { "" } else { key.sample };
        let says = key.says.replace('|', "\\|");
        out += &format!("| `{name}` | {} | {} | {says} |\n", code(key.default.unwrap_or_default()), code(sample));
    }
    out
}
