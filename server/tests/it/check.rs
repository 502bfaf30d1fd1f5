//! `check`: each situation is made for real, on each engine that can have it.

use crate::cases::load;
use crate::cli::{Desk, source};
use serde_json::{Value, json};
use server::clock::{Clock, SystemClock};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Engine {
    Mariadb,
    Postgres,
    Sqlite,
}

const ENGINES: [Engine; 3] = [Engine::Mariadb, Engine::Postgres, Engine::Sqlite];

impl Engine {
    async fn database(self) -> lab::Database {
        let database = match self {
            Self::Mariadb => lab::mariadb_database("check").await,
            Self::Postgres => lab::postgres_database("check").await,
            Self::Sqlite => lab::sqlite_database("check").await,
        };
        database.unwrap()
    }

    fn table(self) -> &'static str {
        match self {
            Self::Mariadb => {
                "CREATE TABLE idempotent_record (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
                biz_id VARBINARY(128) NULL, biz_type VARBINARY(64) NULL, status TINYINT NULL, create_time DATETIME NULL,
                update_time DATETIME NULL, UNIQUE KEY uk (biz_type, biz_id), KEY (status, update_time))"
            }
            Self::Postgres => {
                "CREATE TABLE idempotent_record (id bigserial PRIMARY KEY, biz_id varchar(128), biz_type varchar(64),
                status smallint, create_time timestamp, update_time timestamp, UNIQUE (biz_type, biz_id));
                CREATE INDEX ON idempotent_record (status, update_time)"
            }
            Self::Sqlite => {
                "CREATE TABLE idempotent_record (id INTEGER PRIMARY KEY, biz_id TEXT, biz_type TEXT, status INTEGER,
                create_time TEXT, update_time TEXT, UNIQUE (biz_type, biz_id));
                CREATE INDEX by_status ON idempotent_record (status, update_time)"
            }
        }
    }

    /// Now, moved by some minutes, as UTC wall clock.
    fn moved(self, minutes: i64) -> String {
        match self {
            Self::Mariadb => format!("UTC_TIMESTAMP() + INTERVAL {minutes} MINUTE"),
            Self::Postgres => format!("(now() AT TIME ZONE 'UTC') + interval '{minutes} minutes'"),
            Self::Sqlite => format!("datetime('now', '{minutes} minutes')"),
        }
    }

    /// Key and type of bytes are shown in hex.
    fn text(self, text: &str) -> String {
        if self == Self::Mariadb { text.bytes().map(|byte| format!("{byte:02x}")).collect() } else { text.to_owned() }
    }
}

/// A table with its source.
struct Site {
    engine: Engine,
    database: lab::Database,
    desk: Desk,
}

impl Site {
    async fn new(engine: Engine) -> Self {
        Self::with(engine, engine.table()).await
    }

    async fn with(engine: Engine, table: &str) -> Self {
        let database = engine.database().await;
        load(&database.url, table).await;
        let desk = Desk::new(&source("points", &database.url));
        Self { engine, database, desk }
    }

    async fn run(&self, sql: &str) {
        load(&self.database.url, sql).await;
    }

    /// A row of these key, type, status and minutes from now.
    async fn insert(&self, key: &str, r#type: &str, status: &str, minutes: i64) {
        let at = self.engine.moved(minutes);
        self.run(&format!(
            "INSERT INTO idempotent_record (biz_id, biz_type, status, create_time, update_time)
             VALUES ({key}, {type}, {status}, {at}, {at})"
        ))
        .await;
    }

    fn check(&self) -> Found {
        check(&self.desk)
    }
}

/// What `check` says of the only source.
#[derive(Debug)]
struct Found {
    code: i32,
    problems: Vec<Value>,
    notes: Vec<Value>,
    item: Value,
}

impl Found {
    fn problems(&self) -> Vec<&str> {
        self.problems.iter().map(|problem| problem["code"].as_str().unwrap()).collect()
    }

    /// The problem of this code.
    fn problem(&self, code: &str) -> &Value {
        let found = self.problems.iter().find(|problem| problem["code"] == code);
        found.unwrap_or_else(|| panic!("no {code}: {:?} {:?}", self.problems, self.notes))
    }

    fn note(&self, code: &str) -> Option<&Value> {
        self.notes.iter().find(|note| note["code"] == code)
    }
}

fn check(desk: &Desk) -> Found {
    let ended = desk.run(&["check", "--json"]);
    assert_eq!(ended.err, "", "{}", ended.out);
    let item = ended.json()["items"][0].clone();
    let list = |name: &str| item[name].as_array().unwrap().clone();
    let found = Found { code: ended.code, problems: list("problems"), notes: list("notes"), item };
    assert_eq!(found.code, i32::from(!found.problems.is_empty()), "problems alone decide the exit code: {found:?}");
    // People get the same, in words.
    let text = desk.run(&["check"]);
    assert_eq!(text.code, found.code, "{found:?} {}", text.out);
    let said = |label: &str| text.out.lines().filter(|line| line.starts_with(&format!("  {label}"))).count();
    assert_eq!(said("problem "), found.problems.len(), "{}", text.out);
    // A broker's statistics may have come meanwhile.
    assert!(said("note ") >= found.notes.len(), "{}", text.out);
    found
}

#[tokio::test]
async fn a_sound_table_has_no_problem() {
    for engine in ENGINES {
        let site = Site::new(engine).await;
        let empty = site.check();
        assert_eq!((empty.code, &empty.note("newest_rows").unwrap()["rows"]), (0, &json!(0)), "{engine:?}");
        site.insert("'a'", "'ORDER'", "2", -3).await;
        site.insert("'b'", "'ORDER'", "1", -2).await;
        let found = site.check();
        assert_eq!(found.problems, [] as [Value; 0], "{engine:?}");
        let newest = found.note("newest_rows").unwrap();
        let statuses = json!([{ "status": "processing", "count": 1 }, { "status": "completed", "count": 1 }]);
        assert_eq!((&newest["rows"], &newest["statuses"]), (&json!(2), &statuses), "{engine:?}");
        let age = newest["age_ms"].as_i64().unwrap();
        assert!((110_000..240_000).contains(&age), "{engine:?} {age}");
        assert!(found.item["clock_ahead_ms"].as_i64().unwrap().abs() < 1_000, "{engine:?}");
        for silent in ["index_would_help", "unmapped_codes", "folding", "replica", "unaudited"] {
            assert_eq!(found.note(silent), None, "{engine:?}");
        }
    }
}

#[tokio::test]
async fn codes_that_nothing_maps_are_counted() {
    for engine in ENGINES {
        let site = Site::new(engine).await;
        for (key, status) in [("'a'", "7"), ("'b'", "7"), ("'c'", "NULL"), ("'d'", "2")] {
            site.insert(key, "'ORDER'", status, -5).await;
        }
        let found = site.check();
        let codes = json!([{ "code": "7", "count": 2 }, { "code": null, "count": 1 }]);
        let unmapped = found.note("unmapped_codes").unwrap();
        assert_eq!((&unmapped["rows"], &unmapped["codes"]), (&json!(3), &codes), "{engine:?}");
        assert_eq!(found.code, 0);
    }
}

#[tokio::test]
async fn keys_that_are_none_or_several_times_there_are_problems() {
    for engine in ENGINES {
        let site = Site::new(engine).await;
        for key in ["NULL", "''", "'a'"] {
            site.insert(key, "'ORDER'", "2", -5).await;
        }
        let found = site.check();
        let missing = json!({ "code": "keys_missing", "nulls": 1, "empty": 1, "rows": 3 });
        assert_eq!(found.problems, [missing], "{engine:?}");

        let bare =
            engine.table().replace(", UNIQUE KEY uk (biz_type, biz_id)", "").replace(", UNIQUE (biz_type, biz_id)", "");
        let site = Site::with(engine, &bare).await;
        for key in ["'a'", "'a'", "'b'"] {
            site.insert(key, "'ORDER'", "2", -5).await;
        }
        let found = site.check();
        let example = format!("{} {}", engine.text("ORDER"), engine.text("a"));
        let duplicate = json!({ "code": "duplicate_keys", "keys": 1, "example": example, "rows": 3 });
        assert_eq!(found.problem("duplicate_keys"), &duplicate, "{engine:?}");
        found.problem("no_unique_index");
    }
}

#[tokio::test]
async fn times_that_cannot_be_right_are_noticed() {
    for engine in ENGINES {
        let site = Site::new(engine).await;
        site.insert("'a'", "'ORDER'", "2", 8 * 60 - 1).await;
        let found = site.check();
        let ahead = found.problem("in_future");
        assert_eq!(ahead["timezone"], "UTC", "{engine:?}");
        assert!((ahead["ahead_ms"].as_i64().unwrap() - (8 * 60 - 1) * 60_000).abs() < 30_000, "{engine:?} {ahead}");
        // The table holds Shanghai's wall clock: read as such, all is well.
        let shanghai = source("points", &site.database.url)
            .replace("[source.records]", "timezone = 'Asia/Shanghai'\n[source.records]");
        site.desk.configure(&shanghai);
        assert_eq!(site.check().problems(), [] as [&str; 0], "{engine:?}");
        // A table of UTC that is read as Shanghai's looks eight hours old.
        site.run("DELETE FROM idempotent_record").await;
        site.insert("'a'", "'ORDER'", "2", 0).await;
        let zone_old = json!({ "code": "zone_old", "minutes": 480, "timezone": "Asia/Shanghai" });
        assert_eq!(site.check().problems, [zone_old], "{engine:?}");
        // Creation in one zone, last change in the other.
        site.run("DELETE FROM idempotent_record").await;
        let (created, updated) = (engine.moved(8 * 60 - 3), engine.moved(-2));
        for key in 1..=3 {
            site.run(&format!(
                "INSERT INTO idempotent_record (biz_id, biz_type, status, create_time, update_time)
                 VALUES ('{key}', 'ORDER', 2, {created}, {updated})"
            ))
            .await;
        }
        let apart = json!({ "code": "changed_before_created", "rows": 3, "by_ms": 8 * 3_600_000 });
        assert_eq!(site.check().problems, [apart], "{engine:?}");
    }
}

#[tokio::test]
async fn an_index_that_would_help_is_taken_by_the_engine_as_suggested() {
    for engine in ENGINES {
        let site = Site::new(engine).await;
        site.run("DROP TABLE idempotent_record").await;
        let bytes = if engine == Engine::Mariadb { "VARBINARY" } else { "VARCHAR" };
        site.run(&format!(
            "CREATE TABLE idempotent_record (biz_id {bytes}(64) NOT NULL, biz_type {bytes}(64) NOT NULL, status INTEGER,
             create_time {time}, update_time {time}, PRIMARY KEY (biz_type, biz_id))",
            time = if engine == Engine::Postgres { "TIMESTAMP" } else { "DATETIME" }
        ))
        .await;
        let mapping = "table = 'idempotent_record'\nkey = ['biz_id']\ntype = 'biz_type'\ncreated = 'create_time'\n\
             updated = 'update_time'\nstatus = { column = 'status', processing = [1], completed = [2] }\n";
        site.desk.configure(&source("points", &site.database.url).replace("preset = 'idempotent_record'\n", mapping));
        let found = site.check();
        let suggested: Vec<(&str, &str)> = (found.notes.iter().filter(|note| note["code"] == "index_would_help"))
            .map(|note| (note["serves"].as_str().unwrap(), note["suggested_ddl"].as_str().unwrap()))
            .collect();
        assert_eq!(suggested.iter().map(|(serves, _)| *serves).collect::<Vec<_>>(), ["status", "time"], "{engine:?}");
        let online = match engine {
            Engine::Mariadb => "ALGORITHM=INPLACE, LOCK=NONE",
            Engine::Postgres => "CREATE INDEX CONCURRENTLY",
            Engine::Sqlite => "CREATE INDEX",
        };
        for (_, ddl) in &suggested {
            assert!(ddl.contains(online), "{ddl}");
            site.run(ddl).await;
        }
        let found = site.check();
        assert_eq!(found.note("index_would_help"), None, "{engine:?}");
        assert_eq!(found.item["strategy"]["strategy"], "status_index", "{engine:?}");
    }
}

#[tokio::test]
async fn the_end_of_the_ids_is_seen_coming() {
    let near = |site: &Site| {
        let found = site.check();
        let problem = found.problem("ids_near_end").clone();
        (problem["used_percent"].as_u64().unwrap(), problem["left"].as_u64().unwrap())
    };
    let mariadb =
        Site::with(Engine::Mariadb, &Engine::Mariadb.table().replace("id BIGINT", "id TINYINT UNSIGNED")).await;
    mariadb.run("ALTER TABLE idempotent_record AUTO_INCREMENT = 151").await;
    assert_eq!(mariadb.check().problems(), [] as [&str; 0]);
    // An id that is burnt is gone as well.
    mariadb.run("ALTER TABLE idempotent_record AUTO_INCREMENT = 231").await;
    assert_eq!(near(&mariadb), (90, 25));
    let signed = Site::with(Engine::Mariadb, &Engine::Mariadb.table().replace("id BIGINT", "id INT")).await;
    signed.run("ALTER TABLE idempotent_record AUTO_INCREMENT = 2000000001").await;
    assert_eq!(near(&signed), (93, 147_483_647));

    let postgres = Site::with(Engine::Postgres, &Engine::Postgres.table().replace("bigserial", "smallserial")).await;
    postgres.run("SELECT setval('idempotent_record_id_seq', 30000)").await;
    assert_eq!(near(&postgres), (91, 2_767));
    let own_end = "CREATE TABLE idempotent_record (id bigint GENERATED ALWAYS AS IDENTITY (MAXVALUE 1000) PRIMARY KEY, biz_id text,
        biz_type text, status smallint, create_time timestamp, update_time timestamp, UNIQUE (biz_type, biz_id));
        SELECT setval(pg_get_serial_sequence('idempotent_record', 'id'), 999)";
    assert_eq!(near(&Site::with(Engine::Postgres, own_end).await), (99, 1));

    let sqlite = Site::new(Engine::Sqlite).await;
    sqlite
        .run("INSERT INTO idempotent_record (id, biz_id, biz_type, status) VALUES (9000000000000000000, 'a', 'b', 2)")
        .await;
    assert_eq!(near(&sqlite), (97, 223_372_036_854_775_807));
}

#[tokio::test]
async fn a_collation_that_takes_two_keys_for_one_is_named() {
    let folding = |site: &Site| -> Vec<(Value, Value)> {
        let found = site.check();
        let of = found.notes.iter().filter(|note| note["code"] == "folding");
        of.map(|note| (note["columns"].clone(), note["folds"].clone())).collect()
    };
    let text =
        Engine::Mariadb.table().replace("biz_id VARBINARY(128)", "biz_id VARCHAR(128) COLLATE utf8mb4_general_ci");
    let text = text.replace("biz_type VARBINARY(64)", "biz_type VARCHAR(64) CHARACTER SET utf8mb3 COLLATE utf8mb3_bin");
    let mariadb = Site::with(Engine::Mariadb, &text).await;
    let expected =
        [(json!(["biz_type"]), json!(["padding"])), (json!(["biz_id"]), json!(["case", "accents", "padding"]))];
    assert_eq!(folding(&mariadb), expected);
    let narrow = json!({ "code": "narrow_charset", "column": "biz_type", "charset": "utf8mb3" });
    assert_eq!(mariadb.check().note("narrow_charset"), Some(&narrow));

    let folded = "CREATE EXTENSION citext;
        CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
        CREATE TABLE idempotent_record (id bigserial PRIMARY KEY, biz_id citext, biz_type varchar(64) COLLATE nocase,
        status smallint, create_time timestamp, update_time timestamp, UNIQUE (biz_type, biz_id))";
    let postgres = Site::with(Engine::Postgres, folded).await;
    assert_eq!(folding(&postgres), [(json!(["biz_type"]), json!(["case"])), (json!(["biz_id"]), json!(["case"]))]);

    let nocase = Engine::Sqlite.table().replace("biz_id TEXT", "biz_id TEXT COLLATE NOCASE");
    let sqlite = Site::with(Engine::Sqlite, &nocase).await;
    assert_eq!(folding(&sqlite), [(json!(["biz_id"]), json!(["case"]))]);
    // Both columns by one collation are one note.
    let both = Site::with(Engine::Mariadb, &Engine::Mariadb.table().replace("VARBINARY", "VARCHAR")).await;
    let columns: Vec<Value> = folding(&both).into_iter().map(|(columns, _)| columns).collect();
    assert_eq!(columns, [json!(["biz_type", "biz_id"])]);
}

#[tokio::test]
async fn keys_that_fill_their_column_among_shorter_ones_are_told() {
    let text = Engine::Mariadb.table().replace("biz_id VARBINARY(128)", "biz_id VARCHAR(20) COLLATE utf8mb4_bin");
    for (engine, table) in
        [(Engine::Mariadb, text), (Engine::Postgres, Engine::Postgres.table().replace("varchar(128)", "varchar(20)"))]
    {
        let site = Site::with(engine, &table).await;
        for key in ["'short'", "'shorter'", "'订单订单订单订单订单订单订单订单订单订单'"] {
            site.insert(key, "'ORDER'", "2", -5).await;
        }
        let full = json!({ "code": "keys_fill_column", "column": "biz_id", "length": 20, "keys": 1 });
        assert_eq!(site.check().note("keys_fill_column"), Some(&full), "{engine:?}");
    }
}

/// An account of its own, that may do nothing yet, and the source's URL with it.
async fn newcomer(site: &Site) -> (String, String) {
    let name = format!("console_{}", uuid::Uuid::new_v4().simple());
    let mut url: url::Url = site.database.url.parse().unwrap();
    url.set_username(&name).unwrap();
    url.set_password(Some("pw")).unwrap();
    match site.engine {
        Engine::Mariadb => site.run(&format!("CREATE USER {name}@'127.0.0.1' IDENTIFIED BY 'pw'")).await,
        Engine::Postgres => site.run(&format!("CREATE ROLE {name} LOGIN PASSWORD 'pw'")).await,
        Engine::Sqlite => unreachable!("a file has no accounts"),
    }
    site.desk.configure(&source("points", url.as_str()));
    (name, url.path().trim_start_matches('/').to_owned())
}

#[tokio::test]
async fn a_missing_grant_is_named_with_the_statement_that_mends_it() {
    for engine in [Engine::Mariadb, Engine::Postgres] {
        let site = Site::new(engine).await;
        site.insert("'a'", "'ORDER'", "2", -5).await;
        let (name, database) = newcomer(&site).await;
        // Some columns only; in MariaDB the others are then not even shown.
        let to = if engine == Engine::Mariadb { format!("{name}@'127.0.0.1'") } else { name };
        site.run(&format!("GRANT SELECT (id, biz_id, biz_type) ON idempotent_record TO {to}")).await;
        let found = site.check();
        assert_eq!(found.code, 1);
        let statement = found.problem("missing_grant")["statement"].as_str().unwrap().to_owned();
        let columns = if engine == Engine::Mariadb {
            "(`create_time`, `update_time`, `status`)"
        } else {
            r#"("create_time", "update_time", "status")"#
        };
        assert!(statement.starts_with(&format!("GRANT SELECT {columns} ON ")), "{statement}");
        site.run(&statement).await;
        let mended = site.check();
        assert_eq!((mended.problems(), mended.note("may_write")), (Vec::new(), None), "{engine:?} {:?}", mended.notes);

        // Nothing at all.
        let (name, _) = newcomer(&site).await;
        let to = if engine == Engine::Mariadb { format!("{name}@'127.0.0.1'") } else { name };
        if engine == Engine::Mariadb {
            site.run(&format!("CREATE TABLE other (id INT);\nGRANT SELECT ON {database}.other TO {to}")).await;
        }
        let found = site.check();
        let statement = found.problem("missing_grant")["statement"].as_str().unwrap().to_owned();
        assert!(statement.starts_with("GRANT SELECT ON "), "{statement}");
        site.run(&statement).await;
        assert_eq!(site.check().problems(), [] as [&str; 0], "{engine:?}");

        // More than enough is a note.
        site.run(&format!("GRANT INSERT, DELETE ON idempotent_record TO {to}")).await;
        let more = site.check();
        let may_write = json!({ "code": "may_write", "privileges": ["INSERT", "DELETE"] });
        assert_eq!((more.code, more.note("may_write")), (0, Some(&may_write)), "{engine:?}");
    }
}

#[tokio::test]
async fn a_schema_that_may_not_be_used_and_ids_that_may_not_be_asked() {
    let site = Site::new(Engine::Postgres).await;
    let (name, _) = newcomer(&site).await;
    site.run(&format!(
        "CREATE SCHEMA team;
         CREATE TABLE team.idempotent_record (id smallserial PRIMARY KEY, biz_id text, biz_type text, status int,
             create_time timestamp, update_time timestamp, UNIQUE (biz_type, biz_id));
         INSERT INTO team.idempotent_record VALUES (30000, 'a', 'b', 2, now(), now());
         GRANT SELECT ON team.idempotent_record TO {name}"
    ))
    .await;
    let configuration = std::fs::read_to_string(site.desk.path().join("oncewatch.toml")).unwrap();
    site.desk.configure(&format!("{configuration}table = 'team.idempotent_record'\n"));
    let found = site.check();
    let usage = format!("GRANT USAGE ON SCHEMA \"team\" TO \"{name}\"");
    assert_eq!(found.problem("missing_grant")["statement"], usage);
    site.run(&usage).await;
    // The sequence is not this account's to ask: the largest id speaks for it.
    assert_eq!(site.check().problems(), ["ids_near_end"]);
}

/// One server for both, since it takes seconds to start.
#[tokio::test]
async fn a_clock_that_is_wrong_and_a_replica_on_mariadb() {
    let server = lab::services::mariadb::start().await.unwrap();
    load(
        server.url(),
        "CREATE DATABASE points;
         CREATE USER console@'127.0.0.1' IDENTIFIED BY 'pw';
         GRANT SELECT ON points.* TO console@'127.0.0.1';
         SET GLOBAL init_connect = 'SET timestamp = UNIX_TIMESTAMP() + 30'",
    )
    .await;
    load(&format!("{}points", server.url()), Engine::Mariadb.table()).await;
    let url = |user: &str| format!("mysql://{user}@{}/points", server.address());
    let desk = Desk::new(&source("points", &url("console:pw")));
    let found = check(&desk);
    let ahead = found.problem("clock_apart")["ahead_ms"].as_i64().unwrap();
    assert!((25_000..=31_000).contains(&ahead), "{ahead}");
    assert_eq!(found.note("replica"), None);

    load(server.url(), "SET GLOBAL init_connect = 'SET timestamp = UNIX_TIMESTAMP() - 30'").await;
    assert!(check(&desk).problem("clock_apart")["ahead_ms"].as_i64().unwrap() < -25_000);

    // Read-only alone; this account may not ask what it follows.
    load(server.url(), "SET GLOBAL init_connect = '';\nSET GLOBAL read_only = 1").await;
    let unknown = json!({ "code": "replica", "behind_ms": null });
    let found = check(&desk);
    assert_eq!((found.code, found.note("replica")), (0, Some(&unknown)));
    load(server.url(), "SET GLOBAL read_only = 0;\nCHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_USER = 'nobody'")
        .await;
    desk.configure(&source("points", &url("lab:lab-password")));
    assert_eq!(check(&desk).note("replica"), Some(&unknown));
}

#[tokio::test]
async fn a_replica_on_postgres() {
    let mut server = lab::services::postgres::start().await.unwrap();
    load(server.url(), Engine::Postgres.table()).await;
    let desk = Desk::new(&source("points", server.url()));
    assert_eq!(check(&desk).note("replica"), None);
    let mut connection = <sqlx::PgConnection as sqlx::Connection>::connect(server.url()).await.unwrap();
    let data: String = sqlx::query_scalar("SHOW data_directory").fetch_one(&mut connection).await.unwrap();
    sqlx::Connection::close(connection).await.unwrap();
    server.stop().await.unwrap();
    std::fs::write(std::path::Path::new(&data).join("standby.signal"), "").unwrap();
    server.start_again().await.unwrap();
    let found = check(&desk);
    assert!(found.note("replica").is_some(), "{:?}", found.notes);
    assert_eq!(found.code, 0);
}

async fn with_locks(redis: &str) -> Desk {
    let desk = crate::cli::points().await;
    desk.configure(&format!(
        "{}[source.locks]\nurl = '{redis}'\npattern = 'idem_lock:{{type}}:{{key}}'\nttl = '15s'\ndone = ['done:*']\n",
        source("points", "sqlite://points.db")
    ));
    desk
}

#[tokio::test]
async fn redis_is_asked_how_it_treats_locks() {
    let redis = lab::services::redis::start().await.unwrap();
    let mut connection = redis::Client::open(redis.url()).unwrap().get_multiplexed_async_connection().await.unwrap();
    let desk = with_locks(redis.url()).await;
    let found = check(&desk);
    assert_eq!(found.problems(), [] as [&str; 0]);
    let store = found.note("lock_store").unwrap();
    assert_eq!(
        (&store["role"], &store["policy"], &store["max_memory"]),
        (&json!("master"), &json!("noeviction"), &json!(0))
    );
    assert_eq!(found.note("lock_sample").unwrap()["matching"], 0);

    let mut run = async |command: &str| {
        let mut words = command.split(' ');
        let mut command = redis::cmd(words.next().unwrap());
        words.for_each(|word| {
            command.arg(word);
        });
        command.exec_async(&mut connection).await.unwrap();
    };
    run("CONFIG SET maxmemory-policy volatile-ttl").await;
    let latent = check(&desk);
    assert_eq!((latent.code, &latent.note("eviction_policy").unwrap()["policy"]), (0, &json!("volatile-ttl")));
    for policy in ["volatile-ttl", "allkeys-lru"] {
        run(&format!("CONFIG SET maxmemory-policy {policy}")).await;
        run("CONFIG SET maxmemory 100mb").await;
        let evicting = json!({ "code": "lock_eviction", "policy": policy, "max_memory": 104_857_600 });
        assert_eq!(check(&desk).problems, [evicting]);
    }
    run("CONFIG SET maxmemory-policy noeviction").await;

    // Owners that are one, a lock for ever, one that outlives the configuration, one of another kind.
    run("SET idem_lock:ORDER:1 1 PX 14000").await;
    run("SET idem_lock:ORDER:2 1").await;
    run("SET idem_lock:ORDER:3 1 PX 60000").await;
    run("SET idem_lock:ORDER:4 done:1795939230123 EX 86400").await;
    run("HSET idem_lock:ORDER:5 owner 1").await;
    run("SET other:ORDER:6 1").await;
    let found = check(&desk);
    assert_eq!(found.problems(), ["shared_lock_owner", "lock_without_ttl", "lock_ttl_longer", "lock_of_other_type"]);
    assert_eq!(found.problem("lock_without_ttl")["count"], 1);
    assert_eq!(
        found.problem("lock_of_other_type"),
        &json!({ "code": "lock_of_other_type", "redis_type": "hash", "count": 1 })
    );
    let longer = found.problem("lock_ttl_longer");
    assert_eq!(longer["configured_ms"], 15_000);
    assert!(longer["seen_ms"].as_u64().unwrap() > 50_000);
    let sample = found.note("lock_sample").unwrap();
    assert_eq!((&sample["matching"], &sample["done"], &sample["total"]), (&json!(5), &json!(1), &json!(6)));

    run("DEL idem_lock:ORDER:2 idem_lock:ORDER:3 idem_lock:ORDER:5").await;
    run("REPLICAOF 127.0.0.1 1").await;
    let replica = check(&desk);
    assert!(replica.note("lock_replica").is_some() && replica.note("lock_store").unwrap()["role"] == "slave");
}

#[tokio::test]
async fn a_redis_account_that_may_ask_nothing_else_is_enough() {
    let redis = lab::services::redis::start().await.unwrap();
    let mut connection = redis::Client::open(redis.url()).unwrap().get_multiplexed_async_connection().await.unwrap();
    let acl = ["SETUSER", "console", "on", ">pw", "~*", "-@all", "+get", "+pttl", "+ping", "+client", "+select"];
    redis::cmd("ACL").arg(&acl).exec_async(&mut connection).await.unwrap();
    let desk = with_locks(&format!("redis://console:pw@{}/0", redis.address())).await;
    let found = check(&desk);
    let unseen: Vec<&Value> =
        found.notes.iter().filter(|note| note["code"] == "unaudited").map(|note| &note["what"]).collect();
    assert_eq!((found.code, unseen), (0, vec![&json!("lock_store"), &json!("lock_sample")]), "{:?}", found.problems);
}

#[tokio::test]
async fn queues_are_found_or_not_and_consumed_or_not() {
    let rabbit = crate::brokers::Rabbit::new().await;
    for queue in ["points.orders", "points-dlq"] {
        rabbit.declare(queue).await;
    }
    rabbit.publish("points-dlq", "1").await;
    let desk = crate::cli::points().await;
    let with = |dead_letter: &str| {
        format!(
            "{}[[source.broker]]\nkind = 'rabbitmq'\nurl = '{}'\nvhost = '{}'\nqueues = ['points.*']\ndead_letter = '{dead_letter}'\n",
            source("points", "sqlite://points.db"),
            rabbit.vhost.management_url,
            rabbit.vhost.name
        )
    };
    desk.configure(&with("points-dlq"));
    // The management API's statistics come some seconds late.
    let began = SystemClock.instant();
    let found = loop {
        let found = check(&desk);
        let counted = found.note("dead_letter_found").is_some_and(|note| note["messages"] == 1);
        if (counted && found.note("no_consumer").is_some())
            || SystemClock.instant().duration_since(began).as_secs() > 20
        {
            break found;
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    };
    assert_eq!(found.code, 0);
    assert_eq!(found.note("no_consumer"), Some(&json!({ "code": "no_consumer", "queue": "points.orders" })));
    assert_eq!(found.note("dead_letter_found").unwrap()["messages"], 1);
    desk.configure(&with("nowhere"));
    assert_eq!(check(&desk).problems, [json!({ "code": "queue_not_found", "glob": "nowhere" })]);
}

#[test]
fn a_database_that_is_away_is_one_problem_and_no_more() {
    for url in ["mysql://console:s3cret@127.0.0.1:1/points", "postgres://console:s3cret@127.0.0.1:1/points"] {
        let found = check(&Desk::new(&source("points", url)));
        assert_eq!((found.problems(), found.notes.len()), (vec!["fault"], 0));
    }
}

#[tokio::test]
async fn tables_in_numbers_are_audited_by_their_last_ones() {
    for engine in ENGINES {
        let site = Site::new(engine).await;
        for month in ["202609", "202610", "202611"] {
            site.run(
                &engine
                    .table()
                    .replace("idempotent_record", &format!("log_{month}"))
                    .replace("by_status", &format!("s_{month}")),
            )
            .await;
        }
        let at = engine.moved(-5);
        for (table, key, status) in [("log_202611", "a", 7), ("log_202611", "b", 2), ("log_202610", "a", 2)] {
            site.run(&format!(
                "INSERT INTO {table} (biz_id, biz_type, status, create_time, update_time) VALUES ('{key}', 'ORDER', {status}, {at}, {at})"
            ))
            .await;
        }
        site.desk.configure(&format!("{}table = 'log_*'\n", source("points", &site.database.url)));
        let found = site.check();
        // One key in two months: each unique index sees one of them.
        assert_eq!(found.problem("duplicate_keys")["keys"], 1, "{engine:?}");
        assert_eq!(found.note("newest_rows").unwrap()["rows"], 3, "{engine:?}");
        assert_eq!(found.note("unmapped_codes").unwrap()["codes"], json!([{ "code": "7", "count": 1 }]), "{engine:?}");
    }
}
