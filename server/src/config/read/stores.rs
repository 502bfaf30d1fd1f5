//! `[source.locks]`, `[source.signals]`.

use super::seconds;
use crate::config::node::Node;
use crate::config::{DonePattern, LockKind, Locks, Secret, Signals, address};

pub(super) fn locks(node: &Node<'_>, records_have_type: bool) -> Option<Locks> {
    let kind = node.at("kind").optional(|kind| kind.choice(&LockKind::ALL, &[]));
    let url = address::read(node, &address::LOCKS);
    let pattern = pattern(&node.at("pattern"), records_have_type, url.as_ref());
    let done = node.at("done").optional(done);
    let ttl = node.at("ttl").optional(|ttl| ttl.duration(&(seconds(1)..=seconds(365 * 86_400))));
    Some(Locks {
        url: url?,
        kind: kind?.unwrap_or_default(),
        pattern: pattern?,
        done: done?.unwrap_or_default(),
        ttl: ttl?,
    })
}

/// Braces around a placeholder are a hash tag of Redis Cluster: `{{key}}`. One around a constant is told from a slip only
/// where there is a cluster.
fn pattern(node: &Node<'_>, records_have_type: bool, url: Option<&Secret>) -> Option<String> {
    let accepted = "a Redis key with {key} and, where it has one, {type}: \"idem_lock:{type}:{key}\"";
    let pattern = node.text(accepted)?;
    let mut rest = pattern.replace("{key}", "");
    if rest == pattern {
        return node.refuse(accepted);
    }
    if rest.contains("{type}") && !records_have_type {
        return node.refuse("a pattern without {type}, since [source.records] has no type");
    }
    rest = rest.replace("{type}", "").replace("{}", "");
    let is_cluster = url.is_some_and(|url| url.expose().contains("+cluster://"));
    if rest.contains(['{', '}']) && !is_cluster { node.refuse(accepted) } else { Some(pattern) }
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

pub(super) fn signals(node: &Node<'_>, locks: Option<&Locks>) -> Option<Signals> {
    let redis = node.at("kind").choice(&[("redis", true), ("http", false)], &[])?;
    let has_url = node.at("url").is_there() || node.at("url_file").is_there();
    if !redis {
        let needless = has_url || node.at("prefix").is_there();
        let says = "found beside kind = \"http\", which has neither url nor prefix: remove them";
        return if needless { node.problem(says.to_owned()) } else { Some(Signals::Http) };
    }
    let url = match locks {
        Some(locks) if !has_url => Some(locks.url.clone()),
        _ => address::read(node, &address::LOCKS),
    };
    let prefix = node.at("prefix").optional(|prefix| prefix.text("the start of the hashes' names: \"idem_stat\""));
    Some(Signals::Redis { url: url?, prefix: prefix?.unwrap_or_else(|| "idem_stat".to_owned()) })
}
