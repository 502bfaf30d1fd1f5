//! Times on the wire: RFC 3339 in UTC, the fraction without trailing zeros and only when there is one.
//! Use as `#[serde(with = "time")]`, or `time::option` for what may be absent.

use chrono::{DateTime, Timelike, Utc};
use serde::{Deserialize, Deserializer, Serializer};

#[must_use]
pub fn text(at: DateTime<Utc>) -> String {
    let mut text = at.format("%Y-%m-%dT%H:%M:%S").to_string();
    let nanos = at.nanosecond() % 1_000_000_000;
    if nanos > 0 {
        text.push('.');
        text.push_str(format!("{nanos:09}").trim_end_matches('0'));
    }
    text.push('Z');
    text
}

pub fn serialize<S: Serializer>(at: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&text(*at))
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DateTime<Utc>, D::Error> {
    DateTime::<Utc>::deserialize(deserializer)
}

pub mod option {
    use super::{DateTime, Deserialize, Deserializer, Serializer, Utc, text};

    pub fn serialize<S: Serializer>(at: &Option<DateTime<Utc>>, serializer: S) -> Result<S::Ok, S::Error> {
        match at {
            Some(at) => serializer.serialize_str(&text(*at)),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<DateTime<Utc>>, D::Error> {
        Option::<DateTime<Utc>>::deserialize(deserializer)
    }
}
