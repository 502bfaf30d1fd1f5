//! Whether rows may be moved between a table and its archive.

use super::Pair;
use super::definition::{Defined, ddl};
use super::obstacles::{Event, cascades, lacking, triggers, without_transactions};
use crate::adapters::records::catalogue::Column;
use crate::adapters::records::dialect::Dialect;
use crate::adapters::records::shape::Shape;
use crate::adapters::records::store::Store;
use crate::ports::archive::Examined;
use crate::ports::records::Course;
use app::model::{ArchiveRefusal, Fault};

pub async fn examine(pair: &Pair) -> Result<Examined, Fault> {
    let shape = pair.table.read_shape().await?;
    let mut refusals = of_table(pair, &shape).await?;
    if let Some(archive) = &pair.archive {
        refusals.extend(of_archive(pair, archive).await?);
    }
    let (course, by_age) = match (shape.growing_id(), shape.by_time()) {
        (Some(_), _) => (Course::Identity, true),
        (None, Some(_)) => (Course::Time, true),
        (None, None) => (Course::Identity, false),
    };
    Ok(Examined { archive: pair.archive.as_ref().map(|archive| archive.table().to_string()), refusals, course, by_age })
}

async fn of_table(pair: &Pair, shape: &Shape) -> Result<Vec<ArchiveRefusal>, Fault> {
    let store = &pair.table;
    let table = || store.table().to_string();
    let mut refusals = Vec::new();
    if shape.updated.is_empty() && shape.created.is_empty() {
        refusals.push(ArchiveRefusal::NoTime { table: table() });
    }
    if shape.identity.is_empty() {
        refusals.push(ArchiveRefusal::NoPrimaryKey { table: table() });
    }
    refusals.extend(transactions(store).await?);
    refusals.extend(
        cascades(store).await?.into_iter().map(|name| ArchiveRefusal::CascadingForeignKey { table: table(), name }),
    );
    refusals.extend(of_triggers(store, Event::Delete).await?);
    // Without the first a trigger cannot be seen; PostgreSQL locks rows only for who may update them.
    let privileges: &[&str] = match shape.dialect {
        Dialect::MySql => &["SELECT", "DELETE", "TRIGGER"],
        Dialect::Postgres => &["SELECT", "UPDATE", "DELETE"],
        Dialect::Sqlite => &[],
    };
    refusals.extend(grant(store, privileges).await?);
    Ok(refusals)
}

async fn transactions(store: &Store) -> Result<Option<ArchiveRefusal>, Fault> {
    let table = store.table().to_string();
    Ok(without_transactions(store).await?.map(|engine| ArchiveRefusal::NotTransactional { table, engine }))
}

async fn of_triggers(store: &Store, event: Event) -> Result<Vec<ArchiveRefusal>, Fault> {
    let table = store.table().to_string();
    let refusal = |name| ArchiveRefusal::Trigger { table: table.clone(), name };
    Ok(triggers(store, event).await?.into_iter().map(refusal).collect())
}

async fn grant(store: &Store, privileges: &[&str]) -> Result<Option<ArchiveRefusal>, Fault> {
    Ok(lacking(store, privileges).await?.map(|statement| ArchiveRefusal::MissingGrant { statement }))
}

/// It must take every value as it is, and the same key again.
async fn of_archive(pair: &Pair, archive: &Store) -> Result<Vec<ArchiveRefusal>, Fault> {
    let table = archive.table().to_string();
    let missing = || Fault::TableMissing { table: pair.table.table().to_string() };
    let own = Defined::of(&pair.table).await?.ok_or_else(missing)?;
    let Some(found) = Defined::of(archive).await? else {
        let ddl = ddl(&pair.table, archive.table()).await?;
        return Ok(vec![ArchiveRefusal::ArchiveMissing { table, ddl }]);
    };
    let mut refusals: Vec<ArchiveRefusal> =
        own.written().filter_map(|column| differs(&table, column, &own, &found)).collect();
    refusals.extend(transactions(archive).await?);
    refusals.extend(of_triggers(archive, Event::Insert).await?);
    refusals.extend(grant(archive, &["SELECT", "INSERT"]).await?);
    if refusals.is_empty() {
        let shape = archive.read_shape().await?;
        let index = shape.unique_key().map(|index| index.name.clone());
        refusals.extend(index.map(|index| ArchiveRefusal::ArchiveKeyUnique { table, index }));
    }
    Ok(refusals)
}

fn differs(table: &str, column: &Column, own: &Defined, found: &Defined) -> Option<ArchiveRefusal> {
    let (table, name) = (table.to_owned(), &column.name);
    let Some(there) = found.written().find(|there| there.name == *name) else {
        return Some(ArchiveRefusal::ArchiveLacksColumn { table, column: name.clone() });
    };
    let written = |defined: &Defined, nullable: bool| {
        format!("{}{}", defined.r#type(name), if nullable { "" } else { " NOT NULL" })
    };
    let takes_all = own.r#type(name).eq_ignore_ascii_case(found.r#type(name)) && (there.nullable || !column.nullable);
    (!takes_all).then(|| ArchiveRefusal::ArchiveColumnDiffers {
        table,
        found: written(found, there.nullable),
        wanted: written(own, column.nullable),
        column: name.clone(),
    })
}

/// What would keep archived rows from coming back.
pub async fn back(pair: &Pair) -> Result<Vec<ArchiveRefusal>, Fault> {
    let Some(archive) = &pair.archive else { return Ok(vec![ArchiveRefusal::Deletes]) };
    pair.table.read_shape().await?;
    let mut refusals = match archive.read_shape().await {
        Ok(shape) if shape.identity.is_empty() => {
            vec![ArchiveRefusal::NoPrimaryKey { table: archive.table().to_string() }]
        }
        Ok(_) => Vec::new(),
        Err(fault) => return Err(fault),
    };
    refusals.extend(transactions(&pair.table).await?);
    refusals.extend(transactions(archive).await?);
    refusals.extend(of_triggers(&pair.table, Event::Insert).await?);
    refusals.extend(of_triggers(archive, Event::Delete).await?);
    let from: &[&str] = match pair.table.engine.dialect() {
        Dialect::Postgres => &["SELECT", "UPDATE", "DELETE"],
        Dialect::MySql | Dialect::Sqlite => &["SELECT", "DELETE", "TRIGGER"],
    };
    let into: &[&str] = match pair.table.engine.dialect() {
        Dialect::Postgres => &["SELECT", "INSERT"],
        Dialect::MySql | Dialect::Sqlite => &["SELECT", "INSERT", "TRIGGER"],
    };
    refusals.extend(grant(&pair.table, into).await?);
    refusals.extend(grant(archive, from).await?);
    Ok(refusals)
}
