use serde::{Deserialize, Serialize};

/// What one count is of, by its name in the convention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Signal {
    First,
    Takeover,
    DupStatus,
    DupLock,
    DupIndex,
    DupGuard,
    Late,
    Refused,
    Deferred,
    Conflict,
    Completed,
    Failed,
    Dead,
    Degraded,
    LockLost,
    Fenced,
    Leaked,
}

impl Signal {
    /// Exactly one for each settled delivery.
    pub const OUTCOMES: [Self; 8] = [
        Self::First,
        Self::Takeover,
        Self::DupStatus,
        Self::DupLock,
        Self::DupIndex,
        Self::DupGuard,
        Self::Late,
        Self::Refused,
    ];
    pub const ALL: [Self; 17] = [
        Self::First,
        Self::Takeover,
        Self::DupStatus,
        Self::DupLock,
        Self::DupIndex,
        Self::DupGuard,
        Self::Late,
        Self::Refused,
        Self::Deferred,
        Self::Conflict,
        Self::Completed,
        Self::Failed,
        Self::Dead,
        Self::Degraded,
        Self::LockLost,
        Self::Fenced,
        Self::Leaked,
    ];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Takeover => "takeover",
            Self::DupStatus => "dup_status",
            Self::DupLock => "dup_lock",
            Self::DupIndex => "dup_index",
            Self::DupGuard => "dup_guard",
            Self::Late => "late",
            Self::Refused => "refused",
            Self::Deferred => "deferred",
            Self::Conflict => "conflict",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Dead => "dead",
            Self::Degraded => "degraded",
            Self::LockLost => "lock_lost",
            Self::Fenced => "fenced",
            Self::Leaked => "leaked",
        }
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|signal| signal.as_str() == name)
    }
}

/// How often each was reported. The first eight are outcomes: one for each settled delivery.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Counts {
    pub first: u64,
    /// Of a record whose last holder had failed or gone.
    pub takeover: u64,
    pub dup_status: u64,
    pub dup_lock: u64,
    pub dup_index: u64,
    /// Stopped by a business state or version.
    pub dup_guard: u64,
    /// Out of order, ignored.
    pub late: u64,
    /// The record is dead.
    pub refused: u64,
    /// Given back to the broker to come again, not settled.
    pub deferred: u64,
    /// A lock attempt was refused.
    pub conflict: u64,
    pub completed: u64,
    pub failed: u64,
    pub dead: u64,
    /// Handled without the lock, while Redis was away.
    pub degraded: u64,
    pub lock_lost: u64,
    pub fenced: u64,
    /// An effect is known to have happened twice.
    pub leaked: u64,
}

impl Counts {
    #[must_use]
    pub fn get(&self, signal: Signal) -> u64 {
        let mut copy = *self;
        *copy.of(signal)
    }

    pub fn of(&mut self, signal: Signal) -> &mut u64 {
        match signal {
            Signal::First => &mut self.first,
            Signal::Takeover => &mut self.takeover,
            Signal::DupStatus => &mut self.dup_status,
            Signal::DupLock => &mut self.dup_lock,
            Signal::DupIndex => &mut self.dup_index,
            Signal::DupGuard => &mut self.dup_guard,
            Signal::Late => &mut self.late,
            Signal::Refused => &mut self.refused,
            Signal::Deferred => &mut self.deferred,
            Signal::Conflict => &mut self.conflict,
            Signal::Completed => &mut self.completed,
            Signal::Failed => &mut self.failed,
            Signal::Dead => &mut self.dead,
            Signal::Degraded => &mut self.degraded,
            Signal::LockLost => &mut self.lock_lost,
            Signal::Fenced => &mut self.fenced,
            Signal::Leaked => &mut self.leaked,
        }
    }

    pub fn add(&mut self, other: &Self) {
        for signal in Signal::ALL {
            let count = self.of(signal);
            *count = count.saturating_add(other.get(signal));
        }
    }

    /// All outcomes.
    #[must_use]
    pub fn deliveries(&self) -> u64 {
        Signal::OUTCOMES.into_iter().map(|outcome| self.get(outcome)).fold(0, u64::saturating_add)
    }

    /// Dedup hits of all layers.
    #[must_use]
    pub fn duplicates(&self) -> u64 {
        let layers = [self.dup_status, self.dup_lock, self.dup_index, self.dup_guard];
        layers.into_iter().fold(0, u64::saturating_add)
    }

    /// Dedup hits of all deliveries, 0 to 1; `None` without deliveries.
    #[must_use]
    pub fn duplicate_rate(&self) -> Option<f64> {
        share(self.duplicates(), self.deliveries())
    }

    /// Dedup hits of these and what got through, 0 to 1; `None` where neither was.
    #[must_use]
    pub fn interception(&self) -> Option<f64> {
        share(self.duplicates(), self.duplicates().saturating_add(self.leaked))
    }

    /// Failed ones of all deliveries, 0 to 1; `None` without deliveries.
    #[must_use]
    pub fn failure_rate(&self) -> Option<f64> {
        share(self.failed.saturating_add(self.dead), self.deliveries())
    }

    /// How many duplicates came to the index for each lock conflict; silent while consumers ran without the lock.
    #[must_use]
    pub fn divergence(&self) -> Option<f64> {
        (self.degraded == 0).then(|| share(self.dup_index, self.conflict)).flatten()
    }
}

#[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signal_has_its_name_and_its_place() {
        let mut counts = Counts::default();
        for (at, signal) in (1..).zip(Signal::ALL) {
            assert_eq!(Signal::named(signal.as_str()), Some(signal));
            *counts.of(signal) = at;
        }
        let json = serde_json::to_value(counts).unwrap();
        for signal in Signal::ALL {
            assert_eq!(json[signal.as_str()], counts.get(signal));
        }
        assert_eq!(json.as_object().unwrap().len(), Signal::ALL.len());
    }

    #[test]
    fn the_formulas_are_the_convention_s() {
        let counts = Counts {
            first: 80,
            takeover: 2,
            dup_status: 6,
            dup_lock: 1,
            dup_index: 2,
            dup_guard: 1,
            late: 3,
            refused: 5,
            deferred: 50,
            conflict: 4,
            completed: 70,
            failed: 9,
            dead: 1,
            leaked: 10,
            ..Counts::default()
        };
        assert_eq!((counts.deliveries(), counts.duplicates()), (100, 10));
        assert_eq!(counts.duplicate_rate(), Some(0.1));
        assert_eq!(counts.interception(), Some(0.5));
        assert_eq!(counts.failure_rate(), Some(0.1));
        assert_eq!(counts.divergence(), Some(0.5));
        assert_eq!(Counts { degraded: 1, ..counts }.divergence(), None);
        let none = Counts::default();
        assert_eq!((none.duplicate_rate(), none.interception(), none.divergence()), (None, None, None));
    }
}
