//! Presets that fit a table: every column that one names is there. The table's own name has no say.

use crate::config::presets;
use crate::ports::survey::TableSketch;
use toml::{Table, Value};

/// A preset with fewer columns fits too many tables to mean anything.
const FEWEST: usize = 3;

/// A preset with the columns that it names.
pub(super) struct Preset {
    pub name: &'static str,
    pub columns: Vec<String>,
    pub records: Table,
}

/// The one that names most columns. Its key and type must hold all of the unique index, where one is known: else two rows
/// would be one to it.
pub(super) fn fitting(table: &TableSketch, unique: &[String]) -> Option<Preset> {
    let fits = |preset: &Preset| {
        let mut told_apart = Vec::new();
        for key in ["id", "key", "type"] {
            preset.records.get(key).into_iter().for_each(|value| named(value, &mut told_apart));
        }
        preset.columns.len() >= FEWEST
            && preset.columns.iter().all(|name| table.column(name).is_some())
            && unique.iter().all(|name| told_apart.contains(name))
    };
    let all = presets().map(|(name, records)| Preset { name, columns: columns(&records), records });
    all.filter(fits).max_by_key(|preset| preset.columns.len())
}

/// Every column that a `[source.records]` names, once.
fn columns(records: &Table) -> Vec<String> {
    let mut found = Vec::new();
    for (key, value) in records {
        match key.as_str() {
            "table" | "url" | "write" => {}
            "status" | "where" => conditions(value, &mut found),
            _ => named(value, &mut found),
        }
    }
    found.sort();
    found.dedup();
    found
}

/// `"a"`, `["a", "b"]`, `{ column = "a", … }`, and lists of these.
fn named(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(name) => found.push(name.clone()),
        Value::Array(elements) => elements.iter().for_each(|element| named(element, found)),
        Value::Table(table) => table.get("column").into_iter().for_each(|column| named(column, found)),
        _ => {}
    }
}

/// Of `status` and `where` only the keys that name columns.
fn conditions(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(elements) => elements.iter().for_each(|element| conditions(element, found)),
        Value::Table(table) => {
            for (key, value) in table {
                match key.as_str() {
                    "column" | "not_null" | "greater_than_column" => named(value, found),
                    "rules" | "when" => conditions(value, found),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::columns;

    #[test]
    fn every_column_that_a_mapping_names() {
        let records = "
            table = 'inbox'
            key = [{ column = 'content', json = '/id' }, 'tenant']
            type = { constant = 'x' }
            created = ['a', { column = 'b', unit = 'epoch_ms' }]
            where = [ { column = 'c', equals = 'no column' } ]
            [status]
            column = 'd'
            completed = ['DONE']
            rules = [ { status = 'dead', not_null = 'e' },
                      { status = 'failed', when = [ { column = 'f', greater_than_column = 'g' } ] } ]";
        assert_eq!(columns(&records.parse().unwrap()).concat(), "abccontentdefgtenant");
    }
}
