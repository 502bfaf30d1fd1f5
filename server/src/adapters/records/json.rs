//! A value inside a JSON text. The text may be cut, or no JSON at all: what stands before the cut is found all the same,
//! because reading stops at the pointer.

use super::raw::Raw;
use crate::config::Pointer;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Strings unescaped, everything else as it is written: a number keeps every digit.
    Value(String),
    /// There is no such value, or it is `null`.
    Nothing,
    /// The text ends, or stops being JSON, before it can be told.
    Unreadable,
}

/// Looks into a cell, which holds the start of a column.
pub fn find(cell: &Raw, pointer: &Pointer) -> Found {
    match cell {
        Raw::Null => Found::Nothing,
        Raw::Text(text) => find_in(text, pointer),
        Raw::Bytes(bytes) => find_in(whole_characters(bytes), pointer),
        Raw::Int(number) => find_in(&number.to_string(), pointer),
        Raw::Real(number) => find_in(&number.to_string(), pointer),
    }
}

/// The last character may be cut.
fn whole_characters(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    }
}

pub(in crate::adapters) fn find_in(text: &str, pointer: &Pointer) -> Found {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Found::Nothing;
    }
    let mut found = None;
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = At { steps: pointer.steps(), found: &mut found }.deserialize(&mut reader);
    match (read, found) {
        (_, Some(Found::Value(value))) => Found::Value(value),
        // All of the text was read, and something comes after its JSON.
        (Ok(()), Some(Found::Nothing)) if reader.end().is_err() => Found::Unreadable,
        (_, Some(found)) => found,
        (_, None) => Found::Unreadable,
    }
}

/// Reads one value for what lies `steps` inside it. What was found stays, whatever goes wrong after it.
struct At<'a> {
    steps: &'a [String],
    found: &'a mut Option<Found>,
}

impl<'de> DeserializeSeed<'de> for At<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if !self.steps.is_empty() {
            return deserializer.deserialize_any(self);
        }
        let value: &RawValue = serde::Deserialize::deserialize(deserializer)?;
        *self.found = Some(shown(value.get()));
        Ok(())
    }
}

fn shown(written: &str) -> Found {
    match written {
        "null" => Found::Nothing,
        text if text.starts_with('"') => serde_json::from_str(text).map_or(Found::Unreadable, Found::Value),
        other => Found::Value(other.to_owned()),
    }
}

impl At<'_> {
    /// A scalar has nothing inside.
    fn nothing<E>(self) -> Result<(), E> {
        *self.found = Some(Found::Nothing);
        Ok(())
    }

    fn inside(&mut self) -> At<'_> {
        At { steps: &self.steps[1..], found: self.found }
    }
}

impl<'de> Visitor<'de> for At<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            if name == self.steps[0] {
                return map.next_value_seed(self.inside());
            }
            map.next_value::<IgnoredAny>()?;
        }
        self.nothing()
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
        let index = index(&self.steps[0]);
        let mut at = 0;
        loop {
            if Some(at) == index {
                return match elements.next_element_seed(self.inside())? {
                    Some(()) => Ok(()),
                    None => self.nothing(),
                };
            }
            if elements.next_element::<IgnoredAny>()?.is_none() {
                return self.nothing();
            }
            at += 1;
        }
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        self.nothing()
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        self.nothing()
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        self.nothing()
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        self.nothing()
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        self.nothing()
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.nothing()
    }
}

/// Without leading zeros; `-` and names are the index of nothing.
fn index(step: &str) -> Option<usize> {
    let plain = step == "0" || (!step.starts_with('0') && step.bytes().all(|byte| byte.is_ascii_digit()));
    plain.then(|| step.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::{Found, find, find_in};
    use crate::adapters::records::raw::Raw;
    use crate::config::Pointer;

    fn at(text: &str, pointer: &str) -> Found {
        find_in(text, &Pointer::parse(pointer).unwrap())
    }

    fn value(text: &str) -> Found {
        Found::Value(text.to_owned())
    }

    #[test]
    fn values_are_shown_as_they_are_written() {
        let text = r#" {"Headers": {"id": "a\"b\/\u8ba2\ud83e\uddfe", "n": 18446744073709551616123, "f": 1.0, "e": 1E400},
            "t": true, "z": null, "o": {"a": [1, 2.50]}, "": 7, "a/b": 8, "m~n": 9, "list": [{"x": "first"}, "second"]} "#;
        for (pointer, found) in [
            ("/Headers/id", value("a\"b/订🧾")),
            ("/Headers/n", value("18446744073709551616123")),
            ("/Headers/f", value("1.0")),
            ("/Headers/e", value("1E400")),
            ("/t", value("true")),
            ("/z", Found::Nothing),
            ("/z/deeper", Found::Nothing),
            ("/o", value(r#"{"a": [1, 2.50]}"#)),
            ("/o/a/1", value("2.50")),
            ("/o/a/2", Found::Nothing),
            ("/o/a/01", Found::Nothing),
            ("/o/a/-", Found::Nothing),
            ("/o/a/a", Found::Nothing),
            ("/", value("7")),
            ("/a~1b", value("8")),
            ("/m~0n", value("9")),
            ("/list/0/x", value("first")),
            ("/list/1", value("second")),
            ("/list/1/x", Found::Nothing),
            ("/headers", Found::Nothing),
            ("/t/x", Found::Nothing),
        ] {
            assert_eq!(at(text, pointer), found, "{pointer}");
        }
        assert_eq!(at("42", ""), value("42"));
        assert_eq!(at("\"x\"", ""), value("x"));
    }

    #[test]
    fn what_stands_before_the_cut_is_found() {
        let text = r#"{"a": {"b": "x"}, "c": "cut in the mid"#;
        assert_eq!(at(text, "/a/b"), value("x"));
        assert_eq!(at(text, "/a"), value(r#"{"b": "x"}"#));
        assert_eq!(at(text, "/a/none"), Found::Nothing);
        assert_eq!(at(text, "/c"), Found::Unreadable);
        assert_eq!(at(text, "/d"), Found::Unreadable);
        let cut = Raw::Bytes("{\"a\": \"订\", \"b\": \"单".as_bytes()[..21].to_vec());
        assert_eq!(find(&cut, &Pointer::parse("/a").unwrap()), value("订"));
    }

    #[test]
    fn no_json_is_told_from_nothing() {
        for text in ["nonsense", "{", "{'a': 1}", "{\"b\": 1} and more", "[1, 2", "{\"b\": nul}", "\u{0}"] {
            assert_eq!(at(text, "/a"), Found::Unreadable, "{text}");
        }
        for text in ["", "  ", "null", "{}", "[]", "\"text\"", "\u{feff}{}"] {
            assert_eq!(at(text, "/a"), Found::Nothing, "{text}");
        }
        assert_eq!(find(&Raw::Null, &Pointer::parse("/a").unwrap()), Found::Nothing);
        assert_eq!(find(&Raw::Int(5), &Pointer::parse("").unwrap()), value("5"));
    }

    #[test]
    fn depth_and_breadth_do_no_harm() {
        let deep = format!("{{\"d\": {}{}, \"a\": 1}}", "[".repeat(20_000), "]".repeat(20_000));
        assert_eq!(at(&deep, "/a"), value("1"));
        let nested = "{\"a\":".repeat(500);
        assert_eq!(at(&nested, &"/a".repeat(500)), Found::Unreadable);
    }
}
