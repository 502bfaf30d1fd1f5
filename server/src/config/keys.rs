//! Every key that this version reads: the one place for defaults, reasons, and what is secret. Loading fills in and refuses
//! by this table, `config print` prints by it.

use super::layers::Layers;
use super::problem::{self, Problem};
use super::suggest;
use toml::{Table, Value};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    /// A URL with a password in it. `x_file` may stand for `x`, and it is never printed.
    Secret,
    /// Of the contract, but not read by this version: refused, so that nobody relies on it.
    Later,
}

pub(super) struct Key {
    /// With `[]` for "each element".
    pub path: &'static str,
    pub kind: Kind,
    /// As TOML.
    pub default: Option<&'static str>,
    /// What it does and why the default is what it is; printed above it.
    pub says: &'static str,
}

const fn plain(path: &'static str, says: &'static str) -> Key {
    Key { path, kind: Kind::Plain, default: None, says }
}

const fn default(path: &'static str, default: &'static str, says: &'static str) -> Key {
    Key { path, kind: Kind::Plain, default: Some(default), says }
}

const fn secret(path: &'static str, says: &'static str) -> Key {
    Key { path, kind: Kind::Secret, default: None, says }
}

const fn later(path: &'static str) -> Key {
    Key { path, kind: Kind::Later, default: None, says: "" }
}

/// In the order in which they are printed.
pub(super) const KEYS: &[Key] = &[
    default(
        "server.listen",
        r#""127.0.0.1:8080""#,
        "Where the console listens. An address that is not loopback is refused while no operator account exists.",
    ),
    plain(
        "server.public_url",
        "What browsers type. Its host is accepted besides the loopback names; https makes cookies Secure.",
    ),
    Key {
        path: "state.url",
        kind: Kind::Secret,
        default: Some(r#""sqlite://oncewatch.db""#),
        says: "Oncewatch's own database: sqlite://, postgres:// or mysql://. A file is enough for one server.",
    },
    default(
        "collect.period",
        r#""5s""#,
        "How often each panel is read. A figure older than three periods is shown as stale.",
    ),
    default(
        "limits.statement_timeout",
        r#""3s""#,
        "Server-side limit of every statement on a team's database: the console may be slow, production may not.",
    ),
    default(
        "limits.connect_timeout",
        r#""3s""#,
        "For connecting to anything. Longer than a failover's reset, shorter than a person's patience.",
    ),
    default(
        "limits.pool_size",
        "4",
        "Connections per source: one for collecting, the rest for people. Small, because they are the team's.",
    ),
    default(
        "limits.scan_rows",
        "5000",
        "Rows that one walking statement reads; about ten milliseconds on the engines measured.",
    ),
    default(
        "limits.open_set",
        "1000000",
        "Open records kept in memory per source, about 48 bytes each; beyond it the console says \"more than\".",
    ),
    default(
        "limits.request_body",
        "65536",
        "Bytes of a request's body. The largest form carries a 4 KB key and a reason.",
    ),
    default("limits.session_idle", r#""12h""#, "A session without use ends after this: one shift."),
    plain("source[].name", "Slug; appears in URLs and metrics."),
    default("source[].timezone", r#""UTC""#, "Of zone-less time columns, as IANA names it."),
    secret("source[].records.url", "The team's database; a read-only account is enough."),
    plain("source[].records.preset", "Fills in what is not written here."),
    plain("source[].records.table", ""),
    plain("source[].records.id", "Unique and growing."),
    plain("source[].records.key", "One or more columns, joined with \":\"."),
    plain("source[].records.type", ""),
    plain("source[].records.created", ""),
    plain("source[].records.updated", ""),
    plain("source[].records.attempts", ""),
    plain("source[].records.error", ""),
    plain("source[].records.owner", ""),
    plain("source[].records.lease_until", ""),
    plain("source[].records.version", ""),
    plain("source[].records.payload", ""),
    plain("source[].records.where", "Other rows of the table are not of this source."),
    plain("source[].records.status.column", ""),
    plain("source[].records.status.processing", ""),
    plain("source[].records.status.completed", ""),
    plain("source[].records.status.failed", ""),
    plain("source[].records.status.dead", ""),
    plain("source[].records.status.exists", "The row's existence means this."),
    plain("source[].records.status.rules", "The first that holds wins; for tables that say it with time stamps."),
    secret("source[].records.write.url", "The primary, with an account that may write; records.url when absent."),
    plain("source[].records.write.release", "How a stuck or failed row is opened for its next delivery."),
    plain("source[].records.write.failed", "What makes a row failed."),
    plain("source[].records.write.dead", "What makes a row dead."),
    plain("source[].records.write.touch", "Sets the updated column to the database's clock."),
    secret("source[].locks.url", ""),
    plain("source[].locks.pattern", "The Redis key of a record's lock, with {type} and {key}."),
    plain("source[].locks.kind", "\"string\": the value is the owner."),
    plain("source[].locks.done", "Values that mean \"already consumed\"; a * at the end stands for any rest."),
    plain("source[].locks.ttl", "What the consumers set."),
    later("source[].signals"),
    plain("source[].broker[].kind", ""),
    secret("source[].broker[].url", "The management API."),
    default("source[].broker[].vhost", r#""/""#, ""),
    plain("source[].broker[].queues", "Names, with * and ? as wildcards."),
    plain("source[].broker[].dead_letter", "Shown, never counted among the queues."),
    later("source[].broker[].amqp"),
    later("source[].broker[].key"),
    later("source[].broker[].type"),
    later("source[].broker[].streams"),
    later("source[].broker[].group"),
    default(
        "source[].retry.after",
        r#""5m""#,
        "A processing record younger than this is never called stuck. Longer than most handlers run.",
    ),
    default(
        "source[].retry.consumer_timeout",
        r#""30m""#,
        "The broker's own limit for a delivery; RabbitMQ's default.",
    ),
    later("source[].retry.mode"),
    later("source[].retry.webhook"),
    later("source[].retry.republish"),
    later("source[].archive"),
];

/// What may stand at one place of the tree.
pub(super) enum Place {
    Leaf(&'static Key),
    Table,
    /// A list of tables.
    List,
    Unknown,
}

pub(super) fn place(pattern: &str) -> Place {
    if let Some(key) = KEYS.iter().find(|key| key.path == pattern) {
        return Place::Leaf(key);
    }
    let below =
        |with: &str| KEYS.iter().any(|key| key.path.strip_prefix(pattern).is_some_and(|rest| rest.starts_with(with)));
    match () {
        () if below(".") => Place::Table,
        () if below("[].") => Place::List,
        () => Place::Unknown,
    }
}

/// Names of the keys of a table, in order; `""` is the root. Those of later versions are not among them.
pub(super) fn names(pattern: &str) -> Vec<&'static str> {
    let mut names = Vec::new();
    for key in KEYS.iter().filter(|key| key.kind != Kind::Later) {
        let rest = if pattern.is_empty() {
            Some(key.path)
        } else {
            key.path.strip_prefix(pattern).and_then(|rest| rest.strip_prefix('.'))
        };
        let Some(name) = rest.and_then(|rest| rest.split(['.', '[']).next()) else { continue };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// `a.b`, or `b` at the root.
pub(super) fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// The lowest layer: what is written nowhere.
pub(super) fn fill_defaults(tree: &mut Table) {
    for key in KEYS {
        if let Some(default) = key.default {
            let value = default.parse::<Value>().expect("a default is TOML; a test reads them all");
            fill(tree, key.path, &value);
        }
    }
}

fn fill(table: &mut Table, path: &str, value: &Value) {
    let Some((head, rest)) = path.split_once('.') else {
        if !table.contains_key(&format!("{path}_file")) {
            table.entry(path).or_insert_with(|| value.clone());
        }
        return;
    };
    // What is no table where one should be is refused later, by its reader.
    if let Some(list) = head.strip_suffix("[]") {
        if let Some(Value::Array(elements)) = table.get_mut(list) {
            elements.iter_mut().filter_map(Value::as_table_mut).for_each(|element| fill(element, rest, value));
        }
    } else if let Value::Table(inner) = table.entry(head).or_insert_with(|| Value::Table(Table::new())) {
        fill(inner, rest, value);
    }
}

/// Refuses what [`KEYS`] does not have.
pub(super) fn refuse_unknown(layers: &Layers, problems: &mut Vec<Problem>) {
    let mut found = Vec::new();
    walk(&layers.tree, "", "", &mut found);
    problems.extend(found.into_iter().map(|mut problem| {
        if let Some(variable) = layers.variables.get(&problem.key) {
            problem.key = format!("{} ({})", problem.key, variable.name);
        }
        problem
    }));
}

fn walk(table: &Table, path: &str, pattern: &str, problems: &mut Vec<Problem>) {
    for (name, value) in table {
        let (path, below) = (join(path, name), join(pattern, name));
        match (place(&below), value) {
            (Place::Leaf(Key { kind: Kind::Later, .. }), _) => {
                problems.push(Problem::new(
                    path,
                    format!("found {}; not read by this version: remove it", problem::unshown(value)),
                ));
            }
            (Place::Leaf(_), _) => {}
            (Place::Table, Value::Table(inner)) => walk(inner, &path, &below, problems),
            (Place::Table, _) => {
                let accepted = names(&below).join(", ");
                problems.push(Problem::new(
                    path,
                    format!("found {}; accepted: a table with {accepted}", problem::unshown(value)),
                ));
            }
            (Place::List, Value::Array(elements)) => {
                for (at, element) in elements.iter().enumerate() {
                    let (path, below) = (format!("{path}[{at}]"), format!("{below}[]"));
                    match element {
                        Value::Table(inner) => walk(inner, &path, &below, problems),
                        other => problems
                            .push(Problem::new(path, format!("found {}; accepted: a table", problem::unshown(other)))),
                    }
                }
            }
            (Place::List, _) => {
                problems.push(Problem::new(
                    path,
                    format!(
                        "found {}; accepted: a list of tables, written [[{}]]",
                        problem::unshown(value),
                        below.replace("[]", "")
                    ),
                ));
            }
            (Place::Unknown, _) if is_file_of_secret(&below) => {}
            (Place::Unknown, _) => {
                problems.push(Problem::new(path, unknown(value, name, &names(pattern))));
            }
        }
    }
}

fn is_file_of_secret(pattern: &str) -> bool {
    pattern.strip_suffix("_file").is_some_and(|base| matches!(place(base), Place::Leaf(Key { kind: Kind::Secret, .. })))
}

/// What to say about a key that no table has. Its value may be a misspelt password: only its type is shown.
pub(super) fn unknown(value: &Value, name: &str, accepted: &[&str]) -> String {
    let hint = suggest::hint(name, accepted.iter().copied());
    format!("found an unknown key ({}); accepted: {}{hint}", problem::kind(value), accepted.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{KEYS, fill_defaults};

    #[test]
    fn every_default_is_toml_and_says_why() {
        fill_defaults(&mut toml::Table::new());
        for key in KEYS.iter().filter(|key| key.path.starts_with("limits.")) {
            assert!(key.default.is_some() && !key.says.is_empty(), "{}", key.path);
        }
    }
}
