//! Tables as teams have them: whatever the shape, the same normalised records. Each is read through the port, page by
//! page, with the mapping as a configuration file writes it.

use app::model::{Pk, Record, RecordRef, RecordsQuery};
use server::adapters::records::connect;
use server::clock::SystemClock;
use server::config::{Config, Environment, from_toml};
use server::ports::records::{RecordStore, Span};
use sqlx::{AssertSqlSafe, ConnectOptions, Executor, MySqlConnection, PgConnection, SqliteConnection};
use std::path::Path;
use std::sync::Arc;

/// Runs a script, statement by statement, in one session.
pub(crate) async fn load(url: &str, script: &str) {
    let statements: Vec<&str> = script.split(";\n").map(str::trim).filter(|statement| !statement.is_empty()).collect();
    match url.split(':').next().unwrap() {
        "mysql" => run(mysql(url).await, &statements).await,
        "postgres" => run(<PgConnection as sqlx::Connection>::connect(url).await.unwrap(), &statements).await,
        _ => run(<SqliteConnection as sqlx::Connection>::connect(url).await.unwrap(), &statements).await,
    }
}

/// Without the driver's own session settings, as a team's client has it.
async fn mysql(url: &str) -> MySqlConnection {
    let options = sqlx::mysql::MySqlConnectOptions::from_url(&url.parse().unwrap()).unwrap();
    options.no_engine_substitution(false).pipes_as_concat(false).timezone(None).connect().await.unwrap()
}

async fn run<C>(mut connection: C, statements: &[&str])
where
    C: sqlx::Connection,
    for<'c> &'c mut C: Executor<'c>,
{
    for statement in statements {
        let sql = AssertSqlSafe((*statement).to_owned());
        (&mut connection).execute(sqlx::raw_sql(sql)).await.unwrap_or_else(|error| panic!("{error}: {statement}"));
    }
    connection.close().await.unwrap();
}

pub(crate) fn store_of(config: &Config) -> Arc<dyn RecordStore> {
    connect(&config.sources[0], &config.limits, Arc::new(SystemClock)).unwrap()
}

/// Every record, in pages of three.
pub(crate) async fn all(store: &dyn RecordStore) -> Vec<Record> {
    let mut query = RecordsQuery { limit: 3, ..RecordsQuery::default() };
    let mut records = Vec::new();
    loop {
        let page = store.list(&query).await.unwrap();
        records.extend(page.items.into_iter().map(|row| row.record));
        match page.next {
            Some(next) => query.cursor = Some(next),
            None => return records,
        }
    }
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}

/// `id | type | key | status | created | updated | attempts | error | owner | lease`, `-` for what is null.
fn line(record: &Record) -> String {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    let time = |at: Option<_>| or_dash(at.map(app::model::time::text));
    [
        or_dash(record.id.clone()),
        or_dash(record.r#type.clone()),
        or_dash(record.key.clone()),
        record.status.as_str().into(),
        time(record.created_at),
        time(record.updated_at),
        or_dash(record.attempts.map(|attempts| attempts.to_string())),
        or_dash(record.error.clone()),
        or_dash(record.owner.clone()),
        time(record.lease_until),
    ]
    .join(" | ")
}

async fn reads(url: &str, script: &str, mapping: &str, expected: &[&str]) {
    load(url, script).await;
    let toml = format!("[[source]]\nname = \"case\"\n{}", mapping.replace("$URL", url));
    let config = from_toml(&toml, &Environment::default()).unwrap();
    let store = store_of(&config);
    store.describe().await.unwrap();
    let found = sorted(all(&*store).await.iter().map(line).collect());
    assert_eq!(found, sorted(expected.iter().map(|line| (*line).to_owned()).collect()));
}

#[tokio::test]
async fn mysql_inverted_codes_and_zero_dates() {
    let database = lab::mariadb_database("case").await.unwrap();
    let script = "SET time_zone = '+00:00', sql_mode = '';
        CREATE TABLE t_msg (id INT NOT NULL AUTO_INCREMENT, biz_id VARCHAR(64) NOT NULL, biz_type VARCHAR(32) NULL,
            result INT NULL, tries INT NOT NULL DEFAULT 0, created TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
            updated TIMESTAMP NOT NULL DEFAULT '0000-00-00 00:00:00', PRIMARY KEY (id), KEY (biz_id)) DEFAULT CHARSET=utf8mb4;
        INSERT INTO t_msg VALUES (1, 'SO-1', 'stock', 0, 1, '2026-11-29 08:00:00', '2026-11-29 08:00:05'),
            (2, 'SO-1', 'stock', 2, 1, '2026-11-29 08:00:03', '0000-00-00 00:00:00'),
            (3, 'SO-2', NULL, 1, 5, '2026-11-29 08:00:00', '2026-11-29 08:15:00'),
            (4, '', 'coupon', NULL, 2147483647, '2026-11-29 08:00:00', '2026-11-29 08:00:00');\n";
    let mapping = r#"timezone = "Asia/Shanghai"
        [source.records]
        url = "$URL"
        table = "t_msg"
        id = "id"
        key = ["biz_id"]
        type = "biz_type"
        created = "created"
        updated = "updated"
        attempts = "tries"
        [source.records.status]
        column = "result"
        processing = [2]
        completed = [0]
        failed = [1]"#;
    let expected = [
        "1 | stock | SO-1 | completed | 2026-11-29T08:00:00Z | 2026-11-29T08:00:05Z | 1 | - | - | -",
        "2 | stock | SO-1 | processing | 2026-11-29T08:00:03Z | - | 1 | - | - | -",
        "3 | - | SO-2 | failed | 2026-11-29T08:00:00Z | 2026-11-29T08:15:00Z | 5 | - | - | -",
        "4 | coupon |  | unmapped | 2026-11-29T08:00:00Z | 2026-11-29T08:00:00Z | 2147483647 | - | - | -",
    ];
    reads(&database.url, script, mapping, &expected).await;
}

#[tokio::test]
async fn mysql_text_codes_in_any_case_and_a_joined_key() {
    let database = lab::mariadb_database("case").await.unwrap();
    let script = "CREATE TABLE consumed (id BIGINT NOT NULL PRIMARY KEY, tenant BIGINT NOT NULL, event VARCHAR(64) NOT NULL,
            topic VARCHAR(64) NOT NULL, tag VARCHAR(32) NULL, state VARCHAR(20) NULL, created DATETIME NOT NULL,
            updated DATETIME(3) NULL, UNIQUE (tenant, event), KEY (state, updated)) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
        INSERT INTO consumed VALUES
            (101, 9007199254740993, 'e:1', 'order', 'paid', 'PROCESSING', '2026-11-29 16:00:00', '2026-11-29 08:00:01.120'),
            (102, -1, 'e 2', 'order', NULL, 'Success', '2026-11-29 00:00:00', NULL),
            (103, 0, '事件', 'order', '', 'DeaD', '2026-11-29 16:00:00', NULL),
            (104, 1, 'y', 'order', '*', 'SÚCCESS', '2026-11-29 16:00:00', NULL),
            (105, 1, 'w', 'order', 'x', NULL, '2026-11-29 16:00:00', NULL);\n";
    let mapping = r#"[source.records]
        url = "$URL"
        table = "consumed"
        id = "id"
        key = ["tenant", "event"]
        type = ["topic", "tag"]
        created = { column = "created", timezone = "Asia/Shanghai" }
        updated = "updated"
        [source.records.status]
        column = "state"
        processing = ["processing"]
        completed = ["success"]
        dead = ["DEAD", "discarded"]"#;
    let expected = [
        "101 | order:paid | 9007199254740993:e:1 | processing | 2026-11-29T08:00:00Z | 2026-11-29T08:00:01.12Z | - | - | - | -",
        "102 | order: | -1:e 2 | completed | 2026-11-28T16:00:00Z | - | - | - | - | -",
        "103 | order: | 0:事件 | dead | 2026-11-29T08:00:00Z | - | - | - | - | -",
        "104 | order:* | 1:y | unmapped | 2026-11-29T08:00:00Z | - | - | - | - | -",
        "105 | order:x | 1:w | unmapped | 2026-11-29T08:00:00Z | - | - | - | - | -",
    ];
    reads(&database.url, script, mapping, &expected).await;
}

#[tokio::test]
async fn mysql_null_is_running_and_the_lease_is_in_milliseconds() {
    let database = lab::mariadb_database("case").await.unwrap();
    let script = "CREATE TABLE once (id BIGINT UNSIGNED NOT NULL PRIMARY KEY, `key` VARBINARY(191) NOT NULL UNIQUE,
            is_success TINYINT(1) NULL, reason TEXT NULL, lock_id BINARY(4) NULL, lock_until BIGINT NULL,
            created DATETIME(3) NOT NULL) DEFAULT CHARSET=utf8mb4;
        INSERT INTO once VALUES (18446744073709551614, x'00FF', NULL, '', x'0000abcd', 1795939230123, '2026-11-29 08:00:00.120'),
            (2, x'01', 1, NULL, NULL, NULL, '2026-11-29 08:00:00.001'),
            (3, x'02', 0, 'first line\nsecond', NULL, 0, '2026-11-29 08:00:00.500'),
            (4, x'03', 2, NULL, NULL, NULL, '2026-11-29 08:00:00.010');\n";
    let mapping = r#"[source.records]
        url = "$URL"
        table = "once"
        id = "id"
        key = ["key"]
        type = { constant = "SETTLEMENT" }
        created = "created"
        error = "reason"
        owner = "lock_id"
        lease_until = { column = "lock_until", unit = "epoch_ms" }
        [source.records.status]
        column = "is_success"
        processing = ["null"]
        completed = [1]
        failed = [0]"#;
    let expected = [
        "18446744073709551614 | SETTLEMENT | 00ff | processing | 2026-11-29T08:00:00.12Z | - | - |  | 0000abcd | 2026-11-29T08:00:30.123Z",
        "2 | SETTLEMENT | 01 | completed | 2026-11-29T08:00:00.001Z | - | - | - | - | -",
        "3 | SETTLEMENT | 02 | failed | 2026-11-29T08:00:00.5Z | - | - | first line\nsecond | - | -",
        "4 | SETTLEMENT | 03 | unmapped | 2026-11-29T08:00:00.01Z | - | - | - | - | -",
    ];
    reads(&database.url, script, mapping, &expected).await;
}

#[tokio::test]
async fn mysql_no_id_and_four_columns_as_the_key() {
    let database = lab::mariadb_database("case").await.unwrap();
    let script = "CREATE TABLE dedup (app VARCHAR(64) NOT NULL, topic VARCHAR(64) NOT NULL, tag VARCHAR(64) NOT NULL,
            msg VARCHAR(255) NOT NULL, state VARCHAR(16) NOT NULL, expires BIGINT NULL,
            UNIQUE (app, topic, tag, msg)) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
        INSERT INTO dedup VALUES ('points', 'ORDER', 'PAID', 'B-2', 'CONSUMED', 1795939200000),
            ('points', 'ORDER', 'PAID', 'b-2', 'CONSUMING', NULL), ('points', 'ORDER', '', 'B-10', 'consumed', NULL),
            ('积分', 'ORDER', 'A||B', '键:1', 'CONSUMING', NULL), ('mail', 'ORDER', 'PAID', '100%_', '', 4102444800000);\n";
    let mapping = r#"timezone = "Asia/Shanghai"
        [source.records]
        url = "$URL"
        table = "dedup"
        key = ["msg"]
        type = ["app", "topic", "tag"]
        lease_until = { column = "expires", unit = "epoch_ms" }
        [source.records.status]
        column = "state"
        processing = ["CONSUMING"]
        completed = ["CONSUMED"]"#;
    let expected = [
        "- | points:ORDER:PAID | B-2 | completed | - | - | - | - | - | 2026-11-29T08:00:00Z",
        "- | points:ORDER:PAID | b-2 | processing | - | - | - | - | - | -",
        "- | points:ORDER: | B-10 | completed | - | - | - | - | - | -",
        "- | 积分:ORDER:A||B | 键:1 | processing | - | - | - | - | - | -",
        "- | mail:ORDER:PAID | 100%_ | unmapped | - | - | - | - | - | 2100-01-01T00:00:00Z",
    ];
    reads(&database.url, script, mapping, &expected).await;
}

#[tokio::test]
async fn postgres_bigserial_with_a_code_and_several_key_columns() {
    let database = lab::postgres_database("case").await.unwrap();
    let script = "CREATE TABLE idempotency_keys (id bigserial PRIMARY KEY, created timestamptz NOT NULL, k text NOT NULL,
            last_run timestamptz NOT NULL, method char(6) NOT NULL, path text NOT NULL, code int NULL, user_id bigint NULL);
        CREATE UNIQUE INDEX ON idempotency_keys (user_id, k);
        INSERT INTO idempotency_keys VALUES
            (1, '2026-11-29 08:00:00.000001+00', 'k-1', '2026-11-29 08:00:00.1+00', 'POST', '/rides', NULL, 42),
            (2, '2026-11-29 08:00:00+00', 'k-1', 'infinity', 'POST', '/rides', 201, 9007199254740993),
            (3, '2026-11-29 08:00:00+00', 'a:b c/ü?%', '-infinity', 'PUT', '/x?x=y:z', 500, NULL),
            (9223372036854775807, '2026-07-01 00:00:00+02', 'k-5', 'epoch', 'DELETE', '', 0, 0);\n";
    let mapping = r#"timezone = "America/New_York"
        [source.records]
        url = "$URL"
        table = "public.idempotency_keys"
        id = "id"
        key = ["user_id", "k"]
        type = ["method", "path"]
        created = "created"
        updated = "last_run"
        [source.records.status]
        column = "code"
        processing = ["null"]
        completed = [201, 500]"#;
    let expected = [
        "1 | POST:/rides | 42:k-1 | processing | 2026-11-29T08:00:00.000001Z | 2026-11-29T08:00:00.1Z | - | - | - | -",
        "2 | POST:/rides | 9007199254740993:k-1 | completed | 2026-11-29T08:00:00Z | - | - | - | - | -",
        "3 | PUT:/x?x=y:z | :a:b c/ü?% | completed | 2026-11-29T08:00:00Z | - | - | - | - | -",
        "9223372036854775807 | DELETE: | 0:k-5 | unmapped | 2026-06-30T22:00:00Z | - | - | - | - | -",
    ];
    reads(&database.url, script, mapping, &expected).await;
}

#[tokio::test]
async fn postgres_quoted_names_uuids_and_a_boolean() {
    let database = lab::postgres_database("case").await.unwrap();
    let script = r#"CREATE SCHEMA "Sales";
        CREATE TABLE "Sales"."Inbox.State" ("MessageId" uuid NOT NULL, "ConsumerId" uuid NOT NULL, "LockId" uuid NULL,
            "Raw" bytea NULL, "Done" boolean NULL, "At" timestamp NULL, PRIMARY KEY ("MessageId", "ConsumerId"));
        CREATE TABLE "Sales"."inbox.state" ("MessageId" uuid);
        INSERT INTO "Sales"."Inbox.State" VALUES
            ('0B4C5A00-5D3F-08DD-AAAA-0242AC110002', '6FA459EA-EE8A-3CA4-894E-DB77E160355E', NULL, '\x00FF', true, '2026-11-29 08:00:00.123'),
            ('0B4C5A00-5D3F-08DD-CCCC-0242AC110002', '6fa459ea-ee8a-3ca4-894e-db77e160355e', '0B4C5A00-5D3F-08DD-BBBB-0242AC110002', NULL, false, NULL),
            ('0B4C5A00-5D3F-08DD-CCCC-0242AC110002', 'ffffffff-ffff-ffff-ffff-ffffffffffff', NULL, NULL, NULL, 'infinity');
"#;
    let mapping = r#"[source.records]
        url = "$URL"
        table = ["Sales", "Inbox.State"]
        key = ["MessageId"]
        type = "ConsumerId"
        updated = "At"
        owner = "LockId"
        error = "Raw"
        [source.records.status]
        column = "Done"
        processing = [false]
        completed = [true]"#;
    let consumer = "6fa459ea-ee8a-3ca4-894e-db77e160355e";
    let expected = [
        format!("- | {consumer} | 0b4c5a00-5d3f-08dd-aaaa-0242ac110002 | completed | - | 2026-11-29T08:00:00.123Z | - | 00ff | - | -"),
        format!("- | {consumer} | 0b4c5a00-5d3f-08dd-cccc-0242ac110002 | processing | - | - | - | - | 0b4c5a00-5d3f-08dd-bbbb-0242ac110002 | -"),
        "- | ffffffff-ffff-ffff-ffff-ffffffffffff | 0b4c5a00-5d3f-08dd-cccc-0242ac110002 | unmapped | - | - | - | - | - | -".to_owned(),
    ];
    reads(&database.url, script, mapping, &expected.each_ref().map(String::as_str)).await;
}

#[tokio::test]
async fn sqlite_times_as_text_and_a_composite_primary_key() {
    let database = lab::sqlite_database("case").await.unwrap();
    let script = "CREATE TABLE deliveries (grp TEXT NOT NULL, key TEXT NOT NULL, status TEXT NOT NULL, tries INTEGER,
            owner, expires TEXT, created TEXT, updated DATETIME, PRIMARY KEY (grp, key)) WITHOUT ROWID;
        INSERT INTO deliveries VALUES ('mailer', 'order:1', 'pending', 0, x'00ff', NULL, '2026-11-29T08:00:00.000Z', NULL),
            ('mailer', 'order:2', 'PROCESSING', '1', 4711, '20261129161500', '2026-11-29T16:00:00+08:00', '2026-11-29 08:00:01'),
            ('邮件', 'o\"6\"', 'completed', NULL, '', '', '', '2026-11-29 08:00:02.5'),
            ('邮件', 'x', 'cancelled', 2, NULL, 'soon', NULL, 'yesterday');\n";
    let mapping = r#"[source.records]
        url = "$URL"
        table = "deliveries"
        key = ["key"]
        type = "grp"
        created = "created"
        updated = "updated"
        attempts = "tries"
        owner = "owner"
        lease_until = { column = "expires", unit = "text", format = "%Y%m%d%H%M%S", timezone = "Asia/Shanghai" }
        [source.records.status]
        column = "status"
        processing = ["pending", "processing"]
        completed = ["completed"]"#;
    let expected = [
        "- | mailer | order:1 | processing | 2026-11-29T08:00:00Z | - | 0 | - | 00ff | -",
        "- | mailer | order:2 | processing | 2026-11-29T08:00:00Z | 2026-11-29T08:00:01Z | 1 | - | 4711 | 2026-11-29T08:15:00Z",
        "- | 邮件 | o\"6\" | completed | - | 2026-11-29T08:00:02.5Z | - | - |  | -",
        "- | 邮件 | x | unmapped | - | - | 2 | - | - | -",
    ];
    reads(&database.url, script, mapping, &expected).await;
}

#[tokio::test]
async fn postgres_states_by_time_stamps_ranges_and_a_lease_that_is_counted() {
    let database = lab::postgres_database("case").await.unwrap();
    let script = "CREATE TABLE calls (seq bigserial PRIMARY KEY, ref text NOT NULL, kind text NOT NULL, queued timestamptz,
            began timestamptz, ended timestamptz, given_up timestamptz, http int, hidden boolean, body bytea,
            UNIQUE (kind, ref));
        INSERT INTO calls VALUES
            (1, 'a', 'pay', '2026-11-29 08:00:00+00', '2026-11-29 08:00:01+00', '2026-11-29 08:00:02+00', NULL, 200, false, 'x'),
            (2, 'b', 'pay', NULL, '2026-11-29 08:00:01+00', NULL, '2026-11-29 09:00:00+00', NULL, NULL, NULL),
            (3, 'c', 'pay', '2026-11-29 08:00:00+00', '2026-11-29 08:00:01+00', NULL, NULL, 404, false, 'y'),
            (4, 'd', 'pay', '2026-11-29 08:00:00+00', '2026-11-29 08:00:01+00', NULL, NULL, 600, false, NULL),
            (5, 'e', 'pay', '2026-11-29 08:00:00+00', NULL, NULL, NULL, NULL, false, NULL),
            (6, 'f', 'pay', '2026-11-29 08:00:00+00', NULL, NULL, NULL, NULL, true, NULL),
            (7, 'g', 'ping', '2026-11-29 08:00:00+00', NULL, NULL, NULL, NULL, false, NULL),
            (8, 'h', 'pay', '2026-11-29 08:00:03+00', '2026-11-29 08:00:01+00', NULL, NULL, NULL, false, 'z');\n";
    let mapping = r#"timezone = "America/New_York"
        [source.records]
        url = "$URL"
        table = "calls"
        id = "seq"
        key = ["ref"]
        type = "kind"
        created = ["queued", "began"]
        updated = ["given_up", "ended"]
        lease_until = { column = "began", plus = "5m" }
        where = [ { column = "hidden", not_equals = true }, { column = "kind", in = ["PAY", "refund"] } ]
        [source.records.status]
        column = "http"
        failed = ["400..599"]
        rules = [
            { status = "completed", not_null = "ended" },
            { status = "dead", not_null = "given_up" },
            { status = "processing", when = [ { column = "http", is_null = true }, { column = "body", is_null = true } ] },
            { status = "failed", when = [ { column = "queued", greater_than_column = "began" } ] },
        ]"#;
    let expected = [
        "1 | pay | a | completed | 2026-11-29T08:00:00Z | 2026-11-29T08:00:02Z | - | - | - | 2026-11-29T08:05:01Z",
        "2 | pay | b | dead | 2026-11-29T08:00:01Z | 2026-11-29T09:00:00Z | - | - | - | 2026-11-29T08:05:01Z",
        "3 | pay | c | failed | 2026-11-29T08:00:00Z | - | - | - | - | 2026-11-29T08:05:01Z",
        "4 | pay | d | unmapped | 2026-11-29T08:00:00Z | - | - | - | - | 2026-11-29T08:05:01Z",
        "5 | pay | e | processing | 2026-11-29T08:00:00Z | - | - | - | - | -",
        "8 | pay | h | failed | 2026-11-29T08:00:03Z | - | - | - | - | 2026-11-29T08:05:01Z",
    ];
    reads(&database.url, script, mapping, &expected).await;
}

#[tokio::test]
async fn sqlite_rows_by_age_and_what_is_filtered_is_nowhere() {
    let database = lab::sqlite_database("case").await.unwrap();
    let script = "CREATE TABLE seen (n INTEGER PRIMARY KEY, k TEXT NOT NULL UNIQUE, at TEXT, deleted INTEGER);
        INSERT INTO seen VALUES (1, 'old', datetime('now', '-1 hour'), 0), (2, 'young', datetime('now', '-1 minute'), 0),
            (3, 'never', NULL, 0), (4, 'gone', datetime('now', '-1 hour'), 1), (5, 'unset', datetime('now', '-1 hour'), NULL);\n";
    let mapping = r#"[source.records]
        url = "$URL"
        table = "seen"
        id = "n"
        key = ["k"]
        where = [ { column = "deleted", equals = 0 } ]
        [source.records.status]
        rules = [
            { status = "dead", when = [ { column = "at", older_than = "5m" } ] },
            { status = "processing", when = [ { column = "at", newer_than = "5m" } ] },
        ]"#;
    let expected = [
        "1 | - | old | dead | - | - | - | - | - | -",
        "2 | - | young | processing | - | - | - | - | - | -",
        "3 | - | never | unmapped | - | - | - | - | - | -",
    ];
    reads(&database.url, script, mapping, &expected).await;
    let toml = format!("[[source]]\nname = \"case\"\n{}", mapping.replace("$URL", &database.url));
    let store = store_of(&from_toml(&toml, &Environment::default()).unwrap());
    assert_eq!(store.find(None, "gone").await.unwrap(), []);
    let gone = RecordRef { table: "seen".into(), pk: Pk::Int(4) };
    assert_eq!(store.get(&[gone]).await.unwrap(), []);
    let scanned = store.scan("seen", &Span { after: None, up_to: None }, 5).await.unwrap();
    assert_eq!(
        (scanned.rows.len(), scanned.last, scanned.full),
        (3, Some(5), true),
        "the walk passes what it leaves out"
    );
}

/// The cases that live beside the repository, where they do.
#[tokio::test]
async fn the_cases_beside_the_repository() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/cases");
    let Ok(entries) = std::fs::read_dir(&folder) else { return };
    for case in entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        reads_case(&case).await;
    }
}

async fn reads_case(case: &Path) {
    let script = |engine: &str| std::fs::read_to_string(case.join(format!("schema.{engine}.sql"))).ok();
    let (database, script) = match (script("mysql"), script("postgres"), script("sqlite")) {
        (Some(script), ..) => (lab::mariadb_database("case").await.unwrap(), script),
        (_, Some(script), _) => (lab::postgres_database("case").await.unwrap(), script),
        (.., script) => (lab::sqlite_database("case").await.unwrap(), script.expect("a schema")),
    };
    let toml = std::fs::read_to_string(case.join("source.toml")).unwrap();
    let environment: Environment = [("CASE_URL".to_owned(), database.url.clone())].into_iter().collect();
    let config = from_toml(&toml, &environment).unwrap_or_else(|error| panic!("{}: {error}", case.display()));
    load(&database.url, &script).await;
    let records = all(&*store_of(&config)).await;
    let expected: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(case.join("expected.json")).unwrap()).unwrap();
    let text = |values: Vec<serde_json::Value>| sorted(values.iter().map(ToString::to_string).collect());
    let found = records.iter().map(|record| serde_json::to_value(record).unwrap()).collect();
    assert_eq!(text(found), text(expected["items"].as_array().unwrap().clone()), "{}", case.display());
}
