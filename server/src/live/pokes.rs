use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

/// Wakes collectors before their period is over, after something was changed through the console. A poke that nobody
/// waits for is kept for the collector's next pause; on an instance that does not hold the lease it does nothing, and
/// the change shows within a period.
#[derive(Debug, Default)]
pub struct Pokes {
    bells: Mutex<HashMap<(String, String), Arc<Notify>>>,
}

impl Pokes {
    /// `panel` is `records`, `locks`, or `brokers/<n>`.
    pub fn poke(&self, source: &str, panel: &str) {
        self.bell(source, panel).notify_one();
    }

    pub(crate) fn bell(&self, source: &str, panel: &str) -> Arc<Notify> {
        let mut bells = self.bells.lock().unwrap_or_else(PoisonError::into_inner);
        bells.entry((source.to_owned(), panel.to_owned())).or_default().clone()
    }
}
