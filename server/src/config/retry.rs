//! `[source.retry]`: how the message of an opened record comes again.

use super::Secret;

#[derive(Debug, Clone)]
pub enum RetryMode {
    /// By itself: the record is opened, and nothing else is done.
    Release,
    /// It is moved from the dead letter to where it came from.
    DeadLetter,
    /// Its payload is published.
    Republish(Republish),
    /// Somebody else is asked to send it.
    Webhook(Webhook),
}

impl RetryMode {
    /// As the configuration writes it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::DeadLetter => "dead_letter",
            Self::Republish(_) => "republish",
            Self::Webhook(_) => "webhook",
        }
    }
}

#[derive(Debug, Clone)]
pub struct Republish {
    /// Empty: the default exchange.
    pub exchange: String,
    pub routing_key: String,
}

#[derive(Debug, Clone)]
pub struct Webhook {
    pub url: Secret,
    /// What it signs with.
    pub secret: Secret,
}
