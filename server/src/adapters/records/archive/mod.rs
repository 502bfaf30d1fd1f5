//! Archiving, over any engine: [`examine`] asks what stands in the way, [`obstacles`] and [`definition`] read the
//! catalogue for it, [`shift`] is the transaction that moves rows, [`back`] puts them back, [`whole`] reads them for other places.

mod back;
mod definition;
mod examine;
pub(in crate::adapters::records) mod obstacles;
mod shift;
mod whole;

use super::store::{Engine, Store};
use super::work::{Trouble, Writer};
use crate::clock::Clock;
use crate::config::{Archive, ArchiveMode, Limits, Source, TableName};
use crate::ports::archive::{Examined, RecordArchive, Restored, Ripe, Shifted};
use crate::ports::changes::ChangeError;
use crate::ports::permit::Permit;
use app::model::{ArchiveLeft, ArchiveRefusal, Fault, Layer, Pk, RecordRef};
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Mutex;

/// How often a transaction that the database ended for another's sake is done again.
const AGAIN: u32 = 5;

/// Everything by the account that may change the table: what another one sees says nothing about it.
pub struct Archiver {
    pub source: Source,
    pub archive: Archive,
    pub limits: Limits,
    pub clock: Arc<dyn Clock>,
    pub engine: Arc<dyn Engine>,
    pub writer: Arc<dyn Writer>,
    pub pairs: Mutex<HashMap<String, Arc<Pair>>>,
}

/// A table and its archive.
pub struct Pair {
    pub table: Store,
    /// `None`: rows are deleted.
    pub archive: Option<Store>,
}

impl Archiver {
    async fn pair(&self, table: &str) -> Result<Arc<Pair>, Fault> {
        let mut pairs = self.pairs.lock().await;
        if let Some(pair) = pairs.get(table) {
            return Ok(Arc::clone(pair));
        }
        let store = |name: TableName| {
            let mut source = self.source.clone();
            source.records.table = name;
            Store::new(Arc::clone(&self.engine), &source, &self.limits, Arc::clone(&self.clock))
        };
        let missing = || Fault::TableMissing { table: table.to_owned() };
        let own = TableName { schema: self.source.records.table.schema.clone(), table: table.to_owned() };
        let pair = Arc::new(Pair {
            table: store(own),
            archive: match self.archive.mode {
                ArchiveMode::Move => {
                    Some(store(self.archive.of_table(&self.source.records.table, table).ok_or_else(missing)?))
                }
                ArchiveMode::Delete => None,
            },
        });
        pairs.insert(table.to_owned(), Arc::clone(&pair));
        Ok(pair)
    }
}

/// Again while the database ends it for another's sake.
async fn again<T, F: Future<Output = Result<T, Trouble>>>(attempt: impl Fn() -> F) -> Result<T, Trouble> {
    for _ in 1..AGAIN {
        match attempt().await {
            Err(Trouble::Deadlock) => {}
            other => return other,
        }
    }
    attempt().await
}

fn no_archive() -> Fault {
    Fault::NotConfigured { layer: Layer::Archive }
}

/// Nothing was changed, so what is not known does not matter.
fn only_fault(error: ChangeError) -> Fault {
    match error {
        ChangeError::Fault(fault) | ChangeError::Unknown(fault) => fault,
    }
}

#[async_trait]
impl RecordArchive for Archiver {
    async fn examine(&self, table: &str) -> Result<Examined, Fault> {
        examine::examine(&*self.pair(table).await?).await
    }

    async fn examine_back(&self, table: &str) -> Result<Vec<ArchiveRefusal>, Fault> {
        examine::back(&*self.pair(table).await?).await
    }

    async fn create(&self, _permit: &Permit, table: &str) -> Result<(), ChangeError> {
        let pair = self.pair(table).await?;
        let archive = pair.archive.as_ref().ok_or_else(no_archive)?;
        let statements = definition::ddl(&pair.table, archive.table()).await?;
        definition::create(&*self.writer, statements).await.map_err(|trouble| trouble.fault(table))
    }

    async fn shift(&self, _permit: &Permit, table: &str, ripe: Ripe, rows: &[Pk]) -> Result<Shifted, ChangeError> {
        let pair = self.pair(table).await?;
        match again(|| shift::shift(&*self.writer, &pair, ripe, rows)).await {
            Ok(shifted) => Ok(shifted),
            Err(Trouble::Locked) => {
                let left = ArchiveLeft { locked: rows.len() as u64, ..ArchiveLeft::default() };
                Ok(Shifted { left, ..Shifted::default() })
            }
            Err(trouble) => Err(trouble.fault(table)),
        }
    }

    async fn moved(&self, table: &str, rows: &[Pk]) -> Result<u64, Fault> {
        let pair = self.pair(table).await?;
        let moved = again(|| shift::moved(&*self.writer, &pair, rows)).await;
        moved.map_err(|trouble| only_fault(trouble.fault(table)))
    }

    async fn restore(&self, _permit: &Permit, table: &str, rows: &[RecordRef]) -> Result<Vec<Restored>, ChangeError> {
        let pair = self.pair(table).await?;
        let rows: Vec<Pk> = rows.iter().map(|row| row.pk.clone()).collect();
        back::restore(&*self.writer, &pair, &rows).await.map_err(|trouble| trouble.fault(table))
    }

    async fn purge(&self, _permit: &Permit, table: &str, ripe: Ripe, rows: &[RecordRef]) -> Result<u64, ChangeError> {
        let pair = self.pair(table).await?;
        let archive = pair.archive.as_ref().ok_or_else(no_archive)?;
        let rows: Vec<Pk> = rows.iter().map(|row| row.pk.clone()).collect();
        match again(|| back::purge(&*self.writer, archive, ripe, &rows)).await {
            Ok(purged) => Ok(purged),
            Err(Trouble::Locked) => Ok(0),
            Err(trouble) => Err(trouble.fault(table)),
        }
    }

    async fn whole(&self, table: &str, rows: &[RecordRef]) -> Result<Vec<serde_json::Value>, Fault> {
        let pair = self.pair(table).await?;
        let archive = pair.archive.as_ref().ok_or_else(no_archive)?;
        let rows: Vec<Pk> = rows.iter().map(|row| row.pk.clone()).collect();
        whole::whole(archive, &rows).await
    }
}
