//! What pages read of the audit: operations that match a search, what became of one, and whether the chains are whole.

use super::state::{AuditEntry, StateError};
use super::trail::Event;
use app::model::AuditBreak;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Operations that one page looks at, where several things are asked for together.
pub const EXAMINED: u64 = 20_000;
/// Characters of a word by which an operation is found; longer ones are cut, and found by what is left of them.
const WORD: usize = 190;

/// One thing that an operation must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sought {
    Is(String),
    Begins(String),
}

/// A word as the index has it: `by:ann`.
#[must_use]
pub fn word(kind: &str, value: &str) -> String {
    let word: String = format!("{kind}:{value}").chars().take(WORD).collect();
    // PostgreSQL takes no NUL, and MySQL takes texts for equal that differ by space at their end.
    word.replace('\0', "\u{fffd}").trim_end().to_owned()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// Older than this one; `None`: the newest.
    Before(Option<i64>),
    /// Newer than this one.
    After(i64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// All of them together.
    pub sought: Vec<Sought>,
    pub since: Option<DateTime<Utc>>,
    pub beside: Beside,
    /// At most 200.
    pub limit: u32,
}

/// An entry with its link of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub entry: AuditEntry,
    pub hash: String,
}

/// Newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub entries: Vec<Kept>,
    /// Where to go on in the direction that was asked for; `None`: that was all.
    pub next: Option<i64>,
}

/// Which of an operation's events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stretch {
    /// Oldest first, behind this one.
    After(Option<i64>),
    Last,
}

/// An event, without its body where that is large.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brief {
    pub id: i64,
    pub event: Event,
    /// Characters of a body that was left out.
    pub left_out: Option<u64>,
}

/// How far the chains were read again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Walked {
    pub beginnings: Chained,
    pub events: Chained,
}

/// One of the two chains.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chained {
    /// Numbers that were given out before it was begun to be read; `None`: it was not begun.
    pub given: Option<i64>,
    /// The last row that was read.
    pub id: i64,
    pub hash: String,
    pub through: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verified {
    On(Walked),
    Whole(Walked),
    Broken(AuditBreak),
}

#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Looks at [`EXAMINED`] operations at most, where one index does not answer alone.
    async fn find(&self, wanted: &Wanted) -> Result<Found, StateError>;
    async fn entry(&self, number: i64) -> Result<Option<Kept>, StateError>;
    /// At most 200.
    async fn events(&self, operation_id: &str, stretch: Stretch, limit: u32) -> Result<Vec<Brief>, StateError>;
    /// Reads at most 1,000 rows of a chain again.
    async fn verify(&self, walked: Walked) -> Result<Verified, StateError>;
    /// What was kept of the last time that they were read.
    async fn checked(&self) -> Result<Option<String>, StateError>;
    async fn keep_check(&self, body: &str) -> Result<(), StateError>;
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn every_key_has_a_word_that_every_engine_takes() {
        assert_eq!(word("key", "a\0b  "), "key:a\u{fffd}b");
        assert_eq!(word("key", &"漢".repeat(500)).chars().count(), 190);
    }
}
