//! What the contract says of a case, from the generated values alone: nothing here knows SQL or how values are stored.

use super::generate::{
    Case, Code, Condition, Document, Field, Last, Member, Part, STATUSES, StatusBy, Time, TimeFrom, Values, Wall,
    Written, Zone,
};
use super::write::TABLE;
use app::model::{Record, Status};
use chrono::{DateTime, TimeDelta, Utc};

/// Of the rows that are of the source.
pub fn records(case: &Case) -> Vec<Record> {
    let rows = case.rows.iter().enumerate();
    let of_the_source = rows.filter(|(_, row)| case.mapping.filters.iter().all(|filter| holds(filter, row)));
    of_the_source.map(|(at, row)| record(case, at, row)).collect()
}

fn record(case: &Case, at: usize, row: &Values) -> Record {
    let mapping = &case.mapping;
    let time = |times: &[Time]| times.iter().find_map(|time| instant(time, mapping.zone, row));
    Record {
        source: "case".into(),
        id: Some((at + 1).to_string()),
        r#type: joined(&mapping.r#type, row),
        key: joined(&mapping.key, row),
        status: status(&mapping.status, row),
        created_at: time(&mapping.created),
        updated_at: time(&mapping.updated),
        attempts: row.small.filter(|_| mapping.attempts),
        error: mapping.error.and_then(|part| value(part, row)),
        owner: row.bytes.as_deref().filter(|_| mapping.owner).map(digits),
        lease_until: time(&mapping.lease),
    }
}

fn joined(parts: &[Part], row: &Values) -> Option<String> {
    let values: Vec<Option<String>> = parts.iter().map(|part| value(*part, row)).collect();
    values.iter().any(Option::is_some).then(|| {
        let mut text = String::new();
        for (at, value) in values.into_iter().enumerate() {
            if at > 0 {
                text.push(':');
            }
            text.push_str(&value.unwrap_or_default());
        }
        text
    })
}

fn value(part: Part, row: &Values) -> Option<String> {
    match part {
        Part::Word => row.word.clone(),
        Part::Number => row.number.map(|number| number.to_string()),
        Part::Bytes => row.bytes.as_deref().map(digits),
        Part::Topic => row.topic.clone(),
        Part::Small => row.small.map(|number| number.to_string()),
        Part::JsonK => member(row, |k, _| k),
        Part::JsonT => member(row, |_, t| t),
        Part::Constant(text) => Some(text.to_owned()),
        Part::TableName => Some(TABLE.to_owned()),
    }
}

fn member(row: &Values, which: impl for<'a> Fn(&'a Member, &'a Member) -> &'a Member) -> Option<String> {
    let Some(Document::Members { k, t, .. }) = &row.json else { return None };
    match which(k, t) {
        Member::Absent | Member::Null => None,
        Member::Text(text) => Some(text.clone()),
        Member::Plain(text) => Some((*text).to_owned()),
    }
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn instant(time: &Time, source: Zone, row: &Values) -> Option<DateTime<Utc>> {
    let zone = time.zone.unwrap_or(source);
    let at = match time.from {
        TimeFrom::Wall => local(row.wall?, zone),
        TimeFrom::Seconds => DateTime::from_timestamp(row.epoch?, 0)?,
        TimeFrom::Millis => DateTime::from_timestamp_millis(row.epoch?)?,
        TimeFrom::Written => match row.written.as_ref()? {
            Written::Nonsense(_) | Written::Blank => return None,
            Written::Iso { wall, offset_minutes: Some(minutes), .. } => {
                from_begin(*wall) - TimeDelta::minutes(i64::from(*minutes))
            }
            Written::Iso { wall, offset_minutes: None, .. } => local(*wall, zone),
        },
    };
    (at.timestamp_micros() != 0).then(|| at + TimeDelta::seconds(time.plus_s))
}

fn from_begin(Wall(micros): Wall) -> DateTime<Utc> {
    DateTime::from_timestamp(1_767_225_600, 0).unwrap() + TimeDelta::microseconds(micros)
}

/// New York in 2026: four hours behind from 8 March 2:00 (which becomes 3:00) to 1 November 2:00 (which becomes 1:00), the
/// earlier of the two hours from 1:00 counts; an hour that is skipped is read as if the clock had not changed.
fn local(wall: Wall, zone: Zone) -> DateTime<Utc> {
    const HOUR: i64 = 3_600_000_000;
    let summer = (66 * 24 + 3) * HOUR..(304 * 24 + 2) * HOUR;
    let offset_minutes = match zone {
        Zone::Utc => 0,
        Zone::Shanghai => 480,
        Zone::Kolkata => 330,
        Zone::NewYork if summer.contains(&wall.0) => -240,
        Zone::NewYork => -300,
    };
    from_begin(wall) - TimeDelta::minutes(offset_minutes)
}

fn status(by: &StatusBy, row: &Values) -> Status {
    match by {
        StatusBy::Exists(status) => *status,
        StatusBy::Codes(codes) => of_codes(codes, row),
        StatusBy::States(words) => {
            let matches =
                |word: &str| row.state.as_ref().is_some_and(|state| state.to_lowercase() == word.to_lowercase());
            in_order(words).into_iter().find(|(word, _)| matches(word)).map_or(Status::Unmapped, |(_, status)| status)
        }
        StatusBy::Rules { rules, last } => {
            let first = rules.iter().find(|(_, when)| when.iter().all(|condition| holds(condition, row)));
            match (first, last) {
                (Some((status, _)), _) => *status,
                (None, Last::Nothing) => Status::Unmapped,
                (None, Last::Always(status)) => *status,
                (None, Last::Codes(codes)) => of_codes(codes, row),
            }
        }
    }
}

fn of_codes(codes: &[(Code, Status)], row: &Values) -> Status {
    let matches = |code: &Code| match (code, row.code) {
        (Code::Null, code) => code.is_none(),
        (Code::One(one), code) => code == Some(*one),
        (Code::Range(from, to), code) => code.is_some_and(|code| (*from..=*to).contains(&code)),
    };
    in_order(codes).into_iter().find(|(code, _)| matches(code)).map_or(Status::Unmapped, |(_, status)| status)
}

/// As the configuration lists them: all codes of a state together.
fn in_order<T: Copy>(codes: &[(T, Status)]) -> Vec<(T, Status)> {
    STATUSES.iter().flat_map(|status| codes.iter().filter(move |(_, of)| of == status).copied()).collect()
}

fn holds(condition: &Condition, row: &Values) -> bool {
    let topic_is = |topic: &str| row.topic.as_ref().is_some_and(|found| found.to_lowercase() == topic.to_lowercase());
    match condition {
        Condition::Null(field, null) => {
            let is_null = match field {
                Field::Wall => row.wall.is_none(),
                Field::Epoch => row.epoch.is_none(),
                Field::Topic => row.topic.is_none(),
                Field::Number => row.number.is_none(),
                Field::State => row.state.is_none(),
                Field::Json => row.json.is_none(),
            };
            is_null == *null
        }
        Condition::CodeIs(code) => row.code == Some(*code),
        Condition::CodeIsNot(code) => row.code != Some(*code),
        Condition::CodeIn(codes) => row.code.is_some_and(|code| codes.contains(&code)),
        Condition::TopicIs(topic) => topic_is(topic),
        Condition::TopicIsNot(topic) => !topic_is(topic),
        Condition::DeletedIs(flag) => row.deleted == Some(*flag),
        Condition::DeletedIsNot(flag) => row.deleted != Some(*flag),
        Condition::NumberBeyondSmall => row.number.zip(row.small).is_some_and(|(number, small)| number > small),
    }
}
