//! `[[source.broker]]`: one kind, with the keys of that kind.

use super::part::pointer;
use crate::config::node::Node;
use crate::config::problem::unshown;
use crate::config::{Broker, EntryPart, RabbitMq, RedisStreams, address};

const LATER: &[&str] = &["kafka", "rocketmq", "nats", "outbox"];
const PART: &str = "{ field = \"biz_id\" }, { field = \"payload\", json = \"/biz_id\" }, { constant = \"…\" }, \
    \"message_id\", or a list of these";

#[derive(Clone, Copy)]
enum Kind {
    RabbitMq,
    RedisStreams,
}

pub(super) fn broker(node: &Node<'_>) -> Option<Broker> {
    let kinds = [("rabbitmq", Kind::RabbitMq), ("redis-streams", Kind::RedisStreams)];
    // The keys of another kind would only be a second complaint about the same thing.
    match node.at("kind").choice(&kinds, LATER)? {
        Kind::RabbitMq => rabbitmq(node).map(Broker::RabbitMq),
        Kind::RedisStreams => redis_streams(node).map(Broker::RedisStreams),
    }
}

fn rabbitmq(node: &Node<'_>) -> Option<RabbitMq> {
    let own = not_of_this_kind(node, "rabbitmq", &["streams", "group", "key", "type"]);
    let url = address::read(node, &address::MANAGEMENT);
    let accepted = "the name of a virtual host such as \"/\"";
    let vhost = node.at("vhost").optional(|vhost| vhost.text(accepted));
    let queues = node.at("queues").texts("names of queues, with * and ? as wildcards");
    let dead_letter = node.at("dead_letter").optional(|name| name.text("the name of a queue"));
    own?;
    let vhost = vhost?.unwrap_or_else(|| "/".to_owned());
    Some(RabbitMq { url: url?, vhost, queues: queues?, dead_letter: dead_letter? })
}

fn redis_streams(node: &Node<'_>) -> Option<RedisStreams> {
    let own = not_of_this_kind(node, "redis-streams", &["vhost", "queues"]);
    let url = address::read(node, &address::STREAMS);
    let streams = node.at("streams").texts("names of streams, with * and ? as wildcards");
    let group = node.at("group").text("the name of a consumer group, with * and ? as wildcards");
    let dead_letter = node.at("dead_letter").optional(|name| name.text("the name of a stream"));
    let key = node.at("key").optional(parts);
    let r#type = node.at("type").optional(parts);
    own?;
    let (key, r#type) = (key?.unwrap_or_default(), r#type?.unwrap_or_default());
    Some(RedisStreams { url: url?, streams: streams?, group: group?, dead_letter: dead_letter?, key, r#type })
}

fn not_of_this_kind(node: &Node<'_>, kind: &str, others: &[&str]) -> Option<()> {
    let mut fine = Some(());
    for other in others.iter().map(|name| node.at(name)).filter(Node::is_there) {
        let found = other.value().map_or_else(|| "a table".to_owned(), unshown);
        fine = other.problem(format!("found {found}; kind = \"{kind}\" does not read it in this version: remove it"));
    }
    fine
}

fn parts(node: &Node<'_>) -> Option<Vec<EntryPart>> {
    if !node.is_list() {
        return Some(vec![part(node)?]);
    }
    let nodes = node.elements();
    if nodes.is_empty() {
        return node.problem(format!("found an empty list; accepted: {PART}"));
    }
    // All of them are read before the first problem ends it.
    let read: Vec<_> = nodes.iter().map(part).collect();
    read.into_iter().collect()
}

fn part(node: &Node<'_>) -> Option<EntryPart> {
    if !node.is_table() {
        return match node.text(PART)?.as_str() {
            "message_id" => Some(EntryPart::MessageId),
            _ => node.refuse(PART),
        };
    }
    if node.at("constant").is_there() {
        node.only(&["constant"], &[])?;
        return node.at("constant").text("a text").map(EntryPart::Constant);
    }
    node.only(&["field", "json"], &[])?;
    let name = node.at("field").text("the name of a field");
    let json = node.at("json").optional(pointer);
    Some(EntryPart::Field { name: name?, json: json? })
}
