//! The connection pool, and the few ways in which a statement is run.

use super::engine::{Address, Engine};
use super::failure::{failed, failure, is_unique_violation};
use crate::clock::Clock;
use crate::ports::state::{Lease, StateError};
use chrono::{DateTime, Utc};
use sea_query::{
    Expr, ExprTrait, LockType, MysqlQueryBuilder, PostgresQueryBuilder, Query, SqliteQueryBuilder, UpdateStatement,
};
use sea_query_sqlx::{SqlxBinder, SqlxValues};
use sqlx::any::{Any, AnyPoolOptions, AnyRow};
use sqlx::migrate::MigrateError;
use sqlx::{AnyConnection, AnyPool, AssertSqlSafe, Connection, Executor, Row, Transaction};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// No statement is waited for longer: more than the engines wait for a lock, less than a lease lasts.
const STATEMENT_LIMIT: Duration = Duration::from_secs(8);
const CONNECT_LIMIT: Duration = Duration::from_secs(5);
/// Below MySQL's `wait_timeout` of the session settings.
const IDLE_LIMIT: Duration = Duration::from_secs(20);
const CONNECTIONS: u32 = 8;

pub(super) struct Database {
    pool: AnyPool,
    pub(super) engine: Engine,
    pub(super) clock: Arc<dyn Clock>,
}

pub(super) type Work = Transaction<'static, Any>;

impl Database {
    pub(super) async fn open(address: &Address, clock: Arc<dyn Clock>) -> Result<Self, StateError> {
        sqlx::any::install_default_drivers();
        if let Some(file) = address.file() {
            make_private_file(file)?;
        }
        prepare(address).await?;
        Ok(Self::unprepared(address, clock))
    }

    /// Connects with the first statement; whether there is a schema is not looked at.
    pub(super) fn unprepared(address: &Address, clock: Arc<dyn Clock>) -> Self {
        sqlx::any::install_default_drivers();
        let settings = address.engine.session_settings();
        let pool = AnyPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(CONNECT_LIMIT)
            .idle_timeout(IDLE_LIMIT)
            .after_connect(move |connection, _| {
                Box::pin(async move { connection.execute(sqlx::raw_sql(settings)).await.map(drop) })
            })
            // When a disk is full SQLite ends the transaction by itself, sqlx's own rollback then fails, and the connection
            // would for ever pass for one inside a transaction.
            .before_acquire(|connection, _| Box::pin(async move { Ok(!connection.is_in_transaction()) }))
            .connect_lazy_with(address.options.clone());
        Self { pool, engine: address.engine, clock }
    }

    /// Asks for something that is there in every database; an SQLite file must be one to answer.
    pub(super) async fn ping(&self) -> Result<(), StateError> {
        let ask = if self.engine == Engine::Sqlite { "PRAGMA schema_version" } else { "SELECT 1" };
        limited(sqlx::raw_sql(ask).execute(&self.pool)).await.map(drop)
    }

    pub(super) fn now_ms(&self) -> Expr {
        self.engine.now_ms()
    }

    pub(super) fn pool(&self) -> &AnyPool {
        &self.pool
    }

    /// Begins a transaction that will write.
    pub(super) async fn begin(&self) -> Result<Work, StateError> {
        limited(self.pool.begin_with(self.engine.begin())).await
    }

    /// Begins a transaction that is only good while `lease` is: its row stays locked until the end, so the lease cannot
    /// change hands between the check and the commit.
    pub(super) async fn begin_under(&self, lease: &Lease) -> Result<Work, StateError> {
        let fenced = || StateError::Fenced { name: lease.name.clone() };
        if self.clock.instant() >= lease.deadline {
            return Err(fenced());
        }
        let mut work = self.begin().await?;
        let mut query = Query::select();
        query
            .column("fence")
            .from("oncewatch_lease")
            .and_where(Expr::col("name").eq(&lease.name))
            .and_where(Expr::col("holder").eq(&lease.holder))
            .and_where(Expr::col("fence").eq(lease.fence))
            .and_where(Expr::col("expires_at").gt(self.now_ms()))
            .lock(LockType::Update);
        match self.optional(&mut *work, &query).await? {
            Some(_) => Ok(work),
            None => Err(fenced()),
        }
    }

    /// The next number of `counter`, given out in commit order: its row stays locked until the transaction ends, so nobody
    /// sees a number before all smaller ones are committed or gone.
    pub(super) async fn next(&self, work: &mut Work, counter: &str) -> Result<i64, StateError> {
        self.next_many(work, counter, 1).await
    }

    /// The last of so many.
    pub(super) async fn next_many(&self, work: &mut Work, counter: &str, count: i64) -> Result<i64, StateError> {
        let mut raise = UpdateStatement::new();
        raise
            .table("oncewatch_counter")
            .value("value", Expr::col("value").add(count))
            .and_where(Expr::col("name").eq(counter));
        if self.run(&mut **work, &raise).await? != 1 {
            return Err(failed(format!("the state database has lost its counter {counter}")));
        }
        let mut query = Query::select();
        query.column("value").from("oncewatch_counter").and_where(Expr::col("name").eq(counter));
        let row = self.optional(&mut **work, &query).await?;
        row.map_or_else(
            || Err(failed(format!("the state database has lost its counter {counter}"))),
            |row| get(&row, "value"),
        )
    }

    pub(super) async fn commit(&self, work: Work) -> Result<(), StateError> {
        limited(work.commit()).await
    }

    /// Runs a statement; returns how many rows it concerned.
    pub(super) async fn run<'c, E>(&self, on: E, statement: &impl SqlxBinder) -> Result<u64, StateError>
    where
        E: Executor<'c, Database = Any>,
    {
        let (sql, values) = self.render(statement);
        Ok(limited(sqlx::query_with(sql, values).execute(on)).await?.rows_affected())
    }

    /// Inserts a row; fails with `Exists(what)` when a unique index has it already.
    pub(super) async fn insert_new<'c, E>(&self, on: E, insert: &impl SqlxBinder, what: &str) -> Result<(), StateError>
    where
        E: Executor<'c, Database = Any>,
    {
        let (sql, values) = self.render(insert);
        let inserted = tokio::time::timeout(STATEMENT_LIMIT, sqlx::query_with(sql, values).execute(on)).await;
        match inserted.map_err(|_| too_slow())? {
            Ok(_) => Ok(()),
            Err(error) if is_unique_violation(&error) => Err(StateError::Exists(what.to_owned())),
            Err(error) => Err(failure(&error)),
        }
    }

    pub(super) async fn optional<'c, E>(&self, on: E, query: &impl SqlxBinder) -> Result<Option<AnyRow>, StateError>
    where
        E: Executor<'c, Database = Any>,
    {
        let (sql, values) = self.render(query);
        limited(sqlx::query_with(sql, values).fetch_optional(on)).await
    }

    pub(super) async fn all(&self, query: &impl SqlxBinder) -> Result<Vec<AnyRow>, StateError> {
        self.all_on(&self.pool, query).await
    }

    pub(super) async fn all_on<'c, E>(&self, on: E, query: &impl SqlxBinder) -> Result<Vec<AnyRow>, StateError>
    where
        E: Executor<'c, Database = Any>,
    {
        let (sql, values) = self.render(query);
        limited(sqlx::query_with(sql, values).fetch_all(on)).await
    }

    /// Safe as SQL: everything that came from outside is among the values.
    fn render(&self, statement: &impl SqlxBinder) -> (AssertSqlSafe<String>, SqlxValues) {
        let (sql, values) = match self.engine {
            Engine::Sqlite => statement.build_sqlx(SqliteQueryBuilder),
            Engine::Postgres => statement.build_sqlx(PostgresQueryBuilder),
            Engine::Mysql => statement.build_sqlx(MysqlQueryBuilder),
        };
        (AssertSqlSafe(sql), values)
    }
}

async fn limited<T>(call: impl Future<Output = Result<T, sqlx::Error>>) -> Result<T, StateError> {
    match tokio::time::timeout(STATEMENT_LIMIT, call).await {
        Ok(answer) => answer.map_err(|error| failure(&error)),
        Err(_) => Err(too_slow()),
    }
}

fn too_slow() -> StateError {
    failed(format!("no answer within {} s", STATEMENT_LIMIT.as_secs()))
}

fn unmigrated(error: MigrateError) -> StateError {
    match error {
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => failure(&error),
        MigrateError::Dirty(version) => failed(format!(
            "step {version} of the schema stopped half-way; drop what it made, remove its row from oncewatch_migration, \
             and start again"
        )),
        other => failed(format!("the schema cannot be brought up to date: {other}")),
    }
}

/// Brings the schema up to date, on a connection of its own: where a pool would try again and again and then say that it
/// had no time, this says what is wrong.
async fn prepare(address: &Address) -> Result<(), StateError> {
    let mut connection = limited(AnyConnection::connect_with(&address.options)).await?;
    limited(sqlx::raw_sql(address.engine.session_settings()).execute(&mut connection)).await?;
    if address.engine == Engine::Sqlite {
        // Readers do not wait for the writer. It is a property of the file, so once is enough.
        limited(sqlx::raw_sql("PRAGMA journal_mode = WAL").execute(&mut connection)).await?;
    }
    if address.engine == Engine::Mysql {
        only_migrator(&mut connection).await?;
    }
    let migrator = address.engine.migrator();
    let mut tries = migrator.iter().count();
    while let Err(error) = migrator.run(&mut connection).await {
        // Servers and commands may meet on an empty SQLite file, where migrations take no lock: whoever comes second at a
        // step finds it done when it looks again. A real failure repeats itself.
        if tries == 0 {
            return Err(unmigrated(error));
        }
        tries -= 1;
        if let (MigrateError::Dirty(version), Engine::Mysql) = (&error, address.engine) {
            repeat_step(&mut connection, *version).await?;
        }
        tracing::debug!(%error, "migrating the state database failed, trying once more");
    }
    limited(connection.close()).await
}

/// MySQL commits each statement of a step by itself, so that whoever died in one left a part of it. Every step but the
/// first can be run again over what is there.
async fn repeat_step(connection: &mut AnyConnection, version: i64) -> Result<(), StateError> {
    tracing::warn!(version, "a step of the schema stopped half-way and begins again");
    if version == 1 {
        drop_first_step(connection).await?;
    }
    let forget = format!("DELETE FROM oncewatch_migration WHERE version = {version}");
    limited(sqlx::raw_sql(AssertSqlSafe(forget)).execute(connection)).await.map(drop)
}

/// Its tables were used by nobody yet.
async fn drop_first_step(connection: &mut AnyConnection) -> Result<(), StateError> {
    let ask = "SELECT CAST(table_name AS CHAR) AS name FROM information_schema.tables \
        WHERE table_schema = DATABASE() AND table_name LIKE 'oncewatch\\_%' AND table_name <> 'oncewatch_migration'";
    for row in limited(sqlx::raw_sql(ask).fetch_all(&mut *connection)).await? {
        let drop = format!("DROP TABLE `{}`", get::<String>(&row, "name")?);
        limited(sqlx::raw_sql(AssertSqlSafe(drop)).execute(&mut *connection)).await?;
    }
    Ok(())
}

/// Until the connection ends. sqlx asks for such a lock without a time limit, which MariaDB answers with "no" and sqlx does
/// not read.
async fn only_migrator(connection: &mut AnyConnection) -> Result<(), StateError> {
    let ask = "SELECT GET_LOCK(CONCAT('oncewatch ', MD5(DATABASE())), 7) AS mine";
    let row = limited(sqlx::raw_sql(ask).fetch_one(connection)).await?;
    match get::<Option<i64>>(&row, "mine")? {
        Some(1) => Ok(()),
        _ => Err(StateError::Locked("another process is changing the schema; try again when it has ended".to_owned())),
    }
}

/// Makes the file before SQLite does, readable by its owner only: it will hold password and session hashes.
fn make_private_file(file: &Path) -> Result<(), StateError> {
    let mut options = std::fs::File::options();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(file) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(failed(format!("the state file {} cannot be made: {error}", file.display()))),
    }
}

/// A column of a row, as what the schema says it is.
pub(super) fn get<'r, T>(row: &'r AnyRow, column: &str) -> Result<T, StateError>
where
    T: sqlx::Decode<'r, Any> + sqlx::Type<Any>,
{
    row.try_get(column).map_err(|error| failed(error.to_string()))
}

/// A column of milliseconds since 1970.
pub(super) fn get_time(row: &AnyRow, column: &str) -> Result<DateTime<Utc>, StateError> {
    get_optional_time(row, column)?.ok_or_else(|| failed(format!("{column} is NULL")))
}

pub(super) fn get_optional_time(row: &AnyRow, column: &str) -> Result<Option<DateTime<Utc>>, StateError> {
    let Some(ms) = get::<Option<i64>>(row, column)? else {
        return Ok(None);
    };
    let at =
        DateTime::from_timestamp_millis(ms).ok_or_else(|| failed(format!("{column} holds {ms}, which is no time")))?;
    Ok(Some(at))
}
