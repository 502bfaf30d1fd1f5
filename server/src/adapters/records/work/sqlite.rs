//! SQLite.

use super::{Trouble, Work, Writer};
use crate::adapters::records::dialect::Statement;
use crate::adapters::records::select::Cells;
use crate::adapters::records::slots::Slot;
use crate::adapters::records::sqlite::{Sqlite, cells};
use async_trait::async_trait;
use sea_query_sqlx::SqlxValues;
use sqlx::error::DatabaseError;
use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Sqlite as Driver};

struct Transaction<'a> {
    engine: &'a Sqlite,
    slot: Slot<'a, SqliteConnection>,
}

#[async_trait]
impl Writer for Sqlite {
    async fn begin(&self) -> Result<Box<dyn Work + '_>, Trouble> {
        let mut work = Transaction { engine: self, slot: self.slot().await? };
        // There is one writer at a time, so the whole file is what is locked.
        work.raw("BEGIN IMMEDIATE").await?;
        Ok(Box::new(work))
    }
}

impl Transaction<'_> {
    async fn raw(&mut self, sql: &'static str) -> Result<(), Trouble> {
        self.engine.limit(&mut self.slot.connection).await?;
        let done = sqlx::raw_sql(sql).execute(&mut self.slot.connection).await;
        done.map(|_| ()).map_err(|error| trouble(self.engine, &error))
    }
}

fn query(statement: &Statement) -> sqlx::query::Query<'_, Driver, SqlxValues> {
    sqlx::query_with(AssertSqlSafe(statement.sql.clone()), SqlxValues(statement.values.clone())).persistent(false)
}

fn trouble(engine: &Sqlite, error: &sqlx::Error) -> Trouble {
    let code = error.as_database_error().and_then(DatabaseError::code).and_then(|code| code.parse::<i32>().ok());
    match code {
        // Busy and locked, whatever the rest of the code says; the unique and primary key constraints.
        Some(code) if matches!(code & 0xff, 5 | 6) => Trouble::Locked,
        Some(2067 | 1555 | 2579) => Trouble::Taken,
        _ => engine.failure(error).into(),
    }
}

#[async_trait]
impl Work for Transaction<'_> {
    async fn fetch(&mut self, statement: &Statement) -> Result<Vec<Cells>, Trouble> {
        self.engine.limit(&mut self.slot.connection).await?;
        let rows = query(statement).fetch_all(&mut self.slot.connection).await;
        let rows = rows.map_err(|error| trouble(self.engine, &error))?;
        Ok(rows.iter().map(|row| cells(row, statement.kinds.len())).collect::<Result<_, _>>()?)
    }

    async fn execute(&mut self, statement: &Statement) -> Result<u64, Trouble> {
        self.engine.limit(&mut self.slot.connection).await?;
        let done = query(statement).execute(&mut self.slot.connection).await;
        done.map(|done| done.rows_affected()).map_err(|error| trouble(self.engine, &error))
    }

    async fn commit(mut self: Box<Self>) -> Result<(), Trouble> {
        self.raw("COMMIT").await.map_err(Trouble::of_commit)?;
        self.engine.keep(self.slot).await;
        Ok(())
    }
}
