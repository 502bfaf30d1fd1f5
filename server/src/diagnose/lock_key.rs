//! `locks.pattern`: from type and key to a Redis key, and back.

use app::model::Record;

/// A Redis key can be read in several ways when type or key contain what stands between them; more are not tried.
const MOST_READINGS: usize = 8;

/// `idem_lock:{type}:{key}`, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockKeys {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(String),
    Type,
    Key,
}

/// What a Redis key may stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub r#type: Option<String>,
    pub key: String,
}

impl LockKeys {
    #[must_use]
    pub fn new(pattern: &str) -> Self {
        let mut parts = Vec::new();
        let mut rest = pattern;
        while !rest.is_empty() {
            let next = [("{type}", Part::Type), ("{key}", Part::Key)]
                .into_iter()
                .filter_map(|(name, part)| Some((rest.find(name)?, name, part)))
                .min_by_key(|(at, _, _)| *at);
            let Some((at, name, part)) = next else {
                parts.push(Part::Literal(rest.to_owned()));
                break;
            };
            if at > 0 {
                parts.push(Part::Literal(rest[..at].to_owned()));
            }
            parts.push(part);
            rest = &rest[at + name.len()..];
        }
        Self { parts }
    }

    #[must_use]
    pub fn needs_type(&self) -> bool {
        self.parts.contains(&Part::Type)
    }

    /// `None`: the pattern needs a type and there is none.
    #[must_use]
    pub fn derive(&self, r#type: Option<&str>, key: &str) -> Option<String> {
        let mut derived = String::new();
        for part in &self.parts {
            derived.push_str(match part {
                Part::Literal(literal) => literal,
                Part::Type => r#type?,
                Part::Key => key,
            });
        }
        Some(derived)
    }

    /// The lock of a record, in the record's own spelling: a database may find it under another. `None`: it has none.
    #[must_use]
    pub fn of(&self, record: &Record) -> Option<String> {
        self.derive(record.r#type.as_deref(), record.key.as_deref()?)
    }

    /// What matches every key of this pattern, for `SCAN`.
    #[must_use]
    pub fn glob(&self) -> String {
        let mut glob = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(literal) => {
                    for c in literal.chars() {
                        if matches!(c, '*' | '?' | '[' | ']' | '\\' | '^' | '-') {
                            glob.push('\\');
                        }
                        glob.push(c);
                    }
                }
                Part::Type | Part::Key => glob.push('*'),
            }
        }
        glob
    }

    /// All ways to read a Redis key, the one with the shortest first part first; none: it is not of this pattern.
    #[must_use]
    pub fn parse(&self, redis_key: &str) -> Vec<Named> {
        let mut found = Vec::new();
        read(&self.parts, redis_key, None, None, &mut found);
        found
    }
}

fn read<'a>(parts: &[Part], rest: &'a str, r#type: Option<&'a str>, key: Option<&'a str>, found: &mut Vec<Named>) {
    if found.len() == MOST_READINGS {
        return;
    }
    let Some((part, later)) = parts.split_first() else {
        if let (true, Some(key)) = (rest.is_empty(), key) {
            found.push(Named { r#type: r#type.map(str::to_owned), key: key.to_owned() });
        }
        return;
    };
    let mut bind = |value: &'a str, rest: &'a str| match part {
        // A name that stands twice must mean the same twice.
        Part::Type if r#type.is_none_or(|known| known == value) => read(later, rest, Some(value), key, found),
        Part::Key if key.is_none_or(|known| known == value) => read(later, rest, r#type, Some(value), found),
        _ => {}
    };
    match (part, later.first()) {
        (Part::Literal(literal), _) => {
            if let Some(rest) = rest.strip_prefix(literal.as_str()) {
                read(later, rest, r#type, key, found);
            }
        }
        (_, None) => bind(rest, ""),
        (_, Some(Part::Literal(literal))) => {
            for (at, _) in rest.match_indices(literal.as_str()) {
                bind(&rest[..at], &rest[at..]);
            }
        }
        // Type and key with nothing between them: any place may be the border.
        (_, Some(_)) => {
            for (at, _) in rest.char_indices().skip(1) {
                bind(&rest[..at], &rest[at..]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LockKeys, Named};
    use proptest::prelude::*;

    fn named(r#type: Option<&str>, key: &str) -> Named {
        Named { r#type: r#type.map(str::to_owned), key: key.into() }
    }

    #[test]
    fn a_key_is_made_and_read_back() {
        let keys = LockKeys::new("idem_lock:{type}:{key}");
        assert_eq!(keys.derive(Some("ORDER_DONE"), "42").as_deref(), Some("idem_lock:ORDER_DONE:42"));
        assert_eq!(keys.derive(None, "42"), None);
        assert_eq!(keys.parse("idem_lock:ORDER_DONE:42"), [named(Some("ORDER_DONE"), "42")]);
        assert_eq!(keys.parse("other:ORDER_DONE:42"), []);
        assert_eq!(keys.glob(), "idem_lock:*:*");
    }

    #[test]
    fn a_key_with_the_separator_in_it_is_read_in_every_way() {
        let keys = LockKeys::new("lock:{type}:{key}");
        assert_eq!(keys.parse("lock:a:b:c"), [named(Some("a"), "b:c"), named(Some("a:b"), "c")]);
    }

    #[test]
    fn patterns_without_a_type_and_with_glob_signs_work() {
        let keys = LockKeys::new("[x]*{key}/lock");
        assert!(!keys.needs_type());
        assert_eq!(keys.derive(None, "订单 1").as_deref(), Some("[x]*订单 1/lock"));
        assert_eq!(keys.parse("[x]*订单 1/lock"), [named(None, "订单 1")]);
        assert_eq!(keys.glob(), r"\[x\]\**/lock");
    }

    proptest! {
        #[test]
        fn what_was_derived_is_among_its_readings(r#type in "[a-z:]{1,6}", key in "\\PC{1,12}") {
            for pattern in ["l:{type}:{key}", "{key}@{type}", "{{type}}{key}!"] {
                let keys = LockKeys::new(pattern);
                let derived = keys.derive(Some(&r#type), &key).unwrap();
                let readings = keys.parse(&derived);
                prop_assert!(readings.len() == 8 || readings.contains(&named(Some(&r#type), &key)), "{} {:?}", derived, readings);
            }
        }
    }
}
