//! The fields of a minute's hash: `<type>|<signal>`, `<type>|ms|<bound>`, `<type>|from|<origin>`, `<type>|cause|<cause>`,
//! `|alive|<instance>`, with `%` and `|` percent-encoded in types and origins.

use crate::ports::signals::{CAUSES, MinuteSignals};
use app::model::Signal;

/// Takes one field in; `false`: it is none of the convention's.
pub(super) fn take(minute: &mut MinuteSignals, field: &[u8], value: &[u8]) -> bool {
    taken(minute, field, value).is_some()
}

fn taken(minute: &mut MinuteSignals, field: &[u8], value: &[u8]) -> Option<()> {
    let field = std::str::from_utf8(field).ok()?;
    let mut parts = field.split('|');
    let r#type = decoded(parts.next()?)?;
    let what = parts.next()?;
    let detail = parts.next();
    if parts.next().is_some() {
        return None;
    }
    if let ("", "alive", Some(instance)) = (r#type.as_str(), what, detail) {
        minute.alive.insert(decoded(instance)?);
        return Some(());
    }
    let count: u64 = std::str::from_utf8(value).ok()?.parse().ok()?;
    let named = Signal::named(what).filter(|_| detail.is_none());
    let known = match (what, detail) {
        ("ms", Some(bound)) => minute.types.entry(r#type).or_default().handling.add_named(bound, count),
        ("from", Some(origin)) => {
            minute.types.entry(r#type).or_default().origins.add_from(&decoded(origin)?, count);
            true
        }
        ("cause", Some(cause)) if CAUSES.contains(&cause) => {
            let sum = minute.types.entry(r#type).or_default().origins.causes.entry(cause.to_owned()).or_default();
            *sum = sum.saturating_add(count);
            true
        }
        _ => {
            let signal = named?;
            let sum = minute.types.entry(r#type).or_default().counts.of(signal);
            *sum = sum.saturating_add(count);
            true
        }
    };
    known.then_some(())
}

fn decoded(text: &str) -> Option<String> {
    percent_encoding::percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::signals::OTHER;

    fn read(fields: &[(&str, &str)]) -> MinuteSignals {
        let mut minute = MinuteSignals::default();
        for (field, value) in fields {
            if !take(&mut minute, field.as_bytes(), value.as_bytes()) {
                minute.unreadable += 1;
            }
        }
        minute
    }

    #[test]
    fn each_kind_of_field_has_its_place() {
        let minute = read(&[
            ("ORDER|first", "7"),
            ("ORDER|dup_index", "2"),
            ("ORDER|ms|150", "9"),
            ("ORDER|ms|inf", "1"),
            ("ORDER|from|order%7Cevents", "2"),
            ("ORDER|cause|redelivery", "2"),
            ("50%25|first", "1"),
            ("|completed", "4"),
            ("|alive|worker-1", "1"),
        ]);
        assert_eq!(minute.unreadable, 0);
        let order = &minute.types["ORDER"];
        assert_eq!((order.counts.first, order.counts.dup_index, order.counts.deliveries()), (7, 2, 9));
        assert_eq!(order.handling.to_string(), "150:9 inf:1");
        assert_eq!((order.origins.from["order|events"], order.origins.causes["redelivery"]), (2, 2));
        assert_eq!((minute.types["50%"].counts.first, minute.types[""].counts.completed), (1, 4));
        assert!(minute.alive.contains("worker-1"));
    }

    #[test]
    fn what_is_none_of_the_convention_s_is_counted_and_changes_nothing() {
        let minute = read(&[
            ("ORDER", "1"),
            ("ORDER|firsts", "1"),
            ("ORDER|first|x", "1"),
            ("ORDER|ms|140", "1"),
            ("ORDER|ms", "1"),
            ("ORDER|cause|boredom", "1"),
            ("ORDER|first", "-1"),
            ("ORDER|first", "1.5"),
            ("a|b|c|d", "1"),
            ("%ff|first", "1"),
        ]);
        assert_eq!(minute.unreadable, 10);
        assert!(minute.types.values().all(|of| of.counts.deliveries() == 0 && of.handling.count() == 0));
    }

    #[test]
    fn origins_beyond_fifty_are_told_together() {
        let fields: Vec<String> = (0..60).map(|at| format!("T|from|queue-{at}")).collect();
        let fields: Vec<(&str, &str)> = fields.iter().map(|field| (field.as_str(), "1")).collect();
        let from = &read(&fields).types["T"].origins.from;
        assert_eq!((from.len(), from[OTHER]), (51, 10));
    }
}
