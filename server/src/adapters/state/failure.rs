//! What an engine's error means to the console.

use crate::ports::state::StateError;
use sqlx::error::DatabaseError;
use sqlx::mysql::MySqlDatabaseError;
use sqlx::sqlite::SqliteError;

pub(super) fn failed(what: impl Into<String>) -> StateError {
    StateError::Failed(what.into())
}

/// Translates an error; the words are the engine's own and hold no credential.
pub(super) fn failure(error: &sqlx::Error) -> StateError {
    let Some(database) = error.as_database_error() else {
        return failed(error.to_string());
    };
    let words = database.message().to_owned();
    match kind(database) {
        Kind::Locked => StateError::Locked(words),
        Kind::Full => StateError::Full(words),
        Kind::Other => StateError::Failed(words),
    }
}

pub(super) fn is_unique_violation(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(DatabaseError::is_unique_violation)
}

enum Kind {
    Locked,
    Full,
    Other,
}

fn kind(error: &dyn DatabaseError) -> Kind {
    if let Some(mysql) = error.try_downcast_ref::<MySqlDatabaseError>() {
        return mysql_kind(mysql.number());
    }
    let code = error.code();
    match error.try_downcast_ref::<SqliteError>() {
        Some(_) => sqlite_kind(code.as_deref()),
        None => postgres_kind(code.as_deref()),
    }
}

fn mysql_kind(number: u16) -> Kind {
    match number {
        // Lock wait timeout, deadlock.
        1205 | 1213 => Kind::Locked,
        // Disk full, table full, record file full.
        1021 | 1114 | 1874 => Kind::Full,
        _ => Kind::Other,
    }
}

fn postgres_kind(code: Option<&str>) -> Kind {
    match code {
        // Lock not available, deadlock.
        Some("55P03" | "40P01") => Kind::Locked,
        Some("53100") => Kind::Full,
        _ => Kind::Other,
    }
}

/// SQLite's extended result codes hold the primary one in their low byte.
fn sqlite_kind(code: Option<&str>) -> Kind {
    const BUSY: u32 = 5;
    const LOCKED: u32 = 6;
    const FULL: u32 = 13;
    /// Also a quota or a file-size limit; SQLite says FULL only for ENOSPC.
    const IOERR_WRITE: u32 = 778;
    /// The shared index of the log could not grow.
    const IOERR_SHMSIZE: u32 = 4874;
    match code.and_then(|code| code.parse::<u32>().ok()) {
        Some(IOERR_WRITE | IOERR_SHMSIZE) => Kind::Full,
        Some(extended) => match extended & 0xff {
            BUSY | LOCKED => Kind::Locked,
            FULL => Kind::Full,
            _ => Kind::Other,
        },
        None => Kind::Other,
    }
}
