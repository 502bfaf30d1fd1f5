//! A fresh and empty database for each test.

use crate::shared;
use anyhow::Context;
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, PgConnection};
use tempfile::TempDir;

/// Empty when handed out.
#[derive(Debug)]
pub struct Database {
    /// With user and password; the scheme says which engine.
    pub url: String,
    _folder: Option<TempDir>,
}

/// # Errors
/// When MariaDB is not installed, does not come up, or refuses.
pub async fn mariadb_database(prefix: &str) -> anyhow::Result<Database> {
    let server = shared::mariadb().await?;
    let name = fresh_name(prefix)?;
    let mut connection = MySqlConnection::connect(&server).await.context("connect to MariaDB")?;
    let create = format!("CREATE DATABASE {name} CHARACTER SET utf8mb4");
    connection.execute(AssertSqlSafe(create)).await.context("create the database")?;
    connection.close().await.context("leave MariaDB")?;
    Ok(Database { url: with_path(&server, &name)?, _folder: None })
}

/// # Errors
/// When PostgreSQL is not installed, does not come up, or refuses.
pub async fn postgres_database(prefix: &str) -> anyhow::Result<Database> {
    let server = shared::postgres().await?;
    let name = fresh_name(prefix)?;
    let mut connection = PgConnection::connect(&server).await.context("connect to PostgreSQL")?;
    // template0 has no users, so that many can be made at once.
    let create = format!("CREATE DATABASE {name} TEMPLATE template0");
    connection.execute(AssertSqlSafe(create)).await.context("create the database")?;
    connection.close().await.context("leave PostgreSQL")?;
    Ok(Database { url: with_path(&server, &name)?, _folder: None })
}

/// The file does not exist yet. It goes when the value is dropped.
///
/// # Errors
/// When there is no temporary folder.
pub async fn sqlite_database(prefix: &str) -> anyhow::Result<Database> {
    let name = fresh_name(prefix)?;
    let folder = crate::services::folder("sqlite")?;
    let file = folder.path().join(name).with_extension("db");
    Ok(Database { url: format!("sqlite://{}?mode=rwc", file.display()), _folder: Some(folder) })
}

/// Safe to write into a statement without quotes.
pub(crate) fn fresh_name(prefix: &str) -> anyhow::Result<String> {
    let plain = prefix.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    let fits = prefix.len() <= 30 && prefix.starts_with(|c: char| c.is_ascii_lowercase());
    anyhow::ensure!(plain && fits, "the prefix is {prefix:?}; it takes 1 to 30 of a-z, 0-9 and _, and a letter first");
    Ok(format!("{prefix}_{}", uuid::Uuid::new_v4().simple()))
}

fn with_path(server: &str, name: &str) -> anyhow::Result<String> {
    let (before, _path) = server.rsplit_once('/').with_context(|| format!("{server} has no path to replace"))?;
    Ok(format!("{before}/{name}"))
}
