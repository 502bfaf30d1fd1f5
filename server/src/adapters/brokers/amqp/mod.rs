//! RabbitMQ by AMQP 0-9-1, for operations that move messages: [`dead_letter`] brings them back from there, [`republish`]
//! publishes what a record keeps. Statistics are read by the management API ([`super::rabbitmq`]).

mod dead_letter;
mod message;
mod republish;

pub use dead_letter::dead_letter;
pub use republish::republish;

use crate::clock::millis;
use crate::config::{Limits, RabbitMq};
use app::model::{Fault, Layer, Setback};
use lapin::message::BasicReturnMessage;
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::types::ShortString;
use lapin::uri::AMQPUri;
use lapin::{BasicProperties, Confirmation, Connection, ConnectionProperties, ErrorKind};
use std::time::Duration;

const REPLY_SUCCESS: u16 = 200;
const NO_ROUTE: u16 = 312;
/// Whoever begins something has this much time left at least.
const LONGEST_ANSWER: Duration = Duration::from_secs(3);

/// How a broker is reached.
struct Line {
    uri: AMQPUri,
    /// Without credentials.
    address: String,
    connect_timeout: Duration,
    answer_timeout: Duration,
}

/// One channel on a connection of its own. Dropped, whatever it holds goes back to its queue.
struct Channel {
    channel: lapin::Channel,
    _connection: Connection,
    address: String,
    answer_timeout: Duration,
}

/// What became of one message.
enum Published {
    Yes,
    /// It is in no queue.
    Refused(Setback),
    Unknown,
}

impl Line {
    fn new(broker: &RabbitMq, limits: &Limits) -> Result<Self, Fault> {
        let bad = |detail: &str| Fault::BadInput { what: "broker.amqp".into(), detail: detail.into() };
        let amqp = broker.amqp.as_ref().ok_or_else(|| bad("it is missing"))?;
        let mut uri: AMQPUri = amqp.expose().parse().map_err(|_| bad("it is no AMQP address"))?;
        uri.vhost.clone_from(&broker.vhost);
        Ok(Self {
            address: format!("{}:{}", uri.authority.host, uri.authority.port),
            uri,
            connect_timeout: limits.connect_timeout,
            answer_timeout: limits.statement_timeout.min(LONGEST_ANSWER),
        })
    }

    /// With confirms.
    async fn open(&self) -> Result<Channel, Fault> {
        let opening = async {
            let connection = Connection::connect_uri(self.uri.clone(), ConnectionProperties::default()).await?;
            let channel = connection.create_channel().await?;
            channel.confirm_select(ConfirmSelectOptions::default()).await?;
            Ok(Channel {
                channel,
                _connection: connection,
                address: self.address.clone(),
                answer_timeout: self.answer_timeout,
            })
        };
        match tokio::time::timeout(self.connect_timeout, opening).await {
            Ok(opened) => opened.map_err(|error| fault(&self.address, &error)),
            Err(_) => Err(Fault::TimedOut { layer: Layer::Broker, after_ms: millis(self.connect_timeout) }),
        }
    }
}

impl Channel {
    async fn within<T>(&self, call: impl Future<Output = lapin::Result<T>>) -> Result<T, Fault> {
        match tokio::time::timeout(self.answer_timeout, call).await {
            Ok(answer) => answer.map_err(|error| fault(&self.address, &error)),
            Err(_) => Err(Fault::TimedOut { layer: Layer::Broker, after_ms: millis(self.answer_timeout) }),
        }
    }

    fn is_open(&self) -> bool {
        self.channel.status().connected()
    }

    /// Mandatory: a message that no queue takes comes back, though it is confirmed as well.
    async fn publish(
        &self,
        exchange: &ShortString,
        routing_key: &ShortString,
        body: &[u8],
        properties: BasicProperties,
    ) -> Published {
        let options = BasicPublishOptions { mandatory: true, ..BasicPublishOptions::default() };
        let publishing = async {
            self.channel.basic_publish(exchange.clone(), routing_key.clone(), options, body, properties).await?.await
        };
        let returned = |message: &BasicReturnMessage| match message.reply_code {
            NO_ROUTE => Setback::Unroutable { routing_key: routing_key.to_string() },
            _ => Setback::NotTaken { detail: message.reply_text.to_string() },
        };
        match self.within(publishing).await {
            Ok(Confirmation::Ack(None)) => Published::Yes,
            Ok(Confirmation::Ack(Some(message)) | Confirmation::Nack(Some(message))) => {
                Published::Refused(returned(&message))
            }
            // A queue that is full, and was told to say so.
            Ok(Confirmation::Nack(None)) => {
                Published::Refused(Setback::NotTaken { detail: "the queue did not take it".to_owned() })
            }
            Ok(Confirmation::NotRequested) => Published::Unknown,
            Err(fault) => {
                tracing::warn!(%fault, %routing_key, "whether a message was published is not known");
                Published::Unknown
            }
        }
    }

    /// Everything that was said before has been heard when it returns.
    async fn close(&self) -> Result<(), Fault> {
        self.within(self.channel.close(REPLY_SUCCESS, ShortString::default())).await
    }
}

/// A name of RabbitMQ's has at most 255 bytes.
fn short(what: &str, text: &str) -> Result<ShortString, Fault> {
    let bad = |_| Fault::BadInput { what: what.into(), detail: "it is longer than 255 bytes".into() };
    ShortString::try_new(text).map_err(bad)
}

fn fault(address: &str, error: &lapin::Error) -> Fault {
    const ACCESS_REFUSED: u16 = 403;
    let layer = Layer::Broker;
    match error.kind() {
        ErrorKind::ProtocolError(told) if told.get_id() == ACCESS_REFUSED => Fault::Refused { layer },
        ErrorKind::ProtocolError(told) => Fault::Unreadable { layer, detail: format!("{address}: {told}") },
        _ => Fault::Unreachable { layer, detail: format!("{address}: {error}") },
    }
}
