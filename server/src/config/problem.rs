//! What is wrong with a configuration, in one line each.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;
use toml::Value;

/// One wrong key: `source[0].records.status.column: missing; accepted: the name of a column`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Path of the key, or name of the variable.
    pub key: String,
    pub says: String,
}

impl Problem {
    pub(super) fn new(key: impl Into<String>, says: impl Into<String>) -> Self {
        Self { key: key.into(), says: says.into() }
    }
}

impl Display for Problem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.says)
    }
}

/// `Display` gives one line for each problem. No secret is in it.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("{}: {reason}", path.display())]
    File { path: PathBuf, reason: String },
    #[error("{}", lines(.0))]
    Keys(Vec<Problem>),
}

fn lines(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// How much of a found text is repeated in a message.
const SHOWN: usize = 80;

/// `"1a" (string)`, `5 (integer)`, `a table`: what stands in the file, before `${VAR}` is expanded.
pub(super) fn found(value: &Value) -> String {
    match value {
        Value::String(text) if text.chars().count() > SHOWN => {
            let start: String = text.chars().take(SHOWN).collect();
            format!("\"{start}…\" (string)")
        }
        Value::Array(_) | Value::Table(_) => kind(value).to_owned(),
        scalar => format!("{scalar} ({})", kind(scalar)),
    }
}

/// The same without the value, for where it may be a secret: a URL in the wrong place, a misspelt key.
pub(super) fn unshown(value: &Value) -> String {
    match value {
        Value::Array(_) | Value::Table(_) => kind(value).to_owned(),
        scalar => format!("a value ({})", kind(scalar)),
    }
}

/// The type alone.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "string",
        Value::Integer(_) => "integer",
        Value::Float(_) => "float",
        Value::Boolean(_) => "boolean",
        Value::Datetime(_) => "date",
        Value::Array(_) => "a list",
        Value::Table(_) => "a table",
    }
}
