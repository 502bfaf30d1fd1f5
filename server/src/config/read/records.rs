//! `[source.records]`.

use super::status;
use crate::config::node::Node;
use crate::config::{Records, TableName, TimeColumn, TimeUnit, TypeFrom, address};
use chrono::format::{Item, StrftimeItems};

impl Records {
    /// Whether its records have a type at all.
    #[must_use]
    pub fn has_type(&self) -> bool {
        match &self.r#type {
            TypeFrom::Columns(columns) => !columns.is_empty(),
            TypeFrom::Constant(_) => true,
        }
    }
}

pub(super) fn records(node: &Node<'_>) -> Option<Records> {
    if !node.is_there() {
        return node.refuse("a table [source.records] with url, table, key and status");
    }
    let url = address::read(node, &address::RECORDS);
    let table = table(&node.at("table"));
    let key = key(&node.at("key"));
    let r#type = r#type(&node.at("type"));
    let column = |name: &str| node.at(name).optional(Node::column);
    let time = |name: &str| node.at(name).optional(time);
    let (id, attempts, error, owner) = (column("id"), column("attempts"), column("error"), column("owner"));
    let (version, payload) = (column("version"), column("payload"));
    let (created, updated, lease_until) = (time("created"), time("updated"), time("lease_until"));
    let status = status::status(&node.at("status"));
    Some(Records {
        url: url?,
        table: table?,
        id: id?,
        key: key?,
        r#type: r#type?,
        created: created?,
        updated: updated?,
        attempts: attempts?,
        error: error?,
        owner: owner?,
        lease_until: lease_until?,
        version: version?,
        payload: payload?,
        status: status?,
    })
}

/// Only a plain string is split at its dot; in a list every part is exact.
fn table(node: &Node<'_>) -> Option<TableName> {
    let accepted =
        "\"table\", \"schema.table\", or a list for names with dots: [\"a.table\"], [\"schema\", \"a.table\"]";
    if node.is_list() {
        let parts: Vec<_> = node.elements().iter().map(|part| part.text("a name")).collect();
        return match parts.into_iter().collect::<Option<Vec<_>>>()?.as_slice() {
            [table] => Some(TableName { schema: None, table: table.clone() }),
            [schema, table] => Some(TableName { schema: Some(schema.clone()), table: table.clone() }),
            _ => node.refuse(accepted),
        };
    }
    let text = node.text(accepted)?;
    if text.contains('*') {
        return node
            .problem(format!("found {text:?}; tables in numbers are not read by this version; accepted: {accepted}"));
    }
    match text.split('.').collect::<Vec<_>>().as_slice() {
        [table] => Some(TableName { schema: None, table: (*table).to_owned() }),
        [schema, table] if !schema.is_empty() && !table.is_empty() => {
            Some(TableName { schema: Some((*schema).to_owned()), table: (*table).to_owned() })
        }
        _ => node.refuse(accepted),
    }
}

fn key(node: &Node<'_>) -> Option<Vec<String>> {
    let accepted = "the name of a column, or a list of names";
    if node.is_table() || node.elements().iter().any(Node::is_table) {
        return node
            .problem(format!("found a table; keys inside JSON are not read by this version; accepted: {accepted}"));
    }
    node.texts(accepted)
}

fn r#type(node: &Node<'_>) -> Option<TypeFrom> {
    let accepted = "the name of a column, a list of names, or { constant = \"…\" }";
    if node.is_table() {
        node.only(&["constant"], &["column", "json", "table_name"])?;
        return Some(TypeFrom::Constant(node.at("constant").text("a text")?));
    }
    if node.elements().iter().any(Node::is_table) {
        return node.problem(format!("found a list with tables; not read by this version; accepted: {accepted}"));
    }
    Some(TypeFrom::Columns(node.optional(|node| node.texts(accepted))?.unwrap_or_default()))
}

const UNITS: [(&str, TimeUnit); 5] = [
    ("datetime", TimeUnit::Datetime),
    ("epoch_s", TimeUnit::EpochSeconds),
    ("epoch_ms", TimeUnit::EpochMillis),
    ("epoch_us", TimeUnit::EpochMicros),
    ("text", TimeUnit::Text),
];

fn time(node: &Node<'_>) -> Option<TimeColumn> {
    let accepted = "the name of a column, or { column, unit, format, timezone }";
    if node.is_list() {
        return node
            .problem(format!("found a list; several columns are not read by this version; accepted: {accepted}"));
    }
    if !node.is_table() {
        return Some(TimeColumn { column: node.text(accepted)?, unit: None, timezone: None, format: None });
    }
    node.only(&["column", "unit", "format", "timezone"], &["plus"])?;
    let column = node.at("column").column();
    let unit = node.at("unit").optional(|unit| unit.choice(&UNITS, &[]));
    let timezone = node.at("timezone").optional(Node::timezone);
    let format = node.at("format").optional(format);
    let (unit, format) = match (unit?, format?) {
        (None | Some(TimeUnit::Text), Some(format)) => (Some(TimeUnit::Text), Some(format)),
        (Some(_), Some(_)) => return node.at("format").refuse("a format only with unit = \"text\""),
        (unit, None) => (unit, None),
    };
    Some(TimeColumn { column: column?, unit, timezone: timezone?, format })
}

fn format(node: &Node<'_>) -> Option<String> {
    let accepted = "a strftime format such as \"%Y%m%d%H%M%S\"";
    let format = node.text(accepted)?;
    if StrftimeItems::new(&format).any(|item| matches!(item, Item::Error)) {
        node.refuse(accepted)
    } else {
        Some(format)
    }
}
