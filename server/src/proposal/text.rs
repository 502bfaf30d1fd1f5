//! TOML, and what stands in it as a comment.

use crate::config::TableName;

/// A string of TOML.
pub(super) fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// A key or list: one name alone, several in brackets.
pub(super) fn names(names: &[String]) -> String {
    match names {
        [one] => quoted(one),
        several => list(several),
    }
}

pub(super) fn list(names: &[String]) -> String {
    format!("[{}]", names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", "))
}

/// Names with dots or stars are exact only in a list.
pub(super) fn table(name: &TableName) -> String {
    let plain = |part: &str| !part.contains(['.', '*']);
    match &name.schema {
        None if plain(&name.table) => quoted(&name.table),
        None => list(std::slice::from_ref(&name.table)),
        Some(schema) if plain(schema) && plain(&name.table) => quoted(&format!("{schema}.{}", name.table)),
        Some(schema) => list(&[schema.clone(), name.table.clone()]),
    }
}

/// A source's name: what of the table's name a slug may hold.
pub(super) fn slug(table: &str) -> String {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let slug: String = table.to_ascii_lowercase().chars().map(|c| if allowed(c) { c } else { '-' }).take(63).collect();
    let slug = slug.trim_matches(['-', '_']);
    if slug.is_empty() { "records".to_owned() } else { slug.to_owned() }
}

/// One line of a comment, whatever a table's name or comment holds.
pub(super) fn comment(text: &str) -> String {
    let one_line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("# {one_line}\n")
}
