//! A team's systems: a record table, locks, reports and streams.

use super::measure::now;
use lab::services::Running;
use lab::{Database, Proxy};
use sqlx::any::{AnyPoolOptions, install_default_drivers};
use sqlx::{AnyPool, AssertSqlSafe};
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Mariadb,
    Postgres,
    Sqlite,
}

pub struct Team {
    pub name: &'static str,
    engine: Engine,
    database: Database,
    pool: AnyPool,
    redis: String,
    /// In place of the stores' own addresses: what can be made to hang.
    proxies: Option<[Proxy; 2]>,
    streams: usize,
}

const TYPES: u64 = 5;
/// Locks of processing records.
const LOCKS: u64 = 500;
/// Minutes that consumers have reported of.
const REPORTED: i64 = 55;
/// Nothing comes through in so long a time.
const FOR_EVER: Duration = Duration::from_secs(3_600);

impl Team {
    /// With so many open records, and as many finished ones.
    pub async fn new(name: &'static str, engine: Engine, open: u64, redis: &Running) -> Self {
        install_default_drivers();
        let database = match engine {
            Engine::Mariadb => lab::mariadb_database(name).await,
            Engine::Postgres => lab::postgres_database(name).await,
            Engine::Sqlite => lab::sqlite_database(name).await,
        };
        let database = database.expect("the database starts");
        let pool = AnyPoolOptions::new().max_connections(2).connect(&database.url).await.expect("it takes connections");
        let redis = redis.url().to_owned();
        let team = Self { name, engine, database, pool, redis, proxies: None, streams: 0 };
        team.fill(2 * open).await;
        team
    }

    /// Reported by consumers, with locks, and with so many streams, each a broker of its own.
    pub async fn at_work(mut self, streams: usize) -> Self {
        self.streams = streams;
        let mut redis = self.redis().await;
        let mut all = redis::pipe();
        for n in (0..LOCKS).map(|n| n * 4 + 1) {
            let key = format!("{}:lock:{}:k{n}", self.name, of_type(n));
            all.cmd("SET").arg(key).arg(format!("worker-{n}")).arg("PX").arg(3_600_000);
        }
        for at in 0..streams {
            let stream = format!("{}:orders:{at}", self.name);
            all.cmd("XGROUP").arg("CREATE").arg(&stream).arg("points").arg("$").arg("MKSTREAM");
            for n in 0..20 {
                all.cmd("XADD").arg(&stream).arg("*").arg("biz_id").arg(format!("k{n}"));
            }
        }
        for ago in 1..=REPORTED {
            let at = chrono::DateTime::from_timestamp(epoch_s() - ago * 60, 0).expect("a time");
            let key = format!("{}_stat:{}:{}:0", self.name, self.name, at.format("%Y%m%d%H%M"));
            for (field, count) in reported() {
                all.cmd("HSET").arg(&key).arg(field).arg(count);
            }
        }
        all.exec_async(&mut redis).await.expect("Redis takes it");
        self
    }

    /// Behind proxies.
    pub async fn at_a_distance(mut self, redis: &Running) -> Self {
        let url = url::Url::parse(&self.database.url).expect("an address");
        let target = format!("{}:{}", url.host_str().expect("a host"), url.port().expect("a port"));
        let database = Proxy::start(target.parse().expect("an address")).await.expect("a port");
        self.proxies = Some([database, Proxy::start(redis.address()).await.expect("a port")]);
        self
    }

    fn proxies(&self) -> &[Proxy; 2] {
        self.proxies.as_ref().expect("it is at a distance")
    }

    /// Its database and its Redis take what they are asked and never answer.
    pub fn hang(&self) {
        self.proxies().iter().for_each(|proxy| proxy.delay(FOR_EVER));
    }

    /// Its database and its Redis are gone.
    pub async fn kill(&self) {
        for proxy in self.proxies() {
            proxy.cut().await;
        }
    }

    /// After either.
    pub async fn restore(&self) {
        for proxy in self.proxies() {
            proxy.delay(Duration::ZERO);
            // What hangs in it would come through an hour late.
            proxy.cut().await;
            proxy.restore().await.expect("its port is still free");
        }
    }

    /// A message comes, is worked on and finished.
    pub async fn work(&self, n: u64) {
        let (id, now) = (format!("live-{n}"), self.ago("0"));
        self.sql(&format!(
            "INSERT INTO idempotent_record (biz_id, biz_type, status, create_time, update_time)
             VALUES ('{id}', 'TYPE_0', {}, {now}, {now})",
            1 + n % 3
        ))
        .await;
        let mut redis = self.redis().await;
        let mut all = redis::pipe();
        all.cmd("SET").arg(format!("{}:lock:TYPE_0:{id}", self.name)).arg(&id).arg("PX").arg(15_000);
        for at in 0..self.streams {
            all.cmd("XADD").arg(format!("{}:orders:{at}", self.name)).arg("*").arg("biz_id").arg(&id);
        }
        all.exec_async(&mut redis).await.expect("Redis takes it");
    }

    async fn redis(&self) -> redis::aio::MultiplexedConnection {
        let client = redis::Client::open(self.redis.as_str()).expect("an address");
        client.get_multiplexed_async_connection().await.expect("Redis takes connections")
    }

    async fn sql(&self, sql: &str) {
        let done = sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&self.pool).await;
        done.unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// So many seconds, as SQL has them.
    fn ago(&self, seconds: &str) -> String {
        match self.engine {
            Engine::Mariadb => format!("UTC_TIMESTAMP() - INTERVAL ({seconds}) SECOND"),
            Engine::Postgres => {
                format!("date_trunc('second', timezone('UTC', now())) - make_interval(secs => {seconds})")
            }
            Engine::Sqlite => format!("datetime('now', '-' || ({seconds}) || ' seconds')"),
        }
    }

    async fn fill(&self, rows: u64) {
        let (id, text, time) = match self.engine {
            Engine::Mariadb => ("BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY", "VARCHAR(64)", "DATETIME"),
            Engine::Postgres => ("bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY", "varchar(64)", "timestamp"),
            Engine::Sqlite => ("INTEGER PRIMARY KEY AUTOINCREMENT", "TEXT", "DATETIME"),
        };
        self.sql(&format!(
            "CREATE TABLE idempotent_record (id {id}, biz_id {text} NOT NULL, biz_type {text} NOT NULL,
             status SMALLINT NOT NULL, create_time {time} NOT NULL, update_time {time} NOT NULL, UNIQUE (biz_type, biz_id))"
        ))
        .await;
        if self.engine == Engine::Sqlite {
            self.sql("PRAGMA journal_mode = WAL").await;
        }
        let (before, numbers) = match self.engine {
            Engine::Mariadb => (String::new(), format!("(SELECT seq AS n FROM seq_1_to_{rows}) AS numbers")),
            Engine::Postgres => (String::new(), format!("generate_series(1, {rows}) AS numbers(n)")),
            Engine::Sqlite => (
                format!("WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {rows})"),
                "numbers".into(),
            ),
        };
        let joined = |prefix: &str, value: &str| match self.engine {
            Engine::Mariadb => format!("CONCAT('{prefix}', {value})"),
            Engine::Postgres | Engine::Sqlite => format!("'{prefix}' || {value}"),
        };
        let (key, r#type) = (joined("k", "n"), joined("TYPE_", &format!("(n % {TYPES})")));
        let (created, updated) = (self.ago("601 + n % 3000"), self.ago("600 + n % 3000"));
        // Of four rows two are finished, one is processing and one has failed.
        self.sql(&format!(
            "INSERT INTO idempotent_record (biz_id, biz_type, status, create_time, update_time) {before}
             SELECT {key}, {type}, CASE WHEN n % 2 = 0 THEN 2 WHEN n % 4 = 1 THEN 1 ELSE 3 END, {created}, {updated} FROM {numbers}"
        ))
        .await;
        self.sql(match self.engine {
            Engine::Mariadb => "ANALYZE TABLE idempotent_record",
            Engine::Postgres => "VACUUM (ANALYZE) idempotent_record",
            Engine::Sqlite => "ANALYZE",
        })
        .await;
    }

    pub fn toml(&self) -> String {
        let mut text = self.toml_with_locks(&format!("{}:lock:{{type}}:{{key}}", self.name));
        text += &format!("[source.signals]\nkind = \"redis\"\nprefix = \"{}_stat\"\n", self.name);
        for at in 0..self.streams {
            text += &format!(
                "[[source.broker]]\nkind = \"redis-streams\"\nurl = \"{}\"\nstreams = [\"{}:orders:{at}\"]\n\
                 group = \"points\"\nkey = {{ field = \"biz_id\" }}\n",
                self.redis_url(),
                self.name
            );
        }
        text
    }

    pub fn toml_with_locks(&self, pattern: &str) -> String {
        format!(
            r#"
            [[source]]
            name = "{}"
            [source.records]
            url = "{}"
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
            [source.locks]
            url = "{}"
            pattern = "{pattern}"
            done = ["done:*"]
            ttl = "15s"
            "#,
            self.name,
            self.records_url(),
            self.redis_url()
        )
    }

    fn records_url(&self) -> String {
        let Some([database, _]) = &self.proxies else { return self.database.url.clone() };
        let mut url = url::Url::parse(&self.database.url).expect("an address");
        url.set_host(Some(&database.addr().ip().to_string())).expect("a host");
        url.set_port(Some(database.addr().port())).expect("a port");
        url.into()
    }

    fn redis_url(&self) -> String {
        self.proxies.as_ref().map_or_else(|| self.redis.clone(), |[_, redis]| format!("redis://{}/", redis.addr()))
    }
}

fn of_type(n: u64) -> String {
    format!("TYPE_{}", n % TYPES)
}

/// Of one minute, as consumers of five types report it.
fn reported() -> Vec<(String, u64)> {
    let counts: [(&str, u64); 12] = [
        ("first", 1_180),
        ("dup_status", 60),
        ("dup_lock", 20),
        ("dup_index", 10),
        ("conflict", 90),
        ("completed", 1_170),
        ("failed", 8),
        ("from|order_event", 70),
        ("from|refund_event", 20),
        ("cause|producer", 90),
        ("ms|700", 1_100),
        ("ms|3000", 70),
    ];
    let each = |of: u64| counts.map(|(field, count)| (format!("{}|{field}", of_type(of)), count + of));
    (0..TYPES).flat_map(each).chain([("|alive|worker-3".to_owned(), 1)]).collect()
}

/// By the machine's clock, as consumers have it.
fn epoch_s() -> i64 {
    use server::clock::{Clock, SystemClock};
    SystemClock.now().timestamp()
}

/// One message each half second, on and on.
pub async fn keep_working(team: &Team) {
    let began = now();
    for n in 0.. {
        team.work(n).await;
        let next = began + Duration::from_millis(500 * (n + 1));
        tokio::time::sleep_until(next.into()).await;
    }
}
