//! Changes of rows, over any engine: [`attempt`] is one transaction, [`image`] what is kept of a row, [`target`] what a
//! change writes.

pub(super) mod attempt;
pub(super) mod image;
mod target;

use super::archive::obstacles;
use super::raw::Raw;
use super::store::Store;
use super::tables::Tables;
use super::work::{Trouble, Writer};
use crate::ports::changes::{
    Change, ChangeError, Changed, Found, Frozen, Image, Item, Possible, RecordChanges, Undone,
};
use crate::ports::permit::Permit;
use app::model::{Fault, RecordRef};
use async_trait::async_trait;
use attempt::Attempt;
use std::collections::BTreeMap;
use std::sync::Arc;
use target::Target;

/// Most rows of one call.
pub const ROWS: usize = 500;
/// How often a transaction that the database ended for another's sake is done again.
const AGAIN: u32 = 5;
/// So many rows in a call may be waited for; the others that are locked are left alone without waiting.
const WAITS: u32 = 10;

/// The source's tables as they are read, and a way to change them.
pub struct Changer {
    pub tables: Readers,
    /// The same tables as the account that writes sees them.
    pub writable: Readers,
    pub writer: Arc<dyn Writer>,
    /// The column that holds the message.
    pub payload: Option<String>,
}

pub enum Readers {
    One(Arc<Store>),
    Numbered(Arc<Tables>),
}

impl Readers {
    async fn store(&self, table: &str) -> Result<Arc<Store>, Fault> {
        match self {
            Self::One(store) if store.table().table == table => Ok(Arc::clone(store)),
            Self::One(_) => Err(Fault::TableMissing { table: table.to_owned() }),
            Self::Numbered(tables) => tables.store(table).await,
        }
    }

    async fn any(&self) -> Result<Arc<Store>, Fault> {
        match self {
            Self::One(store) => Ok(Arc::clone(store)),
            Self::Numbered(tables) => {
                let missing = || Fault::TableMissing { table: String::new() };
                tables.stores().await?.into_iter().next_back().ok_or_else(missing)
            }
        }
    }
}

/// Places of what belongs to each table.
fn by_table<'a>(references: impl Iterator<Item = &'a RecordRef>) -> BTreeMap<&'a str, Vec<usize>> {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, reference) in references.enumerate().take(ROWS) {
        places.entry(&reference.table).or_default().push(at);
    }
    places
}

impl Changer {
    /// Those that another transaction holds are found by halves; the rest is changed.
    async fn change_of(&self, attempt: &Attempt<'_>, items: &[&Item]) -> Result<Vec<Changed>, ChangeError> {
        let mut results = vec![Changed::Locked; items.len()];
        let (mut waits, mut todo) = (0, Vec::from([(0, items.len())]));
        while let Some((from, to)) = todo.pop() {
            match self.again(attempt, &items[from..to]).await {
                Ok(changed) => results[from..to].clone_from_slice(&changed),
                Err(Trouble::Locked) if waits < WAITS => {
                    waits += 1;
                    let middle = usize::midpoint(from, to);
                    // One row alone is the one that is held.
                    if to - from > 1 {
                        todo.extend([(middle, to), (from, middle)]);
                    }
                }
                Err(Trouble::Locked) => {}
                Err(trouble) => return Err(trouble.fault(&attempt.shape.mapping.table.table)),
            }
        }
        Ok(results)
    }

    async fn again(&self, attempt: &Attempt<'_>, items: &[&Item]) -> Result<Vec<Changed>, Trouble> {
        for _ in 1..AGAIN {
            match attempt.run(&*self.writer, items).await {
                Err(Trouble::Deadlock) => {}
                other => return other,
            }
        }
        attempt.run(&*self.writer, items).await
    }
}

#[async_trait]
impl RecordChanges for Changer {
    async fn possible(&self) -> Result<Possible, Fault> {
        let shape = self.tables.any().await?.shape().await?;
        Target::possible(&shape)
    }

    async fn lacking(&self, change: Change) -> Result<Option<String>, Fault> {
        let shape = self.tables.any().await?.shape().await?;
        let privileges: &[&str] = match Target::of(&shape, change)? {
            Target::Set { .. } => &["UPDATE"],
            Target::Delete => &["UPDATE", "DELETE"],
        };
        obstacles::lacking(&*self.writable.any().await?, privileges).await
    }

    async fn freeze(&self, references: &[RecordRef]) -> Result<Vec<Frozen>, Fault> {
        let mut found = Vec::new();
        for (table, places) in by_table(references.iter()) {
            let store = self.tables.store(table).await?;
            let shape = store.shape().await?;
            found.extend(image::freeze(&store, &shape, places.iter().map(|at| &references[*at])).await?);
        }
        Ok(found)
    }

    async fn whole(&self, references: &[RecordRef]) -> Result<Vec<(RecordRef, Image)>, Fault> {
        let mut found = Vec::new();
        for (table, places) in by_table(references.iter()) {
            let store = self.tables.store(table).await?;
            let shape = store.shape().await?;
            found.extend(image::whole(&store, &shape, places.iter().map(|at| &references[*at])).await?);
        }
        Ok(found)
    }

    fn payload(&self, whole: &Image) -> Result<Option<Vec<u8>>, Fault> {
        let Some(column) = &self.payload else { return Ok(None) };
        let mut values = image::values(whole)?;
        Ok(match values.remove(column) {
            None | Some(Raw::Null) => None,
            Some(Raw::Bytes(bytes)) => Some(bytes),
            Some(Raw::Text(text)) => Some(text.into_bytes()),
            Some(Raw::Int(number)) => Some(number.to_string().into_bytes()),
            Some(Raw::Real(number)) => Some(number.to_string().into_bytes()),
        })
    }

    async fn change(&self, _permit: &Permit, change: Change, items: &[Item]) -> Result<Vec<Changed>, ChangeError> {
        let mut results = vec![Changed::Gone; items.len()];
        for (table, places) in by_table(items.iter().map(|item| &item.reference)) {
            let store = self.tables.store(table).await?;
            let shape = store.shape().await?;
            let target = Target::of(&shape, change)?;
            let attempt = Attempt { store: &store, shape: &shape, target };
            let of_table: Vec<&Item> = places.iter().map(|at| &items[*at]).collect();
            let changed = self.change_of(&attempt, &of_table).await?;
            for (at, changed) in places.into_iter().zip(changed) {
                results[at] = changed;
            }
        }
        Ok(results)
    }

    async fn find_out(&self, change: Change, items: &[Item]) -> Result<Vec<Found>, Fault> {
        let mut results = vec![Found::Unclear; items.len()];
        for (table, places) in by_table(items.iter().map(|item| &item.reference)) {
            let store = self.tables.store(table).await?;
            let shape = store.shape().await?;
            let attempt = Attempt { store: &store, shape: &shape, target: Target::of(&shape, change)? };
            let of_table: Vec<&Item> = places.iter().map(|at| &items[*at]).collect();
            let found =
                attempt.find_out(&*self.writer, &of_table).await.map_err(|trouble| match trouble.fault(table) {
                    ChangeError::Fault(fault) | ChangeError::Unknown(fault) => fault,
                })?;
            for (at, found) in places.into_iter().zip(found) {
                results[at] = found;
            }
        }
        Ok(results)
    }

    async fn undo(
        &self,
        _permit: &Permit,
        reference: &RecordRef,
        before: &Image,
        after: Option<&Image>,
    ) -> Result<Undone, ChangeError> {
        let store = self.tables.store(&reference.table).await?;
        let shape = store.shape().await?;
        for _ in 0..AGAIN {
            return match attempt::undo(&*self.writer, &shape, reference, before, after).await {
                Ok(undone) => Ok(undone),
                Err(Trouble::Deadlock) => continue,
                Err(Trouble::Locked) => Ok(Undone::Locked),
                Err(Trouble::Taken) => Ok(Undone::Differs),
                Err(trouble) => Err(trouble.fault(&reference.table)),
            };
        }
        Ok(Undone::Locked)
    }
}
