//! A team's systems for tests: a record table, Redis and RabbitMQ, with a console over them.

use crate::eventually::eventually;
use app::model::{Panel, RecordsPanel};
use chrono::{DateTime, Utc};
use server::boot;
use server::clock::Clock;
use server::config::{Config, Environment, from_toml};
use server::live::Body;
use server::reads::LiveReads;
use server::system::System;
use sqlx::AnyPool;
use sqlx::AssertSqlSafe;
use sqlx::any::{AnyPoolOptions, install_default_drivers};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub const SOURCE: &str = "points";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Mariadb,
    Postgres,
}

/// Each test of the list with each engine.
macro_rules! on_every_engine {
    ($($test:ident),+ $(,)?) => {
        $(mod $test {
            use crate::team::Engine;

            #[tokio::test]
            async fn sqlite() {
                super::$test(Engine::Sqlite).await;
            }

            #[tokio::test]
            async fn mariadb() {
                super::$test(Engine::Mariadb).await;
            }

            #[tokio::test]
            async fn postgres() {
                super::$test(Engine::Postgres).await;
            }
        })+
    };
}
pub(crate) use on_every_engine;

/// What the table can be followed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// An index leads with the status.
    OnStatus,
    /// No index but its primary key, which grows, and the unique key.
    None,
    /// No id; an index leads with the time of the last change.
    OnTime,
    /// No id and no index but the unique key.
    OnlyKey,
}

impl Index {
    fn has_id(self) -> bool {
        matches!(self, Self::OnStatus | Self::None)
    }
}

/// The stores, without a console.
pub struct Team {
    pub engine: Engine,
    pub index: Index,
    pub database: lab::Database,
    pub pool: AnyPool,
    /// Of the lock keys, so that tests on the shared Redis do not meet.
    pub prefix: String,
    pub redis: Option<String>,
    /// `locks.kind`.
    pub lock_kind: &'static str,
    pub broker: Option<Broker>,
    /// Of Redis Streams: its address, and the prefix of `orders`, with a group `points`, and of `dead`.
    pub streams: Option<(String, String)>,
    /// Put in place of the database's own address, for a proxy.
    pub records_url: Option<String>,
    pub tables: &'static str,
    /// Further lines of `[limits]`.
    pub limits: &'static str,
    /// Consumers report into Redis, under `prefix` as well.
    pub signals: bool,
    /// Lines of `[source.records.write]`; `None`: the source is read-only.
    pub write: Option<&'static str>,
    /// The table has a column `body`, with the message.
    pub payload: bool,
    /// Further tables of the source.
    pub more: String,
    /// Where completed records were moved.
    pub archive: Option<String>,
    /// Further lines of `[source.archive]`.
    pub archiving: &'static str,
    pub state: lab::Database,
}

#[derive(Clone)]
pub struct Broker {
    pub url: String,
    pub vhost: String,
    pub dead_letter: Option<String>,
}

impl Team {
    pub async fn new(engine: Engine, index: Index) -> Self {
        install_default_drivers();
        let database = match engine {
            Engine::Sqlite => lab::sqlite_database("points").await,
            Engine::Mariadb => lab::mariadb_database("points").await,
            Engine::Postgres => lab::postgres_database("points").await,
        };
        let database = database.unwrap();
        let pool = AnyPoolOptions::new().max_connections(3).connect(&database.url).await.unwrap();
        let team = Self {
            engine,
            index,
            database,
            pool,
            prefix: format!("t{}", uuid::Uuid::new_v4().simple()),
            redis: None,
            lock_kind: "string",
            broker: None,
            streams: None,
            records_url: None,
            tables: "idempotent_record",
            limits: "",
            signals: false,
            write: None,
            payload: false,
            more: String::new(),
            archive: None,
            archiving: "",
            state: lab::sqlite_database("console").await.unwrap(),
        };
        team.sql(&team.table("idempotent_record")).await;
        team
    }

    pub async fn with_redis(mut self) -> Self {
        self.redis = Some(lab::redis().await.unwrap().url);
        self
    }

    /// Its DDL.
    pub fn table(&self, name: &str) -> String {
        let (number, text, time) = match self.engine {
            Engine::Sqlite => ("INTEGER", "TEXT", "DATETIME"),
            Engine::Mariadb => ("BIGINT UNSIGNED", "VARCHAR(128)", "DATETIME"),
            Engine::Postgres => ("bigint", "text", "timestamp"),
        };
        let (id, unique) = if self.index.has_id() {
            ("PRIMARY KEY", "UNIQUE (biz_type, biz_id)")
        } else {
            ("NOT NULL", "PRIMARY KEY (biz_type, biz_id)")
        };
        let table = format!(
            "CREATE TABLE {name} (id {number} {id}, biz_id {text} NOT NULL, biz_type {text} NOT NULL, status SMALLINT NOT NULL,
            create_time {time} NOT NULL, update_time {time} NOT NULL, {unique})"
        );
        let index = match self.index {
            Index::OnStatus => "status, update_time",
            Index::OnTime => "update_time",
            Index::None | Index::OnlyKey => return table,
        };
        format!("{table};\nCREATE INDEX on_{name} ON {name} ({index})")
    }

    pub async fn sql(&self, sql: &str) {
        sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))
            .execute(&self.pool)
            .await
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// `age_s`: since its last change, by the database's clock.
    pub fn row(&self, id: u64, key: &str, status: u8, age_s: u32) -> String {
        self.row_of("idempotent_record", id, key, status, age_s)
    }

    pub fn row_of(&self, table: &str, id: u64, key: &str, status: u8, age_s: u32) -> String {
        let at = self.ago(age_s);
        format!("INSERT INTO {table} VALUES ({id}, '{key}', 'ORDER_DONE', {status}, {at}, {at})")
    }

    pub fn ago(&self, age_s: u32) -> String {
        match self.engine {
            Engine::Sqlite => format!("datetime('now', '-{age_s} seconds')"),
            Engine::Mariadb => format!("UTC_TIMESTAMP() - INTERVAL {age_s} SECOND"),
            Engine::Postgres => format!("timezone('UTC', now()) - interval '{age_s} seconds'"),
        }
    }

    pub async fn insert(&self, id: u64, key: &str, status: u8, age_s: u32) {
        self.sql(&self.row(id, key, status, age_s)).await;
    }

    pub fn lock_key(&self, key: &str) -> String {
        format!("{}:ORDER_DONE:{key}", self.prefix)
    }

    /// `ttl_ms` 0: none.
    pub async fn lock(&self, key: &str, owner: &str, ttl_ms: u64) {
        let mut set = redis::cmd("SET");
        set.arg(self.lock_key(key)).arg(owner);
        if ttl_ms > 0 {
            set.arg("PX").arg(ttl_ms);
        }
        set.exec_async(&mut self.redis_connection().await).await.unwrap();
    }

    pub async fn unlock(&self, key: &str) {
        redis::cmd("DEL").arg(self.lock_key(key)).exec_async(&mut self.redis_connection().await).await.unwrap();
    }

    pub async fn redis_connection(&self) -> redis::aio::MultiplexedConnection {
        let url = self.redis.as_deref().expect("this team has Redis");
        redis::Client::open(url).unwrap().get_multiplexed_async_connection().await.unwrap()
    }

    pub fn config(&self) -> Config {
        let text = self.toml();
        from_toml(&text, &Environment::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    pub fn toml(&self) -> String {
        let records = self.records_url.as_deref().unwrap_or(&self.database.url);
        let mut text = format!(
            r#"
            [state]
            url = "{}"
            [collect]
            period = "1s"
            [limits]
            connect_timeout = "1s"
            statement_timeout = "1s"
            {}
            [[source]]
            name = "{SOURCE}"
            [source.records]
            url = "{records}"
            table = "{}"
            {}
            key = ["biz_id"]
            type = "biz_type"
            created = "create_time"
            updated = "update_time"
            {}
            {}
            [source.records.status]
            column = "status"
            processing = [1]
            completed = [2]
            failed = [3]
            dead = [4]
            "#,
            self.state.url,
            self.limits,
            self.tables,
            if self.index.has_id() { "id = \"id\"" } else { "" },
            if self.payload { "payload = \"body\"" } else { "" },
            self.write.map_or(String::new(), |lines| format!("[source.records.write]\n{lines}")),
        );
        if let Some(redis) = &self.redis {
            let prefix = &self.prefix;
            text += &format!(
                "[source.locks]\nurl = \"{redis}\"\nkind = \"{}\"\npattern = \"{prefix}:{{type}}:{{key}}\"\ndone = [\"done:*\"]\nttl = \"20s\"\n",
                self.lock_kind
            );
        }
        if let Some(table) = &self.archive {
            text += &format!("[source.archive]\ntable = \"{table}\"\n{}\n", self.archiving);
        }
        if self.signals {
            text += &format!("[source.signals]\nkind = \"redis\"\nprefix = \"{}_stat\"\n", self.prefix);
        }
        if let Some(Broker { url, vhost, dead_letter }) = &self.broker {
            text += &format!(
                "[[source.broker]]\nkind = \"rabbitmq\"\nurl = \"{url}\"\nvhost = \"{vhost}\"\nqueues = [\"points.*\"]\n"
            );
            text += &dead_letter.iter().map(|name| format!("dead_letter = \"{name}\"\n")).collect::<String>();
        }
        if let Some((url, prefix)) = &self.streams {
            text += &format!(
                "[[source.broker]]\nkind = \"redis-streams\"\nurl = \"{url}\"\nstreams = [\"{prefix}:orders\"]\n\
                 group = \"points\"\ndead_letter = \"{prefix}:dead\"\nkey = {{ field = \"biz_id\" }}\n\
                 type = {{ field = \"biz_type\" }}\n"
            );
        }
        text + &self.more
    }

    /// Consumers report this of a minute.
    pub async fn report(&self, minute: DateTime<Utc>, fields: &[(&str, u64)]) {
        let key = format!("{}_stat:{SOURCE}:{}:0", self.prefix, minute.format("%Y%m%d%H%M"));
        let mut report = redis::pipe();
        for (field, count) in fields {
            report.cmd("HINCRBY").arg(&key).arg(field).arg(*count);
        }
        report.cmd("EXPIRE").arg(&key).arg(172_800);
        report.exec_async(&mut self.redis_connection().await).await.unwrap();
    }

    /// A console that does not collect.
    pub async fn console(&self) -> Console {
        Console::over(self.config(), boot::Role::Server).await
    }

    /// A console that collects.
    pub async fn collecting(&self) -> Console {
        let mut console = self.console().await;
        console.collect();
        console
    }
}

pub struct Console {
    pub system: Arc<System>,
    pub reads: LiveReads,
    shutdown: CancellationToken,
    tracker: Option<TaskTracker>,
}

impl Console {
    pub async fn over(config: Config, role: boot::Role) -> Self {
        Self::at(config, role, boot::clock()).await
    }

    /// On these clocks.
    pub async fn at(config: Config, role: boot::Role, clock: Arc<dyn Clock>) -> Self {
        let system = Arc::new(boot::system_at(config, role, clock).await.unwrap());
        Self { reads: LiveReads::new(system.clone()), system, shutdown: CancellationToken::new(), tracker: None }
    }

    pub fn collect(&mut self) {
        self.tracker = Some(server::collect::start(self.system.clone(), self.shutdown.clone()));
    }

    /// Ends collecting and gives the leases back. Else it is as if it were killed: no task does anything at its end.
    pub async fn stop(&self) {
        self.shutdown.cancel();
        if let Some(tracker) = &self.tracker {
            tokio::time::timeout(Duration::from_secs(60), tracker.wait()).await.expect("all collectors end");
        }
    }

    pub fn panel<T: Body>(&self, name: &str) -> Option<Panel<T>> {
        self.system.board.panel(SOURCE, name)
    }

    /// The records panel once it holds.
    pub async fn records(&self, holds: impl Fn(&Panel<RecordsPanel>) -> bool) -> Panel<RecordsPanel> {
        self.until("records", holds).await
    }

    /// The panel once it holds.
    pub async fn until<T: Body + std::fmt::Debug>(&self, name: &str, holds: impl Fn(&Panel<T>) -> bool) -> Panel<T> {
        eventually(async || self.panel(name), |panel| panel.as_ref().is_some_and(&holds)).await.expect("it held")
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}
