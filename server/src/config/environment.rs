//! The environment, as a parameter: read once from the process, made up in tests.

use std::collections::BTreeMap;

/// Variables by name. Not printable: any of them may be a password.
#[derive(Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// That of this process. What is not UTF-8 counts as not set.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
    pub fn of_process() -> Self {
        std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect()
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// `(rest of the name, whole name, value)` of the variables whose name starts with `prefix`.
    pub(super) fn starting_with<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a str, &'a str)> {
        self.0.iter().filter_map(move |(name, value)| Some((name.strip_prefix(prefix)?, name.as_str(), value.as_str())))
    }

    /// Replaces `${VAR}` and `${VAR:-default}` (used when the variable is not set or empty). The error says what is wrong.
    pub(super) fn expand(&self, text: &str) -> Result<String, String> {
        let mut expanded = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let (inside, after) = after.split_once('}').ok_or("has a \"${\" without its \"}\"")?;
            expanded.push_str(before);
            let (name, default) = match inside.split_once(":-") {
                Some((name, default)) => (name, Some(default)),
                None => (inside, None),
            };
            let value = self.get(name).filter(|value| !value.is_empty() || default.is_none()).or(default);
            expanded.push_str(value.ok_or_else(|| {
                format!(
                    "names the environment variable {name}, which is not set; set it, or write ${{{name}:-default}}"
                )
            })?);
            rest = after;
        }
        expanded.push_str(rest);
        Ok(expanded)
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(variables: I) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Environment({} variables)", self.0.len())
    }
}
