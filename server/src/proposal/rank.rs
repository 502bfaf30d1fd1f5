//! Which of the tables is one that a team consumes with: by its columns and indexes. A name alone says nothing: an
//! orders table may be called `idempotent_orders`.

use super::keys::{Keys, keys};
use super::names::words;
use super::presets;
use super::roles::{self, Role};
use super::status::{self, By};
use crate::ports::survey::{ColumnKind, IndexSketch, TableSketch};

/// A table with what its columns may be.
pub(super) struct Ranked {
    pub table: TableSketch,
    pub keys: Option<Keys>,
    pub by: By,
    pub score: i32,
    pub reasons: Vec<String>,
    /// What keeps it from being one; `None`: it is.
    pub lacks: Option<String>,
}

/// Words of columns that only tables about messages have.
const ABOUT_MESSAGES: &[&str] = &[
    "msg",
    "message",
    "consumer",
    "consume",
    "consumed",
    "topic",
    "event",
    "idempotency",
    "idempotent",
    "dedup",
    "dedupe",
    "biz",
    "delivery",
    "delivered",
    "listener",
    "retry",
    "attempts",
    "attempt",
    "inbox",
    "outbox",
    "dispatched",
];

pub(super) fn rank(table: TableSketch, indexes: &[IndexSketch]) -> Ranked {
    let keys = keys(&table, indexes);
    let preset = presets::fitting(&table, keys.as_ref().map_or(&[], |keys| keys.unique.as_slice()));
    let named = |role| roles::best(&table.columns, role).map(|(column, points)| (column.name.clone(), points));
    let by = status::by(&table, named(Role::Created).as_ref().map(|(name, _)| name.as_str()));
    let (mut score, mut reasons) = (0, Vec::new());
    let mut add = |points: i32, reason: String| {
        score += points;
        reasons.push(reason);
    };
    if let Some(keys) = &keys {
        let points = i32::try_from(keys.points).unwrap_or(0) / 2;
        let key = keys.key.join(", ");
        match keys.unique.is_empty() {
            false => add(points + 4, format!("a unique index over {}", keys.unique.join(", "))),
            true => add(points, format!("a column like a business key: {key}, without a unique index")),
        }
        if !keys.r#type.is_empty() {
            add(2, format!("a type: {}", keys.r#type.join(", ")));
        }
    }
    match &by {
        By::Column(column) => add(5, format!("a status: {column}")),
        By::Rules(_) => add(3, "times that say the status".to_owned()),
        By::Exists => {}
    }
    let others = [
        (Role::Attempts, 2, "attempts"),
        (Role::LeaseUntil, 2, "a lease"),
        (Role::Owner, 1, "an owner"),
        (Role::Error, 1, "an error"),
        (Role::Created, 1, "a creation time"),
        (Role::Updated, 1, "a time of the last change"),
    ];
    for (role, points, what) in others {
        if let Some((column, _)) = named(role) {
            add(points, format!("{what}: {column}"));
        }
    }
    let about = table
        .columns
        .iter()
        .filter(|column| words(&column.name).iter().any(|word| ABOUT_MESSAGES.contains(&word.as_str())));
    let about = i32::try_from(about.count()).unwrap_or(i32::MAX).min(4);
    if about > 0 {
        add(about, "names that speak of messages".to_owned());
    }
    if let Some(preset) = &preset {
        let points = i32::try_from(preset.columns.len()).unwrap_or(0);
        add(points, format!("all {points} columns of the preset {}", preset.name));
    }
    let money = table.columns.iter().filter(|column| column.kind == ColumnKind::Decimal).count();
    if money > 0 {
        add(-2 * i32::try_from(money).unwrap_or(3).min(3), "amounts, which business tables have".to_owned());
    }
    let many = i32::try_from(table.columns.len().saturating_sub(25) / 5).unwrap_or(0);
    if many > 0 {
        add(-many, format!("{} columns", table.columns.len()));
    }
    let lacks = lacks(&table, keys.as_ref(), &by, preset.is_some(), about);
    Ranked { table, keys, by, score, reasons, lacks }
}

fn lacks(table: &TableSketch, keys: Option<&Keys>, by: &By, preset: bool, about: i32) -> Option<String> {
    if preset {
        return None;
    }
    let Some(keys) = keys else { return Some("no column like a business key".to_owned()) };
    let worked_on = [Role::Attempts, Role::LeaseUntil, Role::Owner].into_iter();
    let worked_on = worked_on.filter_map(|role| roles::best(&table.columns, role)).next().is_some();
    let evidence = !keys.r#type.is_empty() || about > 0 || worked_on || keys.points >= 9;
    match by {
        By::Exists if keys.unique.is_empty() => Some("neither a status nor a unique index over the key".to_owned()),
        By::Exists if keys.points < 8 && keys.r#type.is_empty() => {
            Some("no status, and no column like a message's key".to_owned())
        }
        _ if !evidence => Some("nothing that speaks of messages: no type, attempts, lease or message id".to_owned()),
        _ => None,
    }
}
