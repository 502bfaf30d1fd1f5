//! Record tables of other teams, in MySQL, MariaDB, PostgreSQL and SQLite, read and never written.
//!
//! [`store::Store`] is the port (`port`) for every engine: it reads the catalogue ([`catalogue`]), checks the mapping against it
//! and chooses how to read ([`shape`]), builds statements with sea-query ([`dialect`], [`select`]) and makes records of
//! what comes back ([`raw`], [`status`], [`time`]). An engine ([`mysql`], [`postgres`], [`sqlite`]) only connects, runs
//! one statement under the server's own time-out, tells its errors apart and reads its catalogue.
//!
//! A list ([`list`]) is served by an index where one fits ([`served`], [`walk`], with stretches of time from [`bound`]), by
//! sorting few rows ([`gather`], of keys that begin alike [`prefix`] and [`begins`]), or by a bounded search.
//!
//! Every statement has a limit and an index behind it; `tests/it/records/{plans,cliffs}.rs` assert the plans.

mod archive;
mod audit;
mod begins;
mod bound;
pub mod catalogue;
mod change;
mod cursor;
mod describe;
pub mod dialect;
mod distinct;
mod find;
mod gather;
pub(in crate::adapters) mod json;
mod leading;
mod list;
mod merge;
mod mysql;
mod open;
mod piece;
mod port;
mod postgres;
mod prefix;
pub mod raw;
mod readings;
mod resolve;
mod rule;
mod sample;
mod search;
mod select;
mod served;
mod shape;
mod slots;
mod sqlite;
mod status;
pub mod store;
mod strategy;
mod survey;
mod tables;
mod time;
mod walk;
mod work;

use crate::clock::Clock;
use crate::config::{Archive, Limits, Source};
use crate::ports::archive::RecordArchive;
use crate::ports::audit::RecordAudit;
use crate::ports::changes::RecordChanges;
use crate::ports::records::RecordStore;
use crate::ports::survey::Survey;
use app::model::Fault;
use archive::Archiver;
use change::{Changer, Readers};
use std::sync::Arc;
use store::{Engine, Store};
use tokio::sync::Mutex;
use url::Url;
use work::Writer;

/// The record store of one source, by the scheme of its URL. Connects on first use.
pub fn connect(source: &Source, limits: &Limits, clock: Arc<dyn Clock>) -> Result<Arc<dyn RecordStore>, Fault> {
    audited(source, limits, clock).map(|(records, _)| records)
}

/// The record store, and the same for what only `check` asks.
pub fn audited(source: &Source, limits: &Limits, clock: Arc<dyn Clock>) -> Result<Audited, Fault> {
    let engine = engine(source, limits, Arc::clone(&clock))?;
    if source.records.numbered {
        let tables = Arc::new(tables::Tables::new(engine, source, limits, clock));
        return Ok((tables.clone(), tables));
    }
    let store = Arc::new(Store::new(engine, source, limits, clock));
    Ok((store.clone(), store))
}

/// The archive of a source, read as its table is.
pub fn archive(source: &Source, limits: &Limits, clock: Arc<dyn Clock>) -> Result<Option<Arc<dyn RecordStore>>, Fault> {
    let Some(Archive { table, numbered, .. }) = source.archive.clone() else { return Ok(None) };
    let mut archived = source.clone();
    (archived.records.table, archived.records.numbered) = (table, numbered);
    connect(&archived, limits, clock).map(Some)
}

/// One thing behind two ports.
pub type Audited = (Arc<dyn RecordStore>, Arc<dyn RecordAudit>);

/// A way to change the source's rows; `None`: it is read-only.
pub fn changes(
    source: &Source,
    limits: &Limits,
    clock: Arc<dyn Clock>,
) -> Result<Option<Arc<dyn RecordChanges>>, Fault> {
    let Some((writer, writing)) = writing(source, limits, Arc::clone(&clock))? else { return Ok(None) };
    let reading = engine(source, limits, Arc::clone(&clock))?;
    let tables = |engine, clock| match source.records.numbered {
        true => Readers::Numbered(Arc::new(tables::Tables::new(engine, source, limits, clock))),
        false => Readers::One(Arc::new(Store::new(engine, source, limits, clock))),
    };
    let (tables, writable) = (tables(reading, Arc::clone(&clock)), tables(writing, clock));
    Ok(Some(Arc::new(Changer { tables, writable, writer, payload: source.records.payload.clone() })))
}

/// A way to move the source's rows into its archive; `None`: it has none, or is read-only.
pub fn archiver(
    source: &Source,
    limits: &Limits,
    clock: Arc<dyn Clock>,
) -> Result<Option<Arc<dyn RecordArchive>>, Fault> {
    let Some(archive) = source.archive.clone() else { return Ok(None) };
    let Some((writer, engine)) = writing(source, limits, Arc::clone(&clock))? else { return Ok(None) };
    let (source, limits) = (source.clone(), limits.clone());
    Ok(Some(Arc::new(Archiver { source, archive, limits, clock, engine, writer, pairs: Mutex::default() })))
}

type Writing = (Arc<dyn Writer>, Arc<dyn Engine>);

/// The engine by the account that may change rows.
fn writing(source: &Source, limits: &Limits, clock: Arc<dyn Clock>) -> Result<Option<Writing>, Fault> {
    let Some(write) = &source.records.write else { return Ok(None) };
    let url = write.url.as_ref().unwrap_or(&source.records.url);
    let refused = |detail: &str| Fault::BadInput { what: "records.write.url".into(), detail: detail.into() };
    let url = Url::parse(url.expose()).map_err(|_| refused("it is not a URL"))?;
    Ok(Some(match url.scheme() {
        "mysql" | "mariadb" => both(mysql::MySql::new(&url, limits)?),
        "postgres" | "postgresql" => both(postgres::Postgres::new(&url, limits)?),
        "sqlite" => both(sqlite::Sqlite::for_writing(&url, limits, clock)?),
        _ => return Err(refused("its scheme is none of mysql, mariadb, postgres, sqlite")),
    }))
}

fn both<E: Writer + Engine + 'static>(engine: E) -> Writing {
    let engine = Arc::new(engine);
    (engine.clone(), engine)
}

/// The tables of the source's database, for whoever has no mapping yet.
pub fn survey(source: &Source, limits: &Limits, clock: Arc<dyn Clock>) -> Result<Arc<dyn Survey>, Fault> {
    let engine = engine(source, limits, Arc::clone(&clock))?;
    Ok(Arc::new(Store::new(engine, source, limits, clock)))
}

/// The engine alone.
pub fn engine(source: &Source, limits: &Limits, clock: Arc<dyn Clock>) -> Result<Arc<dyn Engine>, Fault> {
    let refused = |detail: &str| Fault::BadInput { what: "records.url".into(), detail: detail.into() };
    let url = Url::parse(source.records.url.expose()).map_err(|_| refused("it is not a URL"))?;
    Ok(match url.scheme() {
        "mysql" | "mariadb" => Arc::new(mysql::MySql::new(&url, limits)?),
        "postgres" | "postgresql" => Arc::new(postgres::Postgres::new(&url, limits)?),
        "sqlite" => Arc::new(sqlite::Sqlite::new(&url, limits, clock)?),
        _ => return Err(refused("its scheme is none of mysql, mariadb, postgres, sqlite")),
    })
}
