//! Publishes what the record keeps of its message. Mandatory and confirmed; whether a message was published whose confirm was
//! lost, nobody can tell.

use super::{Channel, Line, Published, short};
use crate::clock::Clock;
use crate::config::{Limits, MessagePart, RabbitMq, Republish};
use crate::ports::permit::Permit;
use crate::ports::redelivery::{Held, Redelivery, Sent, Wanted};
use app::model::{Fault, Setback};
use async_trait::async_trait;
use lapin::BasicProperties;
use lapin::types::{AMQPValue, FieldTable, ShortString};
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::Instant;

const AT_ONCE: u32 = 50;
const PERSISTENT: u8 = 2;

/// Connects when something is sent.
///
/// # Errors
/// [`Fault::BadInput`] for an address or a name that is none.
pub fn republish(
    broker: &RabbitMq,
    to: &Republish,
    limits: &Limits,
    clock: Arc<dyn Clock>,
) -> Result<Arc<dyn Redelivery>, Fault> {
    Ok(Arc::new(Publisher {
        line: Line::new(broker, limits)?,
        to: Arc::new(To {
            exchange: short("retry.republish.exchange", &to.exchange)?,
            routing_key: short("retry.republish.routing_key", &to.routing_key)?,
            key: broker.key.clone(),
            r#type: broker.r#type.clone(),
        }),
        clock,
    }))
}

struct Publisher {
    line: Line,
    to: Arc<To>,
    clock: Arc<dyn Clock>,
}

struct To {
    exchange: ShortString,
    routing_key: ShortString,
    key: Vec<MessagePart>,
    r#type: Vec<MessagePart>,
}

#[async_trait]
impl Redelivery for Publisher {
    fn interrupted(&self) -> Option<Setback> {
        Some(Setback::Interrupted)
    }

    fn at_once(&self) -> u32 {
        AT_ONCE
    }

    fn needs_payload(&self) -> bool {
        true
    }

    async fn hold(&self, wanted: &[Wanted], _until: Instant) -> Result<Box<dyn Held>, Fault> {
        let channel = self.line.open().await?;
        Ok(Box::new(Ready {
            channel,
            to: Arc::clone(&self.to),
            wanted: wanted.to_vec(),
            clock: Arc::clone(&self.clock),
        }))
    }
}

struct Ready {
    channel: Channel,
    to: Arc<To>,
    wanted: Vec<Wanted>,
    clock: Arc<dyn Clock>,
}

#[async_trait]
impl Held for Ready {
    fn lack(&self, place: usize) -> Option<Setback> {
        let has_payload = self.wanted.get(place).is_some_and(|wanted| wanted.payload.is_some());
        (!has_payload).then_some(Setback::NoPayload)
    }

    async fn send(&mut self, _permit: &Permit, places: &[usize], until: Instant) -> Vec<Sent> {
        let mut sent = Vec::with_capacity(places.len());
        for place in places {
            let wanted = self.wanted.get(*place).filter(|_| self.clock.instant() < until && self.channel.is_open());
            let Some((wanted, payload)) = wanted.and_then(|wanted| Some((wanted, wanted.payload.as_ref()?))) else {
                sent.push(Sent::NotBegun);
                continue;
            };
            let properties = self.to.properties(wanted, payload);
            let published = self.channel.publish(&self.to.exchange, &self.to.routing_key, payload, properties).await;
            sent.push(match published {
                Published::Yes => Sent::Moved,
                Published::Refused(why) => Sent::Refused(why),
                Published::Unknown => Sent::Unknown(Setback::Interrupted),
            });
        }
        sent
    }

    async fn finish(self: Box<Self>, _permit: &Permit, _places: &[usize]) -> Result<(), Fault> {
        // Everything was confirmed.
        if let Err(fault) = self.channel.close().await {
            tracing::debug!(%fault, "a channel was not closed; it ends with its connection");
        }
        Ok(())
    }
}

impl To {
    /// Key and type where the configuration says that messages carry them, as far as they have one part.
    fn properties(&self, wanted: &Wanted, payload: &[u8]) -> BasicProperties {
        let mut headers = FieldTable::default();
        let mut message_id = &wanted.id;
        for (parts, text) in [(&self.key, &wanted.key), (&self.r#type, &wanted.r#type)] {
            match (parts.as_slice(), text) {
                ([MessagePart::Header(name)], Some(text)) => {
                    if let Ok(name) = ShortString::try_new(name) {
                        headers.insert(name, AMQPValue::LongString(text.as_str().into()));
                    }
                }
                ([MessagePart::MessageId], Some(text)) => message_id = text,
                _ => {}
            }
        }
        let mut properties = BasicProperties::default().with_delivery_mode(PERSISTENT).with_headers(headers);
        if let Ok(id) = ShortString::try_new(message_id) {
            properties = properties.with_message_id(id);
        }
        if serde_json::from_slice::<&RawValue>(payload).is_ok() {
            properties = properties.with_content_type("application/json".into());
        }
        properties
    }
}
