//! The textbook's record table, as a team has it: no index on status or time, no attempts, no error text.

use super::message::{Kind, Message};
use anyhow::Context;
use chrono::NaiveDateTime;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions};
use sqlx::{QueryBuilder, Sqlite, SqlitePool};
use std::str::FromStr;
use std::time::Duration;

pub const TABLE: &str = "idempotent_record";

const DDL: &str = "CREATE TABLE IF NOT EXISTS idempotent_record (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    biz_id VARCHAR(128) NOT NULL,
    biz_type VARCHAR(64) NOT NULL,
    status TINYINT NOT NULL, -- 1 processing, 2 completed, 3 failed
    create_time DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    update_time DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    UNIQUE (biz_type, biz_id))";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Processing = 1,
    Completed = 2,
    Failed = 3,
}

/// What came of claiming a message.
#[derive(Debug, PartialEq, Eq)]
pub enum Claim {
    Ours,
    Completed,
    /// Somebody else's, alive or dead.
    Processing,
}

#[derive(Debug)]
pub struct PastRecord {
    pub kind: Kind,
    pub key: String,
    pub status: Status,
    pub created: NaiveDateTime,
    pub updated: NaiveDateTime,
}

#[derive(Debug, Clone)]
pub struct Table(SqlitePool);

impl Table {
    pub async fn open(url: &str) -> anyhow::Result<Self> {
        let options = SqliteConnectOptions::from_str(url)?
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .busy_timeout(Duration::from_secs(5));
        let pool = SqlitePoolOptions::new().max_connections(4).connect_with(options).await?;
        sqlx::query(DDL).execute(&pool).await.context("create the table")?;
        Ok(Self(pool))
    }

    /// By the database's clock, as the table's times are.
    pub async fn now(&self) -> anyhow::Result<NaiveDateTime> {
        sqlx::query_scalar("SELECT CURRENT_TIMESTAMP").fetch_one(&self.0).await.context("ask for the time")
    }

    pub async fn greatest_id(&self) -> anyhow::Result<i64> {
        let id = sqlx::query_scalar("SELECT COALESCE(MAX(id), 0) FROM idempotent_record");
        id.fetch_one(&self.0).await.context("ask for the greatest id")
    }

    pub async fn is_empty(&self) -> anyhow::Result<bool> {
        Ok(self.greatest_id().await? == 0)
    }

    pub async fn insert_past(&self, records: &[PastRecord]) -> anyhow::Result<()> {
        const ROWS_PER_STATEMENT: usize = 500;
        let mut transaction = self.0.begin().await?;
        for rows in records.chunks(ROWS_PER_STATEMENT) {
            let start = "INSERT INTO idempotent_record (biz_id, biz_type, status, create_time, update_time) ";
            let mut insert = QueryBuilder::<Sqlite>::new(start);
            insert.push_values(rows, |mut row, record| {
                row.push_bind(&record.key)
                    .push_bind(record.kind.as_str())
                    .push_bind(record.status as i64)
                    .push_bind(text(record.created))
                    .push_bind(text(record.updated));
            });
            insert.build().execute(&mut *transaction).await?;
        }
        Ok(transaction.commit().await?)
    }

    /// The unique index decides; a failed record is taken over by compare-and-set.
    pub async fn claim(&self, message: &Message) -> anyhow::Result<Claim> {
        let inserted = sqlx::query(
            "INSERT INTO idempotent_record (biz_id, biz_type, status) VALUES (?, ?, 1) ON CONFLICT DO NOTHING",
        );
        let inserted = inserted.bind(&message.biz_id).bind(message.biz_type.as_str()).execute(&self.0).await?;
        if inserted.rows_affected() == 1 || self.set(message, Status::Failed, Status::Processing).await? {
            return Ok(Claim::Ours);
        }
        let status = sqlx::query_scalar("SELECT status FROM idempotent_record WHERE biz_type = ? AND biz_id = ?");
        let status: i64 = status.bind(message.biz_type.as_str()).bind(&message.biz_id).fetch_one(&self.0).await?;
        Ok(if status == Status::Completed as i64 { Claim::Completed } else { Claim::Processing })
    }

    /// Whether the record was in `from`, and is now in `to`.
    pub async fn set(&self, message: &Message, from: Status, to: Status) -> anyhow::Result<bool> {
        let update = "UPDATE idempotent_record SET status = ?, update_time = CURRENT_TIMESTAMP
                      WHERE biz_type = ? AND biz_id = ? AND status = ?";
        let update = sqlx::query(update).bind(to as i64).bind(message.biz_type.as_str()).bind(&message.biz_id);
        let changed = update.bind(from as i64).execute(&self.0).await.context("change the record's status")?;
        Ok(changed.rows_affected() == 1)
    }
}

/// As SQLite's own CURRENT_TIMESTAMP writes it.
fn text(time: NaiveDateTime) -> String {
    time.format("%Y-%m-%d %H:%M:%S").to_string()
}
