//! Entries of a stream: their ids, and which message they carry.

use crate::adapters::brokers::joined;
use crate::adapters::records::json::{self, Found};
use crate::config::EntryPart;
use std::fmt;

/// `<milliseconds>-<sequence>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EntryId {
    ms: u64,
    sequence: u64,
}

impl EntryId {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (ms, sequence) = text.split_once('-')?;
        Some(Self { ms: ms.parse().ok()?, sequence: sequence.parse().ok()? })
    }

    /// When it was added, by Redis's clock, where nobody chose the id.
    pub(super) fn ms(self) -> u64 {
        self.ms
    }

    /// The smallest one above it. Ranges that leave their end out take Redis 6.2.
    pub(super) fn next(self) -> Option<Self> {
        match self.sequence.checked_add(1) {
            Some(sequence) => Some(Self { sequence, ..self }),
            None => Some(Self { ms: self.ms.checked_add(1)?, sequence: 0 }),
        }
    }

    /// The greatest one below it.
    pub(super) fn previous(self) -> Option<Self> {
        match self.sequence.checked_sub(1) {
            Some(sequence) => Some(Self { sequence, ..self }),
            None => Some(Self { ms: self.ms.checked_sub(1)?, sequence: u64::MAX }),
        }
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.ms, self.sequence)
    }
}

/// Id, then names and values in turn, as `XRANGE` gives them.
pub(super) type Entry = (String, Vec<Vec<u8>>);

/// Whether an entry carries the message that is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Match {
    Yes,
    No,
    /// It has no such field: its key cannot be told.
    Unknown,
}

/// What is looked for.
pub(super) struct Wanted<'a> {
    pub key_parts: &'a [EntryPart],
    pub type_parts: &'a [EntryPart],
    pub key: &'a str,
    /// `None`: the key alone decides.
    pub r#type: Option<&'a str>,
}

impl Wanted<'_> {
    pub(super) fn matches(&self, entry: &Entry) -> Match {
        match text(self.key_parts, entry) {
            None => return Match::Unknown,
            Some(key) if key != self.key => return Match::No,
            Some(_) => {}
        }
        let Some(wanted) = self.r#type.filter(|_| !self.type_parts.is_empty()) else { return Match::Yes };
        match text(self.type_parts, entry) {
            None => Match::Unknown,
            Some(found) if found == wanted => Match::Yes,
            Some(_) => Match::No,
        }
    }
}

pub(super) fn text(parts: &[EntryPart], entry: &Entry) -> Option<String> {
    joined(parts.iter().map(|part| part_of(part, entry)).collect())
}

fn part_of(part: &EntryPart, (id, fields): &Entry) -> Option<String> {
    match part {
        EntryPart::MessageId => Some(id.clone()),
        EntryPart::Constant(constant) => Some(constant.clone()),
        EntryPart::Field { name, json } => {
            let (_, value) = fields
                .as_chunks::<2>()
                .0
                .iter()
                .map(|[name, value]| (name, value))
                .find(|(found, _)| *found == name.as_bytes())?;
            let value = String::from_utf8_lossy(value);
            match json {
                None => Some(value.into_owned()),
                Some(pointer) => match json::find_in(&value, pointer) {
                    Found::Value(value) => Some(value),
                    Found::Nothing | Found::Unreadable => None,
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{EntryId, Match, Wanted};
    use crate::config::{EntryPart, Pointer};

    fn field(name: &str, json: Option<&str>) -> EntryPart {
        EntryPart::Field { name: name.into(), json: json.map(|text| Pointer::parse(text).unwrap()) }
    }

    fn entry(fields: &[(&str, &str)]) -> super::Entry {
        let flat = fields.iter().flat_map(|(name, value)| [name.as_bytes().to_vec(), value.as_bytes().to_vec()]);
        ("7-0".into(), flat.collect())
    }

    #[test]
    fn an_entry_is_told_by_the_parts_of_its_key_and_type() {
        let told = |key_parts: &[EntryPart], type_parts: &[EntryPart], r#type, key, fields: &[(&str, &str)]| {
            Wanted { key_parts, type_parts, key, r#type }.matches(&entry(fields))
        };
        let id = [field("biz_id", None)];
        let kind = [field("biz_type", None)];
        let order = [("biz_type", "ORDER_DONE"), ("biz_id", "42")];
        assert_eq!(told(&id, &[], Some("REFUND"), "42", &order), Match::Yes, "without a type's part the key decides");
        assert_eq!(told(&id, &kind, Some("ORDER_DONE"), "42", &order), Match::Yes);
        assert_eq!(told(&id, &kind, Some("REFUND"), "42", &order), Match::No);
        assert_eq!(told(&id, &kind, None, "42", &order), Match::Yes);
        assert_eq!(told(&id, &kind, None, "4", &order), Match::No);
        assert_eq!(told(&id, &[], None, "42", &[("other", "42")]), Match::Unknown);
        assert_eq!(told(&id, &kind, Some("X"), "42", &[("biz_id", "42")]), Match::Unknown);
        let two = [field("shop", None), field("payload", Some("/order/no"))];
        let nested = [("shop", "s1"), ("payload", r#"{"order":{"no":20231027001}}"#)];
        assert_eq!(told(&two, &[], None, "s1:20231027001", &nested), Match::Yes);
        assert_eq!(told(&two, &[], None, "s1:", &[("shop", "s1")]), Match::Yes, "a missing part is empty");
        assert_eq!(told(&[EntryPart::MessageId], &[], None, "7-0", &order), Match::Yes);
        let constant = [EntryPart::Constant("ORDER_DONE".into())];
        assert_eq!(told(&id, &constant, Some("ORDER_DONE"), "42", &order), Match::Yes);
    }

    #[test]
    fn ids_have_neighbours() {
        let id = |text: &str| EntryId::parse(text).unwrap();
        assert_eq!(id("5-0").previous(), EntryId::parse(&format!("4-{}", u64::MAX)));
        assert_eq!((id("5-7").previous(), id("5-7").next()), (Some(id("5-6")), Some(id("5-8"))));
        assert_eq!(id(&format!("5-{}", u64::MAX)).next(), Some(id("6-0")));
        assert_eq!(id("0-0").previous(), None);
        assert_eq!((EntryId::parse("5"), EntryId::parse("a-0")), (None, None));
    }
}
