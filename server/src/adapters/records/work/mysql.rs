//! MySQL and MariaDB.

use super::{LOCK_WAIT_MS, Trouble, Work, Writer};
use crate::adapters::records::dialect::Statement;
use crate::adapters::records::mysql::{MySql, cells};
use crate::adapters::records::select::Cells;
use crate::adapters::records::slots::Slot;
use async_trait::async_trait;
use sea_query_sqlx::SqlxValues;
use sqlx::mysql::{MySqlConnection, MySqlDatabaseError};
use sqlx::{AssertSqlSafe, MySql as Driver};
use tokio::time::timeout;

struct Transaction<'a> {
    engine: &'a MySql,
    slot: Slot<'a, MySqlConnection>,
}

#[async_trait]
impl Writer for MySql {
    async fn begin(&self) -> Result<Box<dyn Work + '_>, Trouble> {
        let mut work = Transaction { engine: self, slot: self.slot().await? };
        // Without gap locks, which would hold up consumers' inserts. What does not fit a column is refused, not cut; what
        // an older mode let in (a zero date, an id 0) is written again as it is.
        let seconds = LOCK_WAIT_MS.div_ceil(1_000);
        work.raw(&format!(
            "SET SESSION innodb_lock_wait_timeout = {seconds}, SESSION lock_wait_timeout = {seconds}, \
             SESSION sql_mode = 'STRICT_ALL_TABLES,ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO'; \
             SET TRANSACTION ISOLATION LEVEL READ COMMITTED; START TRANSACTION"
        ))
        .await?;
        Ok(Box::new(work))
    }
}

impl Transaction<'_> {
    async fn raw(&mut self, sql: &str) -> Result<(), Trouble> {
        let asked = sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut self.slot.connection);
        let done = timeout(self.engine.patience(), asked).await.map_err(|_| self.engine.timed_out())?;
        done.map(|_| ()).map_err(|error| trouble(self.engine, &error))
    }
}

fn query(statement: &Statement) -> sqlx::query::Query<'_, Driver, SqlxValues> {
    sqlx::query_with(AssertSqlSafe(statement.sql.clone()), SqlxValues(statement.values.clone()))
}

fn trouble(engine: &MySql, error: &sqlx::Error) -> Trouble {
    let number = error.as_database_error().and_then(|error| error.try_downcast_ref::<MySqlDatabaseError>());
    match number.map(MySqlDatabaseError::number) {
        // Lock wait time-out, no wait; deadlock; duplicate key.
        Some(1205 | 3572) => Trouble::Locked,
        Some(1213) => Trouble::Deadlock,
        Some(1062 | 1586) => Trouble::Taken,
        _ => engine.failure(error).into(),
    }
}

#[async_trait]
impl Work for Transaction<'_> {
    async fn fetch(&mut self, statement: &Statement) -> Result<Vec<Cells>, Trouble> {
        let asked = query(statement).fetch_all(&mut self.slot.connection);
        let rows = timeout(self.engine.patience(), asked).await.map_err(|_| self.engine.timed_out())?;
        let rows = rows.map_err(|error| trouble(self.engine, &error))?;
        Ok(rows.iter().map(|row| cells(row, &statement.kinds)).collect::<Result<_, _>>()?)
    }

    async fn execute(&mut self, statement: &Statement) -> Result<u64, Trouble> {
        let asked = query(statement).execute(&mut self.slot.connection);
        let done = timeout(self.engine.patience(), asked).await.map_err(|_| self.engine.timed_out())?;
        // The driver asks for the rows that were met, not for those whose values became others.
        done.map(|done| done.rows_affected()).map_err(|error| trouble(self.engine, &error))
    }

    async fn commit(mut self: Box<Self>) -> Result<(), Trouble> {
        self.raw("COMMIT").await.map_err(Trouble::of_commit)?;
        self.engine.keep(self.slot).await;
        Ok(())
    }
}
