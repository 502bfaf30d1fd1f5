//! Whether consumers report, as far as the last minutes tell.

use super::Findings;
use crate::clock::Clock;
use crate::ports::signals::{MinuteSignals, SignalStore};
use crate::system::SourceSystem;
use app::model::{Counts, Fault, Note};
use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use std::collections::BTreeSet;

/// The present one among them.
const MINUTES: i64 = 5;

/// What was reported, by whom.
pub(super) struct Signals {
    address: String,
    minutes: Vec<MinuteSignals>,
}

/// `None`: the source has none in Redis.
pub(super) async fn signals(source: &SourceSystem, clock: &dyn Clock) -> Option<Result<Signals, Fault>> {
    Some(read(source.signals.as_ref()?.as_ref(), clock.now()).await)
}

async fn read(store: &dyn SignalStore, now: DateTime<Utc>) -> Result<Signals, Fault> {
    // Whole minutes exist at any time that is one.
    let this = now.duration_trunc(TimeDelta::minutes(1)).unwrap_or(now);
    let wanted: Vec<_> = (0..MINUTES).map(|ago| this - TimeDelta::minutes(ago)).collect();
    Ok(Signals { address: store.address(), minutes: store.minutes(&wanted).await? })
}

pub(super) fn judge(signals: Signals, found: &mut Findings) {
    let Signals { address, minutes } = signals;
    let mut counts = Counts::default();
    minutes.iter().flat_map(|minute| minute.types.values()).for_each(|of| counts.add(&of.counts));
    let alive: BTreeSet<&String> = minutes.iter().flat_map(|minute| &minute.alive).collect();
    found.notes.push(Note::Reports {
        address,
        minutes: MINUTES.unsigned_abs(),
        deliveries: counts.deliveries(),
        instances: alive.len() as u64,
        unreadable: minutes.iter().map(|minute| minute.unreadable).sum(),
    });
}
