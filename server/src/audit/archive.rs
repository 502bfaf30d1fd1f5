//! Whether the archive can be looked into, what stands in the way of archiving, and whether a message may come after its record
//! is gone.

use super::Findings;
use crate::action::archive::{retention, standing};
use crate::clock::Clock;
use crate::ports::records::Description;
use crate::system::SourceSystem;
use app::model::{ArchiveRefusal, ArchiveStanding, ArchiveWarning, Audited, CapabilityName, Fault, Note, Problem};

/// What stands in the way of each table, and what somebody should know before.
type Archiving = (Result<Vec<ArchiveStanding>, Fault>, Vec<ArchiveWarning>);

pub(super) struct Seen {
    described: Result<Description, Fault>,
    /// `None`: nothing of this source is ever archived by Oncewatch.
    archiving: Option<Archiving>,
}

/// `None`: the source has no archive.
pub(super) async fn archive(source: &SourceSystem, clock: &dyn Clock) -> Option<Seen> {
    let archive = source.archive.as_ref()?;
    let keeps = source.config.archive.as_ref().is_some_and(|archive| archive.keep.is_some());
    let archiving = async {
        match source.archiver.is_some() && keeps {
            true => Some(tokio::join!(standing(source), retention(source, clock))),
            false => None,
        }
    };
    let (described, archiving) = tokio::join!(archive.describe(), archiving);
    Some(Seen { described, archiving })
}

pub(super) fn judge(source: &SourceSystem, seen: Seen, found: &mut Findings) {
    let Some(table) = source.config.archive.as_ref().map(|archive| archive.table.to_string()) else { return };
    if let Some((tables, warnings)) = seen.archiving {
        refused(tables, found);
        let notes = warnings.into_iter().filter(|warning| *warning != ArchiveWarning::Deletes);
        found.notes.extend(notes.map(|warning| Note::ArchiveRetention { warning }));
    }
    match seen.described {
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

/// Of numbered tables, which are alike, each refusal is told once.
fn refused(tables: Result<Vec<ArchiveStanding>, Fault>, found: &mut Findings) {
    let tables = found.seen(Audited::Archiving, tables).unwrap_or_default();
    for refusal in tables.into_iter().flat_map(|table| table.refusals) {
        // That it is not there yet is a note, and no problem.
        if !matches!(refusal, ArchiveRefusal::ArchiveMissing { .. }) {
            found.problem(Problem::ArchiveRefused { refusal });
        }
    }
}
