//! Making a message come again, once its record is open for it.
//!
//! An adapter finds the messages first ([`Redelivery::hold`], which changes nothing), so that no record is opened whose
//! message cannot come; then it sends ([`Held::send`]); then it removes what they were copied from ([`Held::finish`]).
//! Between these `action::rows::redeliver` writes down how far it is. To add one: implement both traits, say with
//! [`Redelivery::interrupted`] what a crash in the middle of sending leaves, and name it in `boot`.

use super::permit::Permit;
use app::model::{Fault, Setback};
use async_trait::async_trait;
use std::time::Instant;

/// A message that is to come again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The same whenever the same item of the same operation is tried: who is asked twice can know it again.
    pub id: String,
    pub r#type: Option<String>,
    pub key: Option<String>,
    /// `RecordRef` of its record, as text.
    pub record: String,
    /// What the record keeps of the message; `None`: it was not asked for, or there is none.
    pub payload: Option<Vec<u8>>,
    /// An earlier try may have sent it, and nobody saw its end.
    pub may_be_sent: bool,
}

/// What became of one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sent {
    /// It is there, and nowhere else.
    Moved,
    /// It is there, and what it was copied from as well, until [`Held::finish`] or [`Redelivery::clean`] removes it. `copy`
    /// tells it from others of the same key.
    Copied { copy: String },
    /// Proven: nothing was sent.
    Refused(Setback),
    /// Nobody can tell.
    Unknown(Setback),
    /// Not begun: the time was over, or the connection gone before.
    NotBegun,
}

#[async_trait]
pub trait Redelivery: Send + Sync {
    /// What is said of a message whose sending was begun and whose end nobody saw, and that might come twice if it were sent
    /// again. `None`: whoever gets it knows it again by its id, so it is sent again.
    fn interrupted(&self) -> Option<Setback>;

    /// So many at once are done within a few seconds.
    fn at_once(&self) -> u32;

    /// The record's payload is what is sent.
    fn needs_payload(&self) -> bool {
        false
    }

    /// Finds the messages and keeps others from them, until what it gives is dropped. It gives up at `until`.
    async fn hold(&self, wanted: &[Wanted], until: Instant) -> Result<Box<dyn Held>, Fault>;

    /// Removes the copies that were left behind when the messages were sent; those that are gone are fine.
    async fn clean(&self, _permit: &Permit, _copies: &[(Wanted, String)], _until: Instant) -> Result<(), Fault> {
        // Who moves in one step leaves none behind.
        Ok(())
    }
}

/// Messages that were found, in the order in which they were wanted.
#[async_trait]
pub trait Held: Send {
    /// Why one cannot be brought back; `None`: it can.
    fn lack(&self, place: usize) -> Option<Setback>;

    /// Sends those at these places, each at most once, and begins none after `until`. In the order of the places.
    async fn send(&mut self, permit: &Permit, places: &[usize], until: Instant) -> Vec<Sent>;

    /// Removes what was copied at these places and lets go of all others. `Err`: the copies may still be there.
    async fn finish(self: Box<Self>, permit: &Permit, places: &[usize]) -> Result<(), Fault>;
}
