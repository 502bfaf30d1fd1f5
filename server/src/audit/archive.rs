//! Whether the archive can be looked into.

use super::Findings;
use crate::ports::records::Description;
use crate::system::SourceSystem;
use app::model::{CapabilityName, Fault, Note};

/// `None`: the source has no archive.
pub(super) async fn archive(source: &SourceSystem) -> Option<Result<Description, Fault>> {
    Some(source.archive.as_ref()?.describe().await)
}

pub(super) fn judge(source: &SourceSystem, described: Result<Description, Fault>, found: &mut Findings) {
    let Some(table) = source.config.archive.as_ref().map(|archive| archive.table.to_string()) else { return };
    match described {
        Ok(description) => {
            let by_key = |found: &&app::model::Capability| found.name == CapabilityName::LookupByKey;
            if description.capabilities.iter().find(by_key).is_some_and(|by_key| !by_key.there) {
                found.notes.push(Note::ArchiveUnindexed { table });
            }
        }
        Err(Fault::TableMissing { .. }) => found.notes.push(Note::ArchiveNotYet { table }),
        Err(fault) => found.trouble(fault),
    }
}
