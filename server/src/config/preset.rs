//! `preset = "…"`: a mapping for tables that many teams have. What is written beside it wins.

use super::problem::{self, Problem};
use super::suggest;
use toml::{Table, Value};

/// To add one: a file in `presets/`, and its line here.
const PRESETS: [(&str, &str); 21] = [
    ("idempotent_record", include_str!("presets/idempotent_record.toml")),
    ("idempotent_record_retry", include_str!("presets/idempotent_record_retry.toml")),
    ("msg_idempotent", include_str!("presets/msg_idempotent.toml")),
    ("mq_consume_record", include_str!("presets/mq_consume_record.toml")),
    ("processed_messages", include_str!("presets/processed_messages.toml")),
    ("rocketmq_dedup", include_str!("presets/rocketmq_dedup.toml")),
    ("rocketmq_dedup_starter", include_str!("presets/rocketmq_dedup_starter.toml")),
    ("masstransit_inbox", include_str!("presets/masstransit_inbox.toml")),
    ("masstransit_outbox", include_str!("presets/masstransit_outbox.toml")),
    ("nservicebus_outbox", include_str!("presets/nservicebus_outbox.toml")),
    ("wolverine_incoming", include_str!("presets/wolverine_incoming.toml")),
    ("cap_received", include_str!("presets/cap_received.toml")),
    ("spring_modulith", include_str!("presets/spring_modulith.toml")),
    ("spring_modulith_2", include_str!("presets/spring_modulith_2.toml")),
    ("camel", include_str!("presets/camel.toml")),
    ("camel_postgres", include_str!("presets/camel_postgres.toml")),
    ("eventuate_tram", include_str!("presets/eventuate_tram.toml")),
    ("laravel_idempotency", include_str!("presets/laravel_idempotency.toml")),
    ("rails_idempotency", include_str!("presets/rails_idempotency.toml")),
    ("brandur_keys", include_str!("presets/brandur_keys.toml")),
    ("pg_transactional_inbox", include_str!("presets/pg_transactional_inbox.toml")),
];

/// Each preset's name and the `[source.records]` that it fills in.
pub fn presets() -> impl Iterator<Item = (&'static str, Table)> {
    PRESETS.iter().map(|(name, text)| (*name, text.parse().expect("a preset is TOML; a test reads them all")))
}

/// Fills the presets of all sources in.
pub(super) fn fill(tree: &mut Table, problems: &mut Vec<Problem>) {
    let Some(Value::Array(sources)) = tree.get_mut("source") else { return };
    for (at, source) in sources.iter_mut().enumerate() {
        let Some(Value::Table(records)) = source.get_mut("records") else { continue };
        let Some(name) = records.get("preset") else { continue };
        match PRESETS.iter().find(|(preset, _)| name.as_str() == Some(preset)) {
            Some((_, text)) => merge(records, text.parse().expect("a preset is TOML; a test reads them all")),
            None => problems.push(refusal(at, name)),
        }
    }
}

fn refusal(source: usize, found: &Value) -> Problem {
    let names: Vec<_> = PRESETS.iter().map(|(name, _)| *name).collect();
    let hint = suggest::hint(found.as_str().unwrap_or_default(), names.iter().copied());
    let says = format!("found {}; accepted: \"{}\"{hint}", problem::found(found), names.join("\", \""));
    Problem::new(format!("source[{source}].records.preset"), says)
}

fn merge(written: &mut Table, preset: Table) {
    for (key, value) in preset {
        match (written.get_mut(&key), value) {
            (None, value) => {
                written.insert(key, value);
            }
            // Codes may stand beside those of the preset, unless the status is found in another way. Everything else is
            // written whole: half a key of one and half of the other is none.
            (Some(Value::Table(status)), Value::Table(preset)) if key == "status" => {
                if !is_read_otherwise(status, &preset) {
                    merge(status, preset);
                }
            }
            (Some(_), _) => {}
        }
    }
}

/// Whether it is written how the status is found, and not as the preset finds it.
fn is_read_otherwise(status: &Table, preset: &Table) -> bool {
    let ways = ["exists", "rules", "column"];
    status.contains_key("exists")
        || status.contains_key("rules")
        || (status.contains_key("column") && ways.iter().any(|way| *way != "column" && preset.contains_key(*way)))
}

#[cfg(test)]
mod tests {
    use super::PRESETS;
    use crate::config::{Environment, from_toml};

    #[test]
    fn every_preset_is_a_whole_mapping() {
        for (name, preset) in PRESETS {
            // Where every installation has its own name.
            let table = if preset.contains("\ntable = ") { "" } else { ", table = 'mine'" };
            let records = format!("url = 'sqlite://x.db', preset = '{name}'{table}");
            let text = format!("source = [{{ name = 'x', records = {{ {records} }} }}]");
            from_toml(&text, &Environment::default()).unwrap();
        }
    }
}
