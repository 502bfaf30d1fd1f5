//! Archived rows that come back, and those that are old enough to go for good.

use super::shift::{lock, there, transfer, unaltered};
use super::{Pair, again, no_archive};
use crate::adapters::records::change::attempt::clock;
use crate::adapters::records::change::image::whole_columns;
use crate::adapters::records::select::Selection;
use crate::adapters::records::store::Store;
use crate::adapters::records::work::{Trouble, Writer};
use crate::ports::archive::{Restored, Ripe};
use crate::ports::records::RecordStore;
use app::model::{Fault, Pk, Row};

/// So many groups of rows in a call may be waited for.
const WAITS: u32 = 10;

/// Those whose key is there again are found by halves; the rest comes back.
pub async fn restore(writer: &dyn Writer, pair: &Pair, rows: &[Pk]) -> Result<Vec<Restored>, Trouble> {
    let mut results = vec![Restored::Locked; rows.len()];
    let (mut waits, mut todo) = (0, Vec::from([(0, rows.len())]));
    while let Some((from, to)) = todo.pop() {
        let middle = usize::midpoint(from, to);
        match again(|| attempt(writer, pair, &rows[from..to])).await {
            Ok(restored) => results[from..to].copy_from_slice(&restored),
            Err(Trouble::Taken) if to - from == 1 => results[from] = Restored::Exists,
            Err(Trouble::Taken) => todo.extend([(middle, to), (from, middle)]),
            Err(Trouble::Locked) if waits < WAITS && to - from > 1 => {
                waits += 1;
                todo.extend([(middle, to), (from, middle)]);
            }
            Err(Trouble::Locked) => {}
            Err(trouble) => return Err(trouble),
        }
    }
    Ok(results)
}

async fn attempt(writer: &dyn Writer, pair: &Pair, rows: &[Pk]) -> Result<Vec<Restored>, Trouble> {
    let archive = pair.archive.as_ref().ok_or_else(no_archive)?;
    let (shape, archived) = (pair.table.shape().await?, archive.shape().await?);
    let mut work = writer.begin().await?;
    let held = lock(&mut *work, archive, &archived, &Selection::light(&archived), rows).await?;
    unaltered(&mut *work, archive, &archived).await?;
    unaltered(&mut *work, &pair.table, &shape).await?;
    let missing: Vec<Pk> = rows.iter().filter(|pk| !held.contains_key(pk)).cloned().collect();
    let locked = there(&mut *work, &archived, &missing).await?;
    let mut results = Vec::with_capacity(rows.len());
    let mut chosen = Vec::new();
    for pk in rows {
        let result = match held.get(pk) {
            None if locked.contains(pk) => Restored::Locked,
            None => Restored::Gone,
            // Without a unique index nothing but a look tells that its key came again.
            Some(row) if shape.unique_key().is_none() && is_there(&pair.table, row.as_ref()).await? => Restored::Exists,
            Some(_) => {
                chosen.push(pk.clone());
                Restored::Done
            }
        };
        results.push(result);
    }
    if !chosen.is_empty() {
        transfer(&mut *work, &archived, Some(pair.table.table()), &whole_columns(&shape), &chosen).await?;
        work.commit().await?;
    }
    Ok(results)
}

async fn is_there(table: &Store, row: Option<&Row>) -> Result<bool, Fault> {
    let Some((record, key)) = row.and_then(|row| Some((&row.record, row.record.key.as_deref()?))) else {
        return Ok(false);
    };
    Ok(!table.find(record.r#type.as_deref(), key).await?.is_empty())
}

pub async fn purge(writer: &dyn Writer, archive: &Store, ripe: Ripe, rows: &[Pk]) -> Result<u64, Trouble> {
    let shape = archive.shape().await?;
    let mut work = writer.begin().await?;
    let now = clock(&mut *work, &shape).await?;
    let held = lock(&mut *work, archive, &shape, &Selection::narrow(&shape, &[]), rows).await?;
    let is_ripe =
        |pk: &&Pk| held.get(pk).and_then(Option::as_ref).is_some_and(|row| ripe.judge(&row.record, now).is_ok());
    let chosen: Vec<Pk> = rows.iter().filter(is_ripe).cloned().collect();
    if !chosen.is_empty() {
        transfer(&mut *work, &shape, None, &[], &chosen).await?;
        work.commit().await?;
    }
    Ok(chosen.len() as u64)
}
