//! `check`: each situation is made for real, on each engine that can have it.

mod grants;
mod locks;
mod queues;
mod servers;

use crate::cases::load;
use crate::cli::{Desk, source};
use serde_json::{Value, json};

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
