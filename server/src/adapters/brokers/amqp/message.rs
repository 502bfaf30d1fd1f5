//! Which record a message belongs to, where it came from, and what of it goes back there.

use crate::adapters::brokers::joined;
use crate::adapters::records::json::{self, Found};
use crate::config::MessagePart;
use crate::glob;
use lapin::BasicProperties;
use lapin::message::Delivery;
use lapin::types::{AMQPValue, FieldTable, ShortString};
use sha2::{Digest, Sha256};

/// Written by the broker on a message's way to the dead letter, or read by it on the way to further queues: a message that
/// goes back begins anew, and goes to one queue.
const LEFT_BEHIND: [&str; 10] = [
    "x-death",
    "x-first-death-exchange",
    "x-first-death-queue",
    "x-first-death-reason",
    "x-last-death-exchange",
    "x-last-death-queue",
    "x-last-death-reason",
    "x-delivery-count",
    "CC",
    "BCC",
];

pub(super) fn text(parts: &[MessagePart], message: &Delivery) -> Option<String> {
    joined(parts.iter().map(|part| part_of(part, message)).collect())
}

fn part_of(part: &MessagePart, message: &Delivery) -> Option<String> {
    match part {
        MessagePart::Constant(constant) => Some(constant.clone()),
        MessagePart::MessageId => message.properties.message_id().as_ref().map(ToString::to_string),
        MessagePart::Header(name) => shown(header(&message.properties, name)?),
        MessagePart::Body(pointer) => match json::find_in(&String::from_utf8_lossy(&message.data), pointer) {
            Found::Value(value) => Some(value),
            Found::Nothing | Found::Unreadable => None,
        },
    }
}

fn header<'a>(properties: &'a BasicProperties, name: &str) -> Option<&'a AMQPValue> {
    properties.headers().as_ref()?.inner().get(name)
}

fn shown(value: &AMQPValue) -> Option<String> {
    match value {
        AMQPValue::LongString(text) => Some(text.to_string()),
        AMQPValue::ShortString(text) => Some(text.to_string()),
        AMQPValue::Boolean(flag) => Some(flag.to_string()),
        other => whole(other).map(|number| number.to_string()),
    }
}

fn whole(value: &AMQPValue) -> Option<i64> {
    match value {
        AMQPValue::ShortShortInt(number) => Some(i64::from(*number)),
        AMQPValue::ShortShortUInt(number) => Some(i64::from(*number)),
        AMQPValue::ShortInt(number) => Some(i64::from(*number)),
        AMQPValue::ShortUInt(number) => Some(i64::from(*number)),
        AMQPValue::LongInt(number) => Some(i64::from(*number)),
        AMQPValue::LongUInt(number) => Some(i64::from(*number)),
        AMQPValue::LongLongInt(number) => Some(*number),
        _ => None,
    }
}

/// How often a quorum queue has had it back already.
pub(super) fn returns(message: &Delivery) -> u64 {
    let count = header(&message.properties, "x-delivery-count").and_then(whole);
    count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0)
}

/// The queue that gave it up: the last one of `x-death` that these globs name. Queues in which it only waited for another
/// try are not among them.
pub(super) fn origin(message: &Delivery, globs: &[String], dead_letter: &str) -> Option<ShortString> {
    let AMQPValue::FieldArray(deaths) = header(&message.properties, "x-death")? else { return None };
    let queue = |death: &AMQPValue| {
        let AMQPValue::FieldTable(death) = death else { return None };
        let name = shown(death.inner().get("queue")?)?;
        let is_ours = name != dead_letter && globs.iter().any(|glob| glob::matches(glob, &name));
        ShortString::try_new(name).ok().filter(|_| is_ours)
    };
    // The newest comes first.
    deaths.as_slice().iter().find_map(queue)
}

/// What goes back: all that the producer said, but for when it expires, who else gets it, and who sent it, which the
/// broker only believes of the sender itself.
pub(super) fn cleared(properties: &BasicProperties) -> BasicProperties {
    but_for(properties, &LEFT_BEHIND, None)
}

/// For another place in the same queue.
pub(super) fn unchanged(properties: &BasicProperties) -> BasicProperties {
    but_for(properties, &["x-delivery-count", "CC", "BCC"], properties.expiration().clone())
}

fn but_for(properties: &BasicProperties, headers: &[&str], expiration: Option<ShortString>) -> BasicProperties {
    let mut kept = FieldTable::default();
    for (name, value) in properties.headers().iter().flat_map(FieldTable::inner) {
        if !headers.contains(&name.as_str()) {
            kept.insert(name.clone(), value.clone());
        }
    }
    let mut copy = BasicProperties::default();
    macro_rules! carry {
        ($($property:ident: $with:ident),+) => {
            $(if let Some(value) = properties.$property().clone() {
                copy = copy.$with(value);
            })+
        };
    }
    carry!(
        content_type: with_content_type,
        content_encoding: with_content_encoding,
        delivery_mode: with_delivery_mode,
        priority: with_priority,
        correlation_id: with_correlation_id,
        reply_to: with_reply_to,
        message_id: with_message_id,
        timestamp: with_timestamp,
        kind: with_type,
        app_id: with_app_id
    );
    if let Some(expiration) = expiration {
        copy = copy.with_expiration(expiration);
    }
    if properties.headers().is_some() { copy.with_headers(kept) } else { copy }
}

/// Tells a message of the dead letter from others of the same key. Returning or rotating it does not change it.
pub(super) fn fingerprint(message: &Delivery) -> String {
    let deaths = header(&message.properties, "x-death").map(|deaths| format!("{deaths:?}"));
    let id = message.properties.message_id().as_ref().map(ToString::to_string);
    let mut hash = Sha256::new();
    for part in [message.data.as_slice(), id.unwrap_or_default().as_bytes(), deaths.unwrap_or_default().as_bytes()] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hex::encode(hash.finalize())
}
