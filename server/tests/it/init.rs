//! `init`: what it proposes for tables as teams have them, and how it refuses.

use crate::cases::load;
use crate::cli::{Desk, Ended};
use serde_json::{Value, json};
use server::config::{Code, Environment, Records, StatusColumn, TimeColumn, from_toml};
use std::path::{Path, PathBuf};

/// The proposal for a database, and the mapping that it loads as.
struct Proposed {
    answer: Value,
    records: Records,
    timezone: String,
}

impl Proposed {
    fn of(ended: &Ended, url: &str) -> Self {
        assert_eq!((ended.code, ended.err.as_str()), (0, ""), "{}", ended.out);
        let answer = ended.json();
        let toml = answer["toml"].as_str().unwrap();
        let environment: Environment = [("ONCEWATCH_DB_URL", url)].into_iter().collect();
        let source = from_toml(toml, &environment).unwrap_or_else(|error| panic!("{error}\n{toml}")).sources.remove(0);
        Self { records: source.records, timezone: source.timezone.name().to_owned(), answer }
    }

    fn toml(&self) -> &str {
        self.answer["toml"].as_str().unwrap()
    }

    fn undecided(&self) -> String {
        self.answer["undecided"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one.as_str().unwrap())
            .collect::<Vec<_>>()
            .join("\n")
    }
}

fn init(url: &str, more: &[&str]) -> Ended {
    Desk::new("").run(&[&["init", "--url", url], more].concat())
}

fn propose(url: &str) -> Proposed {
    Proposed::of(&init(url, &["--json"]), url)
}

/// A database with this script in it, by the scheme that the script is for.
async fn database(engine: &str, script: &str) -> lab::Database {
    let database = match engine {
        "mysql" => lab::mariadb_database("init").await,
        "postgres" => lab::postgres_database("init").await,
        _ => lab::sqlite_database("init").await,
    };
    let database = database.unwrap();
    load(&database.url, script).await;
    database
}

/// A field of a mapping, as far as two mappings can agree on it.
fn field(records: &Records, name: &str) -> String {
    let columns = |times: &[TimeColumn]| times.iter().map(|time| time.column.clone()).collect::<Vec<_>>().join(", ");
    match name {
        "table" => records.table.to_string(),
        "id" => format!("{:?}", records.id),
        "key" => format!("{:?}", records.key),
        "type" => format!("{:?}", records.r#type),
        "created" => columns(&records.created),
        "updated" => columns(&records.updated),
        "lease_until" => columns(&records.lease_until),
        "lease" => {
            format!("{:?}", records.lease_until.iter().map(|time| (&time.column, time.unit)).collect::<Vec<_>>())
        }
        "attempts" => format!("{:?}", records.attempts),
        "error" => format!("{:?}", records.error),
        "owner" => format!("{:?}", records.owner),
        "version" => format!("{:?}", records.version),
        "status" => format!("{:?}", records.status),
        "status column" => match &records.status {
            StatusColumn::Column(codes) | StatusColumn::Rules { otherwise: Some(codes), .. } => codes.column.clone(),
            other => format!("{other:?}"),
        },
        _ => panic!("no field {name}"),
    }
}

/// Cases that live beside the repository, where they do: what their columns and rows decide, so that the proposal must
/// agree with the mapping that a person wrote, and what only a person can know.
const CASES: [(&str, &[&str], &[&str]); 14] = [
    ("mysql-idempotent-record", &["table", "id", "key", "type", "created", "updated", "status"], &[]),
    // Numbers without a comment; what 0, 1 and 2 are is not in the table.
    (
        "mysql-inverted-codes",
        &["table", "id", "key", "type", "created", "updated", "attempts", "status column"],
        &["the codes of msg_result"],
    ),
    // That all rows are settlements is nowhere said.
    (
        "mysql-is-success-lease-ms",
        &["table", "id", "key", "created", "updated", "attempts", "error", "owner", "lease", "status"],
        &["these codes of is_success: "],
    ),
    (
        "mysql-msg-idempotent",
        &["table", "id", "key", "type", "created", "updated", "status column"],
        &["codes of status"],
    ),
    // The end of a lease and the end of retention are called alike.
    ("mysql-rocketmq-dedup", &["table", "id", "key", "type", "status column"], &[]),
    // The unique index has three columns; which of them a team calls its key is not in it. Nor is the filter on a topic.
    ("mysql-soft-delete-order-sn", &["table", "id", "created", "updated", "status"], &[]),
    // Topic and tag are no part of the unique index; the zones of the two times show nowhere.
    (
        "mysql-varchar-status-mixed-case",
        &["table", "id", "key", "created", "updated", "attempts", "error", "status column"],
        &[],
    ),
    ("pg-brandur-keys", &["table", "id", "key", "created", "updated"], &[]),
    ("pg-masstransit-inbox", &["id", "key", "type", "created", "attempts", "owner"], &[]),
    ("pg-nservicebus-outbox", &["table", "id", "key", "updated", "status"], &[]),
    ("pg-spring-modulith-v2", &["table", "id", "key", "type", "created", "updated", "attempts", "status column"], &[]),
    ("pg-transactional-inbox", &["table", "id", "key", "created", "updated", "lease_until", "status"], &[]),
    // The event's id is no part of the unique index.
    (
        "sqlite-consumer-deliveries",
        &[
            "table",
            "id",
            "type",
            "created",
            "updated",
            "attempts",
            "error",
            "owner",
            "lease",
            "version",
            "status column",
        ],
        &["\"cancelled\" (1×)"],
    ),
    ("sqlite-processed-messages", &["table", "id", "key", "type", "created", "status"], &[]),
];

fn cases() -> Option<PathBuf> {
    let beside = ["../../shared/cases", "../../../shared/cases"];
    beside.into_iter().map(|path| Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).find(|folder| folder.is_dir())
}

#[tokio::test]
async fn the_cases_beside_the_repository_are_proposed_as_far_as_columns_decide() {
    let Some(folder) = cases() else { return };
    for (name, agreed, undecided) in CASES {
        let case = folder.join(name);
        let engine = ["mysql", "postgres", "sqlite"].into_iter();
        let (engine, script) = engine
            .filter_map(|engine| {
                Some((engine, std::fs::read_to_string(case.join(format!("schema.{engine}.sql"))).ok()?))
            })
            .next()
            .unwrap_or_else(|| panic!("{name} has no schema"));
        let database = database(engine, &script).await;
        let environment: Environment = [("CASE_URL", database.url.as_str())].into_iter().collect();
        let by_hand = from_toml(&std::fs::read_to_string(case.join("source.toml")).unwrap(), &environment).unwrap();
        let proposed = propose(&database.url);
        for one in agreed {
            let (of_person, ours) = (field(&by_hand.sources[0].records, one), field(&proposed.records, one));
            // A list of times has this one among them; in the search path or not, it is one table.
            let among = matches!(*one, "created" | "updated") && ours.split(", ").any(|column| column == of_person);
            let same =
                of_person == ours || among || (*one == "table" && of_person.trim_start_matches("public.") == ours);
            assert!(same, "{name}, {one}: {of_person} against\n{}", proposed.toml());
        }
        for one in undecided {
            assert!(proposed.undecided().contains(one), "{name}: {one} in\n{}", proposed.toml());
        }
        agrees_on_codes(&by_hand.sources[0].records, &proposed.records, name);
        assert!(proposed.answer["preview"].as_array().is_some_and(|rows| !rows.is_empty()), "{name}");
    }
}

/// A code that both name means the same to both.
fn agrees_on_codes(by_hand: &Records, proposed: &Records, name: &str) {
    let (StatusColumn::Column(one), StatusColumn::Column(other)) = (&by_hand.status, &proposed.status) else { return };
    let same = |a: &Code, b: &Code| format!("{a:?}").eq_ignore_ascii_case(&format!("{b:?}"));
    for (code, status) in &other.codes {
        if let Some((_, meant)) = one.codes.iter().find(|(known, _)| same(known, code)) {
            assert_eq!(status, meant, "{name}: {code:?}");
        }
    }
}

#[tokio::test]
async fn what_is_printed_can_be_saved_and_read_as_it_is() {
    let script =
        "CREATE TABLE mq_consume_log (id INTEGER PRIMARY KEY, msg_id TEXT NOT NULL, consumer_group TEXT NOT NULL,
            status TEXT, retry_count INTEGER, created_at TEXT, updated_at INTEGER, UNIQUE (consumer_group, msg_id));
        INSERT INTO mq_consume_log VALUES (1, 'm-1', 'points', 'CONSUMED', 1, '2026-11-29T08:00:00Z', 1795939230123),
            (2, 'm-2', 'points', 'CONSUMING', 1, '2026-11-29T08:00:01Z', 1795939231123),
            (3, 'm-3', 'points', 'parked', 9, '2026-11-29T08:00:02Z', 1795939232123)";
    let database = database("sqlite", script).await;
    let ended = init(&database.url, &[]);
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    let shown = ended.out.replace(&database.url, "sqlite://…");
    insta::assert_snapshot!(shown, @r#"
    # Proposed by oncewatch init for table mq_consume_log of sqlite://…
    [[source]]
    name = "mq_consume_log"

    [source.records]
    url = "${ONCEWATCH_DB_URL}"
    table = "mq_consume_log"
    id = "id"
    key = ["msg_id"]
    type = "consumer_group"
    created = { column = "created_at", unit = "text" }
    updated = { column = "updated_at", unit = "epoch_ms" }
    attempts = "retry_count"
    # Could not be decided: these codes of status: "parked" (1×)

    [source.records.status]
    column = "status"
    # By their words:
    processing = ["CONSUMING"]
    completed = ["CONSUMED"]
    #
    # Taken because it has a unique index over consumer_group, msg_id; a type: consumer_group; a status: status; attempts: retry_count; a creation time: created_at; a time of the last change: updated_at; names that speak of messages.
    #
    # Some of its rows, read by this mapping:
    # ID  TYPE    KEY  STATUS      CREATED               UPDATED               ATTEMPTS  OWNER  ERROR
    # 3   points  m-3  unmapped    2026-11-29T08:00:02Z  2026-11-29T08:00:32Z  9         -      -
    # 2   points  m-2  processing  2026-11-29T08:00:01Z  2026-11-29T08:00:31Z  1         -      -
    # 1   points  m-1  completed   2026-11-29T08:00:00Z  2026-11-29T08:00:30Z  1         -      -
    #
    # Set ONCEWATCH_DB_URL, save this as oncewatch.toml, then: oncewatch check
    "#);
    let desk = Desk::new(&ended.out);
    let mut records = desk.command(&["records", "--json"]);
    let output = records.env("ONCEWATCH_DB_URL", &database.url).output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let read: Vec<(&str, &str)> = (answer["items"].as_array().unwrap().iter())
        .map(|item| (item["key"].as_str().unwrap(), item["status"].as_str().unwrap()))
        .collect();
    assert_eq!(read, [("m-3", "unmapped"), ("m-2", "processing"), ("m-1", "completed")]);
}

#[tokio::test]
async fn numbers_mean_what_the_columns_comment_says() {
    let table = |comment: &str| {
        format!(
            "CREATE TABLE t_consume (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, message_key VARCHAR(64) NOT NULL UNIQUE,
                zt TINYINT NOT NULL COMMENT '{comment}', create_time DATETIME NOT NULL, finish_time BIGINT NULL);
             INSERT INTO t_consume (message_key, zt, create_time, finish_time)
                VALUES ('a', 1, '2026-11-29 08:00:00', 1795939230), ('b', 9, '2026-11-29 08:00:00', NULL)"
        )
    };
    for comment in ["状态：0处理中 1已完成 2失败 3死信", "状态 0-processing, 1-success, 2-failed, 3-dead letter"]
    {
        let database = database("mysql", &table(comment)).await;
        let proposed = propose(&database.url);
        let toml = proposed.toml();
        for line in ["processing = [0]", "completed = [1]", "failed = [2]", "dead = [3]", "column = \"zt\""] {
            assert!(toml.lines().any(|one| one == line), "{line} in\n{toml}");
        }
        assert!(toml.contains(r#"updated = { column = "finish_time", unit = "epoch_s" }"#), "{toml}");
        assert!(proposed.undecided().contains("these codes of zt: 9 (1×)"), "{}", proposed.undecided());
        assert_eq!(proposed.answer["preview"][1]["status"], "completed");
    }
    // PostgreSQL keeps comments elsewhere.
    let script = "CREATE TABLE t_consume (id bigserial PRIMARY KEY, message_key text NOT NULL UNIQUE, status smallint, created_at timestamptz);
        COMMENT ON COLUMN t_consume.status IS '0: init; 1: ok; 2: error';
        INSERT INTO t_consume (message_key, status) VALUES ('a', 1)";
    let postgres = database("postgres", script).await;
    assert!(propose(&postgres.url).toml().contains("processing = [0]\ncompleted = [1]\nfailed = [2]\n"));
}

#[tokio::test]
async fn codes_that_nobody_can_know_are_left_open_with_what_was_seen() {
    let script = "CREATE TABLE consumed (id INTEGER PRIMARY KEY, event_id TEXT NOT NULL UNIQUE, status INTEGER, created_at DATETIME);
        INSERT INTO consumed (event_id, status) VALUES ('a', 10), ('b', 10), ('c', 20), ('d', NULL)";
    let database = database("sqlite", script).await;
    let proposed = propose(&database.url);
    assert_eq!(proposed.undecided(), "the codes of status: seen were 10 (2×), NULL (1×), 20 (1×)");
    // It loads, and claims nothing.
    let statuses: Vec<&Value> =
        proposed.answer["preview"].as_array().unwrap().iter().map(|row| &row["status"]).collect();
    assert_eq!(statuses, [&json!("unmapped"); 4]);
}

#[tokio::test]
async fn the_table_is_chosen_by_its_columns_and_not_by_its_name() {
    let script = "CREATE TABLE idempotent_message_orders (id INTEGER PRIMARY KEY, name TEXT, price DECIMAL(10,2), total DECIMAL(10,2));
        CREATE TABLE users (id INTEGER PRIMARY KEY, username TEXT UNIQUE, status INTEGER, created_at DATETIME);
        CREATE TABLE orders (id INTEGER PRIMARY KEY, order_sn TEXT UNIQUE, amount DECIMAL(10,2), status INTEGER, created_at DATETIME, updated_at DATETIME);
        CREATE TABLE zzz (id INTEGER PRIMARY KEY, biz_type TEXT, biz_id TEXT, status TEXT, retry_count INTEGER, created_at DATETIME, UNIQUE (biz_type, biz_id));
        CREATE TABLE dedup (consumer TEXT, message_id TEXT, created_at DATETIME, PRIMARY KEY (consumer, message_id));
        INSERT INTO zzz (biz_type, biz_id, status) VALUES ('a', 'b', 'done')";
    let database = database("sqlite", script).await;
    let proposed = propose(&database.url);
    assert_eq!(proposed.answer["table"], "zzz");
    let others: Vec<&str> =
        proposed.answer["others"].as_array().unwrap().iter().map(|other| other["table"].as_str().unwrap()).collect();
    assert_eq!(others, ["dedup"]);
    assert!(proposed.answer["reasons"].to_string().contains("a unique index over biz_type, biz_id"));
    // A person may name another.
    let named = init(&database.url, &["--table", "orders", "--json"]);
    assert_eq!(named.json()["table"], "orders", "{}", named.err);
}

#[tokio::test]
async fn a_time_in_the_future_tells_the_zone() {
    let script = "CREATE TABLE consumed (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, message_id VARCHAR(64) NOT NULL UNIQUE,
            status VARCHAR(20), create_time DATETIME);
        INSERT INTO consumed (message_id, status, create_time) VALUES ('a', 'done', UTC_TIMESTAMP() + INTERVAL 8 HOUR - INTERVAL 40 SECOND)";
    let database = database("mysql", script).await;
    let proposed = propose(&database.url);
    assert_eq!(proposed.timezone, "Asia/Shanghai", "{}", proposed.toml());
    load(&database.url, "UPDATE consumed SET create_time = UTC_TIMESTAMP() - INTERVAL 8 HOUR").await;
    let behind = propose(&database.url);
    assert_eq!(behind.timezone, "UTC");
    assert!(behind.undecided().contains("exactly 8 h old"), "{}", behind.undecided());
}

#[tokio::test]
async fn a_preset_is_taken_where_every_column_of_it_is_there() {
    let columns =
        "id INTEGER PRIMARY KEY, biz_id TEXT NOT NULL, biz_type TEXT NOT NULL, status INTEGER, create_time DATETIME,
        update_time DATETIME, fail_reason TEXT, UNIQUE (biz_type, biz_id)";
    let rows = "INSERT INTO once (biz_id, biz_type, status) VALUES ('a', 'x', 1), ('b', 'x', 2)";
    let fits = database("sqlite", &format!("CREATE TABLE once ({columns});\n{rows}")).await;
    let proposed = propose(&fits.url);
    assert_eq!(proposed.answer["preset"], "idempotent_record");
    assert!(proposed.toml().contains("table = \"once\""), "{}", proposed.toml());
    assert_eq!(proposed.records.error.as_ref().map(|error| format!("{error:?}").contains("fail_reason")), Some(true));
    // Codes that the preset does not explain are not taken for its own.
    load(&fits.url, "INSERT INTO once (biz_id, biz_type, status) SELECT biz_id || n, 'y', n % 3 + 10 FROM once, (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5)").await;
    let other = propose(&fits.url);
    assert_eq!(other.answer["preset"], Value::Null);
    assert!(other.undecided().starts_with("the codes of status: seen were"), "{}", other.undecided());
}

#[tokio::test]
async fn what_cannot_be_proposed_is_said_in_one_line() {
    let said = |url: &str, more: &[&str], code: i32| init(url, more).one_line(code).to_owned();
    insta::assert_snapshot!(said("mysql://console:s3cret@127.0.0.1:1/points", &[], 1), @"error: The database cannot be reached: 127.0.0.1:1: Connection refused (os error 111)");
    insta::assert_snapshot!(said("redis://cache:6379/0", &[], 2), @"error: --url: found redis://cache:6379/0; accepted: mysql://, mariadb://, postgres://, postgresql://, sqlite://, for example mysql://console:${POINTS_PW}@db:3306/points");
    insta::assert_snapshot!(said("mysql://u:${NOT_SET}@db/points", &[], 2), @"error: --url: names the environment variable NOT_SET, which is not set; set it, or write ${NOT_SET:-default}");
    let empty = database("sqlite", "CREATE TABLE gone (id INT);\nDROP TABLE gone").await;
    assert!(said(&empty.url, &[], 1).ends_with("the database has no table that this account may see"));
    let script = "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, created_at DATETIME);
        CREATE TABLE settings (name TEXT, value TEXT);
        CREATE VIEW people AS SELECT name, created_at FROM users";
    let business = database("sqlite", script).await;
    let nothing = said(&business.url, &[], 1);
    assert!(
        nothing.contains("none of 3 tables looks like one that messages are consumed with; the nearest, "),
        "{nothing}"
    );
    insta::assert_snapshot!(said(&business.url, &["--table", "idempotent_record"], 2), @"error: --table: there is no table idempotent_record; there are: people, settings, users");
    let view = said(&business.url, &["--table", "people"], 1);
    assert!(view.ends_with("no column of people looks like a business key; its columns are name, created_at; write the mapping by hand, with key = [\"…\"]"), "{view}");
    // Nothing was ever consumed: the columns decide what they can, and the rest is said to be open.
    let fresh = database(
        "sqlite",
        "CREATE TABLE consumed (id INTEGER PRIMARY KEY, event_id TEXT UNIQUE, status INTEGER, created_at INTEGER)",
    )
    .await;
    let ended = init(&fresh.url, &[]);
    assert_eq!(
        ended.one_line(1),
        "error: consumed is empty, so its values could not be looked at; what is undecided stands in the proposal"
    );
    assert!(
        ended.out.contains("# Could not be decided: the unit of created_at (integer): no value was seen"),
        "{}",
        ended.out
    );
    assert!(ended.out.contains("# Could not be decided: the codes of status: no row was seen"), "{}", ended.out);
}

#[tokio::test]
async fn no_password_is_printed() {
    let script = "CREATE TABLE consumed (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, message_id VARCHAR(64) NOT NULL UNIQUE, status VARCHAR(9));
        INSERT INTO consumed (message_id, status) VALUES ('a', 'done')";
    let database = database("mysql", script).await;
    for more in [&["--json"][..], &[]] {
        let ended = init(&database.url, more);
        assert_eq!(ended.code, 0, "{}", ended.err);
        assert!(!ended.out.contains("lab-password") && ended.out.contains("${ONCEWATCH_DB_URL}"), "{}", ended.out);
    }
}

#[test]
fn without_a_database_a_configuration_to_fill_in_is_printed() {
    let ended = Desk::new("").run(&["init"]);
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    let desk = Desk::new(&ended.out);
    let mut print = desk.command(&["config", "print"]);
    let printed = print.env("POINTS_DB_URL", "mysql://console@db:3306/points").output().unwrap();
    assert!(printed.status.success());
    assert_eq!(Desk::new("").run(&["init", "--table", "t"]).code, 2);
}
