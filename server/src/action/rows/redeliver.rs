//! Messages of opened records: made to come again, once.
//!
//! The order of effects for one item, and what is written down (`outcome`) before each:
//!
//! | written | then | killed before the next line |
//! |---|---|---|
//! | nothing | the message is found and held | it is free again, nothing was done |
//! | `trying` | the record is opened, by compare-and-set; our lock is given back | the row tells whether it is open |
//! | `opened` | (the message is found again, if this is another try) | the row is open and nothing was sent: that is done now, unless somebody took the row up meanwhile |
//! | `sending` | it is published and confirmed | nobody can tell: `uncertain`, for a person |
//! | `copied` | what it was copied from is removed, if it still is there | it is removed now: the message is where it should be |
//! | `done` | | |
//!
//! `sending` is written only where a second sending would be a second message ([`Redelivery::interrupted`]): a webhook knows a
//! request again by its Idempotency-Key, and in Redis the move and the note of it are one step. Those are sent again from
//! `opened`. `copied` is written only where the message had to be copied first and removed then, which RabbitMQ cannot do in
//! one step: so a message is never nowhere, and in two places only while it says `sending` or `copied`, or `uncertain`.
//!
//! A lock of ours on the record is given back before anything is sent: the consumer that gets the message would else turn
//! it away. What is proven not to have been sent leaves its record as it was before.
//!
//! [`Redelivery::interrupted`]: crate::ports::redelivery::Redelivery::interrupted

use super::attempt::{Chosen, Opened, left_alone};
use super::plan::written;
use super::retried::is_untouched;
use super::run::Work;
use crate::action::Refused;
use crate::ports::changes::{Image, Undone};
use crate::ports::jobs::{ItemOutcome, JobItem, Settled};
use crate::ports::redelivery::{Held, Redelivery, Sent, Wanted};
use crate::ports::state::{Lease, StateError};
use app::model::{Fault, RecordRef, Setback, Skip};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Nothing outside is begun later than this before the lease ends: no answer is waited for longer.
const MARGIN: Duration = Duration::from_secs(4);

/// Messages that are held for items, each at the place that it has here.
pub(super) struct Messages {
    held: Box<dyn Held>,
    places: HashMap<i64, usize>,
}

type Worked = Result<Result<Vec<Settled>, Fault>, Refused>;

impl Work<'_> {
    /// Finds the messages of what is chosen; what has none is left alone, since opening its record would do nothing.
    /// `None`: no message is sent.
    pub(super) async fn hold(
        &self,
        lease: &mut Lease,
        chosen: &mut Vec<Chosen<'_>>,
        settled: &mut Vec<Settled>,
    ) -> Result<Result<Option<Messages>, Fault>, Refused> {
        let Some(redelivery) = self.redelivery else { return Ok(Ok(None)) };
        let wanted = chosen.iter().map(|chosen| self.wanted(chosen.of, chosen.item.whole.as_ref())).collect();
        let held = match find(self, redelivery, lease, wanted).await? {
            Ok(held) => held,
            Err(fault) => return Ok(Err(fault)),
        };
        let places = chosen.iter().enumerate().map(|(place, chosen)| (chosen.of.at, place)).collect();
        for (place, one) in std::mem::take(chosen).into_iter().enumerate() {
            match held.lack(place) {
                Some(why) => settled.push(left_alone(one.of.at, &Skip::CannotComeAgain { why })?),
                None => chosen.push(one),
            }
        }
        Ok(Ok(Some(Messages { held, places })))
    }

    /// Sends the messages of opened records. What is not settled in the answer is as far as it was written down.
    pub(super) async fn send(
        &self,
        lease: &mut Lease,
        messages: Messages,
        opened: &[Opened<'_>],
    ) -> Result<Vec<Settled>, Refused> {
        let Messages { mut held, places } = messages;
        let Some(redelivery) = self.redelivery.filter(|_| !opened.is_empty()) else { return Ok(Vec::new()) };
        self.renew(lease).await?;
        if redelivery.interrupted().is_some() {
            let sending: Vec<Settled> = opened.iter().map(|one| one.to(ItemOutcome::Sending, None)).collect();
            self.note(lease, &sending).await?;
        }
        let place_of = |one: &Opened<'_>| places.get(&one.of.at).copied().unwrap_or(usize::MAX);
        let at: Vec<usize> = opened.iter().map(place_of).collect();
        let sent = held.send(&self.permit, &at, until(lease)).await;
        let (mut settled, mut copied, mut left_behind) = (Vec::new(), Vec::new(), Vec::new());
        for (one, sent) in opened.iter().zip(sent) {
            match sent {
                Sent::Moved => settled.push(one.to(ItemOutcome::Done, None)),
                Sent::Copied { copy } => {
                    settled.push(one.to(ItemOutcome::Copied, Some(copy)));
                    copied.push(one);
                    left_behind.push(place_of(one));
                }
                Sent::Refused(why) => settled.push(self.refused(one, &why).await?),
                Sent::Unknown(why) => settled.push(one.to(ItemOutcome::Uncertain, Some(written(&why)?))),
                Sent::NotBegun => settled.push(one.settled()),
            }
        }
        self.note(lease, &settled).await?;
        match held.finish(&self.permit, &left_behind).await {
            Ok(()) => Ok(copied.into_iter().map(|one| one.to(ItemOutcome::Done, None)).collect()),
            Err(fault) => {
                tracing::warn!(job = self.job.new.id, %fault, "messages were sent, and their old copies are still there");
                Ok(Vec::new())
            }
        }
    }

    /// Nothing was sent, so the record is as it was, unless somebody has touched it since.
    async fn refused(&self, one: &Opened<'_>, why: &Setback) -> Result<Settled, Refused> {
        let reference = &one.of.reference;
        match self.changes.undo(&self.permit, reference, &one.before, one.after.as_ref()).await {
            Ok(Undone::Done | Undone::Differs | Undone::Gone) => {}
            Ok(Undone::Locked) => {
                tracing::warn!(%reference, "its message was refused, and the record is locked: it stays open");
            }
            Err(error) => tracing::warn!(%reference, %error, "its message was refused, and the record stays open"),
        }
        Ok(one.to(ItemOutcome::Failed, Some(written(why)?)))
    }

    /// Another try for records that are open already.
    pub(super) async fn bring_back(&self, lease: &mut Lease, items: &[JobItem]) -> Worked {
        let Some(redelivery) = self.redelivery else { return Ok(Ok(Vec::new())) };
        let opened: Vec<Opened<'_>> = items.iter().map(opened).collect::<Result<_, _>>()?;
        self.let_go(&self.lock_keys(items)).await;
        let (open, wholes) = match self.still_open(&opened).await {
            Ok(found) => found,
            Err(fault) => return Ok(Err(fault)),
        };
        let (mut settled, mut again) = (Vec::new(), Vec::new());
        for (one, is_open) in opened.into_iter().zip(open) {
            // Whoever took it up has its message.
            if is_open { again.push(one) } else { settled.push(one.to(ItemOutcome::Done, None)) }
        }
        let wanted = again.iter().map(|one| {
            let whole = wholes.get(&one.of.reference).unwrap_or(&one.before);
            self.wanted(one.of, Some(whole))
        });
        let wanted = wanted.collect();
        let held = match find(self, redelivery, lease, wanted).await? {
            Ok(held) => held,
            Err(fault) => {
                self.note(lease, &settled).await?;
                return Ok(Err(fault));
            }
        };
        let places = again.iter().enumerate().map(|(place, one)| (one.of.at, place)).collect();
        let mut found = Vec::new();
        for (place, one) in again.into_iter().enumerate() {
            match held.lack(place) {
                Some(why) => settled.push(self.refused(&one, &why).await?),
                None => found.push(one),
            }
        }
        self.note(lease, &settled).await?;
        self.send(lease, Messages { held, places }, &found).await.map(Ok)
    }

    /// Which of them nobody has touched since they were opened; and, where payloads are sent, the rows that are there.
    async fn still_open(&self, opened: &[Opened<'_>]) -> Result<(Vec<bool>, HashMap<RecordRef, Image>), Fault> {
        let references: Vec<RecordRef> = opened.iter().map(|one| one.of.reference.clone()).collect();
        let frozen = self.changes.freeze(&references).await?;
        let stamps: HashMap<&RecordRef, &Image> =
            frozen.iter().map(|frozen| (&frozen.row.reference, &frozen.stamp)).collect();
        let mut open = Vec::with_capacity(opened.len());
        for Opened { of, after, .. } in opened {
            let (r#type, key) = (of.r#type.as_deref(), of.key.as_deref());
            open.push(is_untouched(self.source, &stamps, &of.reference, after.as_ref(), r#type, key).await?);
        }
        let whole = if self.sends_payload() { self.changes.whole(&references).await? } else { Vec::new() };
        Ok((open, whole.into_iter().collect()))
    }

    /// Sending was begun, and nobody saw its end.
    pub(super) fn interrupted(&self, items: &[JobItem]) -> Result<Vec<Settled>, Refused> {
        let why = self.redelivery.and_then(Redelivery::interrupted).unwrap_or(Setback::Interrupted);
        let why = written(&why)?;
        items.iter().map(|item| Ok(opened(item)?.to(ItemOutcome::Uncertain, Some(why.clone())))).collect()
    }

    /// Their messages were sent; what they were copied from goes now.
    pub(super) async fn clean(&self, lease: &mut Lease, items: &[JobItem]) -> Worked {
        let Some(redelivery) = self.redelivery else { return Ok(Ok(Vec::new())) };
        let copy = |item: &JobItem| Ok((self.wanted(item, None)?, item.why.clone().unwrap_or_default()));
        let cleaned = match items.iter().map(copy).collect::<Result<Vec<_>, Fault>>() {
            Ok(copies) => redelivery.clean(&self.permit, &copies, until(lease)).await,
            Err(fault) => Err(fault),
        };
        match cleaned {
            Ok(()) => {
                let done = |item| Ok(opened(item)?.to(ItemOutcome::Done, None));
                items.iter().map(done).collect::<Result<_, Refused>>().map(Ok)
            }
            Err(fault) => Ok(Err(fault)),
        }
    }

    async fn note(&self, lease: &Lease, settled: &[Settled]) -> Result<(), Refused> {
        Ok(self.system.state.jobs.settle(lease, &self.job.new.id, settled, self.system.clock.now()).await?)
    }

    pub(super) fn sends_payload(&self) -> bool {
        self.redelivery.is_some_and(Redelivery::needs_payload)
    }

    fn wanted(&self, item: &JobItem, whole: Option<&Image>) -> Result<Wanted, Fault> {
        Ok(Wanted {
            id: format!("{}:{}", self.job.new.id, item.at),
            r#type: item.r#type.clone(),
            key: item.key.clone(),
            record: item.reference.to_string(),
            payload: match whole.filter(|_| self.sends_payload()) {
                Some(whole) => self.changes.payload(whole)?,
                None => None,
            },
            may_be_sent: item.outcome == Some(ItemOutcome::Opened),
        })
    }

    fn lock_keys(&self, items: &[JobItem]) -> Vec<String> {
        let Some(keys) = self.source.lock_keys() else { return Vec::new() };
        items.iter().filter_map(|item| keys.derive(item.r#type.as_deref(), item.key.as_deref()?)).collect()
    }
}

/// Looks for messages for as long as the lease allows, and has it whole again afterwards.
async fn find(
    work: &Work<'_>,
    redelivery: &dyn Redelivery,
    lease: &mut Lease,
    wanted: Result<Vec<Wanted>, Fault>,
) -> Result<Result<Box<dyn Held>, Fault>, Refused> {
    work.renew(lease).await?;
    let held = match wanted {
        Ok(wanted) => redelivery.hold(&wanted, until(lease)).await,
        Err(fault) => Err(fault),
    };
    work.renew(lease).await?;
    Ok(held)
}

fn opened(item: &JobItem) -> Result<Opened<'_>, Refused> {
    let missing = || StateError::Failed(format!("item {} was opened, and what it was before is not there", item.at));
    Ok(Opened { of: item, before: item.before.clone().ok_or_else(missing)?, after: item.after.clone() })
}

fn until(lease: &Lease) -> Instant {
    lease.deadline.checked_sub(MARGIN).unwrap_or(lease.deadline)
}
