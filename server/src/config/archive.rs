//! `[source.archive]`: where completed records go.

use super::{Schedule, TableName};
use std::time::Duration;

/// `[source.archive]`.
#[derive(Debug, Clone)]
pub struct Archive {
    /// Has the columns of the source's own table; its keys need not be unique. A glob, where it is numbered.
    pub table: TableName,
    pub numbered: bool,
    /// Completed records older than this may be archived; `None`: none may.
    pub keep: Option<Duration>,
    pub mode: ArchiveMode,
    /// When a run begins by itself, in the source's time zone; `None`: by hand only.
    pub schedule: Option<Schedule>,
    /// How long a run that began by itself may go on.
    pub window: Duration,
    /// Most rows of one chunk.
    pub batch: u32,
}

/// What becomes of a record that is archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveMode {
    Move,
    /// Nothing is kept of it.
    Delete,
}

impl Archive {
    /// The archive of one of the source's tables: what stands for the star of the one stands for the star of the other.
    #[must_use]
    pub fn of_table(&self, own: &TableName, table: &str) -> Option<TableName> {
        Some(TableName { schema: self.table.schema.clone(), table: counterpart(&own.table, &self.table.table, table)? })
    }

    /// The source's table of one of its archives.
    #[must_use]
    pub fn table_of(&self, own: &TableName, archive: &str) -> Option<String> {
        counterpart(&self.table.table, &own.table, archive)
    }
}

fn counterpart(from: &str, to: &str, name: &str) -> Option<String> {
    match from.split_once('*') {
        Some((before, after)) => Some(to.replacen('*', name.strip_prefix(before)?.strip_suffix(after)?, 1)),
        None => (from == name).then(|| to.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::counterpart;

    #[test]
    fn a_numbered_table_has_a_numbered_archive() {
        let of = |name| counterpart("log_*", "archive.log_*_old", name);
        assert_eq!(of("log_202611").as_deref(), Some("archive.log_202611_old"));
        assert_eq!(of("other_1"), None);
        assert_eq!(counterpart("log", "log_archive", "log").as_deref(), Some("log_archive"));
        assert_eq!(counterpart("log", "log_archive", "log_1"), None);
    }
}
