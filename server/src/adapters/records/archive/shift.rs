//! One transaction that moves rows from one table to another.

use super::Pair;
use crate::adapters::records::catalogue::{Column, Kind};
use crate::adapters::records::change::attempt::{clock, plain, unnamed};
use crate::adapters::records::change::image::{Keys, pk, whole_columns};
use crate::adapters::records::dialect::{Dialect, Statement, name};
use crate::adapters::records::select::Selection;
use crate::adapters::records::shape::Shape;
use crate::adapters::records::store::Store;
use crate::adapters::records::work::{Trouble, Work, Writer};
use crate::config::TableName;
use crate::ports::archive::{Ripe, Shifted};
use app::model::{Fault, Layer, Pk, Row};
use sea_query::{Alias, LockBehavior, LockType, Query};
use std::collections::{HashMap, HashSet};

/// Keys of one statement.
const KEYS: usize = 500;

pub async fn shift(writer: &dyn Writer, pair: &Pair, ripe: Ripe, rows: &[Pk]) -> Result<Shifted, Trouble> {
    let shape = pair.table.shape().await?;
    let mut work = writer.begin().await?;
    let now = clock(&mut *work, &shape).await?;
    let held = lock(&mut *work, &pair.table, &shape, &Selection::narrow(&shape, &[]), rows).await?;
    unaltered(&mut *work, &pair.table, &shape).await?;
    let mut shifted = Shifted::default();
    let mut chosen = Vec::with_capacity(rows.len());
    let mut missing = Vec::new();
    for pk in rows {
        match held.get(pk) {
            // It is of another source now.
            Some(None) => shifted.left.not_completed += 1,
            Some(Some(row)) => match ripe.judge(&row.record, now) {
                Ok(()) => chosen.push(pk.clone()),
                Err(why) => why.count(&mut shifted.left),
            },
            None => missing.push(pk.clone()),
        }
    }
    shifted.left.locked = there(&mut *work, &shape, &missing).await?.len() as u64;
    shifted.gone = missing.len() as u64 - shifted.left.locked;
    if !chosen.is_empty() {
        let to = pair.archive.as_ref().map(Store::table);
        transfer(&mut *work, &shape, to, &whole_columns(&shape), &chosen).await?;
        work.commit().await?;
    }
    shifted.moved = chosen.len() as u64;
    Ok(shifted)
}

/// The rows that nobody else holds, under our lock; `None`: not of this source. Engines that cannot pass over the others
/// wait for them, and fail as locked.
pub async fn lock(
    work: &mut dyn Work,
    store: &Store,
    shape: &Shape,
    selection: &Selection,
    rows: &[Pk],
) -> Result<HashMap<Pk, Option<Row>>, Trouble> {
    let mut held = HashMap::with_capacity(rows.len());
    for keys in rows.chunks(KEYS).filter_map(|slice| Keys::of(shape, slice.iter())) {
        let mut select = selection.from(shape);
        select.cond_where(keys.padded().among(name));
        match skips_locked(shape) {
            true => select.lock_with_behavior(LockType::Update, LockBehavior::SkipLocked),
            false => select.lock(LockType::Update),
        };
        for cells in work.fetch(&selection.build(shape.dialect, &select)).await? {
            held.insert(pk(&selection.values(&cells, &shape.identity)), store.row(shape, selection, &cells));
        }
    }
    Ok(held)
}

/// Whether its `FOR UPDATE` knows `SKIP LOCKED`.
fn skips_locked(shape: &Shape) -> bool {
    let mut numbers = shape.catalogue.version.split('.').map_while(|part| part.parse::<u32>().ok());
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    match (shape.dialect, shape.catalogue.engine.as_str()) {
        (Dialect::MySql, "MariaDB") => version >= (10, 6),
        (Dialect::MySql, _) => version >= (8, 0),
        (Dialect::Postgres, _) => version >= (9, 5),
        // The whole file is ours.
        (Dialect::Sqlite, _) => false,
    }
}

/// Those of the rows that are there, whoever holds them.
pub async fn there(work: &mut dyn Work, shape: &Shape, rows: &[Pk]) -> Result<HashSet<Pk>, Trouble> {
    identities(work, shape, &shape.identity, rows, None).await
}

/// The same by these columns, which need not be the identity of this table.
async fn identities(
    work: &mut dyn Work,
    shape: &Shape,
    columns: &[Column],
    rows: &[Pk],
    lock: Option<LockType>,
) -> Result<HashSet<Pk>, Trouble> {
    let selection = Selection::of(columns.iter());
    let mut found = HashSet::new();
    for keys in rows.chunks(KEYS).filter_map(|slice| Keys::by(shape.dialect, columns, slice.iter())) {
        let mut select = selection.from(shape);
        select.cond_where(keys.padded().among(name));
        if let Some(lock) = lock {
            select.lock(lock);
        }
        let cells = work.fetch(&selection.build(shape.dialect, &select)).await?;
        found.extend(cells.iter().map(|cells| pk(&selection.values(cells, columns))));
    }
    Ok(found)
}

/// A column that came after the shape was read would not be written. Once rows are locked nobody alters the table.
pub async fn unaltered(work: &mut dyn Work, store: &Store, shape: &Shape) -> Result<(), Trouble> {
    let found = work.fetch(&column_names(shape.dialect, store.table())).await?;
    let found: HashSet<String> = found.iter().filter_map(|cells| cells.first()?.show(Kind::Text)).collect();
    let known: HashSet<String> = shape.catalogue.columns.iter().map(|column| column.name.clone()).collect();
    if found == known {
        return Ok(());
    }
    store.read_shape().await?;
    let detail = format!("the columns of {} were changed just then", store.table());
    Err(Fault::Unreadable { layer: Layer::Records, detail }.into())
}

fn column_names(dialect: Dialect, table: &TableName) -> Statement {
    let sql = match dialect {
        Dialect::MySql => {
            "SELECT CAST(column_name AS CHAR) FROM information_schema.columns \
             WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?"
        }
        Dialect::Postgres => {
            "SELECT a.attname::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid \
             JOIN pg_namespace n ON n.oid = c.relnamespace \
             WHERE CASE WHEN $1::text IS NULL THEN pg_table_is_visible(c.oid) ELSE n.nspname = $1::text END \
             AND c.relname = $2 AND c.relkind IN ('r', 'p', 'f') AND a.attnum > 0 AND NOT a.attisdropped"
        }
        Dialect::Sqlite => "SELECT name FROM pragma_table_xinfo(?2, COALESCE(?1, 'main'))",
    };
    let values = vec![table.schema.clone().into(), table.table.clone().into()];
    Statement::fixed(sql, values, vec![Kind::Text])
}

/// Writes the rows into `to`, if anywhere, and deletes them. As many as were chosen, or nothing of it.
pub async fn transfer(
    work: &mut dyn Work,
    from: &Shape,
    to: Option<&TableName>,
    columns: &[Column],
    chosen: &[Pk],
) -> Result<(), Trouble> {
    let (mut written, mut deleted) = (0, 0);
    for keys in chosen.chunks(KEYS).filter_map(|slice| Keys::of(from, slice.iter())) {
        let keys = keys.padded();
        match (to, from.dialect) {
            (None, _) => {}
            (Some(to), Dialect::Postgres) => {
                let (one, other) = at_once(work, from, to, columns, &keys).await?;
                (written, deleted) = (written + one, deleted + other);
                continue;
            }
            (Some(to), Dialect::MySql | Dialect::Sqlite) => {
                written += work.execute(&insert(from, to, columns, &keys)?).await?;
            }
        }
        // Where the rows are most of the table MySQL walks it, whatever index is forced, and waits for those of others.
        let mut delete = Query::delete();
        delete.from_table(unnamed(&from.mapping.table)).cond_where(keys.among(plain));
        deleted += work.execute(&from.dialect.build_change(&delete)).await?;
    }
    let wanted = chosen.len() as u64;
    if deleted == wanted && (to.is_none() || written == wanted) {
        return Ok(());
    }
    // Something of the tables' own (a trigger, a rule) stood in between.
    let detail = match to {
        Some(to) => format!(
            "of {wanted} rows of {} {written} were written into {to} and {deleted} deleted: all was rolled back",
            from.mapping.table
        ),
        None => format!("of {wanted} rows of {} {deleted} were deleted: all was rolled back", from.mapping.table),
    };
    Err(Fault::Unreadable { layer: Layer::Records, detail }.into())
}

fn insert(from: &Shape, to: &TableName, columns: &[Column], keys: &Keys) -> Result<Statement, Fault> {
    let names = || columns.iter().map(|column| Alias::new(&column.name));
    let select =
        Query::select().columns(names()).from(unnamed(&from.mapping.table)).cond_where(keys.among(plain)).take();
    let mut insert = Query::insert();
    let insert = insert.into_table(unnamed(to)).columns(names()).select_from(select);
    let insert = insert.map_err(|error| Fault::Unreadable { layer: Layer::Records, detail: error.to_string() })?;
    Ok(from.dialect.build_change(insert))
}

/// PostgreSQL moves them in one statement: how many were written, and how many deleted.
async fn at_once(
    work: &mut dyn Work,
    from: &Shape,
    to: &TableName,
    columns: &[Column],
    keys: &Keys,
) -> Result<(u64, u64), Trouble> {
    let quote = |name: &str| Dialect::Postgres.quote(name);
    let names = columns.iter().map(|column| quote(&column.name)).collect::<Vec<_>>().join(", ");
    let into = Dialect::Postgres.quote_table(to);
    let mut delete = Query::delete();
    delete.from_table(unnamed(&from.mapping.table)).cond_where(keys.among(plain));
    let delete = Dialect::Postgres.build_change(&delete);
    // An identity that is always handed out is written as it was.
    let sql = format!(
        "WITH gone AS ({} RETURNING {names}), \
         kept AS (INSERT INTO {into} ({names}) OVERRIDING SYSTEM VALUE SELECT {names} FROM gone RETURNING 1) \
         SELECT CAST((SELECT count(*) FROM kept) AS text), CAST((SELECT count(*) FROM gone) AS text)",
        delete.sql
    );
    let counted = work.fetch(&Statement { sql, kinds: vec![Kind::Int; 2], ..delete }).await?;
    let count = |at: usize| counted.first().and_then(|cells| u64::try_from(cells.get(at)?.as_int()?).ok());
    let strange = || Fault::Unreadable { layer: Layer::Records, detail: "no counts of what was moved".to_owned() };
    Ok((count(0).ok_or_else(strange)?, count(1).ok_or_else(strange)?))
}

/// Under the rows' locks, so that a transaction of ours that has not ended yet is waited for.
pub async fn moved(writer: &dyn Writer, pair: &Pair, rows: &[Pk]) -> Result<u64, Trouble> {
    let shape = pair.table.shape().await?;
    let mut work = writer.begin().await?;
    let still = identities(&mut *work, &shape, &shape.identity, rows, Some(LockType::Update)).await?;
    let gone: Vec<Pk> = rows.iter().filter(|pk| !still.contains(pk)).cloned().collect();
    let Some(archive) = &pair.archive else { return Ok(gone.len() as u64) };
    let archive = archive.shape().await?;
    Ok(identities(&mut *work, &archive, &shape.identity, &gone, None).await?.len() as u64)
}
