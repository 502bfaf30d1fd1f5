//! Whether what is kept is kept for as long as a message may still come: it would run again once its record is archived.

use crate::clock::{Clock, millis};
use crate::config::ArchiveMode;
use crate::ports::brokers::Oldest;
use crate::system::SourceSystem;
use app::model::ArchiveWarning;

/// Asks each broker for its oldest message.
pub async fn retention(source: &SourceSystem, clock: &dyn Clock) -> Vec<ArchiveWarning> {
    let Some(archive) = &source.config.archive else { return Vec::new() };
    let (mut unknown, mut oldest_ms) = (source.brokers.is_empty(), 0);
    for broker in &source.brokers {
        match broker.oldest().await {
            Ok(Oldest::Nothing) => {}
            Ok(Oldest::Unknown) => unknown = true,
            Ok(Oldest::Since(at)) => {
                let age_ms = (clock.now() - at).num_milliseconds();
                oldest_ms = u64::try_from(age_ms).unwrap_or(0).max(oldest_ms);
            }
            Err(fault) => {
                tracing::warn!(source = source.config.name, %fault, "how old a message the broker has is not known");
                unknown = true;
            }
        }
    }
    let keep_ms = archive.keep.map_or(0, millis);
    let deletes = archive.mode == ArchiveMode::Delete;
    let warnings = [
        deletes.then_some(ArchiveWarning::Deletes),
        (oldest_ms > keep_ms).then_some(ArchiveWarning::KeepTooShort { keep_ms, oldest_ms }),
        unknown.then_some(ArchiveWarning::BrokerAgeUnknown { keep_ms }),
    ];
    warnings.into_iter().flatten().collect()
}
