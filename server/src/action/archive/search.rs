//! Archived rows that somebody wants: by their key, by when they were changed last, by their age, or all.

use super::{archive_of, table_of};
use crate::ports::archive::Ripe;
use crate::ports::records::{Course, RecordStore, Stand};
use crate::system::SourceSystem;
use app::model::{Fault, Row};
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

/// Archived rows that are read at once.
const STRETCH: u32 = 2_000;

#[derive(Debug, Clone)]
pub enum Which {
    Key {
        r#type: Option<String>,
        key: String,
    },
    /// Changed last in `from..to`.
    Span {
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    },
    /// By the database's clock.
    Older(Ripe),
    All,
}

/// Why nobody can tell which are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoSelection {
    /// Neither a key nor a span was said.
    Nothing,
    /// It ends before it begins.
    Reversed,
}

impl Which {
    /// A key, else a span.
    ///
    /// # Errors
    /// When neither was said.
    pub fn said(
        key: Option<String>,
        r#type: Option<String>,
        from: Option<DateTime<Utc>>,
        to: Option<DateTime<Utc>>,
    ) -> Result<Self, NoSelection> {
        match (key, from, to) {
            (Some(key), ..) => Ok(Self::Key { r#type, key }),
            (None, Some(from), Some(to)) if from < to => Ok(Self::Span { from, to }),
            (None, Some(_), Some(_)) => Err(NoSelection::Reversed),
            _ => Err(NoSelection::Nothing),
        }
    }

    fn holds(&self, row: &Row, now: DateTime<Utc>) -> bool {
        match self {
            Self::Key { .. } | Self::All => true,
            Self::Span { from, to } => row.record.since().is_some_and(|since| (*from..*to).contains(&since)),
            Self::Older(ripe) => ripe.judge(&row.record, now).is_ok(),
        }
    }
}

/// Walks the archive, stretch by stretch.
pub struct Search<'a> {
    source: &'a SourceSystem,
    archive: &'a dyn RecordStore,
    which: &'a Which,
    /// Those that are left, the next one last.
    tables: Vec<String>,
    after: Option<Stand>,
}

impl<'a> Search<'a> {
    pub async fn new(source: &'a SourceSystem, which: &'a Which) -> Result<Self, Fault> {
        let archive = archive_of(source)?;
        let tables = match which {
            // Its index finds it in all of them at once.
            Which::Key { .. } => vec![String::new()],
            Which::Span { .. } | Which::Older(_) | Which::All => archive.tables().await?.into_iter().rev().collect(),
        };
        Ok(Self { source, archive, which, tables, after: None })
    }

    /// By the source's table; `None`: that was all. May be empty where there is more.
    pub async fn next(&mut self) -> Result<Option<BTreeMap<String, Vec<Row>>>, Fault> {
        let Some(table) = self.tables.last() else { return Ok(None) };
        let now = self.archive.clock().await?;
        let rows = if let Which::Key { r#type, key } = self.which {
            let mut rows = self.archive.find(r#type.as_deref(), key).await?;
            // Of a key that was archived twice only one can be back.
            rows.sort_by_key(|row| std::cmp::Reverse(row.record.since()));
            self.tables.pop();
            rows
        } else {
            let swept = self.archive.sweep(table, Course::Identity, self.after.as_ref(), STRETCH).await?;
            self.after = swept.last.filter(|_| swept.full);
            if !swept.full {
                self.tables.pop();
            }
            swept.rows
        };
        let mut found: BTreeMap<String, Vec<Row>> = BTreeMap::new();
        for row in rows.into_iter().filter(|row| self.which.holds(row, now)) {
            found.entry(table_of(self.source, &row.reference.table)?).or_default().push(row);
        }
        Ok(Some(found))
    }
}
