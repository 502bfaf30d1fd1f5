//! Brings messages back from RabbitMQ's dead letter.
//!
//! One by one they are taken from the dead letter, without acknowledging them, until all that are wanted are found; nobody
//! else gets them meanwhile. A wanted one is published to the default exchange with the queue that gave it up as routing key
//! (its own exchange would send it to others as well), and acknowledged when that is confirmed and written down. All others
//! go back as they were when the channel is closed. RabbitMQ cannot do both in one step, and loses nothing: killed in
//! between, the message is in both places, and its item says so.
//!
//! **The budget.** A quorum queue counts how often a message went back, and drops it (or gives it to *its* dead letter) after
//! its delivery limit, 20 where RabbitMQ 4 is told nothing. A message that has used up half of it is not given back but
//! published again to the same queue, confirmed, and only then acknowledged, which begins its count anew. Killed right in
//! between, the dead letter holds that message twice: a consumer that is idempotent turns the second one away.

use super::message::{cleared, fingerprint, origin, returns, text, unchanged};
use super::{Channel, Line, Published, short};
use crate::clock::Clock;
use crate::config::{Limits, RabbitMq};
use crate::ports::brokers::BrokerStats;
use crate::ports::permit::Permit;
use crate::ports::redelivery::{Held, Redelivery, Sent, Wanted};
use app::model::{BrokerPanel, Fault, Layer, Setback};
use async_trait::async_trait;
use lapin::message::Delivery;
use lapin::options::{BasicAckOptions, BasicGetOptions};
use lapin::types::ShortString;
use std::sync::Arc;
use std::time::Instant;

const AT_ONCE: u32 = 50;
/// Held in memory at once.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// RabbitMQ 4's, where nothing else is said.
const DEFAULT_LIMIT: u64 = 20;
const FIRST_WITH_DEFAULT: u32 = 4;

/// Connects when it is first asked. `stats`: of the same broker.
///
/// # Errors
/// [`Fault::BadInput`] for an address or a name that is none.
pub fn dead_letter(
    broker: &RabbitMq,
    stats: Arc<dyn BrokerStats>,
    limits: &Limits,
    clock: Arc<dyn Clock>,
) -> Result<Arc<dyn Redelivery>, Fault> {
    let name = broker.dead_letter.clone().unwrap_or_default();
    Ok(Arc::new(DeadLetter {
        line: Line::new(broker, limits)?,
        queue: short("broker.dead_letter", &name)?,
        name,
        broker: broker.clone(),
        stats,
        most: limits.message_search as usize,
        clock,
    }))
}

struct DeadLetter {
    line: Line,
    queue: ShortString,
    name: String,
    broker: RabbitMq,
    stats: Arc<dyn BrokerStats>,
    /// Messages that one search takes.
    most: usize,
    clock: Arc<dyn Clock>,
}

/// What a search took.
struct Taken {
    /// One for each place, where it was found.
    found: Vec<Option<Delivery>>,
    messages: usize,
    /// The queue was empty at its end.
    is_whole: bool,
}

#[async_trait]
impl Redelivery for DeadLetter {
    fn interrupted(&self) -> Option<Setback> {
        Some(Setback::MayBeTwice { queue: self.name.clone() })
    }

    fn at_once(&self) -> u32 {
        AT_ONCE
    }

    async fn hold(&self, wanted: &[Wanted], until: Instant) -> Result<Box<dyn Held>, Fault> {
        let channel = self.line.open().await?;
        let of = |message: &Delivery, found: &[Option<Delivery>]| {
            let (key, r#type) = (text(&self.broker.key, message), text(&self.broker.r#type, message));
            let carries = |wanted: &Wanted| {
                let any_type = self.broker.r#type.is_empty() || wanted.r#type.is_none();
                wanted.key.is_some() && key == wanted.key && (any_type || r#type == wanted.r#type)
            };
            wanted.iter().zip(found).position(|(wanted, found)| found.is_none() && carries(wanted))
        };
        let Taken { found, messages, is_whole } = self.take(&channel, wanted.len(), of, until).await?;
        let place = |(wanted, found): (&Wanted, Option<Delivery>)| match found {
            Some(message) => {
                let origin = origin(&message, &self.broker.queues, &self.name);
                origin.map(|to| Dead { message, to }).ok_or(Setback::NoOrigin)
            }
            None if wanted.key.is_none() => Err(Setback::NoKey),
            None if is_whole => Err(Setback::NotInDeadLetter),
            None => Err(Setback::NotFoundAmong { messages: messages as u64 }),
        };
        let places = wanted.iter().zip(found).map(place).collect();
        Ok(Box::new(Taking { name: self.name.clone(), channel, places, clock: Arc::clone(&self.clock) }))
    }

    async fn clean(&self, _permit: &Permit, copies: &[(Wanted, String)], until: Instant) -> Result<(), Fault> {
        let channel = self.line.open().await?;
        let of = |message: &Delivery, found: &[Option<Delivery>]| {
            let this = fingerprint(message);
            copies.iter().zip(found).position(|((_, copy), found)| found.is_none() && *copy == this)
        };
        let taken = self.take(&channel, copies.len(), of, until).await?;
        for message in taken.found.iter().flatten() {
            ack(&channel, message).await?;
        }
        channel.close().await?;
        if taken.is_whole || taken.found.iter().all(Option::is_some) {
            return Ok(());
        }
        let detail = format!(
            "{} holds more than {} messages, and among the first are not all that were sent from it: raise limits.message_search, or discard them by hand",
            self.name, taken.messages
        );
        Err(Fault::Unreadable { layer: Layer::Broker, detail })
    }
}

impl DeadLetter {
    /// Takes messages until each place has one, the queue is empty, or there are too many. `of`: the place of a message.
    async fn take(
        &self,
        channel: &Channel,
        places: usize,
        of: impl Fn(&Delivery, &[Option<Delivery>]) -> Option<usize> + Send,
        until: Instant,
    ) -> Result<Taken, Fault> {
        let budget = self.budget().await?;
        let mut taken = Taken { found: (0..places).map(|_| None).collect(), messages: 0, is_whole: false };
        let mut bytes = 0;
        while taken.found.iter().any(Option::is_none) && taken.messages < self.most && bytes < MOST_BYTES {
            if self.clock.instant() >= until {
                return Err(self.unreadable("it could not be searched in time"));
            }
            let got = channel.channel.basic_get(self.queue.clone(), BasicGetOptions { no_ack: false });
            let Some(got) = channel.within(got).await? else {
                taken.is_whole = true;
                break;
            };
            let message = got.delivery;
            taken.messages += 1;
            bytes += message.data.len();
            match of(&message, &taken.found) {
                Some(place) => taken.found[place] = Some(message),
                None if budget.is_some_and(|budget| returns(&message) + 1 > budget) => {
                    self.rotate(channel, &message).await?;
                }
                None => {}
            }
        }
        // As if it had been empty: nothing more is wanted.
        taken.is_whole |= taken.found.iter().all(Option::is_some);
        Ok(taken)
    }

    /// How often a message may go back; `None`: it is not counted.
    async fn budget(&self) -> Result<Option<u64>, Fault> {
        let panel = self.stats.queues().await?;
        let queue = panel.queues.iter().find(|queue| queue.dead_letter && queue.name == self.name);
        let kind = queue.and_then(|queue| queue.kind.as_deref());
        let limit = queue.and_then(|queue| queue.delivery_limit);
        match (kind, limit) {
            (Some("classic"), _) => Ok(None),
            (_, Some(0)) => Err(self.unreadable("it gives a message up that goes back once, so it cannot be searched")),
            (_, Some(limit)) => Ok(Some(limit / 2)),
            (Some("quorum"), None) if !has_default(&panel) => Ok(None),
            (_, None) => Ok(Some(DEFAULT_LIMIT / 2)),
        }
    }

    /// To the end of the same queue, its count begun anew.
    async fn rotate(&self, channel: &Channel, message: &Delivery) -> Result<(), Fault> {
        let properties = unchanged(&message.properties);
        match channel.publish(&ShortString::default(), &self.queue, &message.data, properties).await {
            Published::Yes => ack(channel, message).await,
            Published::Refused(why) => Err(self.unreadable(&format!("a message cannot go back to it: {why:?}"))),
            Published::Unknown => Err(self.unreadable("whether a message went back to its end is not known")),
        }
    }

    fn unreadable(&self, detail: &str) -> Fault {
        Fault::Unreadable { layer: Layer::Broker, detail: format!("{}: {detail}", self.name) }
    }
}

/// A version that is not told may have one.
fn has_default(panel: &BrokerPanel) -> bool {
    let major = panel.version.as_deref().and_then(|version| version.split('.').next()?.parse::<u32>().ok());
    major.is_none_or(|major| major >= FIRST_WITH_DEFAULT)
}

async fn ack(channel: &Channel, message: &Delivery) -> Result<(), Fault> {
    channel.within(channel.channel.basic_ack(message.delivery_tag, BasicAckOptions::default())).await
}

/// One message that is held, and the queue that it goes back to.
struct Dead {
    message: Delivery,
    to: ShortString,
}

struct Taking {
    /// Of the dead letter.
    name: String,
    channel: Channel,
    places: Vec<Result<Dead, Setback>>,
    clock: Arc<dyn Clock>,
}

#[async_trait]
impl Held for Taking {
    fn lack(&self, place: usize) -> Option<Setback> {
        match self.places.get(place) {
            Some(Ok(_)) => None,
            Some(Err(why)) => Some(why.clone()),
            None => Some(Setback::NotInDeadLetter),
        }
    }

    async fn send(&mut self, _permit: &Permit, places: &[usize], until: Instant) -> Vec<Sent> {
        let mut sent = Vec::with_capacity(places.len());
        for place in places {
            let Some(Ok(Dead { message, to })) =
                self.places.get(*place).filter(|_| self.clock.instant() < until && self.channel.is_open())
            else {
                sent.push(Sent::NotBegun);
                continue;
            };
            let properties = cleared(&message.properties);
            let published = self.channel.publish(&ShortString::default(), to, &message.data, properties).await;
            sent.push(match published {
                Published::Yes => Sent::Copied { copy: fingerprint(message) },
                Published::Refused(why) => Sent::Refused(why),
                Published::Unknown => Sent::Unknown(Setback::MayBeTwice { queue: self.name.clone() }),
            });
        }
        sent
    }

    async fn finish(self: Box<Self>, _permit: &Permit, places: &[usize]) -> Result<(), Fault> {
        for place in places {
            if let Some(Ok(Dead { message, .. })) = self.places.get(*place) {
                ack(&self.channel, message).await?;
            }
        }
        self.channel.close().await
    }
}
