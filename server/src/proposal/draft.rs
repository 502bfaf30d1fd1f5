//! A mapping as TOML, with what could not be decided.

use super::Asked;
use super::keys::Keys;
use super::presets::{self, Preset};
use super::rank::Ranked;
use super::roles::{self, Role};
use super::status::{self, By, Codes};
use super::text::{comment, list, names, quoted, slug, table};
use super::times::{self, Unit, Zone};
use crate::ports::survey::{ColumnSketch, Survey, TableSketch};
use app::model::Fault;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A preset whose codes leave more of the sample unexplained is not used.
const UNEXPLAINED: f64 = 0.2;

#[derive(Debug, Clone)]
pub struct Draft {
    pub preset: Option<String>,
    pub toml: String,
    /// Each in a line; also in the TOML, as comments.
    pub undecided: Vec<String>,
}

/// What the newest rows hold, by column.
pub(super) struct Sampled {
    columns: Vec<String>,
    pub(super) rows: Vec<Vec<Option<String>>>,
}

impl Sampled {
    pub(super) async fn read(survey: &dyn Survey, table: &TableSketch, keys: &Keys, limit: u32) -> Result<Self, Fault> {
        let roles = [Role::Status, Role::Created, Role::Updated, Role::LeaseUntil];
        let plays = |column: &&ColumnSketch| roles.into_iter().any(|role| roles::points(column, role) > 0);
        let of_preset = presets::fitting(table, &keys.unique).map(|preset| preset.columns).unwrap_or_default();
        // A preset's payload would be read as well, so only what may be a code or a time.
        let small = |name: &&String| table.column(name).is_some_and(|column| roles::points(column, Role::Payload) == 0);
        let mut columns: Vec<String> = table.columns.iter().filter(plays).map(|column| column.name.clone()).collect();
        columns.extend(keys.key.iter().chain(of_preset.iter().filter(small)).cloned());
        columns.sort();
        columns.dedup();
        let rows = survey.sample(&table.name, &columns, limit).await?;
        Ok(Self { columns, rows })
    }

    fn values(&self, column: &str) -> Vec<&Option<String>> {
        let at = self.columns.iter().position(|name| name == column);
        at.map(|at| self.rows.iter().filter_map(|row| row.get(at)).collect()).unwrap_or_default()
    }

    fn there(&self, column: &str) -> Vec<&str> {
        self.values(column).into_iter().filter_map(|value| value.as_deref()).collect()
    }

    /// Different values with their counts, most frequent first.
    fn counted(&self, column: &str) -> Vec<(Option<String>, usize)> {
        let mut counts: BTreeMap<&Option<String>, usize> = BTreeMap::new();
        for value in self.values(column) {
            *counts.entry(value).or_default() += 1;
        }
        let mut counted: Vec<(Option<String>, usize)> =
            counts.into_iter().map(|(value, count)| (value.clone(), count)).collect();
        counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counted
    }
}

/// By the columns alone.
pub(super) fn own(ranked: &Ranked, asked: &Asked<'_>, keys: &Keys, sample: &Sampled, now: DateTime<Utc>) -> Draft {
    let mut draft = Writer::new(&ranked.table, sample, now);
    draft.line("table", Some(table(&ranked.table.name)));
    draft.line("id", keys.id.as_deref().map(quoted));
    draft.line("key", Some(list(&keys.key)));
    draft.line("type", (!keys.r#type.is_empty()).then(|| names(&keys.r#type)));
    draft.used.extend(keys.key.iter().chain(&keys.r#type).chain(&keys.id).cloned());
    if let By::Column(column) = &ranked.by {
        draft.used.push(column.clone());
    }
    let (created, updated) = (draft.best(Role::Created), draft.best(Role::Updated));
    match (created, updated, &ranked.by) {
        // Where a row is all there is, its only time is when it was made.
        (None, Some(only), By::Exists) => draft.time("created", &only),
        (created, updated, _) => {
            draft.maybe_time("created", created);
            let updated = updated.filter(|updated| !draft.used.contains(&updated.name));
            draft.maybe_time("updated", updated.or_else(|| draft.best(Role::Updated)));
        }
    }
    let lease = draft.best(Role::LeaseUntil);
    draft.maybe_time("lease_until", lease);
    draft.roles(&[]);
    draft.deleted();
    if keys.r#type.is_empty() {
        draft.remark("The table has no type; if all its rows are of one, write: type = { constant = \"…\" }");
    }
    draft.expiry();
    draft.status(&ranked.by);
    draft.finish(asked, None)
}

/// With the preset that fits, where its codes explain what the sample holds.
pub(super) fn with_preset(
    ranked: &Ranked,
    asked: &Asked<'_>,
    keys: &Keys,
    sample: &Sampled,
    now: DateTime<Utc>,
) -> Option<Draft> {
    let preset = presets::fitting(&ranked.table, &keys.unique)?;
    let mut draft = Writer::new(&ranked.table, sample, now);
    draft.line("preset", Some(quoted(preset.name)));
    draft.line("table", Some(table(&ranked.table.name)));
    draft.used.clone_from(&preset.columns);
    let written: Vec<&str> = preset.records.keys().map(String::as_str).collect();
    if !written.contains(&"id") && !preset.columns.iter().any(|column| Some(column) == keys.id.as_ref()) {
        draft.line("id", keys.id.as_deref().map(quoted));
    }
    draft.roles(&written);
    for role in ["created", "updated"] {
        if let Some(column) = preset.records.get(role).and_then(toml::Value::as_str) {
            draft.zone_of(column, Unit::Plain);
        }
    }
    draft.preset_codes(&preset)?;
    Some(draft.finish(asked, Some(preset.name)))
}

struct Writer<'a> {
    table: &'a TableSketch,
    sample: &'a Sampled,
    now: DateTime<Utc>,
    used: Vec<String>,
    records: String,
    status: String,
    undecided: Vec<String>,
    /// Of the newest time without a zone, by column.
    newest: Option<(String, DateTime<Utc>)>,
}

impl<'a> Writer<'a> {
    fn new(table: &'a TableSketch, sample: &'a Sampled, now: DateTime<Utc>) -> Self {
        Self {
            table,
            sample,
            now,
            used: Vec::new(),
            records: String::new(),
            status: String::new(),
            undecided: Vec::new(),
            newest: None,
        }
    }

    fn line(&mut self, key: &str, value: Option<String>) {
        if let Some(value) = value {
            // Writing to a String does not fail.
            let _ = writeln!(self.records, "{key} = {value}");
        }
    }

    fn remark(&mut self, text: &str) {
        self.records.push_str(&comment(text));
    }

    fn undecided(&mut self, text: String) {
        self.records.push_str(&comment(&format!("Could not be decided: {text}")));
        self.undecided.push(text);
    }

    /// The best column for a role that plays none yet.
    fn best(&self, role: Role) -> Option<ColumnSketch> {
        let free: Vec<ColumnSketch> =
            self.table.columns.iter().filter(|column| !self.used.contains(&column.name)).cloned().collect();
        roles::best(&free, role).map(|(column, _)| column.clone())
    }

    fn maybe_time(&mut self, key: &str, column: Option<ColumnSketch>) {
        if let Some(column) = column {
            self.time(key, &column);
        }
    }

    fn time(&mut self, key: &str, column: &ColumnSketch) {
        self.used.push(column.name.clone());
        let values = self.sample.there(&column.name);
        match times::unit(column, &values) {
            Some(unit) => {
                self.line(key, Some(times::written(&column.name, unit)));
                self.zone_of(&column.name, unit);
            }
            None => {
                let seen = values.first().map_or("no value was seen".to_owned(), |value| format!("it holds {value:?}"));
                self.undecided(format!(
                    "the unit of {} ({}): {seen}; {key} = {{ column = {}, unit = \"epoch_s\" | \"epoch_ms\" | \"epoch_us\" | \"text\" }}",
                    column.name,
                    column.declared,
                    quoted(&column.name)
                ));
            }
        }
    }

    /// Remembers the newest time that a zone would move.
    fn zone_of(&mut self, column: &str, unit: Unit) {
        let Some(sketch) = self.table.column(column) else { return };
        let newest = times::zoneless(sketch, unit, &self.sample.there(column)).into_iter().max();
        let later = newest.filter(|newest| self.newest.as_ref().is_none_or(|(_, known)| newest > known));
        self.newest = later.map(|newest| (column.to_owned(), newest)).or(self.newest.take());
    }

    /// What else a record may have, besides what is written already.
    fn roles(&mut self, written: &[&str]) {
        let others = [
            ("attempts", Role::Attempts),
            ("error", Role::Error),
            ("owner", Role::Owner),
            ("version", Role::Version),
            ("payload", Role::Payload),
        ];
        for (key, role) in others.into_iter().filter(|(key, _)| !written.contains(key)) {
            if let Some(column) = self.best(role) {
                self.used.push(column.name.clone());
                self.line(key, Some(quoted(&column.name)));
            }
        }
    }

    /// Rows that are deleted by a flag are not of the source.
    fn deleted(&mut self) {
        let condition = match (self.best(Role::DeletedFlag), self.best(Role::DeletedAt)) {
            (Some(flag), _) => {
                let no = if flag.declared.starts_with("bool") { "false" } else { "0" };
                Some((flag.name.clone(), format!("{{ column = {}, equals = {no} }}", quoted(&flag.name))))
            }
            (None, Some(at)) => Some((at.name.clone(), format!("{{ column = {}, is_null = true }}", quoted(&at.name)))),
            (None, None) => None,
        };
        if let Some((column, condition)) = condition {
            self.used.push(column);
            self.line("where", Some(format!("[ {condition} ]")));
        }
    }

    /// The end of something, and nobody knows of what.
    fn expiry(&mut self) {
        let ends = |column: &&ColumnSketch| {
            let words = super::names::words(&column.name);
            words.iter().any(|word| word.starts_with("expir")) && !self.used.contains(&column.name)
        };
        let named: Vec<String> = self.table.columns.iter().filter(ends).map(|column| column.name.clone()).collect();
        for column in named {
            self.undecided(format!(
                "{column} may be the end of a lease (then lease_until = …) or of the record's retention (then nothing)"
            ));
        }
    }

    fn status(&mut self, by: &By) {
        self.status = match by {
            By::Exists => {
                "exists = \"completed\"   # the table has no status: a row means that it was consumed\n".to_owned()
            }
            By::Rules(rules) => {
                let rules: String = rules.iter().map(|rule| format!("  {rule},\n")).collect();
                format!("rules = [\n{rules}]\n")
            }
            By::Column(name) => {
                let Some(column) = self.table.column(name) else { return };
                let codes = status::codes(column, &self.sample.counted(name));
                self.explain(name, &codes);
                format!("column = {}\n{}{}", quoted(name), status::by_what(&codes), status::written(&codes))
            }
        };
    }

    fn explain(&mut self, column: &str, codes: &Codes) {
        let comment = self.table.column(column).and_then(|column| column.comment.as_deref());
        let comment = comment.map(|comment| format!(", and its comment is {comment:?}")).unwrap_or_default();
        match (codes.unknown.is_empty(), codes.known.is_empty()) {
            (true, false) => {}
            (true, true) => self.undecided(format!("the codes of {column}: no row was seen{comment}")),
            (false, true) => {
                self.undecided(format!(
                    "the codes of {column}: seen were {}{comment}",
                    status::counted(&codes.unknown)
                ));
            }
            (false, false) => self.undecided(format!("these codes of {column}: {}", status::counted(&codes.unknown))),
        }
    }

    /// `None`: they do not explain what the sample holds.
    fn preset_codes(&mut self, preset: &Preset) -> Option<()> {
        let by_preset = preset.records.get("status").and_then(toml::Value::as_table);
        let Some(column) = by_preset.and_then(|status| status.get("column")?.as_str()) else { return Some(()) };
        // Where rules have a say as well, a code alone does not tell what is left over.
        if by_preset.is_some_and(|status| status.contains_key("rules")) {
            return Some(());
        }
        let sketch = self.table.column(column)?;
        let seen = self.sample.counted(column);
        let own = status::codes(sketch, &seen);
        // What the table itself says of its codes counts more.
        if own.by == status::Source::Comment && !own.known.is_empty() {
            self.status = format!("column = {}\n{}{}", quoted(column), status::by_what(&own), status::written(&own));
            self.explain(column, &own);
            return Some(());
        }
        let known: Vec<(app::model::Status, String)> = by_preset
            .into_iter()
            .flatten()
            .filter_map(|(word, codes)| Some((app::model::Status::parse(word)?, codes.as_array()?)))
            .flat_map(|(status, codes)| codes.iter().map(move |code| (status, code.to_string())))
            .collect();
        let is_known = |value: &Option<String>| {
            let text = value.as_deref().unwrap_or("null");
            known.iter().any(|(_, code)| {
                let code = code.trim_matches(['"', '\'']);
                code.eq_ignore_ascii_case(text) || code.contains("..") || status::same_flag(code, text)
            })
        };
        let unknown: Vec<(Option<String>, usize)> =
            seen.iter().filter(|(value, _)| !is_known(value)).cloned().collect();
        let count = |of: &[(Option<String>, usize)]| of.iter().map(|(_, count)| *count).sum::<usize>();
        let (missed, all) = (u32::try_from(count(&unknown)).ok()?, u32::try_from(count(&seen)).ok()?);
        if !known.is_empty() && all >= 10 && f64::from(missed) > f64::from(all) * UNEXPLAINED {
            return None;
        }
        if !known.is_empty() {
            let codes: Vec<String> = known.iter().map(|(status, code)| format!("{code} {}", status.as_str())).collect();
            self.remark(&format!(
                "The preset's codes are taken for this table's: {}. Seen: {}",
                codes.join(", "),
                status::counted(&seen)
            ));
            if !unknown.is_empty() {
                self.undecided(format!("these codes of {column}: {}", status::counted(&unknown)));
            }
        }
        Some(())
    }

    fn finish(mut self, asked: &Asked<'_>, preset: Option<&str>) -> Draft {
        let mut toml =
            comment(&format!("Proposed by oncewatch init for table {} of {}", self.table.name, asked.address));
        toml.push_str("[[source]]\n");
        let _ = writeln!(toml, "name = {}", quoted(&slug(&self.table.name.table)));
        toml.push_str(&self.timezone());
        let _ = write!(toml, "\n[source.records]\nurl = \"${{{}}}\"\n{}", asked.variable, self.records);
        if !self.status.is_empty() {
            let _ = write!(toml, "\n[source.records.status]\n{}", self.status);
        }
        Draft { preset: preset.map(str::to_owned), toml, undecided: self.undecided }
    }

    fn timezone(&mut self) -> String {
        let Some((column, newest)) = self.newest.take() else { return String::new() };
        match times::zone(Some(newest), self.now) {
            Zone::Utc => String::new(),
            Zone::Ahead(minutes) => {
                let by = hours(minutes);
                match times::name_of(minutes) {
                    Some(zone) => format!(
                        "{}timezone = {}\n",
                        comment(&format!(
                            "The newest {column} lies {by} in the future when read as UTC; any zone of that offset will do"
                        )),
                        quoted(&zone)
                    ),
                    None => {
                        let text =
                            format!("the timezone: the newest {column} lies {by} in the future when read as UTC");
                        self.undecided.push(text.clone());
                        comment(&format!("Could not be decided: {text}"))
                    }
                }
            }
            Zone::HoursOld(of) => {
                let text = format!("the timezone: the newest {column} is exactly {of} h old when read as UTC");
                self.undecided.push(text.clone());
                comment(&format!("Could not be decided: {text}"))
            }
        }
    }
}

fn hours(minutes: i64) -> String {
    match (minutes / 60, minutes % 60) {
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}
