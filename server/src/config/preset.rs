//! `preset = "…"`: a mapping for tables that many teams have. What is written beside it wins.

use super::problem::{self, Problem};
use super::suggest;
use toml::{Table, Value};

/// To add one: a file in `presets/`, and its line here.
const PRESETS: [(&str, &str); 1] = [("idempotent_record", include_str!("presets/idempotent_record.toml"))];

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
            // A status that is read in another way has no use for the preset's column and codes.
            (Some(Value::Table(status)), _) if status.contains_key("exists") || status.contains_key("rules") => {}
            (Some(Value::Table(status)), Value::Table(preset)) => merge(status, preset),
            (Some(_), _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PRESETS;
    use crate::config::{Environment, from_toml};

    #[test]
    fn every_preset_is_a_whole_mapping() {
        for (name, _) in PRESETS {
            let text = format!("source = [{{ name = 'x', records = {{ url = 'sqlite://x.db', preset = '{name}' }} }}]");
            from_toml(&text, &Environment::default()).unwrap();
        }
    }
}
