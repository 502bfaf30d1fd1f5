use super::{Attention, Count, Overview, PanelName};

/// The few numbers that the navigation shows beside its names. What was not read has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Signs {
    /// Processing records that are too old.
    pub aging: Option<Count>,
    /// Eternal and orphan locks, and records that run unprotected.
    pub wrong_locks: Option<u64>,
    pub dead_letters: Option<u64>,
    /// Operations that go on, stand, or left something uncertain.
    pub runs: Option<u64>,
}

impl Signs {
    /// From what the Overview knows; a layer in trouble gives no number.
    #[must_use]
    pub fn of(overview: &Overview) -> Self {
        let seen = |panel: PanelName| match panel {
            PanelName::Records => overview.records.trouble.is_none(),
            PanelName::Locks => overview.locks.as_ref().is_some_and(|locks| locks.trouble.is_none()),
            PanelName::Signals => overview.signals.as_ref().is_none_or(|signals| signals.trouble.is_none()),
            PanelName::Brokers => overview.brokers.iter().all(|broker| broker.trouble.is_none()),
        };
        let locks = overview.locks.as_ref().and_then(|panel| panel.body.as_ref());
        let dead_letters = overview.attention.iter().find_map(|finding| match finding {
            Attention::DeadLetters { count } => Some(*count),
            _ => None,
        });
        Self {
            aging: overview.records.body.as_ref().and_then(|body| body.aging).filter(|_| seen(PanelName::Records)),
            wrong_locks: locks
                .map(|body| body.eternal.value + body.orphan.value + body.unprotected.value)
                .filter(|_| seen(PanelName::Locks)),
            dead_letters: dead_letters.filter(|_| seen(PanelName::Brokers)),
            runs: None,
        }
    }
}
