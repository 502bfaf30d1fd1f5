//! PostgreSQL.

use super::{LOCK_WAIT_MS, Trouble, Work, Writer};
use crate::adapters::records::dialect::Statement;
use crate::adapters::records::postgres::{Postgres, cells};
use crate::adapters::records::select::Cells;
use crate::adapters::records::slots::Slot;
use async_trait::async_trait;
use sea_query_sqlx::SqlxValues;
use sqlx::error::DatabaseError;
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Postgres as Driver};
use tokio::time::timeout;

struct Transaction<'a> {
    engine: &'a Postgres,
    slot: Slot<'a, PgConnection>,
}

#[async_trait]
impl Writer for Postgres {
    async fn begin(&self) -> Result<Box<dyn Work + '_>, Trouble> {
        let mut work = Transaction { engine: self, slot: self.slot().await? };
        work.raw(&format!(
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL statement_timeout = {}; \
             SET LOCAL lock_timeout = {LOCK_WAIT_MS}; SET LOCAL DateStyle = ISO",
            self.statement_timeout().as_millis(),
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
    sqlx::query_with(AssertSqlSafe(statement.sql.clone()), SqlxValues(statement.values.clone())).persistent(false)
}

fn trouble(engine: &Postgres, error: &sqlx::Error) -> Trouble {
    match error.as_database_error().and_then(DatabaseError::code).as_deref() {
        // Lock time-out; deadlock, serialization failure; unique or exclusion constraint.
        Some("55P03") => Trouble::Locked,
        Some("40P01" | "40001") => Trouble::Deadlock,
        Some("23505" | "23P01") => Trouble::Taken,
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
        done.map(|done| done.rows_affected()).map_err(|error| trouble(self.engine, &error))
    }

    async fn commit(mut self: Box<Self>) -> Result<(), Trouble> {
        self.raw("COMMIT").await.map_err(Trouble::of_commit)?;
        self.engine.keep(self.slot).await;
        Ok(())
    }
}
