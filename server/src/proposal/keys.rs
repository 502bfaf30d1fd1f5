//! Which columns are the key and which the type: what the unique index says counts more than names.

use super::names::Said;
use super::roles::{self, Role, points};
use crate::ports::survey::{ColumnKind, ColumnSketch, IndexSketch, TableSketch};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Keys {
    /// A growing id with a unique index.
    pub id: Option<String>,
    pub key: Vec<String>,
    pub r#type: Vec<String>,
    /// Columns of the unique index that keeps one record for each key; empty: none does.
    pub unique: Vec<String>,
    /// How sure the names make it: 0 to 12.
    pub points: u32,
}

/// `None`: no column could be a key.
pub(super) fn keys(table: &TableSketch, indexes: &[IndexSketch]) -> Option<Keys> {
    let id = growing_id(table, indexes).map(|column| column.name.clone());
    let of_index = |index: &IndexSketch| -> Option<Keys> {
        let columns: Vec<&ColumnSketch> = index.columns.iter().map(|name| table.column(name)).collect::<Option<_>>()?;
        let (r#type, key): (Vec<&ColumnSketch>, Vec<&ColumnSketch>) =
            columns.iter().partition(|column| is_type(column) && points(column, Role::Key) == 0);
        // All of them look like types: the last is what differs most.
        let (r#type, key) = match key.is_empty() {
            true => (r#type[..r#type.len() - 1].to_vec(), vec![r#type[r#type.len() - 1]]),
            false => (r#type, key),
        };
        let sure = key.iter().map(|column| points(column, Role::Key)).max()?;
        Some(Keys {
            id: id.clone(),
            key: names(&key),
            r#type: names(&r#type),
            unique: index.columns.clone(),
            points: sure,
        })
    };
    let unique =
        indexes.iter().filter(|index| index.unique && id.as_ref().is_none_or(|id| index.columns != [id.clone()]));
    // Of several the one that looks most like it; the first of equals.
    let mut best: Option<Keys> = None;
    for keys in unique.filter_map(of_index) {
        if best.as_ref().is_none_or(|best| keys.points > best.points) {
            best = Some(keys);
        }
    }
    let named =
        best.filter(|keys| keys.points > 0 || keys.key.len() + keys.r#type.len() > 1).or_else(|| by_name(table, id));
    named.map(|keys| with_type(table, keys))
}

fn names(columns: &[&ColumnSketch]) -> Vec<String> {
    columns.iter().map(|column| column.name.clone()).collect()
}

fn is_type(column: &ColumnSketch) -> bool {
    points(column, Role::Type) > 0
}

/// No unique index helps: the column that is called most like a key.
fn by_name(table: &TableSketch, id: Option<String>) -> Option<Keys> {
    let candidates: Vec<ColumnSketch> =
        table.columns.iter().filter(|column| Some(&column.name) != id.as_ref()).cloned().collect();
    let (column, sure) = roles::best(&candidates, Role::Key).filter(|(_, points)| *points >= 8)?;
    Some(Keys { id, key: vec![column.name.clone()], r#type: Vec::new(), unique: Vec::new(), points: sure })
}

/// A type beside the key, where the index has none.
fn with_type(table: &TableSketch, mut keys: Keys) -> Keys {
    if keys.r#type.is_empty() {
        let free: Vec<ColumnSketch> =
            table.columns.iter().filter(|column| !keys.key.contains(&column.name)).cloned().collect();
        let short = |column: &&ColumnSketch| column.kind != ColumnKind::Other;
        let best = roles::best(&free, Role::Type).filter(|(_, points)| *points >= 8).map(|(column, _)| column);
        keys.r#type = best.filter(short).map(|column| column.name.clone()).into_iter().collect();
    }
    keys
}

/// Handed out by the engine, or an integer that is the whole primary key and called so.
fn growing_id<'a>(table: &'a TableSketch, indexes: &[IndexSketch]) -> Option<&'a ColumnSketch> {
    let alone =
        |column: &&ColumnSketch| indexes.iter().any(|index| index.unique && index.columns == [column.name.clone()]);
    let integers = || table.columns.iter().filter(|column| column.kind == ColumnKind::Integer).filter(alone);
    let assigned = integers().find(|column| column.assigned);
    let named = |column: &&ColumnSketch| {
        let said = Said::of(&column.name, None);
        said.is("id") || said.is("pk") || said.any(&["snowflake"])
    };
    assigned.or_else(|| integers().find(named))
}
