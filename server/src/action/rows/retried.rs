//! Whether a retry had an effect: its record is looked at until somebody takes it up. One that nobody took up within the
//! source's minimum age needs a person; it is looked at further, since a queue may be long.

use crate::diagnose::Handling;
use crate::ports::changes::{Image, RecordChanges};
use crate::ports::retries::{Effect, Retried};
use crate::ports::state::StateError;
use crate::system::{SourceSystem, System};
use app::model::{Fault, RecordRef};
use chrono::TimeDelta;
use std::collections::HashMap;

/// Then it is an old matter, which the list of records shows.
const LOOKED_AT_FOR: TimeDelta = TimeDelta::days(7);

/// Looks at some retried records of each source.
pub async fn look(system: &System) -> Result<(), StateError> {
    for source in &system.sources {
        let retried = system.state.retries.retried(&source.config.name).await?;
        let Some(changes) = source.changes.as_deref().filter(|_| !retried.is_empty()) else { continue };
        match taken_up(source, changes, &retried).await {
            Ok(taken_up) => note(system, source, &retried, &taken_up).await?,
            // Nothing is known of them now.
            Err(fault) => tracing::debug!(source = source.config.name, %fault, "retried records were not looked at"),
        }
    }
    Ok(())
}

/// In their order.
async fn taken_up(source: &SourceSystem, changes: &dyn RecordChanges, retried: &[Retried]) -> Result<Vec<bool>, Fault> {
    let references: Vec<RecordRef> = retried.iter().map(|one| one.reference.clone()).collect();
    let frozen = changes.freeze(&references).await?;
    let stamps: HashMap<&RecordRef, &Image> =
        frozen.iter().map(|frozen| (&frozen.row.reference, &frozen.stamp)).collect();
    let mut taken_up = Vec::with_capacity(retried.len());
    for Retried { reference, after, r#type, key, .. } in retried {
        let (r#type, key) = (r#type.as_deref(), key.as_deref());
        taken_up.push(!is_untouched(source, &stamps, reference, after.as_ref(), r#type, key).await?);
    }
    Ok(taken_up)
}

/// A record is as opening it left it: the same values, or still no row of its key.
pub(super) async fn is_untouched(
    source: &SourceSystem,
    stamps: &HashMap<&RecordRef, &Image>,
    reference: &RecordRef,
    after: Option<&Image>,
    r#type: Option<&str>,
    key: Option<&str>,
) -> Result<bool, Fault> {
    Ok(match (after, key) {
        (Some(after), _) => stamps.get(reference) == Some(&after),
        (None, Some(key)) => source.records.find(r#type, key).await?.is_empty(),
        (None, None) => !stamps.contains_key(reference),
    })
}

async fn note(
    system: &System,
    source: &SourceSystem,
    retried: &[Retried],
    taken_up: &[bool],
) -> Result<(), StateError> {
    let now = system.clock.now();
    let minimum_age = TimeDelta::from_std(source.minimum_age(Handling::default())).unwrap_or(TimeDelta::MAX);
    for (one, taken_up) in retried.iter().zip(taken_up) {
        let age = now - one.retried_at;
        let effect = match () {
            () if *taken_up || age > LOOKED_AT_FOR => Effect::Over,
            () if age > minimum_age => Effect::None,
            () => Effect::Open,
        };
        system.state.retries.looked(&one.job, one.at, effect, now).await?;
    }
    Ok(())
}
