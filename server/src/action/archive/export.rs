//! Writes the archive out, row by row. It changes nothing.

use super::search::{Search, Which};
use super::{NotBegun, archiver, source_of};
use crate::system::System;
use app::model::RecordRef;
use serde_json::Value;

/// Rows that are read whole at once: each may be large.
const CHUNK: usize = 100;

/// `write` gets each row as one JSON object; their number.
pub async fn export(
    system: &System,
    source: &str,
    mut write: impl FnMut(&Value) -> std::io::Result<()> + Send,
) -> Result<u64, ExportError> {
    let source = source_of(system, source).map_err(NotBegun::from)?;
    let archiver = archiver(source).map_err(NotBegun::from)?;
    let mut search = Search::new(source, &Which::All).await.map_err(NotBegun::from)?;
    let mut written = 0;
    while let Some(found) = search.next().await.map_err(NotBegun::from)? {
        for (table, rows) in found {
            let rows: Vec<RecordRef> = rows.into_iter().map(|row| row.reference).collect();
            for rows in rows.chunks(CHUNK) {
                for row in archiver.whole(&table, rows).await.map_err(NotBegun::from)? {
                    write(&row)?;
                    written += 1;
                }
            }
        }
    }
    Ok(written)
}

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    Read(#[from] NotBegun),
    #[error("the file cannot be written: {0}")]
    Write(#[from] std::io::Error),
}
