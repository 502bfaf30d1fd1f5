//! Oncewatch's own database: SQLite (the default), PostgreSQL, or MySQL and MariaDB, behind `ports::state`.
//!
//! One [`Database`] implements every port, a file for each noun, with one set of statements for all engines: sea-query
//! writes the dialect, sqlx's `Any` carries it, and the schema keeps to `BIGINT` and text, which `Any` reads everywhere.
//! To add an engine: a member of [`engine::Engine`], a folder in `migrations/console/` with the same file names, and a
//! stamp of the conformance suite in `server/tests/it/state.rs`.

mod archive_runs;
mod audit;
mod audit_log;
mod audit_words;
mod credentials;
mod database;
mod duplicates;
mod engine;
mod failure;
mod file_lock;
mod followed;
mod history;
mod hours;
mod ingest;
mod job_ends;
mod job_lists;
mod job_rows;
mod jobs;
mod leases;
mod links;
mod operators;
mod purge;
mod reports;
mod retries;
mod snapshots;
mod trail;

pub use audit::link_hash;

use crate::clock::Clock;
use crate::config::Secret;
use crate::ports::state::StateError;
use crate::ports::trail::Trail;
use crate::system::StateStores;
use app::model::AuditBreak;
use database::Database;
use engine::Address;
use file_lock::FileLock;
use std::sync::Arc;

/// The open state. Keep it for as long as the stores are used: it holds the lock on an SQLite file.
pub struct Opened {
    pub stores: StateStores,
    _only_server: Option<FileLock>,
}

/// Opens the state for `serve`: makes or migrates the schema, and refuses an SQLite file that another server uses.
pub async fn open_for_server(url: &Secret, clock: Arc<dyn Clock>) -> Result<Opened, StateError> {
    let address = Address::parse(url)?;
    let only_server = match address.file() {
        Some(file) => Some(FileLock::take(file)?),
        None => None,
    };
    Ok(Opened { stores: open(&address, clock).await?, _only_server: only_server })
}

/// For a command that only reads sources: nothing is made or migrated, and nothing is asked before somebody asks.
pub fn open_untouched(url: &Secret, clock: Arc<dyn Clock>) -> Result<Opened, StateError> {
    let database = Database::unprepared(&Address::parse(url)?, clock);
    Ok(Opened { stores: stores(database), _only_server: None })
}

/// Whether the database answers, and where the audit in it is not what was written; nothing is made or migrated.
pub async fn check(url: &Secret, clock: Arc<dyn Clock>) -> Result<Option<AuditBreak>, StateError> {
    let database = Database::unprepared(&Address::parse(url)?, clock);
    database.ping().await?;
    database.broken().await
}

/// Opens the state for a command, which may share an SQLite file with the server.
pub async fn open_for_cli(url: &Secret, clock: Arc<dyn Clock>) -> Result<Opened, StateError> {
    let address = Address::parse(url)?;
    Ok(Opened { stores: open(&address, clock).await?, _only_server: None })
}

async fn open(address: &Address, clock: Arc<dyn Clock>) -> Result<StateStores, StateError> {
    Ok(stores(Database::open(address, clock).await?))
}

fn stores(database: Database) -> StateStores {
    let database = Arc::new(database);
    StateStores {
        leases: database.clone(),
        snapshots: database.clone(),
        history: database.clone(),
        hours: database.clone(),
        jobs: database.clone(),
        archive_runs: database.clone(),
        followed: database.clone(),
        reports: database.clone(),
        operators: database.clone(),
        credentials: database.clone(),
        links: database.clone(),
        audit: database.clone(),
        audit_log: database.clone(),
        trail: database.clone(),
        retries: database,
    }
}
