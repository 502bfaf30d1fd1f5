//! `[source.archive]`: where completed records go, when, and how fast.

use super::{count, records, seconds};
use crate::config::node::Node;
use crate::config::{Archive, ArchiveMode, Records, Schedule, TableName};
use crate::glob;
use std::time::Duration;
use toml::Value;

const MODES: [(&str, ArchiveMode); 2] = [("move", ArchiveMode::Move), ("delete", ArchiveMode::Delete)];
const WINDOW: Duration = Duration::from_secs(2 * 3_600);
const BATCH: u32 = 2_000;

/// `own`: the source's table, as far as it could be read.
pub(super) fn archive(node: &Node<'_>, own: Option<&Records>) -> Option<Archive> {
    let keep = node.at("keep").optional(|keep| keep.duration(&(seconds(60)..=seconds(3_650 * 86_400))));
    let table = table(&node.at("table"), own, matches!(keep, Some(Some(_))));
    let mode = node.at("mode").optional(|mode| mode.choice(&MODES, &[]));
    let knows = node.at("i_know").optional(flag);
    let schedule = node.at("schedule").optional(schedule);
    let window = node.at("window").optional(|window| window.duration(&(seconds(60)..=seconds(86_400))));
    let batch = node.at("batch").optional(|_| count(node, "batch", 1..=10_000));
    let archive = Archive {
        table: table.as_ref()?.0.clone(),
        numbered: table?.1,
        keep: keep?,
        mode: mode?.unwrap_or(ArchiveMode::Move),
        schedule: schedule?,
        window: window?.unwrap_or(WINDOW),
        batch: batch?.unwrap_or(BATCH),
    };
    if archive.mode == ArchiveMode::Delete && knows? != Some(true) {
        return node.at("mode").refuse("\"move\", or \"delete\" with i_know = true beside it: what is deleted is gone");
    }
    if archive.schedule.is_some() && archive.keep.is_none() {
        return node.at("schedule").refuse("a schedule only with keep, which says what may be archived");
    }
    if archive.schedule.is_some() && own.is_some_and(|own| own.write.is_none()) {
        return node
            .at("schedule")
            .refuse("a schedule only with [source.records.write]: without it the source is read-only");
    }
    Some(archive)
}

fn table(node: &Node<'_>, own: Option<&Records>, archives: bool) -> Option<(TableName, bool)> {
    let (table, numbered) = records::table(node)?;
    let Some(own) = own else { return Some((table, numbered)) };
    if own.table == table {
        return node.refuse("another table than the source's own");
    }
    // What was moved would be read as if it were still there.
    let same_schema = own.table.schema == table.schema;
    if own.numbered && same_schema && glob::matches(&own.table.table, &table.table.replace('*', "0")) {
        return node.refuse(format!("a name that is none of {}", own.table.table));
    }
    let one_star = |glob: &str| glob.matches('*').count() == 1 && !glob.contains('?');
    let fits = match (own.numbered, numbered) {
        (false, false) => true,
        (true, true) => one_star(&own.table.table) && one_star(&table.table),
        _ => false,
    };
    match archives && !fits {
        true => node.refuse("one * where the source's table has its only one, and none where it has none"),
        false => Some((table, numbered)),
    }
}

fn schedule(node: &Node<'_>) -> Option<Schedule> {
    let accepted = "minute, hour, day of month, month and day of week, such as \"0 3 * * *\"";
    let text = node.text(accepted)?;
    match Schedule::parse(&text) {
        Ok(schedule) => Some(schedule),
        Err(why) => node.refuse(format!("{accepted} ({why})")),
    }
}

fn flag(node: &Node<'_>) -> Option<bool> {
    match node.value() {
        Some(Value::Boolean(flag)) => Some(*flag),
        _ => node.refuse("true or false"),
    }
}
