//! The console's own state, by one suite for SQLite, MariaDB and PostgreSQL.

mod accounts;
mod archive_runs;
mod audit;
mod audit_log;
mod away;
pub mod file;
mod hours;
mod jobs;
mod keeper;
mod leases;
mod model;
mod panels;
mod reports;
mod schema;
mod trail;

use chrono::{DateTime, Utc};
use server::adapters::state::{Opened, open_for_cli, open_for_server};
use server::clock::{Clock, SystemClock};
use server::config::Secret;
use server::ports::state::{Lease, StateError};
use server::system::StateStores;
use sqlx::any::AnyPoolOptions;
use std::sync::Arc;

/// Each test of the list for each engine, on a database of its own.
macro_rules! conformance {
    ($($test:ident),+ $(,)?) => {
        crate::state::conformance!(@engine sqlite Sqlite $($test)+);
        crate::state::conformance!(@engine mariadb Mariadb $($test)+);
        crate::state::conformance!(@engine postgres Postgres $($test)+);
    };
    (@engine $module:ident $engine:ident $($test:ident)+) => {
        mod $module {
            use crate::state::{Engine, State};
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test(State::fresh(Engine::$engine).await).await;
                }
            )+
        }
    };
}
use conformance;

#[derive(Clone, Copy)]
enum Engine {
    Sqlite,
    Mariadb,
    Postgres,
}

impl Engine {
    const ALL: [Self; 3] = [Self::Sqlite, Self::Mariadb, Self::Postgres];

    async fn database(self) -> lab::Database {
        match self {
            Self::Sqlite => lab::sqlite_database("state").await,
            Self::Mariadb => lab::mariadb_database("state").await,
            Self::Postgres => lab::postgres_database("state").await,
        }
        .unwrap()
    }
}

/// A fresh database, opened.
struct State {
    stores: StateStores,
    database: lab::Database,
    _opened: Opened,
}

impl State {
    async fn fresh(engine: Engine) -> Self {
        let database = engine.database().await;
        let opened = serve(&database.url).await.unwrap();
        Self { stores: opened.stores.clone(), database, _opened: opened }
    }

    /// The same database as another process opens it.
    async fn of_another_process(&self) -> StateStores {
        command(&self.database.url).await.unwrap()
    }

    async fn lease(&self, name: &str) -> Lease {
        self.stores.leases.acquire(name, "here").await.unwrap().expect("nobody else holds it")
    }

    /// Behind the console's back.
    async fn sql(&self, sql: &'static str) -> Vec<sqlx::any::AnyRow> {
        let pool = AnyPoolOptions::new().max_connections(1).connect(&self.database.url).await.unwrap();
        let rows = sqlx::query(sql).fetch_all(&pool).await.unwrap();
        pool.close().await;
        rows
    }

    async fn let_all_leases_run_out(&self) {
        self.sql("UPDATE oncewatch_lease SET expires_at = 1").await;
    }
}

async fn serve(url: &str) -> Result<Opened, StateError> {
    open_for_server(&Secret::new(url.to_owned()), Arc::new(SystemClock)).await
}

async fn command(url: &str) -> Result<StateStores, StateError> {
    Ok(open_for_cli(&Secret::new(url.to_owned()), Arc::new(SystemClock)).await?.stores)
}

/// In whole milliseconds, as they are stored.
fn now() -> DateTime<Utc> {
    DateTime::from_timestamp_millis(SystemClock.now().timestamp_millis()).unwrap()
}

fn assert_fenced<T: std::fmt::Debug>(result: &Result<T, StateError>) {
    assert!(matches!(result, Err(StateError::Fenced { .. })), "{result:?}");
}

fn assert_exists<T: std::fmt::Debug>(result: &Result<T, StateError>) {
    assert!(matches!(result, Err(StateError::Exists(_))), "{result:?}");
}
