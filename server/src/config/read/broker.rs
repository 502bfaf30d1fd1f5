//! `[[source.broker]]`: one kind, with the keys of that kind.

use super::part::pointer;
use crate::config::node::Node;
use crate::config::problem::unshown;
use crate::config::{Broker, EntryPart, MessagePart, RabbitMq, RedisStreams, Secret, address};

const LATER: &[&str] = &["kafka", "rocketmq", "nats", "outbox"];
const PART: &str = "{ field = \"biz_id\" }, { field = \"payload\", json = \"/biz_id\" }, { constant = \"…\" }, \
    \"message_id\", or a list of these";
const MESSAGE_PART: &str = "{ header = \"x-biz-id\" }, { json = \"/biz_id\" }, { constant = \"…\" }, \"message_id\", or a \
    list of these";

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
    let own = not_of_this_kind(node, "rabbitmq", &["streams", "group"]);
    let url = address::read(node, &address::MANAGEMENT);
    let accepted = "the name of a virtual host such as \"/\"";
    let vhost = node.at("vhost").optional(|vhost| vhost.text(accepted));
    let queues = node.at("queues").texts("names of queues, with * and ? as wildcards");
    let dead_letter = node.at("dead_letter").optional(|name| name.text("the name of a queue"));
    let amqp = amqp(node);
    let key = node.at("key").optional(|key| parts(key, MESSAGE_PART, message_part));
    let r#type = node.at("type").optional(|r#type| parts(r#type, MESSAGE_PART, message_part));
    own?;
    let vhost = vhost?.unwrap_or_else(|| "/".to_owned());
    let (key, r#type) = (key?.unwrap_or_default(), r#type?.unwrap_or_default());
    Some(RabbitMq { url: url?, vhost, queues: queues?, dead_letter: dead_letter?, amqp: amqp?, key, r#type })
}

fn amqp(node: &Node<'_>) -> Option<Option<Secret>> {
    let node = node.secret("amqp");
    let Some(amqp) = node.optional(|node| address::read_at(node, &address::AMQP))? else { return Some(None) };
    let is_bare = url::Url::parse(amqp.expose()).is_ok_and(|url| matches!(url.path(), "" | "/"));
    if is_bare {
        Some(Some(amqp))
    } else {
        node.problem("found a path in it; accepted: none, since vhost names the virtual host")
    }
}

fn redis_streams(node: &Node<'_>) -> Option<RedisStreams> {
    let own = not_of_this_kind(node, "redis-streams", &["vhost", "queues", "amqp", "amqp_file"]);
    let url = address::read(node, &address::STREAMS);
    let streams = node.at("streams").texts("names of streams, with * and ? as wildcards");
    let group = node.at("group").text("the name of a consumer group, with * and ? as wildcards");
    let dead_letter = node.at("dead_letter").optional(|name| name.text("the name of a stream"));
    let key = node.at("key").optional(|key| parts(key, PART, part));
    let r#type = node.at("type").optional(|r#type| parts(r#type, PART, part));
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

fn parts<T>(node: &Node<'_>, accepted: &str, part: fn(&Node<'_>) -> Option<T>) -> Option<Vec<T>> {
    if !node.is_list() {
        return Some(vec![part(node)?]);
    }
    let nodes = node.elements();
    if nodes.is_empty() {
        return node.problem(format!("found an empty list; accepted: {accepted}"));
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
        node.only(&["constant"])?;
        return node.at("constant").text("a text").map(EntryPart::Constant);
    }
    node.only(&["field", "json"])?;
    let name = node.at("field").text("the name of a field");
    let json = node.at("json").optional(pointer);
    Some(EntryPart::Field { name: name?, json: json? })
}

fn message_part(node: &Node<'_>) -> Option<MessagePart> {
    if !node.is_table() {
        return match node.text(MESSAGE_PART)?.as_str() {
            "message_id" => Some(MessagePart::MessageId),
            _ => node.refuse(MESSAGE_PART),
        };
    }
    node.only(&["header", "json", "constant"])?;
    let [header, json, constant] = ["header", "json", "constant"].map(|name| node.at(name));
    match (header.is_there(), json.is_there(), constant.is_there()) {
        (true, false, false) => header.text("the name of a header").map(MessagePart::Header),
        (false, true, false) => pointer(&json).map(MessagePart::Body),
        (false, false, true) => constant.text("a text").map(MessagePart::Constant),
        _ => node.refuse(MESSAGE_PART),
    }
}
