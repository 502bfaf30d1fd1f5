//! A case as DDL with rows, and as configuration.

use super::generate::{
    Case, Code, Condition, Document, Field, Last, Mapping, Member, Part, STATUSES, StatusBy, Time, TimeFrom, Values,
    Wall, Written, Zone,
};
use app::model::Status;
use chrono::{NaiveDateTime, TimeDelta};
use std::fmt::Write;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Mariadb,
    Postgres,
}

pub const TABLE: &str = "Log.7";

impl Engine {
    fn quote(self, name: &str) -> String {
        if self == Self::Mariadb { format!("`{name}`") } else { format!("\"{name}\"") }
    }

    fn text(self, text: &str) -> String {
        let text = text.replace('\'', "''");
        if self == Self::Mariadb { format!("'{}'", text.replace('\\', "\\\\")) } else { format!("'{text}'") }
    }

    fn bytes(self, bytes: &[u8]) -> String {
        let digits = hex::encode(bytes);
        if self == Self::Postgres { format!("'\\x{digits}'") } else { format!("x'{digits}'") }
    }
}

/// Nothing compares without case or with padding here: what the databases' collations do is not what this is about.
pub fn table(engine: Engine, case: &Case) -> String {
    let [text, bytes, wall, tail] = match engine {
        Engine::Sqlite => ["TEXT", "BLOB", "TEXT", ""],
        Engine::Mariadb => {
            ["VARCHAR(190)", "VARBINARY(9)", "DATETIME(6)", " DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin"]
        }
        Engine::Postgres => ["TEXT", "BYTEA", "TIMESTAMP", ""],
    };
    let name = engine.quote(TABLE);
    let mut sql = if engine == Engine::Mariadb { "SET NAMES utf8mb4;\n".to_owned() } else { String::new() };
    write!(
        sql,
        "DROP TABLE IF EXISTS {name};
CREATE TABLE {name} (id BIGINT NOT NULL PRIMARY KEY, word {text}, number BIGINT, bytes {bytes}, json {text}, topic {text}, small INT,
    code INT, state {text}, wall {wall}, epoch BIGINT, written {text}, deleted INT){tail};\n"
    )
    .unwrap();
    if case.indexed {
        write!(sql, "CREATE INDEX by_code ON {name} (code, id);\nCREATE INDEX by_key ON {name} (topic, word);\n")
            .unwrap();
    }
    for (at, row) in case.rows.iter().enumerate() {
        writeln!(sql, "INSERT INTO {name} VALUES ({}, {});", at + 1, cells(engine, row)).unwrap();
    }
    sql
}

fn cells(engine: Engine, row: &Values) -> String {
    let or_null = |sql: Option<String>| sql.unwrap_or_else(|| "NULL".to_owned());
    let number = |value: Option<i64>| or_null(value.map(|number| number.to_string()));
    let text = |value: Option<String>| or_null(value.map(|text| engine.text(&text)));
    [
        text(row.word.clone()),
        number(row.number),
        or_null(row.bytes.as_ref().map(|bytes| engine.bytes(bytes))),
        text(row.json.as_ref().map(document)),
        text(row.topic.clone()),
        number(row.small),
        number(row.code),
        text(row.state.clone()),
        text(row.wall.map(|wall| stamp(wall, ' '))),
        number(row.epoch),
        text(row.written.as_ref().map(written)),
        number(row.deleted),
    ]
    .join(", ")
}

fn stamp(Wall(micros): Wall, between: char) -> String {
    let begin: NaiveDateTime = "2026-01-01T00:00:00".parse().unwrap();
    let at = begin + TimeDelta::microseconds(micros);
    let fraction = if micros % 1_000_000 == 0 { String::new() } else { format!(".{:06}", micros % 1_000_000) };
    format!("{}{between}{}{fraction}", at.format("%Y-%m-%d"), at.format("%H:%M:%S"))
}

fn written(value: &Written) -> String {
    match value {
        Written::Nonsense(text) => (*text).to_owned(),
        Written::Blank => String::new(),
        Written::Iso { wall, offset_minutes, with_t } => {
            let offset = match offset_minutes {
                None => String::new(),
                Some(0) => "Z".to_owned(),
                Some(minutes) => {
                    let sign = if *minutes < 0 { '-' } else { '+' };
                    format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
                }
            };
            format!("{}{offset}", stamp(*wall, if *with_t { 'T' } else { ' ' }))
        }
    }
}

fn document(document: &Document) -> String {
    match document {
        Document::Broken => "{\"other\": 1, \"k".to_owned(),
        Document::Blank => String::new(),
        Document::Members { k, t, escaped } => {
            let members = [("other", &Member::Plain("[{}, null]")), ("k", k), ("a/~t", t)];
            let written = members.iter().filter_map(|(name, value)| {
                let value = match value {
                    Member::Absent => return None,
                    Member::Null => "null".to_owned(),
                    Member::Plain(text) => (*text).to_owned(),
                    Member::Text(text) => quoted(text, *escaped),
                };
                Some(format!("\"{name}\": {value}"))
            });
            format!("{{{}}}", written.collect::<Vec<_>>().join(", "))
        }
    }
}

fn quoted(text: &str, escaped: bool) -> String {
    let mut json = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            c if escaped && !c.is_ascii() => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(json, "\\u{unit:04x}").unwrap();
                }
            }
            c => json.push(c),
        }
    }
    json.push('"');
    json
}

pub fn toml(case: &Case) -> String {
    let Mapping { zone, key, r#type, created, updated, lease, attempts, error, owner, status, filters } = &case.mapping;
    let mut toml = format!(
        "timezone = {:?}\n[source.records]\nurl = \"$URL\"\ntable = [{TABLE:?}]\nid = \"id\"\n",
        zone_name(*zone)
    );
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    let mut say = |name: &str, value: String| writeln!(toml, "{name} = {value}").unwrap();
    say("key", list(key.iter().map(part).collect()));
    if !r#type.is_empty() {
        say("type", list(r#type.iter().map(part).collect()));
    }
    for (name, times) in [("created", created), ("updated", updated), ("lease_until", lease)] {
        if !times.is_empty() {
            say(name, list(times.iter().map(time).collect()));
        }
    }
    if *attempts {
        say("attempts", "\"small\"".into());
    }
    if let Some(error) = error {
        say("error", part(error));
    }
    if *owner {
        say("owner", "\"bytes\"".into());
    }
    if !filters.is_empty() {
        say("where", list(filters.iter().map(condition).collect()));
    }
    toml.push_str("[source.records.status]\n");
    toml.push_str(&status_toml(status));
    toml
}

fn status_toml(status: &StatusBy) -> String {
    match status {
        StatusBy::Exists(status) => format!("exists = {:?}\n", status.as_str()),
        StatusBy::Codes(codes) => codes_toml("code", codes, code),
        StatusBy::States(words) => codes_toml("state", words, |word| format!("{word:?}")),
        StatusBy::Rules { rules, last } => {
            let rule = |(status, when): &(Status, Vec<Condition>)| {
                let when: Vec<String> = when.iter().map(condition).collect();
                format!("{{ status = {:?}, when = [{}] }}", status.as_str(), when.join(", "))
            };
            let mut rules: Vec<String> = rules.iter().map(rule).collect();
            let mut column = String::new();
            match last {
                Last::Nothing => {}
                Last::Always(status) => rules.push(format!("{{ status = {:?}, always = true }}", status.as_str())),
                Last::Codes(codes) => column = codes_toml("code", codes, code),
            }
            format!("rules = [{}]\n{column}", rules.join(", "))
        }
    }
}

fn codes_toml<T>(column: &str, codes: &[(T, Status)], shown: impl Fn(&T) -> String) -> String {
    let mut toml = format!("column = {column:?}\n");
    for status in STATUSES {
        let of: Vec<String> = codes.iter().filter(|(_, of)| *of == status).map(|(code, _)| shown(code)).collect();
        if !of.is_empty() {
            writeln!(toml, "{} = [{}]", status.as_str(), of.join(", ")).unwrap();
        }
    }
    toml
}

fn code(code: &Code) -> String {
    match code {
        Code::One(number) => number.to_string(),
        Code::Range(from, to) => format!("\"{from}..{to}\""),
        Code::Null => "\"null\"".to_owned(),
    }
}

fn part(part: &Part) -> String {
    match part {
        Part::Word => "\"word\"".into(),
        Part::Number => "\"number\"".into(),
        Part::Bytes => "\"bytes\"".into(),
        Part::Topic => "\"topic\"".into(),
        Part::Small => "\"small\"".into(),
        Part::JsonK => "{ column = \"json\", json = \"/k\" }".into(),
        Part::JsonT => "{ column = \"json\", json = \"/a~1~0t\" }".into(),
        Part::Constant(text) => format!("{{ constant = {text:?} }}"),
        Part::TableName => "{ table_name = true }".into(),
    }
}

fn time(Time { from, zone, plus_s }: &Time) -> String {
    let (column, unit) = match from {
        TimeFrom::Wall => ("wall", ""),
        TimeFrom::Seconds => ("epoch", ", unit = \"epoch_s\""),
        TimeFrom::Millis => ("epoch", ", unit = \"epoch_ms\""),
        TimeFrom::Written => ("written", ""),
    };
    let zone = zone.map(|zone| format!(", timezone = {:?}", zone_name(zone))).unwrap_or_default();
    let plus = if *plus_s == 0 { String::new() } else { format!(", plus = \"{plus_s}s\"") };
    format!("{{ column = {column:?}{unit}{zone}{plus} }}")
}

fn zone_name(zone: Zone) -> &'static str {
    match zone {
        Zone::Utc => "UTC",
        Zone::Shanghai => "Asia/Shanghai",
        Zone::Kolkata => "Asia/Kolkata",
        Zone::NewYork => "America/New_York",
    }
}

fn condition(condition: &Condition) -> String {
    let of = |column: &str, test: String| format!("{{ column = {column:?}, {test} }}");
    match condition {
        Condition::Null(field, null) => {
            let column = match field {
                Field::Wall => "wall",
                Field::Epoch => "epoch",
                Field::Topic => "topic",
                Field::Number => "number",
                Field::State => "state",
                Field::Json => "json",
            };
            of(column, format!("is_null = {null}"))
        }
        Condition::CodeIs(code) => of("code", format!("equals = {code}")),
        Condition::CodeIsNot(code) => of("code", format!("not_equals = {code}")),
        Condition::CodeIn(codes) => of("code", format!("in = {codes:?}")),
        Condition::TopicIs(topic) => of("topic", format!("equals = {topic:?}")),
        Condition::TopicIsNot(topic) => of("topic", format!("not_equals = {topic:?}")),
        Condition::DeletedIs(flag) => of("deleted", format!("equals = {flag}")),
        Condition::DeletedIsNot(flag) => of("deleted", format!("not_equals = {flag}")),
        Condition::NumberBeyondSmall => of("number", "greater_than_column = \"small\"".into()),
    }
}
