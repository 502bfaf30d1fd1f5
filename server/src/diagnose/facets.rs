//! What was seen of one key. What was not seen is said, never guessed.

use super::Handling;
use crate::ports::brokers::Found;
use app::model::{Lock, LockState, MessageState, Record, Row, Status, TraceEntry};
use chrono::{DateTime, TimeDelta, Utc};
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Facets {
    /// Records of this type and key; more than one where no unique index keeps them apart.
    pub records: Vec<Record>,
    /// Asked where the table has no record.
    pub archive: ArchiveSight,
    pub lock: LockSight,
    pub broker: BrokerSight,
    /// What consumers wrote down of its deliveries, newest first; empty where they write nothing.
    pub trace: Vec<TraceEntry>,
    /// The database's clock.
    pub now: DateTime<Utc>,
    /// See [`super::minimum_age`].
    pub minimum_age: Duration,
    /// How long handling of its type takes.
    pub handling: Handling,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArchiveSight {
    /// Not configured, not there yet, or there is no need to.
    NotAsked,
    NotSeen,
    /// It has no such key.
    Nothing,
    Row(Box<Row>),
}

impl ArchiveSight {
    #[must_use]
    pub fn row(&self) -> Option<&Row> {
        match self {
            Self::Row(row) => Some(row),
            Self::NotAsked | Self::NotSeen | Self::Nothing => None,
        }
    }

    /// The message was handled, and its record moved.
    #[must_use]
    pub fn completed(&self) -> bool {
        self.row().is_some_and(|row| row.record.status == Status::Completed)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LockSight {
    NotConfigured,
    /// Redis could not be asked, or the key holds something that is no lock: it may be held.
    Unknown,
    /// Its key contains the type, and neither the question nor a record names one: it may be held as well.
    NotNamed,
    Seen {
        lock: Lock,
        /// When the done marker was set, where it says so.
        done_at: Option<DateTime<Utc>>,
    },
    /// A mark that nobody owns and whose record is not completed: duplicates are turned away, and whether anybody
    /// works under it cannot be told.
    Mark(Lock),
}

impl LockSight {
    /// By somebody whose name is on it.
    #[must_use]
    pub fn held(&self) -> bool {
        match self {
            Self::Seen { lock, .. } => match lock.state {
                LockState::Held | LockState::Expiring | LockState::Eternal | LockState::Orphan => true,
                LockState::Done | LockState::Unprotected | LockState::None | LockState::Unknown => false,
            },
            Self::NotConfigured | Self::NotNamed | Self::Unknown | Self::Mark(_) => false,
        }
    }

    #[must_use]
    pub fn is(&self, state: LockState) -> bool {
        matches!(self, Self::Seen { lock, .. } | Self::Mark(lock) if lock.state == state)
    }

    #[must_use]
    pub fn unknown(&self) -> bool {
        matches!(self, Self::Unknown | Self::NotNamed) || self.is(LockState::Unknown)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BrokerSight {
    NotConfigured,
    /// Not asked, not answered, or not all of its counts are there yet.
    NotSeen,
    /// All that the broker holds was looked through, and this message is not there: it may have moved meanwhile, so
    /// that this proves no more than not seeing it.
    NotThere,
    Message(Found),
    /// All queues concerned together.
    Queue {
        ready: u64,
        unacked: u64,
        /// `None`: no dead letter is configured.
        dead: Option<u64>,
        /// What the counts are about: statistics lag behind what happened.
        as_of: DateTime<Utc>,
    },
}

impl BrokerSight {
    /// The same by a clock that is ahead: records carry the database's times.
    #[must_use]
    pub fn by_clock_ahead(self, ahead: TimeDelta) -> Self {
        match self {
            Self::Queue { ready, unacked, dead, as_of } => Self::Queue { ready, unacked, dead, as_of: as_of + ahead },
            other => other,
        }
    }

    #[must_use]
    pub fn message(&self, wanted: MessageState) -> bool {
        matches!(self, Self::Message(found) if found.state == wanted)
    }

    #[must_use]
    pub fn queue_has_messages(&self) -> bool {
        matches!(self, Self::Queue { ready, unacked, .. } if ready + unacked > 0)
    }

    #[must_use]
    pub fn dead_letter_has_messages(&self) -> bool {
        matches!(self, Self::Queue { dead: Some(dead), .. } if *dead > 0)
    }

    /// There is no message anywhere, and the counts that say so are newer than `change`.
    #[must_use]
    pub fn nothing_since(&self, change: Option<DateTime<Utc>>) -> bool {
        match self {
            Self::Queue { ready: 0, unacked: 0, dead: None | Some(0), as_of } => {
                change.is_none_or(|change| *as_of > change)
            }
            _ => false,
        }
    }
}

impl Facets {
    /// The record that is judged; with several for one key the first.
    #[must_use]
    pub fn record(&self) -> Option<&Record> {
        self.records.first()
    }

    #[must_use]
    pub fn status(&self) -> Option<Status> {
        self.record().map(|record| record.status)
    }

    /// How long the record has been as it is; `None` where the table does not say.
    #[must_use]
    pub fn age(&self) -> Option<TimeDelta> {
        Some(self.now - self.record()?.since()?)
    }

    #[must_use]
    pub fn lease_is_live(&self) -> bool {
        self.record().and_then(|record| record.lease_until).is_some_and(|until| until > self.now)
    }

    /// Somebody is working on it, as far as the layers can tell.
    #[must_use]
    pub fn alive(&self) -> bool {
        self.lock.held() || self.lease_is_live()
    }

    /// How often the trace says that the effect happened.
    #[must_use]
    pub fn effects(&self) -> u64 {
        let of = |outcome: &str| self.trace.iter().filter(|entry| entry.outcome.as_deref() == Some(outcome)).count();
        match of("leaked") {
            0 => of("completed") as u64,
            // That one came on top of another.
            leaked => leaked as u64 + Ord::max(of("completed"), 1) as u64,
        }
    }

    /// Deliveries that were settled as duplicates while the record was as it is now.
    #[must_use]
    pub fn settled_as_duplicates(&self) -> u64 {
        let since = self.record().and_then(|record| record.created_at.or(record.updated_at));
        let duplicate = |entry: &&TraceEntry| {
            let settled = entry.outcome.as_deref().is_some_and(|outcome| outcome.starts_with("dup_"));
            settled && entry.at.zip(since).is_some_and(|(at, since)| at >= since)
        };
        self.trace.iter().filter(duplicate).count() as u64
    }

    #[must_use]
    pub fn broker_has_nothing(&self) -> bool {
        self.broker.nothing_since(self.record().and_then(Record::since))
    }
}
