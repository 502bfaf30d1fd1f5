//! `[[source.broker]]`: where the messages are.

use super::{Pointer, Secret};

/// One `[[source.broker]]`.
#[derive(Debug, Clone)]
pub enum Broker {
    RabbitMq(RabbitMq),
    RedisStreams(RedisStreams),
}

impl Broker {
    /// Whether a message can be found in its dead letter, and moved.
    #[must_use]
    pub fn moves_dead_letters(&self) -> bool {
        match self {
            Self::RabbitMq(rabbit) => rabbit.amqp.is_some() && rabbit.dead_letter.is_some() && !rabbit.key.is_empty(),
            Self::RedisStreams(streams) => streams.dead_letter.is_some() && !streams.key.is_empty(),
        }
    }

    /// Whether messages can be published there.
    #[must_use]
    pub fn publishes(&self) -> bool {
        matches!(self, Self::RabbitMq(RabbitMq { amqp: Some(_), .. }))
    }
}

/// Kind `rabbitmq`.
#[derive(Debug, Clone)]
pub struct RabbitMq {
    /// Management API.
    pub url: Secret,
    pub vhost: String,
    /// Globs with `*` and `?`.
    pub queues: Vec<String>,
    pub dead_letter: Option<String>,
    /// For operations that move messages; its virtual host is `vhost`.
    pub amqp: Option<Secret>,
    /// What a message's key is made of, joined with `:`; empty: a single message is never looked for.
    pub key: Vec<MessagePart>,
    /// Empty: the key alone decides.
    pub r#type: Vec<MessagePart>,
}

/// One part of a key or a type, in a message of RabbitMQ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessagePart {
    Header(String),
    /// A value inside the body, which is JSON.
    Body(Pointer),
    Constant(String),
    /// The property `message_id`.
    MessageId,
}

/// Kind `redis-streams`.
#[derive(Debug, Clone)]
pub struct RedisStreams {
    pub url: Secret,
    /// Names, or globs with `*` and `?`, for which the key space is searched.
    pub streams: Vec<String>,
    /// A glob as well: the groups that consume for this source.
    pub group: String,
    /// The name of a stream.
    pub dead_letter: Option<String>,
    /// What an entry's key is made of, joined with `:`; empty: a single message is never looked for.
    pub key: Vec<EntryPart>,
    /// Empty: the key alone decides.
    pub r#type: Vec<EntryPart>,
}

/// One part of a key or a type, in an entry of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryPart {
    /// A field; with a pointer, a value inside its JSON.
    Field {
        name: String,
        json: Option<Pointer>,
    },
    Constant(String),
    /// The entry's own id.
    MessageId,
}
