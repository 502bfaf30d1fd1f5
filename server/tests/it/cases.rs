//! Tables as teams have them: whatever the shape, the same normalised records. Each is read through the port, page by
//! page, with the mapping as a configuration file writes it.

use app::model::{Record, RecordsQuery};
use server::adapters::records::connect;
use server::clock::SystemClock;
use server::config::{Config, Environment, from_toml};
use server::ports::records::RecordStore;
use sqlx::{AssertSqlSafe, ConnectOptions, Executor, MySqlConnection, PgConnection, SqliteConnection};
use std::sync::Arc;

mod beside;
mod columns;
mod json;
mod mysql;
mod postgres;
mod sqlite;
mod times;
mod types;

/// Runs a script, statement by statement, in one session.
pub(crate) async fn load(url: &str, script: &str) {
    let statements: Vec<&str> = script.split(";\n").map(str::trim).filter(|statement| !statement.is_empty()).collect();
    match url.split(':').next().unwrap() {
        "mysql" => run(plain_mysql(url).await, &statements).await,
        "postgres" => run(<PgConnection as sqlx::Connection>::connect(url).await.unwrap(), &statements).await,
        _ => run(<SqliteConnection as sqlx::Connection>::connect(url).await.unwrap(), &statements).await,
    }
}

/// Without the driver's own session settings, as a team's client has it.
async fn plain_mysql(url: &str) -> MySqlConnection {
    let options = sqlx::mysql::MySqlConnectOptions::from_url(&url.parse().unwrap()).unwrap();
    options.no_engine_substitution(false).pipes_as_concat(false).timezone(None).connect().await.unwrap()
}

async fn run<C>(mut connection: C, statements: &[&str])
where
    C: sqlx::Connection,
    for<'c> &'c mut C: Executor<'c>,
{
    for statement in statements {
        let sql = AssertSqlSafe((*statement).to_owned());
        (&mut connection).execute(sqlx::raw_sql(sql)).await.unwrap_or_else(|error| panic!("{error}: {statement}"));
    }
    connection.close().await.unwrap();
}

pub(crate) fn store_of(config: &Config) -> Arc<dyn RecordStore> {
    connect(&config.sources[0], &config.limits, Arc::new(SystemClock)).unwrap()
}

/// Every record, in pages of three.
pub(crate) async fn all(store: &dyn RecordStore) -> Vec<Record> {
    let mut query = RecordsQuery { limit: 3, ..RecordsQuery::default() };
    let mut records = Vec::new();
    loop {
        let page = store.list(&query).await.unwrap();
        records.extend(page.items.into_iter().map(|row| row.record));
        match page.next {
            Some(next) => query.cursor = Some(next),
            None => return records,
        }
    }
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}

/// `id | type | key | status | created | updated | attempts | error | owner | lease`, `-` for what is null.
fn line(record: &Record) -> String {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    let time = |at: Option<_>| or_dash(at.map(app::model::time::text));
    [
        or_dash(record.id.clone()),
        or_dash(record.r#type.clone()),
        or_dash(record.key.clone()),
        record.status.as_str().into(),
        time(record.created_at),
        time(record.updated_at),
        or_dash(record.attempts.map(|attempts| attempts.to_string())),
        or_dash(record.error.clone()),
        or_dash(record.owner.clone()),
        time(record.lease_until),
    ]
    .join(" | ")
}

pub(crate) async fn reads(url: &str, script: &str, mapping: &str, expected: &[&str]) -> Arc<dyn RecordStore> {
    load(url, script).await;
    let store = mapped(url, mapping);
    store.describe().await.unwrap();
    let found = sorted(all(&*store).await.iter().map(line).collect());
    assert_eq!(found, sorted(expected.iter().map(|line| (*line).to_owned()).collect()));
    store
}

/// The store of a `[source.records]` in which `$URL` stands for the database.
pub(crate) fn mapped(url: &str, mapping: &str) -> Arc<dyn RecordStore> {
    let toml = format!("[[source]]\nname = \"case\"\n{}", mapping.replace("$URL", url));
    store_of(&from_toml(&toml, &Environment::default()).unwrap_or_else(|error| panic!("{error}")))
}

/// The ids, or keys where there are none, of what a look-up finds.
pub(crate) async fn found(store: &dyn RecordStore, r#type: Option<&str>, key: &str) -> Vec<String> {
    let rows = store.find(r#type, key).await.unwrap();
    let named = rows.into_iter().map(|row| row.record.id.or(row.record.key).unwrap());
    sorted(named.collect())
}
