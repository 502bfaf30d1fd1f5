//! Every key that this version reads: the one place for defaults, reasons, and what is secret. Loading fills in and refuses
//! by this table, `config print` prints by it.

use toml::{Table, Value};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    /// A URL with a password in it. `x_file` may stand for `x`, and it is never printed.
    Secret,
}

pub(super) struct Key {
    /// With `[]` for "each element".
    pub path: &'static str,
    pub kind: Kind,
    /// As TOML.
    pub default: Option<&'static str>,
    /// A value as somebody would write it, as TOML; shown where none is written.
    pub sample: &'static str,
    /// What it does and why the default is what it is; printed above it.
    pub says: &'static str,
}

const fn plain(path: &'static str, sample: &'static str, says: &'static str) -> Key {
    Key { path, kind: Kind::Plain, default: None, sample, says }
}

const fn default(path: &'static str, default: &'static str, says: &'static str) -> Key {
    Key { path, kind: Kind::Plain, default: Some(default), sample: default, says }
}

const fn secret(path: &'static str, sample: &'static str, says: &'static str) -> Key {
    Key { path, kind: Kind::Secret, default: None, sample, says }
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
        r#""https://ops.example.com""#,
        "What browsers type. Its host is accepted besides the loopback names; https makes cookies Secure.",
    ),
    Key {
        path: "state.url",
        kind: Kind::Secret,
        default: Some(r#""sqlite://oncewatch.db""#),
        sample: "",
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
        "limits.message_search",
        "3000",
        "Entries of streams that one look-up reads, shared among the places where its message may be.",
    ),
    default(
        "limits.open_set",
        "1000000",
        "Open records kept in memory per source, at most 48 bytes each with a numeric id; beyond it the console says \"more than\".",
    ),
    default(
        "limits.export_rows",
        "10000",
        "Records in one CSV file. Its pages are read one after the other, each a bounded statement on the team's database.",
    ),
    default(
        "limits.request_body",
        "65536",
        "Bytes of a request's body. The largest form carries a 4 KB key and a reason.",
    ),
    default("limits.session_idle", r#""12h""#, "A session without use ends after this: one shift."),
    plain("source[].name", r#""points""#, "Slug of 1 to 63 a-z, 0-9, - and _; appears in URLs and metrics."),
    default("source[].timezone", r#""UTC""#, "Of zone-less time columns, as IANA names it."),
    secret(
        "source[].records.url",
        r#""mysql://console:${POINTS_PW}@db:3306/points""#,
        "The team's database: mysql, mariadb, postgres or sqlite. A replica and a read-only account are enough.",
    ),
    plain("source[].records.preset", r#""idempotent_record""#, "A known mapping; what is written beside it wins."),
    plain(
        "source[].records.table",
        r#""idempotent_record""#,
        "\"schema.table\" is split at the dot, \"log_*\" takes every table that matches; for a dot inside a name: [\"cap.received\"].",
    ),
    plain(
        "source[].records.id",
        r#""id""#,
        "Unique and growing (auto-increment, snowflake); it makes following cheap.",
    ),
    plain(
        "source[].records.key",
        r#"["biz_id"]"#,
        "One or more columns, shown joined with \":\"; or { column = \"Content\", json = \"/Headers/cap-msg-id\" }.",
    ),
    plain(
        "source[].records.type",
        r#""biz_type""#,
        "A column, a list of them, { constant = \"ORDER_PAID\" }, { table_name = true }, or { column, json }.",
    ),
    plain(
        "source[].records.created",
        r#""create_time""#,
        "A time column, { column, unit, format, timezone, plus }, or a list: the first that is not null.",
    ),
    plain("source[].records.updated", r#""update_time""#, "The last change; as created."),
    plain("source[].records.attempts", r#""retry_count""#, "How often it was tried."),
    plain(
        "source[].records.error",
        r#""last_error""#,
        "A column, or { column, json }; its first 4,096 characters are read.",
    ),
    plain("source[].records.owner", r#""lock_id""#, "Who works on it."),
    plain("source[].records.lease_until", r#""lock_expire_at""#, "Until when; as created."),
    plain("source[].records.version", r#""version""#, "For compare-and-set by operations."),
    plain("source[].records.payload", r#""body""#, "The message, where the table keeps it. It is not read for lists."),
    plain(
        "source[].records.where",
        r#"[{ column = "is_deleted", equals = 0 }]"#,
        "All of them together; other rows are not of this source. equals, not_equals, in, is_null, older_than, newer_than.",
    ),
    secret(
        "source[].records.write.url",
        r#""mysql://operator:${OPS_PW}@primary:3306/points""#,
        "The primary, with an account that may write; records.url when absent.",
    ),
    plain(
        "source[].records.write.release",
        r#""status""#,
        "How a stuck or failed row is opened for its next delivery: \"status\" sets the failed code, \"delete\" deletes the row.",
    ),
    plain(
        "source[].records.write.failed",
        "3",
        "What makes a row failed: a code, or { status = 3, handled_at = \"null\" }.",
    ),
    plain("source[].records.write.dead", "4", "What makes a row dead, in the same way."),
    plain("source[].records.write.touch", "true", "Sets the updated column to the database's clock."),
    plain("source[].records.status.column", r#""status""#, "The column whose codes say the state."),
    plain(
        "source[].records.status.processing",
        "[1]",
        "Integers, strings (compared without case), booleans, ranges such as \"400..599\"; \"null\" stands for NULL.",
    ),
    plain("source[].records.status.completed", "[2]", "Finished for good."),
    plain("source[].records.status.failed", "[3]", "To be tried again."),
    plain("source[].records.status.dead", "[4]", "Given up. A code that nothing names is shown as unmapped."),
    plain(
        "source[].records.status.exists",
        r#""completed""#,
        "The row's existence means this; then no column and no codes.",
    ),
    plain(
        "source[].records.status.rules",
        r#"[{ status = "completed", not_null = "processed_at" }]"#,
        "The first that holds wins; for tables that say it with time stamps. column answers where none holds.",
    ),
    secret(
        "source[].locks.url",
        r#""redis://cache:6379/0""#,
        "redis:// or rediss://; redis+cluster:// with one or more nodes; redis+sentinel:// with the sentinels and ?master=name.",
    ),
    plain(
        "source[].locks.pattern",
        r#""idem_lock:{type}:{key}""#,
        "The Redis key of a record's lock, with {type} and {key}.",
    ),
    plain(
        "source[].locks.kind",
        r#""string""#,
        "\"string\": the value is the owner; \"marker\": existing means consumed or being consumed; \"counter\": INCR; \"redisson\": a hash; \"powertools\": JSON.",
    ),
    plain(
        "source[].locks.done",
        r#"["done:*"]"#,
        "Values that mean \"already consumed\"; a * at the end stands for any rest.",
    ),
    plain("source[].locks.ttl", r#""15s""#, "What the consumers set; compared with the handling time."),
    plain(
        "source[].signals.kind",
        r#""redis""#,
        "How consumers report what a table cannot show: \"redis\", into hashes, or \"http\", to /api/ingest.",
    ),
    secret("source[].signals.url", r#""redis://cache:6379/0""#, "That of the locks when absent."),
    plain("source[].signals.prefix", r#""idem_stat""#, "Of the hashes' names; idem_stat when absent."),
    plain("source[].broker[].kind", r#""rabbitmq""#, "\"rabbitmq\" or \"redis-streams\"."),
    secret(
        "source[].broker[].url",
        r#""http://monitor:${MQ_PW}@mq:15672""#,
        "RabbitMQ: the management API; the tag \"monitoring\" is enough. Streams: redis:// or rediss://.",
    ),
    plain("source[].broker[].vhost", r#""/""#, "RabbitMQ: where the queues are; \"/\" when absent."),
    plain("source[].broker[].queues", r#"["points.*"]"#, "RabbitMQ: names, with * and ? as wildcards."),
    plain(
        "source[].broker[].streams",
        r#"["points:orders"]"#,
        "Streams: names. With * and ? Redis's key space is searched for them, which takes Redis 6.0 and, where it holds \
         millions of keys, minutes.",
    ),
    plain("source[].broker[].group", r#""points""#, "Streams: the group that consumes, with * and ? as wildcards."),
    plain("source[].broker[].dead_letter", r#""points.dlq""#, "Shown, never counted among the queues or streams."),
    plain(
        "source[].broker[].key",
        r#"{ field = "biz_id" }"#,
        "How a message's key is found in it. Streams: a field, a value in its JSON ({ field = \"payload\", json = \
         \"/biz_id\" }), \"message_id\". RabbitMQ: { header = \"x-biz-id\" }, { json = \"/biz_id\" } of the body, \
         \"message_id\". Or a list joined with \":\". Without it no single message is looked for.",
    ),
    plain(
        "source[].broker[].type",
        r#"{ field = "biz_type" }"#,
        "The same for the type, or { constant = \"ORDER_DONE\" }. Without it the key alone decides.",
    ),
    secret(
        "source[].broker[].amqp",
        r#""amqp://operator:${MQ_PW}@mq:5672""#,
        "RabbitMQ: for operations that move messages, and for nothing else. The virtual host is vhost.",
    ),
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
    default(
        "source[].retry.mode",
        r#""release""#,
        "How the message of a record that was opened comes again: \"release\" by itself; \"dead_letter\" is moved from there \
         to its queue or stream; \"republish\" publishes records.payload; \"webhook\" asks somebody to send it.",
    ),
    plain("source[].retry.republish.exchange", r#""orders""#, "Of mode republish: \"\" is the default exchange."),
    plain("source[].retry.republish.routing_key", r#""points""#, "With the default exchange the name of a queue."),
    secret(
        "source[].retry.webhook.url",
        r#""https://orders.example.com/again""#,
        "Of mode webhook: asked by POST, once for each record, with an Idempotency-Key. It is no redirect, and its host \
         leads to a private address only where it says so itself: by number, by localhost, or by a name of the inside.",
    ),
    secret(
        "source[].retry.webhook.secret",
        r#""${HOOK_SECRET}""#,
        "What its requests are signed with, as Standard Webhooks have it.",
    ),
    plain(
        "source[].archive.table",
        r#""idempotent_record_archive""#,
        "Where completed records were moved, with the same columns: a look-up goes on there. It may not exist yet.",
    ),
    plain(
        "source[].archive.keep",
        r#""7d""#,
        "Completed records older than this (last change, else creation) may be archived. Absent: none is.",
    ),
    plain(
        "source[].archive.mode",
        r#""move""#,
        "\"move\" when absent; \"delete\" keeps nothing, and takes i_know = true beside it.",
    ),
    plain("source[].archive.i_know", "false", "Confirms mode = \"delete\": what it deletes cannot be restored."),
    plain(
        "source[].archive.schedule",
        r#""0 3 * * *""#,
        "When a run begins by itself: minute, hour, day, month, weekday, in the source's timezone. Absent: by hand only.",
    ),
    plain(
        "source[].archive.window",
        r#""2h""#,
        "How long such a run may go on; 2h when absent. It ends by itself, and the next one goes on where it ended.",
    ),
    plain(
        "source[].archive.batch",
        "2000",
        "Most rows of one transaction; 2000 when absent. A run goes by how long they take, and stays below it.",
    ),
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

/// Names of the keys of a table, in order; `""` is the root.
pub(super) fn names(pattern: &str) -> Vec<&'static str> {
    let mut names = Vec::new();
    for key in KEYS {
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

#[cfg(test)]
mod tests {
    use super::{KEYS, fill_defaults};

    #[test]
    fn every_key_says_what_it_does_with_values_that_are_toml() {
        fill_defaults(&mut toml::Table::new());
        for key in KEYS {
            assert!(!key.says.is_empty(), "{}", key.path);
            assert!(
                key.default.or(Some(key.sample)).is_some_and(|value| value.parse::<toml::Value>().is_ok()),
                "{}",
                key.path
            );
        }
    }
}
