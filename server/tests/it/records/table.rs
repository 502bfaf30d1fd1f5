//! The textbook table on each engine, and stores over it.

use crate::cases::{load, store_of};
use app::model::{RecordsQuery, Row, Status};
use server::adapters::records::{self, store};
use server::clock::SystemClock;
use server::config::{Config, Environment, Limits, from_toml};
use server::ports::records::RecordStore;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Mariadb,
    Postgres,
}

impl Engine {
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Mariadb => "MariaDB",
            Self::Postgres => "PostgreSQL",
        }
    }

    fn textbook(self) -> &'static str {
        match self {
            Self::Sqlite => {
                "CREATE TABLE idempotent_record (id INTEGER PRIMARY KEY AUTOINCREMENT, biz_id TEXT NOT NULL,
                biz_type TEXT NOT NULL, status INTEGER NOT NULL, create_time TEXT, update_time TEXT, UNIQUE (biz_type, biz_id))"
            }
            Self::Mariadb => {
                "CREATE TABLE idempotent_record (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
                biz_id VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, biz_type VARCHAR(64) NOT NULL,
                status TINYINT NOT NULL, create_time DATETIME NULL, update_time DATETIME NULL,
                UNIQUE KEY uk_biz (biz_type, biz_id)) DEFAULT CHARSET=utf8mb4"
            }
            Self::Postgres => {
                "CREATE TABLE idempotent_record (id bigserial PRIMARY KEY, biz_id varchar(512) NOT NULL,
                biz_type varchar(64) NOT NULL, status smallint NOT NULL, create_time timestamp, update_time timestamp,
                UNIQUE (biz_type, biz_id))"
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Indexed {
    No,
    Status,
    StatusAndTime,
}

/// `[source.records]`, as far as the tests vary it.
#[derive(Clone)]
pub struct Mapping {
    pub table: &'static str,
    pub id: Option<&'static str>,
    pub key: &'static str,
    pub r#type: Option<&'static str>,
    /// `create_time` and `update_time` are mapped.
    pub times: bool,
    pub error: Option<&'static str>,
    pub column: &'static str,
    pub codes: &'static str,
}

impl Mapping {
    pub fn textbook() -> Self {
        Self {
            table: "idempotent_record",
            id: Some("id"),
            key: r#"["biz_id"]"#,
            r#type: Some(r#""biz_type""#),
            times: true,
            error: None,
            column: "status",
            codes: "processing = [1]\ncompleted = [2]\nfailed = [3, 5]\ndead = [4]",
        }
    }

    /// A machine that runs many tests at once may be slow, which is not what most of them are about.
    fn config(&self, url: &str) -> Config {
        let mut toml = format!(
            "[[source]]\nname = \"t\"\n[source.records]\nurl = {url:?}\ntable = [{}]\n",
            toml::Value::from(self.table)
        );
        let mut say = |key: &str, value: Option<String>| {
            if let Some(value) = value {
                writeln!(toml, "{key} = {value}").unwrap();
            }
        };
        say("id", self.id.map(|id| format!("{id:?}")));
        say("key", Some(self.key.to_owned()));
        say("type", self.r#type.map(str::to_owned));
        say("error", self.error.map(|error| format!("{error:?}")));
        say("created", self.times.then(|| "\"create_time\"".to_owned()));
        say("updated", self.times.then(|| "\"update_time\"".to_owned()));
        write!(toml, "[source.records.status]\ncolumn = {:?}\n{}\n", self.column, self.codes).unwrap();
        let mut config = from_toml(&toml, &Environment::default()).unwrap();
        config.limits.statement_timeout = Duration::from_secs(20);
        config
    }
}

pub struct Table {
    database: lab::Database,
}

/// `(id, type, key, status, time)` as a row of an INSERT.
pub fn insert(id: usize, r#type: &str, key: &str, status: usize, time: &str) -> String {
    format!("({id}, '{}', '{type}', {status}, '{time}', '{time}')", key.replace('\'', "''"))
}

impl Table {
    pub async fn textbook(engine: Engine, indexed: Indexed) -> Self {
        let database = match engine {
            Engine::Sqlite => lab::sqlite_database("records").await,
            Engine::Mariadb => lab::mariadb_database("records").await,
            Engine::Postgres => lab::postgres_database("records").await,
        };
        let table = Self { database: database.unwrap() };
        table.run(engine.textbook()).await;
        match indexed {
            Indexed::No => {}
            Indexed::Status => table.run("CREATE INDEX by_status ON idempotent_record (status)").await,
            Indexed::StatusAndTime => {
                table.run("CREATE INDEX by_status ON idempotent_record (status, update_time)").await;
            }
        }
        table
    }

    pub fn url(&self) -> &str {
        &self.database.url
    }

    pub async fn run(&self, sql: &str) {
        load(self.url(), sql).await;
    }

    /// Rows 1 to `count`.
    pub async fn fill(&self, count: usize, row: impl Fn(usize) -> String) {
        let rows: Vec<String> = (1..=count).map(row).collect();
        let inserts: Vec<String> = rows
            .chunks(1_000)
            .map(|chunk| format!("INSERT INTO idempotent_record VALUES {}", chunk.join(", ")))
            .collect();
        self.run(&inserts.join(";\n")).await;
    }

    /// Rows 1 to `count`, all completed, made by the engine itself.
    pub async fn fill_completed(&self, count: usize) {
        let (numbers, before) = match self.url().split(':').next() {
            Some("mysql") => (format!("(SELECT seq AS n FROM seq_1_to_{count}) AS numbers"), ""),
            Some("postgres") => (format!("generate_series(1, {count}) AS numbers(n)"), ""),
            _ => (
                "numbers".to_owned(),
                "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < COUNT)",
            ),
        };
        let before = before.replace("COUNT", &count.to_string());
        let key = if self.url().starts_with("mysql") { "CONCAT('k', n)" } else { "'k' || n" };
        let time = if self.url().starts_with("postgres") {
            "timestamp '2026-11-29 08:00:00'"
        } else {
            "'2026-11-29 08:00:00'"
        };
        self.run(&format!(
            "INSERT INTO idempotent_record {before} SELECT n, {key}, 'A', 2, {time}, {time} FROM {numbers}"
        ))
        .await;
    }

    /// One row; the backslash is no escape anywhere.
    pub async fn add(&self, row: String) {
        let plain = if self.url().starts_with("mysql") { "SET sql_mode = 'NO_BACKSLASH_ESCAPES';\n" } else { "" };
        self.run(&format!("{plain}INSERT INTO idempotent_record VALUES {row}")).await;
    }

    pub async fn run_and_list(&self, sql: &str, status: Status) -> Vec<Row> {
        self.run(sql).await;
        let query = RecordsQuery { status: Some(status), limit: 100, ..RecordsQuery::default() };
        self.store().list(&query).await.unwrap().items
    }

    pub fn store(&self) -> Arc<dyn RecordStore> {
        self.store_with(&Mapping::textbook())
    }

    pub fn store_with(&self, mapping: &Mapping) -> Arc<dyn RecordStore> {
        store_of(&mapping.config(self.url()))
    }

    /// Under the usual time-outs.
    pub fn store_at(&self, url: &str) -> Arc<dyn RecordStore> {
        let mut config = Mapping::textbook().config(url);
        config.limits.statement_timeout = Duration::from_secs(3);
        store_of(&config)
    }

    pub fn config(&self) -> Config {
        Mapping::textbook().config(self.url())
    }

    pub fn engine_with(&self, change: impl Fn(&mut Limits)) -> Arc<dyn store::Engine> {
        let mut config = self.config();
        change(&mut config.limits);
        records::engine(&config.sources[0], &config.limits, Arc::new(SystemClock)).unwrap()
    }

    /// SQLite: the file is what can be away.
    pub async fn file_away_and_back(&self) {
        let url: url::Url = self.url().parse().unwrap();
        let (file, away) = (url.path().to_owned(), format!("{}.away", url.path()));
        std::fs::rename(&file, &away).unwrap();
        let store = self.store();
        store.describe().await.unwrap_err();
        std::fs::rename(&away, &file).unwrap();
        assert_eq!(store.list(&RecordsQuery { limit: 5, ..RecordsQuery::default() }).await.unwrap().items.len(), 1);
    }
}
