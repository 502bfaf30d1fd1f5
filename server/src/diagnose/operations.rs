use super::{Behind, LockRules};
use crate::ports::locks::Reading;
use app::model::{Operation, OperationName, WhyNot};
use std::time::Duration;

/// What operations on one message rest on.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// `None`: the source has no locks.
    pub rules: Option<&'a LockRules>,
    /// `None`: the lock could not be asked, or its key is not known.
    pub reading: Option<&'a Reading>,
    /// Of each record that the lock stands for; several where no unique index keeps them apart. Empty: not seen.
    pub behind: &'a [Behind],
    /// For how long at least its owner has been seen to hold the lock.
    pub watched: Duration,
    /// The value that all locks of the source carry, where they do.
    pub shared_owner: Option<&'a str>,
}

impl Seen<'_> {
    /// Whether its lock may be released, or why not. Roles are looked at elsewhere.
    #[must_use]
    pub fn release(&self) -> Operation {
        let why = self.why_not_released();
        Operation { name: OperationName::ReleaseLock, allowed: why.is_none(), why }
    }

    /// `None`: it may be. Every record behind it must allow it.
    #[must_use]
    pub fn why_not_released(&self) -> Option<WhyNot> {
        let Some(rules) = self.rules else { return Some(WhyNot::NotConfigured) };
        let Some(reading) = self.reading else { return Some(WhyNot::LockUnknown) };
        let behind = if self.behind.is_empty() { &[Behind::Unseen] } else { self.behind };
        behind.iter().find_map(|behind| {
            let lock = rules.lock("", reading, *behind, self.watched);
            rules.not_releasable(&lock, *behind, self.watched, self.shared_owner)
        })
    }
}

#[cfg(test)]
#[path = "operations_tests.rs"]
mod tests;
