//! Which engine a URL means, and in what the engines differ: session settings, the clock, migrations.

use super::failure::failed;
use crate::config::Secret;
use crate::ports::state::StateError;
use sea_query::Expr;
use sqlx::any::AnyConnectOptions;
use sqlx::migrate::Migrator;
use sqlx::sqlite::SqliteConnectOptions;
use std::path::{Path, PathBuf};
use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Engine {
    Sqlite,
    Postgres,
    Mysql,
}

/// A parsed `state.url`.
pub(super) struct Address {
    pub(super) engine: Engine,
    pub(super) options: AnyConnectOptions,
    file: Option<PathBuf>,
}

impl Address {
    pub(super) fn parse(url: &Secret) -> Result<Self, StateError> {
        let text = url.expose();
        let engine = match text.split(':').next() {
            Some("sqlite") => Engine::Sqlite,
            Some("postgres" | "postgresql") => Engine::Postgres,
            Some("mysql" | "mariadb") => Engine::Mysql,
            _ => return Err(failed("state.url must begin with sqlite://, postgres:// or mysql://")),
        };
        let unreadable = |error: sqlx::Error| failed(format!("state.url cannot be read: {error}"));
        let file = match engine {
            Engine::Sqlite => Some(sqlite_file(text).map_err(unreadable)?),
            Engine::Postgres | Engine::Mysql => None,
        };
        if engine == Engine::Sqlite && (text.contains(":memory:") || text.contains("mode=memory")) {
            return Err(failed("state.url must name a file: state in memory would be lost at every start"));
        }
        Ok(Self { engine, options: AnyConnectOptions::from_str(text).map_err(unreadable)?, file })
    }

    /// The SQLite file; `None` for a server.
    pub(super) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }
}

fn sqlite_file(url: &str) -> Result<PathBuf, sqlx::Error> {
    Ok(SqliteConnectOptions::from_str(url)?.get_filename().to_path_buf())
}

impl Engine {
    /// Milliseconds since 1970 on the clock of the database. All instances and commands agree on it, whatever their own
    /// clocks say, so leases are counted by it alone. PostgreSQL's `now()` would stand still during a transaction.
    pub(super) fn now_ms(self) -> Expr {
        Expr::cust(match self {
            Self::Sqlite => "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
            Self::Postgres => "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)",
            Self::Mysql => "CAST(UNIX_TIMESTAMP(SYSDATE(3)) * 1000 AS SIGNED)",
        })
    }

    /// Run on every new connection. Nobody waits for a lock longer than five seconds, half a lease, and a server lets go
    /// of what a frozen instance has locked.
    pub(super) fn session_settings(self) -> &'static str {
        match self {
            // FULL: with NORMAL a power cut can take back commits of the last moments, so something could have been done
            // to a team's lock or row that the audit knows nothing of. It costs one fsync for each of a few commits a second.
            Self::Sqlite => "PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;",
            Self::Postgres => {
                "SET lock_timeout = '5s'; SET idle_in_transaction_session_timeout = '15s'; \
                 SET default_transaction_isolation = 'read committed';"
            }
            // wait_timeout stands in for a limit on idle transactions, which MySQL has not; the pool drops idle
            // connections sooner. Without strict mode texts that are too long would be cut silently.
            Self::Mysql => {
                "SET SESSION innodb_lock_wait_timeout = 5, SESSION wait_timeout = 30, \
                 SESSION sql_mode = CONCAT(@@sql_mode, ',STRICT_TRANS_TABLES'); \
                 SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;"
            }
        }
    }

    /// The statement that begins a transaction that will write. SQLite must ask for the write lock at once: a transaction
    /// that read before it writes fails with "busy" instead of waiting.
    pub(super) fn begin(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN IMMEDIATE",
            Self::Postgres | Self::Mysql => "BEGIN",
        }
    }

    /// The schema, which only ever grows, so that what a newer version has added does not bother an older one.
    pub(super) fn migrator(self) -> Migrator {
        let mut migrator = match self {
            Self::Sqlite => sqlx::migrate!("../migrations/console/sqlite"),
            Self::Postgres => sqlx::migrate!("../migrations/console/postgres"),
            Self::Mysql => sqlx::migrate!("../migrations/console/mysql"),
        };
        migrator.set_ignore_missing(true);
        // The usual name could be in use by an application that shares the database.
        migrator.dangerous_set_table_name("oncewatch_migration");
        migrator
    }
}
