//! `[source.records]`.

use super::{condition, status};
use crate::config::node::Node;
use crate::config::{Records, TableName, TimeColumn, TimeUnit, TypeFrom, address};
use chrono::format::{Item, StrftimeItems};
use std::time::Duration;

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
    let numbered = !node.at("table").is_list() && table.as_ref().is_some_and(|table| table.table.contains('*'));
    let key = key(&node.at("key"));
    let r#type = r#type(&node.at("type"));
    let column = |name: &str| node.at(name).optional(Node::column);
    let time = |name: &str| node.at(name).optional(times).map(Option::unwrap_or_default);
    let (id, attempts, error, owner) = (column("id"), column("attempts"), column("error"), column("owner"));
    let (version, payload) = (column("version"), column("payload"));
    let (created, updated, lease_until) = (time("created"), time("updated"), time("lease_until"));
    let r#where = node.at("where").optional(condition::filters).map(Option::unwrap_or_default);
    let status = status::status(&node.at("status"));
    Some(Records {
        url: url?,
        table: table?,
        numbered,
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
        r#where: r#where?,
        status: status?,
    })
}

/// Only a plain string is split at its dot; in a list every part is exact.
fn table(node: &Node<'_>) -> Option<TableName> {
    let accepted = "\"table\", \"schema.table\", \"log_*\" for many, or a list for names with dots: [\"a.table\"], [\"schema\", \"a.table\"]";
    if node.is_list() {
        let parts: Vec<_> = node.elements().iter().map(|part| part.text("a name")).collect();
        return match parts.into_iter().collect::<Option<Vec<_>>>()?.as_slice() {
            [table] => Some(TableName { schema: None, table: table.clone() }),
            [schema, table] => Some(TableName { schema: Some(schema.clone()), table: table.clone() }),
            _ => node.refuse(accepted),
        };
    }
    let text = node.text(accepted)?;
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

/// No lease lasts longer.
const LONGEST_PLUS: Duration = Duration::from_secs(400 * 86_400);

const UNITS: [(&str, TimeUnit); 5] = [
    ("datetime", TimeUnit::Datetime),
    ("epoch_s", TimeUnit::EpochSeconds),
    ("epoch_ms", TimeUnit::EpochMillis),
    ("epoch_us", TimeUnit::EpochMicros),
    ("text", TimeUnit::Text),
];

fn times(node: &Node<'_>) -> Option<Vec<TimeColumn>> {
    if !node.is_list() {
        return Some(vec![time(node)?]);
    }
    let read: Vec<_> = node.elements().iter().map(time).collect();
    if read.is_empty() {
        return node.refuse(TIME);
    }
    read.into_iter().collect()
}

const TIME: &str = "the name of a column, { column, unit, format, timezone, plus }, or a list of these";

fn time(node: &Node<'_>) -> Option<TimeColumn> {
    if !node.is_table() {
        return Some(TimeColumn::plain(&node.text(TIME)?));
    }
    node.only(&["column", "unit", "format", "timezone", "plus"], &[])?;
    let plus = node.at("plus").optional(|plus| plus.duration(&(Duration::ZERO..=LONGEST_PLUS)));
    let column = node.at("column").column();
    let unit = node.at("unit").optional(|unit| unit.choice(&UNITS, &[]));
    let timezone = node.at("timezone").optional(Node::timezone);
    let format = node.at("format").optional(format);
    let (unit, format) = match (unit?, format?) {
        (None | Some(TimeUnit::Text), Some(format)) => (Some(TimeUnit::Text), Some(format)),
        (Some(_), Some(_)) => return node.at("format").refuse("a format only with unit = \"text\""),
        (unit, None) => (unit, None),
    };
    let plus = plus?.unwrap_or_default();
    Some(TimeColumn { column: column?, unit, timezone: timezone?, format, plus })
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
