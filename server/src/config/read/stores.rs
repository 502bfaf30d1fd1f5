//! `[source.locks]`, `[source.retry]`.

use super::seconds;
use crate::config::node::Node;
use crate::config::{DonePattern, Locks, Retry, address};

pub(super) fn locks(node: &Node<'_>, records_have_type: bool) -> Option<Locks> {
    let kind = node
        .at("kind")
        .optional(|kind| kind.choice(&[("string", ())], &["marker", "counter", "redisson", "powertools"]));
    let url = address::read(node, &address::LOCKS);
    let pattern = pattern(&node.at("pattern"), records_have_type);
    let done = node.at("done").optional(done);
    let ttl = node.at("ttl").optional(|ttl| ttl.duration(&(seconds(1)..=seconds(365 * 86_400))));
    kind?;
    Some(Locks { url: url?, pattern: pattern?, done: done?.unwrap_or_default(), ttl: ttl? })
}

fn pattern(node: &Node<'_>, records_have_type: bool) -> Option<String> {
    let accepted = "a Redis key with {key} and, where it has one, {type}: \"idem_lock:{type}:{key}\"";
    let pattern = node.text(accepted)?;
    let mut rest = pattern.replace("{key}", "");
    if rest == pattern {
        return node.refuse(accepted);
    }
    if rest.contains("{type}") && !records_have_type {
        return node.refuse("a pattern without {type}, since [source.records] has no type");
    }
    rest = rest.replace("{type}", "");
    // `{user}:…` as a hash tag of Redis Cluster has no placeholder's name, so it is not told apart from a slip.
    if rest.contains(['{', '}']) { node.refuse(accepted) } else { Some(pattern) }
}

fn done(node: &Node<'_>) -> Option<Vec<DonePattern>> {
    let accepted = "values, or starts of values with a * at the end, such as \"done:*\"";
    let texts = node.texts(accepted)?;
    if texts.iter().any(|text| text.trim_end_matches('*').is_empty()) {
        return node.problem(format!("holds a pattern that every value matches; accepted: {accepted}"));
    }
    let read = |text: String| match text.strip_suffix('*') {
        Some(prefix) => DonePattern::Prefix(prefix.to_owned()),
        None => DonePattern::Exact(text),
    };
    Some(texts.into_iter().map(read).collect())
}

pub(super) fn retry(node: &Node<'_>) -> Option<Retry> {
    let range = seconds(1)..=seconds(365 * 86_400);
    let after = node.at("after").duration(&range);
    let consumer_timeout = node.at("consumer_timeout").duration(&range);
    Some(Retry { after: after?, consumer_timeout: consumer_timeout? })
}
