//! One message in each situation that has a verdict of its own, in real stores: a record table in SQLite that lacks its
//! unique index, locks and traces in Redis, and Redis Streams, which can say where one message is.

use anyhow::Context;
use redis::aio::MultiplexedConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use sqlx::{AssertSqlSafe, SqlitePool};
use std::str::FromStr;
use std::time::Duration;

pub const TABLE: &str = "idempotent_record";
pub const ARCHIVE: &str = "idempotent_record_archive";
pub const TYPE: &str = "ORDER_DONE";
/// Consumers of the stream.
pub const GROUP: &str = "points";

/// Of a table and its archive alike: neither has a unique index over its keys. Statuses: 1 processing, 2 completed, 3
/// failed, 4 dead.
fn ddl(table: &str) -> String {
    format!(
        "CREATE TABLE IF NOT EXISTS {table} (
         id INTEGER PRIMARY KEY AUTOINCREMENT, biz_id VARCHAR(128) NOT NULL, biz_type VARCHAR(64) NOT NULL,
         status TINYINT NOT NULL, create_time DATETIME NOT NULL, update_time DATETIME NOT NULL);
         CREATE INDEX IF NOT EXISTS {table}_key ON {table} (biz_type, biz_id)"
    )
}

const LOCK_TTL: Duration = Duration::from_secs(3_600);
const TRACE_TTL: Duration = Duration::from_secs(86_400);
const AGAIN_EVERY: Duration = Duration::from_secs(5);
const LONG_AGO: u32 = 900;
const JUST_NOW: u32 = 2;

const PROCESSING: u8 = 1;
const COMPLETED: u8 = 2;
const FAILED: u8 = 3;
const DEAD: u8 = 4;
const NOBODY_MAPPED: u8 = 7;

/// Where the broker has the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Message {
    Nowhere,
    Waiting,
    /// Handed out to a worker that has not answered.
    Unacked,
    DeadLettered,
}

/// What stands in Redis under the lock's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lock {
    None,
    Held,
    Done,
    /// A hash, which no lock of this kind is.
    Other,
}

/// A situation, and the verdict that it gets.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    pub key: &'static str,
    pub verdict: &'static str,
    /// Status and age in seconds.
    records: &'static [(u8, u32)],
    /// The same of those that were moved to the archive.
    archived: &'static [(u8, u32)],
    lock: Lock,
    /// Outcome and how many seconds ago, oldest first.
    trace: &'static [(&'static str, u32)],
    message: Message,
}

const NOTHING: Case =
    Case { key: "", verdict: "", records: &[], archived: &[], lock: Lock::None, trace: &[], message: Message::Nowhere };

const fn of(key: &'static str, verdict: &'static str, records: &'static [(u8, u32)]) -> Case {
    Case { key, verdict, records, ..NOTHING }
}

impl Case {
    const fn lock(self, lock: Lock) -> Self {
        Self { lock, ..self }
    }

    const fn archived(self, archived: &'static [(u8, u32)]) -> Self {
        Self { archived, ..self }
    }

    const fn message(self, message: Message) -> Self {
        Self { message, ..self }
    }

    const fn traced(self, trace: &'static [(&'static str, u32)]) -> Self {
        Self { trace, ..self }
    }
}

/// While the broker has messages. Those that are handed out come first: a group reads in order.
pub const WITH_MESSAGES: [Case; 25] = [
    of("unprotected", "unprotected", &[(PROCESSING, LONG_AGO)]).message(Message::Unacked),
    of("two-records", "not_unique", &[(COMPLETED, LONG_AGO), (PROCESSING, LONG_AGO)]),
    of("unmapped", "unmapped", &[(NOBODY_MAPPED, LONG_AGO)]),
    of("leaked", "leaked", &[(COMPLETED, LONG_AGO)]).traced(&[("completed", 890), ("completed", 880)]),
    of("marked-but-open", "marker_contradicts", &[(PROCESSING, JUST_NOW)]).lock(Lock::Done),
    of("duplicate-in-dead-letter", "duplicate_in_dead_letter", &[(COMPLETED, LONG_AGO)]).message(Message::DeadLettered),
    of("finished-and-held", "finished_lock_held", &[(COMPLETED, JUST_NOW)]).lock(Lock::Held),
    of("healthy", "healthy", &[(COMPLETED, LONG_AGO)]),
    of("dead", "dead", &[(DEAD, LONG_AGO)]),
    of("unclear", "unclear", &[(PROCESSING, LONG_AGO)]).lock(Lock::Other),
    of("in-progress", "in_progress", &[(PROCESSING, LONG_AGO)]).lock(Lock::Held),
    of("swallowed", "swallowed", &[(PROCESSING, LONG_AGO)]).traced(&[("first", 899), ("dup_index", 60)]),
    of("out-of-attempts", "processing_in_dead_letter", &[(PROCESSING, LONG_AGO)]).message(Message::DeadLettered),
    of("young", "in_progress", &[(PROCESSING, JUST_NOW)]),
    of("behind-its-record", "waiting_behind_record", &[(PROCESSING, LONG_AGO)]).message(Message::Waiting),
    of("stuck-or-unprotected", "stuck_or_unprotected", &[(PROCESSING, LONG_AGO)]),
    of("retrying", "retrying", &[(FAILED, LONG_AGO)]).lock(Lock::Held),
    of("failed-for-good", "failed_in_dead_letter", &[(FAILED, LONG_AGO)]).message(Message::DeadLettered),
    of("failed-and-waiting", "failed_waiting", &[(FAILED, LONG_AGO)]).message(Message::Waiting),
    of("failed", "failed", &[(FAILED, LONG_AGO)]),
    of("claiming", "claiming", &[]).lock(Lock::Held),
    of("unrecorded", "unrecorded_in_dead_letter", &[]).message(Message::DeadLettered),
    of("not-consumed", "not_consumed", &[]).message(Message::Waiting),
    of("archived", "archived", &[]).archived(&[(COMPLETED, LONG_AGO)]).lock(Lock::Done),
    of("never-seen", "unknown_key", &[]),
];

/// With nothing left at the broker.
pub const WITHOUT_MESSAGES: [Case; 3] = [
    of("acked", "in_progress_acked", &[(PROCESSING, LONG_AGO)]).lock(Lock::Held),
    of("stuck", "stuck", &[(PROCESSING, LONG_AGO)]),
    of("message-gone", "failed_message_gone", &[(FAILED, LONG_AGO)]),
];

/// Where the cases are laid out.
#[derive(Debug, Clone)]
pub struct Place {
    /// SQLite.
    pub records_url: String,
    pub redis_url: String,
    /// The console's name of it, which traces carry.
    pub source: String,
    /// Of lock keys and streams: `<prefix>:<type>:<key>`, `<prefix>:orders`, `<prefix>:dead`.
    pub prefix: String,
    /// Behind each key; traces carry no prefix.
    pub suffix: String,
}

/// Cases that were laid out.
#[derive(Debug, Clone)]
pub struct Laid {
    place: Place,
    cases: &'static [Case],
    table: SqlitePool,
    redis: MultiplexedConnection,
}

impl Place {
    #[must_use]
    pub fn stream(&self) -> String {
        format!("{}:orders", self.prefix)
    }

    #[must_use]
    pub fn dead_letter(&self) -> String {
        format!("{}:dead", self.prefix)
    }

    #[must_use]
    pub fn key(&self, case: &Case) -> String {
        format!("{}{}", case.key, self.suffix)
    }

    /// Makes table and group where they are missing, and each situation.
    ///
    /// # Errors
    /// When a store cannot be reached.
    pub async fn lay(self, cases: &'static [Case]) -> anyhow::Result<Laid> {
        let options = SqliteConnectOptions::from_str(&self.records_url)?.create_if_missing(true);
        let table = SqlitePoolOptions::new().max_connections(1).connect_with(options).await?;
        for name in [TABLE, ARCHIVE] {
            sqlx::raw_sql(AssertSqlSafe(ddl(name))).execute(&table).await.context("create the tables of cases")?;
        }
        let client = redis::Client::open(self.redis_url.as_str())?;
        let mut redis = client.get_multiplexed_async_connection().await.context("connect to Redis")?;
        let make = redis::cmd("XGROUP").arg(&["CREATE", &self.stream(), GROUP, "0", "MKSTREAM"]).to_owned();
        match make.exec_async(&mut redis).await {
            Err(error) if error.code() != Some("BUSYGROUP") => return Err(error).context("make the group"),
            Ok(()) | Err(_) => {}
        }
        let mut laid = Laid { place: self, cases, table, redis };
        for case in cases {
            laid.lay(case).await.with_context(|| format!("lay out {}", case.key))?;
        }
        Ok(laid)
    }
}

impl Laid {
    /// Keeps what time would change: locks end, and what is young grows old.
    ///
    /// # Errors
    /// When a store cannot be reached.
    pub async fn keep(mut self) -> anyhow::Result<()> {
        loop {
            tokio::time::sleep(AGAIN_EVERY).await;
            for case in self.cases {
                self.set_lock(case).await?;
                if case.records.iter().any(|(_, age_s)| *age_s == JUST_NOW) {
                    let touch =
                        "UPDATE idempotent_record SET create_time = datetime('now'), update_time = datetime('now')
                                 WHERE biz_type = ? AND biz_id = ?";
                    sqlx::query(touch).bind(TYPE).bind(self.place.key(case)).execute(&self.table).await?;
                }
            }
        }
    }

    async fn lay(&mut self, case: &Case) -> anyhow::Result<()> {
        let key = self.place.key(case);
        let in_archive = case.archived.iter().map(|row| (ARCHIVE, row));
        for (table, (status, age_s)) in case.records.iter().map(|row| (TABLE, row)).chain(in_archive) {
            let at = format!("datetime('now', '-{age_s} seconds')");
            let insert = format!(
                "INSERT INTO {table} (biz_id, biz_type, status, create_time, update_time)
                 VALUES (?, ?, ?, {at}, {at})"
            );
            sqlx::query(AssertSqlSafe(insert)).bind(&key).bind(TYPE).bind(status).execute(&self.table).await?;
        }
        self.set_lock(case).await?;
        for (outcome, ago_s) in case.trace {
            // By the database's clock, as the records' times are.
            let at = "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-' || ? || ' seconds')";
            let at: String = sqlx::query_scalar(at).bind(ago_s).fetch_one(&self.table).await?;
            let entry = serde_json::json!({"at": at, "worker": "w-1", "lock": "taken", "outcome": outcome}).to_string();
            let list = format!("idem_trace:{}:{TYPE}:{key}", self.place.source);
            let mut push = redis::pipe();
            push.cmd("LPUSH").arg(&list).arg(entry).cmd("EXPIRE").arg(&list).arg(TRACE_TTL.as_secs());
            push.exec_async(&mut self.redis).await?;
        }
        let stream = match case.message {
            Message::Nowhere => return Ok(()),
            Message::DeadLettered => self.place.dead_letter(),
            Message::Waiting | Message::Unacked => self.place.stream(),
        };
        let entry = ["biz_type", TYPE, "biz_id", &key];
        redis::cmd("XADD").arg(&stream).arg("*").arg(&entry).exec_async(&mut self.redis).await?;
        if case.message == Message::Unacked {
            let read = ["GROUP", GROUP, "w-1", "COUNT", "1", "STREAMS", &stream, ">"];
            redis::cmd("XREADGROUP").arg(&read).exec_async(&mut self.redis).await?;
        }
        Ok(())
    }

    async fn set_lock(&mut self, case: &Case) -> anyhow::Result<()> {
        let lock = format!("{}:{TYPE}:{}", self.place.prefix, self.place.key(case));
        let command = match case.lock {
            Lock::None => return Ok(()),
            Lock::Other => redis::cmd("HSET").arg(lock).arg(&["owner", "w-1"]).to_owned(),
            Lock::Held | Lock::Done => {
                let value = if case.lock == Lock::Done { "done:1795941066041" } else { "w-1" };
                redis::cmd("SET").arg(lock).arg(value).arg("EX").arg(LOCK_TTL.as_secs()).to_owned()
            }
        };
        Ok(command.exec_async(&mut self.redis).await?)
    }
}
