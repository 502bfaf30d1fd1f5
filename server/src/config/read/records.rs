//! `[source.records]`.

use super::{condition, part, status, write};
use crate::config::node::Node;
use crate::config::{Records, TableName, TimeColumn, TimeUnit, address};
use chrono::format::{Item, Parsed, StrftimeItems, parse};
use chrono::{DateTime, TimeDelta};
use std::fmt::Write as _;
use std::time::Duration;

impl Records {
    /// Whether its records have a type at all.
    #[must_use]
    pub fn has_type(&self) -> bool {
        !self.r#type.is_empty()
    }
}

pub(super) fn records(node: &Node<'_>) -> Option<Records> {
    if !node.is_there() {
        return node.refuse("a table [source.records] with url, table, key and status");
    }
    let url = address::read(node, &address::RECORDS);
    let table = table(&node.at("table"));
    let key = part::key(&node.at("key"));
    let r#type = node.at("type").optional(part::r#type).map(Option::unwrap_or_default);
    let column = |name: &str| node.at(name).optional(Node::column);
    let time = |name: &str| node.at(name).optional(times).map(Option::unwrap_or_default);
    let (id, attempts, owner) = (column("id"), column("attempts"), column("owner"));
    let error = node.at("error").optional(part::one);
    let (version, payload) = (column("version"), column("payload"));
    let (created, updated, lease_until) = (time("created"), time("updated"), time("lease_until"));
    let r#where = node.at("where").optional(condition::filters).map(Option::unwrap_or_default);
    let status = status::status(&node.at("status"));
    let write = node.at("write").optional(|node| write::write(node, status.as_ref(), updated.as_ref()));
    Some(Records {
        url: url?,
        numbered: table.as_ref().is_some_and(|(_, numbered)| *numbered),
        table: table?.0,
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
        write: write?,
    })
}

/// Only a plain string is split at its dot, or is a pattern for many (`true`); in a list every part is exact.
pub(super) fn table(node: &Node<'_>) -> Option<(TableName, bool)> {
    let accepted = "\"table\", \"schema.table\", \"log_*\" for many, or a list for names with dots: [\"a.table\"], [\"schema\", \"a.table\"]";
    if node.is_list() {
        let parts: Vec<_> = node.elements().iter().map(|part| part.text("a name")).collect();
        return match parts.into_iter().collect::<Option<Vec<_>>>()?.as_slice() {
            [table] => Some((TableName { schema: None, table: table.clone() }, false)),
            [schema, table] => Some((TableName { schema: Some(schema.clone()), table: table.clone() }, false)),
            _ => node.refuse(accepted),
        };
    }
    let text = node.text(accepted)?;
    let table = match text.split('.').collect::<Vec<_>>().as_slice() {
        [table] => TableName { schema: None, table: (*table).to_owned() },
        [schema, table] if !schema.is_empty() && !table.is_empty() => {
            TableName { schema: Some((*schema).to_owned()), table: (*table).to_owned() }
        }
        _ => return node.refuse(accepted),
    };
    let numbered = table.table.contains('*');
    Some((table, numbered))
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
    node.only(&["column", "unit", "format", "timezone", "plus"])?;
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
        return node.refuse(accepted);
    }
    if names_a_day(&format) {
        Some(format)
    } else {
        node.refuse(format!("{accepted}, with year, month and day, or with %s"))
    }
}

/// Whether what it writes of a day says which day it was.
fn names_a_day(format: &str) -> bool {
    let some_day = DateTime::UNIX_EPOCH + TimeDelta::days(20_000);
    let (mut written, mut parsed) = (String::new(), Parsed::new());
    write!(written, "{}", some_day.format(format)).is_ok()
        && parse(&mut parsed, &written, StrftimeItems::new(format)).is_ok()
        && (parsed.timestamp().is_some() || parsed.to_naive_date().is_ok())
}
