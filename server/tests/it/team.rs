//! A team's systems for tests: a record table, Redis and RabbitMQ, with a console over them.

use app::model::{Panel, RecordsPanel};
use serde::de::DeserializeOwned;
use server::boot;
use server::config::{Config, Environment, from_toml};
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
}

/// Whether an index leads with the status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    OnStatus,
    None,
}

/// The stores, without a console.
pub struct Team {
    pub engine: Engine,
    pub database: lab::Database,
    pub pool: AnyPool,
    /// Of the lock keys, so that tests on the shared Redis do not meet.
    pub prefix: String,
    pub redis: Option<String>,
    pub broker: Option<Broker>,
    /// Put in place of the database's own address, for a proxy.
    pub records_url: Option<String>,
    /// Further lines of `[limits]`.
    pub limits: &'static str,
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
        };
        let database = database.unwrap();
        let pool = AnyPoolOptions::new().max_connections(3).connect(&database.url).await.unwrap();
        let team = Self {
            engine,
            database,
            pool,
            prefix: format!("t{}", uuid::Uuid::new_v4().simple()),
            redis: None,
            broker: None,
            records_url: None,
            limits: "",
            state: lab::sqlite_database("console").await.unwrap(),
        };
        team.sql(match engine {
            Engine::Sqlite => SQLITE_TABLE,
            Engine::Mariadb => MARIADB_TABLE,
        })
        .await;
        if index == Index::OnStatus {
            team.sql("CREATE INDEX by_status ON idempotent_record (status, update_time)").await;
        }
        team
    }

    pub async fn with_redis(mut self) -> Self {
        self.redis = Some(lab::redis().await.unwrap().url);
        self
    }

    pub async fn sql(&self, sql: &str) {
        sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))
            .execute(&self.pool)
            .await
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// `age_s`: since its last change, by the database's clock.
    pub fn row(&self, id: u64, key: &str, status: u8, age_s: u32) -> String {
        let at = match self.engine {
            Engine::Sqlite => format!("datetime('now', '-{age_s} seconds')"),
            Engine::Mariadb => format!("UTC_TIMESTAMP() - INTERVAL {age_s} SECOND"),
        };
        format!("INSERT INTO idempotent_record VALUES ({id}, '{key}', 'ORDER_DONE', {status}, {at}, {at})")
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
            table = "idempotent_record"
            id = "id"
            key = ["biz_id"]
            type = "biz_type"
            created = "create_time"
            updated = "update_time"
            [source.records.status]
            column = "status"
            processing = [1]
            completed = [2]
            failed = [3]
            dead = [4]
            "#,
            self.state.url, self.limits
        );
        if let Some(redis) = &self.redis {
            let prefix = &self.prefix;
            text += &format!(
                "[source.locks]\nurl = \"{redis}\"\npattern = \"{prefix}:{{type}}:{{key}}\"\ndone = [\"done:*\"]\nttl = \"20s\"\n"
            );
        }
        if let Some(Broker { url, vhost, dead_letter }) = &self.broker {
            text += &format!(
                "[[source.broker]]\nkind = \"rabbitmq\"\nurl = \"{url}\"\nvhost = \"{vhost}\"\nqueues = [\"points.*\"]\n"
            );
            text += &dead_letter.iter().map(|name| format!("dead_letter = \"{name}\"\n")).collect::<String>();
        }
        from_toml(&text, &Environment::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
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
        let system = Arc::new(boot::system(config, role).await.unwrap());
        Self { reads: LiveReads::new(system.clone()), system, shutdown: CancellationToken::new(), tracker: None }
    }

    pub fn collect(&mut self) {
        self.tracker = Some(server::collect::start(self.system.clone(), self.shutdown.clone()));
    }

    /// Ends collecting and gives the leases back.
    pub async fn stop(&self) {
        self.shutdown.cancel();
        if let Some(tracker) = &self.tracker {
            tokio::time::timeout(Duration::from_secs(10), tracker.wait()).await.expect("all collectors end");
        }
    }

    pub fn panel<T: DeserializeOwned>(&self, name: &str) -> Option<Panel<T>> {
        self.system.board.panel(SOURCE, name)
    }

    /// The records panel once it holds.
    pub async fn records(&self, holds: impl Fn(&Panel<RecordsPanel>) -> bool) -> Panel<RecordsPanel> {
        self.until("records", holds).await
    }

    /// The panel once it holds; a panic with the last one after 30 s.
    pub async fn until<T: DeserializeOwned + std::fmt::Debug>(
        &self,
        name: &str,
        holds: impl Fn(&Panel<T>) -> bool,
    ) -> Panel<T> {
        let mut last = None;
        for _ in 0..600 {
            match self.panel(name) {
                Some(panel) if holds(&panel) => return panel,
                other => last = other,
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{name} never came to hold: {last:#?}");
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}

const SQLITE_TABLE: &str = "CREATE TABLE idempotent_record (
    id INTEGER PRIMARY KEY AUTOINCREMENT, biz_id TEXT NOT NULL, biz_type TEXT NOT NULL, status INTEGER NOT NULL,
    create_time DATETIME NOT NULL, update_time DATETIME NOT NULL, UNIQUE (biz_type, biz_id))";

const MARIADB_TABLE: &str = "CREATE TABLE idempotent_record (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, biz_id VARCHAR(128) NOT NULL, biz_type VARCHAR(64) NOT NULL,
    status TINYINT NOT NULL, create_time DATETIME NOT NULL, update_time DATETIME NOT NULL, UNIQUE (biz_type, biz_id))";
