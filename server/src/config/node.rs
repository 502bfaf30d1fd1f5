//! A place in the tree, with its path, read as what it should be. A reader gives `None` after it has noted a problem, so
//! that all problems of one load are reported together.

use super::layers::Variable;
use super::problem::{self, Problem};
use super::{Environment, span, suggest};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;
use toml::{Table, Value};

pub(super) struct Context<'a> {
    environment: &'a Environment,
    variables: &'a BTreeMap<String, Variable>,
    problems: RefCell<Vec<Problem>>,
}

impl<'a> Context<'a> {
    pub fn new(
        environment: &'a Environment,
        variables: &'a BTreeMap<String, Variable>,
        problems: Vec<Problem>,
    ) -> Self {
        Self { environment, variables, problems: RefCell::new(problems) }
    }

    pub fn root(&'a self, tree: &'a Table) -> Node<'a> {
        Node { path: String::new(), at: At::Table(tree), context: self }
    }

    pub fn into_problems(self) -> Vec<Problem> {
        self.problems.into_inner()
    }
}

#[derive(Clone, Copy)]
enum At<'a> {
    Table(&'a Table),
    Value(&'a Value),
    /// The content of the file that `x_file` names.
    File(&'a Value),
    Missing,
    /// Below something that is no table, which [`super::keys`] has told of: nothing more is said.
    Nowhere,
}

#[derive(Clone)]
pub(super) struct Node<'a> {
    path: String,
    at: At<'a>,
    context: &'a Context<'a>,
}

impl<'a> Node<'a> {
    /// The key `name` below this one, which may be missing.
    pub fn at(&self, name: &str) -> Node<'a> {
        let at = match self.at {
            At::Table(table) | At::Value(Value::Table(table)) => table.get(name).map_or(At::Missing, At::Value),
            At::Missing => At::Missing,
            At::Value(_) | At::File(_) | At::Nowhere => At::Nowhere,
        };
        Node { path: super::keys::join(&self.path, name), at, context: self.context }
    }

    /// `name`, or the file that `name_file` names.
    pub fn secret(&self, name: &str) -> Node<'a> {
        let (plain, file) = (self.at(name), self.at(&format!("{name}_file")));
        match file.at {
            At::Value(_) if plain.is_there() => {
                file.problem::<()>(format!("found besides {name}; accepted: one of the two"));
                plain
            }
            At::Value(value) => Node { at: At::File(value), ..file },
            _ => plain,
        }
    }

    /// Its elements, when it is a list.
    pub fn elements(&self) -> Vec<Node<'a>> {
        match self.at {
            At::Value(Value::Array(elements)) => elements
                .iter()
                .enumerate()
                .map(|(at, value)| Node {
                    path: format!("{}[{at}]", self.path),
                    at: At::Value(value),
                    context: self.context,
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    pub fn is_there(&self) -> bool {
        !matches!(self.at, At::Missing)
    }

    pub fn is_list(&self) -> bool {
        matches!(self.at, At::Value(Value::Array(_)))
    }

    pub fn is_table(&self) -> bool {
        matches!(self.at, At::Value(Value::Table(_)))
    }

    pub fn value(&self) -> Option<&'a Value> {
        match self.at {
            At::Value(value) | At::File(value) => Some(value),
            At::Table(_) | At::Missing | At::Nowhere => None,
        }
    }

    /// Notes what is wrong here.
    pub fn problem<T>(&self, says: impl Into<String>) -> Option<T> {
        if matches!(self.at, At::Nowhere) {
            return None;
        }
        let key = match self.context.variables.get(&self.path) {
            Some(variable) => format!("{} ({})", self.path, variable.name),
            None => self.path.clone(),
        };
        self.context.problems.borrow_mut().push(Problem::new(key, says));
        None
    }

    /// Notes that something else was expected.
    pub fn refuse<T>(&self, accepted: impl std::fmt::Display) -> Option<T> {
        match self.value() {
            None => self.problem(format!("missing; accepted: {accepted}")),
            Some(value) => self.problem(format!("found {}; accepted: {accepted}", problem::found(value))),
        }
    }

    /// `Some(None)` when it is missing.
    pub fn optional<T>(&self, read: impl FnOnce(&Self) -> Option<T>) -> Option<Option<T>> {
        if self.is_there() { read(self).map(Some) } else { Some(None) }
    }

    /// Text that is not empty, with `${VAR}` replaced.
    pub fn text(&self, accepted: &str) -> Option<String> {
        match (self.value(), self.context.variables.get(&self.path)) {
            (Some(Value::String(text)), _) => self.expanded(text, accepted),
            (Some(_), Some(variable)) => self.expanded(&variable.text, accepted),
            _ => self.refuse(accepted),
        }
    }

    fn expanded(&self, text: &str, accepted: &str) -> Option<String> {
        match self.context.environment.expand(text) {
            Ok(text) if text.trim().is_empty() => self.refuse(accepted),
            Ok(text) => Some(text),
            Err(why) => self.problem(why),
        }
    }

    /// The same for a URL that may hold a password; the problem never shows what was found.
    pub fn secret_text(&self, accepted: &dyn Fn() -> String) -> Option<String> {
        let text = match self.at {
            At::Value(Value::String(text)) => match self.context.environment.expand(text) {
                Ok(text) => text,
                Err(why) => return self.problem(why),
            },
            At::File(_) => self.file()?,
            At::Value(other) => {
                return self.problem(format!("found {}; accepted: {}", problem::unshown(other), accepted()));
            }
            At::Table(_) | At::Missing | At::Nowhere => {
                return self.refuse(format!("{} (or a file that holds it, as {}_file)", accepted(), self.name()));
            }
        };
        if text.trim().is_empty() {
            self.problem(format!("found nothing in it; accepted: {}", accepted()))
        } else {
            Some(text)
        }
    }

    /// The last part of its path.
    fn name(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or(&self.path)
    }

    /// The content of the file that this key names, without the line's end.
    fn file(&self) -> Option<String> {
        let path = self.text("the path of a file")?;
        match std::fs::read_to_string(&path) {
            Ok(text) => Some(text.trim_end_matches(['\r', '\n']).to_owned()),
            Err(error) => self.problem(format!(
                "found {path:?}, which cannot be read ({error}); accepted: the path of a file with the secret"
            )),
        }
    }

    /// A name of the team's database: exact, case included.
    pub fn column(&self) -> Option<String> {
        self.text("the name of a column")
    }

    /// One text or a list of them, without repetition.
    pub fn texts(&self, accepted: &str) -> Option<Vec<String>> {
        if !self.is_list() {
            return Some(vec![self.text(accepted)?]);
        }
        let nodes = self.elements();
        if nodes.is_empty() {
            return self.problem(format!("found an empty list; accepted: {accepted}"));
        }
        // All of them are read before the first problem ends it.
        let read: Vec<_> = nodes.iter().map(|node| node.text(accepted)).collect();
        let texts: Vec<String> = read.into_iter().collect::<Option<_>>()?;
        for (at, text) in texts.iter().enumerate() {
            if texts[..at].contains(text) {
                return nodes[at].problem(format!("found {text:?} a second time; accepted: each once"));
            }
        }
        Some(texts)
    }

    pub fn integer(&self, range: &RangeInclusive<i64>) -> Option<i64> {
        let read = match self.value() {
            Some(Value::Integer(number)) => Some(*number),
            // `${VAR}` is always text.
            Some(Value::String(_)) => self.text("a number")?.parse().ok(),
            _ => None,
        };
        match read.filter(|number| range.contains(number)) {
            None => self.refuse(format!("a whole number from {} to {}", range.start(), range.end())),
            number => number,
        }
    }

    pub fn duration(&self, range: &RangeInclusive<Duration>) -> Option<Duration> {
        match span::parse(&self.text(span::ACCEPTED)?) {
            None => self.refuse(span::ACCEPTED),
            Some(duration) if !range.contains(&duration) => {
                self.refuse(format!("a duration from {} to {}", span::text(*range.start()), span::text(*range.end())))
            }
            duration => duration,
        }
    }

    pub fn timezone(&self) -> Option<chrono_tz::Tz> {
        let accepted = "an IANA name such as \"Asia/Shanghai\" or \"UTC\"";
        let name = self.text(accepted)?;
        match name.parse() {
            Ok(zone) => Some(zone),
            Err(_) => {
                let hint = suggest::hint(&name, chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name()));
                self.refuse(format!("{accepted}{hint}"))
            }
        }
    }

    /// One of these words. `later` are words of the contract that this version does not read.
    pub fn choice<T: Copy>(&self, choices: &[(&str, T)], later: &[&str]) -> Option<T> {
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        let accepted = words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ");
        let word = self.text(&accepted)?;
        if later.contains(&word.as_str()) {
            return self.problem(format!("found \"{word}\"; not read by this version; accepted: {accepted}"));
        }
        match choices.iter().find(|(choice, _)| *choice == word) {
            Some((_, choice)) => Some(*choice),
            None => self.refuse(format!("{accepted}{}", suggest::hint(&word, words))),
        }
    }

    /// Of an inline table that [`super::keys`] does not look into: refuses other keys than these.
    pub fn only(&self, accepted: &[&str]) -> Option<()> {
        let Some(Value::Table(table)) = self.value() else { return Some(()) };
        let mut fine = Some(());
        for (name, value) in table.iter().filter(|(name, _)| !accepted.contains(&name.as_str())) {
            fine = self.at(name).problem(super::unknown::says(value, name, accepted));
        }
        fine
    }
}
