//! What `oncewatch.toml` may say, and what is said about it when it is wrong.

mod archive;
mod broker;
mod locks;
mod mapping;
mod reference;
mod retry;

use app::model::Status;
use server::config::{
    Broker, Code, Codes, Condition, Config, ConfigError, DonePattern, Environment, Part, Rule, StatusColumn, TableName,
    Test, TimeColumn, TimeUnit, from_toml, load, print,
};
use std::time::Duration;

const POINTS: &str = r#"
[[source]]
name = "points"
timezone = "Asia/Shanghai"
[source.records]
url = "mysql://console:s3cret@db:3306/points"
table = "idempotent_record"
key = ["biz_id"]
type = "biz_type"
updated = "update_time"
[source.records.status]
column = "status"
processing = [1]
completed = [2]
[source.locks]
url = "redis://:s3cret@cache:6379/0"
pattern = "idem_lock:{type}:{key}"
done = ["done:*", "2"]
ttl = "15s"
[[source.broker]]
kind = "rabbitmq"
url = "http://guest:s3cret@mq:15672"
queues = ["points.*"]
dead_letter = "points.dlq"
"#;

fn none() -> Environment {
    Environment::default()
}

fn read(text: &str) -> Config {
    from_toml(text, &none()).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> String {
    refused_with(text, &none())
}

fn refused_with(text: &str, environment: &Environment) -> String {
    let said = from_toml(text, environment).expect_err("should be refused").to_string();
    assert!(!said.contains("s3cret"), "{said}");
    said
}

/// [`POINTS`] with one line replaced.
fn with(line: &str, by: &str) -> String {
    assert_eq!(POINTS.matches(line).count(), 1, "{line}");
    POINTS.replace(line, by)
}

fn source(config: &Config) -> &server::config::Source {
    &config.sources[0]
}

#[test]
fn a_whole_source_is_read() {
    let config = read(POINTS);
    let source = source(&config);
    assert_eq!((source.name.as_str(), source.timezone), ("points", chrono_tz::Asia::Shanghai));
    assert_eq!(source.records.url.expose(), "mysql://console:s3cret@db:3306/points");
    assert_eq!(source.records.table, TableName { schema: None, table: "idempotent_record".into() });
    assert_eq!(source.records.key, [Part::Column("biz_id".into())]);
    assert_eq!(source.records.r#type, [Part::Column("biz_type".into())]);
    assert_eq!(source.records.updated[0].column, "update_time");
    assert_eq!(source.records.created, []);
    assert_eq!(
        source.records.status,
        StatusColumn::Column(Codes {
            column: "status".into(),
            codes: vec![(Code::Int(1), Status::Processing), (Code::Int(2), Status::Completed)]
        })
    );
    let locks = source.locks.as_ref().unwrap();
    assert_eq!(locks.done, [DonePattern::Prefix("done:".into()), DonePattern::Exact("2".into())]);
    assert_eq!(locks.ttl, Some(Duration::from_secs(15)));
    let Broker::RabbitMq(broker) = &source.brokers[0] else { panic!("{:?}", source.brokers[0]) };
    assert_eq!((broker.vhost.as_str(), broker.dead_letter.as_deref()), ("/", Some("points.dlq")));
    assert_eq!(source.retry.after, Duration::from_secs(300));
    assert_eq!(source.retry.consumer_timeout, Duration::from_secs(1800));
}

#[test]
fn nothing_written_gives_the_defaults() {
    let config = read("");
    assert_eq!(config.server.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.state.url.expose(), "sqlite://oncewatch.db");
    assert_eq!(config.collect.period, Duration::from_secs(5));
    assert_eq!(config.limits.statement_timeout, Duration::from_secs(3));
    assert!(config.sources.is_empty());
}

#[test]
fn every_form_of_a_mapping_is_read() {
    let config = read(
        r#"
        [[source]]
        name = "inbox"
        [source.records]
        url = "postgres://console@db/app"
        table = ["events", "in.box"]
        key = "MessageId"
        type = { constant = "ORDER_PAID" }
        created = [{ column = "at", unit = "epoch_ms" }, "inserted_at"]
        lease_until = { column = "until", format = "%Y%m%d%H%M%S", timezone = "Asia/Tokyo", plus = "5m" }
        where = [{ column = "is_deleted", equals = 0 }, { column = "topic", not_equals = "null" }]
        status = { column = "state", processing = ["null", false], completed = "DONE", failed = "400..599", dead = [-9] }
        "#,
    );
    let records = &source(&config).records;
    assert_eq!(records.table, TableName { schema: Some("events".into()), table: "in.box".into() });
    assert_eq!(records.key, [Part::Column("MessageId".into())]);
    assert_eq!(records.r#type, [Part::Constant("ORDER_PAID".into())]);
    assert_eq!(records.created[0].unit, Some(TimeUnit::EpochMillis));
    assert_eq!(records.created[1], TimeColumn::plain("inserted_at"));
    let [lease] = records.lease_until.as_slice() else { panic!() };
    assert_eq!((lease.unit, lease.timezone), (Some(TimeUnit::Text), Some(chrono_tz::Asia::Tokyo)));
    assert_eq!(lease.plus, Duration::from_secs(300));
    let tests: Vec<_> = records.r#where.iter().map(|condition| &condition.test).collect();
    assert_eq!(tests, [&Test::Equals(Code::Int(0)), &Test::NotEquals(Code::Text("null".into()))]);
    let StatusColumn::Column(Codes { codes, .. }) = &records.status else { panic!() };
    let wanted = [
        (Code::Null, Status::Processing),
        (Code::Bool(false), Status::Processing),
        (Code::Text("DONE".into()), Status::Completed),
        (Code::Range(400, 599), Status::Failed),
        (Code::Int(-9), Status::Dead),
    ];
    assert_eq!(*codes, wanted);
}

#[test]
fn a_dot_splits_only_a_plain_name() {
    let table = |written: &str| read(&with(r#""idempotent_record""#, written)).sources[0].records.table.to_string();
    assert_eq!(table(r#""public.keys""#), "public.keys");
    let exact = read(&with(r#""idempotent_record""#, r#"["cap.received"]"#));
    assert_eq!(source(&exact).records.table, TableName { schema: None, table: "cap.received".into() });
}

#[test]
fn a_preset_is_filled_in_and_what_is_written_wins() {
    let config = read(
        r#"
        [[source]]
        name = "points"
        [source.records]
        url = "sqlite://points.db"
        preset = "idempotent_record"
        table = "mq_idempotent_record"
        [source.records.status]
        failed = [3]
        "#,
    );
    let records = &source(&config).records;
    assert_eq!((records.table.table.as_str(), records.id.as_deref()), ("mq_idempotent_record", Some("id")));
    let StatusColumn::Column(Codes { codes, .. }) = &records.status else { panic!() };
    assert_eq!(codes.len(), 3);

    let exists = read(
        r#"source = [{ name = "x", records = { url = "sqlite://x.db", preset = "idempotent_record", status = { exists = "completed" } } }]"#,
    );
    assert_eq!(source(&exists).records.status, StatusColumn::Exists(Status::Completed));
}

#[test]
fn the_environment_is_the_upper_layer() {
    let environment: Environment = [
        ("ONCEWATCH__SERVER__LISTEN", "127.0.0.1:9000"),
        ("ONCEWATCH__LIMITS__POOL_SIZE", "8"),
        ("ONCEWATCH__SOURCE__0__NAME", "007"),
        ("ONCEWATCH__SOURCE__0__RECORDS__KEY", r#"["tenant", "biz_id"]"#),
        ("ONCEWATCH__SOURCE__0__BROKER__0__QUEUES__1", "more"),
        ("ONCEWATCH_LOG", "not a key"),
        ("PATH", "/bin"),
    ]
    .into_iter()
    .collect();
    let config = from_toml(POINTS, &environment).unwrap();
    assert_eq!(config.server.listen.port(), 9000);
    assert_eq!(config.limits.pool_size, 8);
    let source = source(&config);
    assert_eq!(source.name, "007");
    assert_eq!(source.records.key, ["tenant", "biz_id"].map(|column| Part::Column(column.into())));
    assert!(matches!(&source.brokers[0], Broker::RabbitMq(broker) if broker.queues == ["points.*", "more"]));
}

#[test]
fn the_environment_alone_can_make_a_source() {
    let environment: Environment = [
        ("ONCEWATCH__SOURCE__0__NAME", "points"),
        ("ONCEWATCH__SOURCE__0__RECORDS__URL", "sqlite://points.db"),
        ("ONCEWATCH__SOURCE__0__RECORDS__PRESET", "idempotent_record"),
    ]
    .into_iter()
    .collect();
    assert_eq!(from_toml("", &environment).unwrap().sources[0].name, "points");
}

#[test]
fn a_problem_names_the_variable_that_it_came_from() {
    let environment: Environment = [
        ("ONCEWATCH__SERVER__LISTEN", "everywhere"),
        ("ONCEWATCH__SERVER__LISEN", "x"),
        ("ONCEWATCH__SOURCE__4__NAME", "x"),
    ]
    .into_iter()
    .collect();
    insta::assert_snapshot!(refused_with(POINTS, &environment), @r#"
    ONCEWATCH__SOURCE__4__NAME: sets source[4], but there are only 1; accepted: 0 to 1
    server.lisen (ONCEWATCH__SERVER__LISEN): found an unknown key (string); accepted: listen, public_url; did you mean "listen"?
    server.listen (ONCEWATCH__SERVER__LISTEN): found "everywhere" (string); accepted: an address and a port such as "127.0.0.1:8080" or "[::1]:8080"
    "#);
}

#[test]
fn variables_are_expanded_inside_text() {
    let environment: Environment = [("PW", "p%40ss"), ("EMPTY", "")].into_iter().collect();
    let text = with("s3cret@db", "${PW}@${DB_HOST:-db}").replace("idem_lock:", "${EMPTY:-lock}:");
    let config = from_toml(&text, &environment).unwrap();
    assert_eq!(source(&config).records.url.expose(), "mysql://console:p%40ss@db:3306/points");
    assert_eq!(source(&config).locks.as_ref().unwrap().pattern, "lock:{type}:{key}");
    insta::assert_snapshot!(refused(&with("s3cret@db", "${PW}@${DB")), @r#"source[0].records.url: names the environment variable PW, which is not set; set it, or write ${PW:-default}"#);
    insta::assert_snapshot!(refused(&with("s3cret@db", "${DB:-x@db")), @r#"source[0].records.url: has a "${" without its "}""#);
}

#[test]
fn any_secret_may_be_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("url");
    std::fs::write(&file, "mysql://console:s3cret@db/points\n").unwrap();
    let line = "url = \"mysql://console:s3cret@db:3306/points\"";
    let config = read(&with(line, &format!("url_file = {file:?}")));
    assert_eq!(source(&config).records.url.expose(), "mysql://console:s3cret@db/points");

    let both = refused(&with(line, &format!("url_file = {file:?}\n{line}")));
    insta::assert_snapshot!(both, @"source[0].records.url_file: found besides url; accepted: one of the two");
    insta::assert_snapshot!(refused(&with(line, "url_file = '/nowhere'")), @r#"source[0].records.url_file: found "/nowhere", which cannot be read (No such file or directory (os error 2)); accepted: the path of a file with the secret"#);
    // What is no secret cannot be in a file.
    insta::assert_snapshot!(refused(&with("table =", "table_file =")), @r#"
    source[0].records.table_file: found an unknown key (string); accepted: url, preset, table, id, key, type, created, updated, attempts, error, owner, lease_until, version, payload, where, write, status
    source[0].records.table: missing; accepted: "table", "schema.table", "log_*" for many, or a list for names with dots: ["a.table"], ["schema", "a.table"]
    "#);
    // A variable replaces the file below it.
    let environment: Environment = [("ONCEWATCH__SOURCE__0__RECORDS__URL", "sqlite://other.db")].into_iter().collect();
    let config = from_toml(&with(line, "url_file = '/nowhere'"), &environment).unwrap();
    assert_eq!(source(&config).records.url.expose(), "sqlite://other.db");
}

#[test]
fn all_problems_of_a_load_are_told_at_once() {
    let text = r#"
        colour = "blue"
        [server]
        listen = 8080
        public_url = "https://ops.example.com/console"
        [collect]
        period = "5 parsecs"
        [limits]
        pool_size = 0
        statement_timeout = "1h"
        [[source]]
        name = "Points!"
        timezone = "Asia/Shanghia"
        [source.archive]
        keep = "7d"
        [source.records]
        url = "oracle://console:s3cret@db/points"
        id = ""
        created = ["a", "b"]
        where = []
        [source.records.status]
        colum = "status"
        processing = [1, 1.5, "400..599"]
        completed = [1]
        [source.locks]
        url = "redis+sentinel://:s3cret@cache/0"
        pattern = "idem_lock:{biz_id}"
        kind = "markers"
        [[source.broker]]
        kind = "kafka"
    "#;
    insta::assert_snapshot!(refused(text), @r#"
    colour: found an unknown key (string); accepted: server, state, collect, limits, source
    source[0].records.status.colum: found an unknown key (string); accepted: column, processing, completed, failed, dead, exists, rules; did you mean "column"?
    server.listen: found 8080 (integer); accepted: an address and a port such as "127.0.0.1:8080" or "[::1]:8080"
    server.public_url: found https://ops.example.com/console; accepted: http:// or https://, a host and perhaps a port, nothing after it: "https://ops.example.com"
    collect.period: found "5 parsecs" (string); accepted: a duration such as "500ms", "5s", "10m", "2h" or "7d"
    limits.statement_timeout: found "1h" (string); accepted: a duration from 100ms to 1m
    limits.pool_size: found 0 (integer); accepted: a whole number from 1 to 64
    source[0].name: found "Points!" (string); accepted: 1 to 63 of a-z, 0-9, - and _
    source[0].timezone: found "Asia/Shanghia" (string); accepted: an IANA name such as "Asia/Shanghai" or "UTC"; did you mean "Asia/Shanghai"?
    source[0].records.url: found oracle://console:[secret]@db/points; accepted: mysql://, mariadb://, postgres://, postgresql://, sqlite://, for example mysql://console:${POINTS_PW}@db:3306/points
    source[0].records.table: missing; accepted: "table", "schema.table", "log_*" for many, or a list for names with dots: ["a.table"], ["schema", "a.table"]
    source[0].records.key: missing; accepted: the name of a column, { column = "…", json = "/pointer" }, or a list of these
    source[0].records.id: found "" (string); accepted: the name of a column
    source[0].records.status.column: missing; accepted: the name of a column
    source[0].records.status.processing[1]: found 1.5 (float); accepted: integers, booleans, strings, "null", ranges such as "400..599"
    source[0].records.status.completed[0]: found 1 (integer); accepted: a code that no other state has; processing has it already
    source[0].locks.kind: found "markers" (string); accepted: "string", "marker", "counter", "redisson", "powertools"; did you mean "marker"?
    source[0].locks.url: found redis+sentinel://:[secret]@cache/0, which does not name the master: ?master=mymaster; accepted: redis://, rediss://, redis+cluster://, rediss+cluster://, redis+sentinel://, rediss+sentinel://, for example redis://cache:6379/0, redis+cluster://a:6379,b:6379 or redis+sentinel://s1:26379,s2:26379/0?master=mymaster
    source[0].locks.pattern: found "idem_lock:{biz_id}" (string); accepted: a Redis key with {key} and, where it has one, {type}: "idem_lock:{type}:{key}"
    source[0].broker[0].kind: found "kafka"; not read by this version; accepted: "rabbitmq", "redis-streams"
    source[0].archive.table: missing; accepted: "table", "schema.table", "log_*" for many, or a list for names with dots: ["a.table"], ["schema", "a.table"]
    "#);
}

#[test]
fn a_status_mapping_must_be_possible() {
    let codes = "processing = [1]\ncompleted = [2]";
    let status = |by: &str| refused(&with(codes, by));
    insta::assert_snapshot!(status("processing = ['Done']\ncompleted = ['DONE', 2]"), @r#"source[0].records.status.completed[0]: found "DONE" (string); accepted: a code that no other state has; processing has it already"#);
    insta::assert_snapshot!(status(""), @"source[0].records.status: names no code; accepted: a list of codes for at least one of processing, completed, failed, dead");
    insta::assert_snapshot!(status("exists = 'completed'"), @"source[0].records.status.column: found besides exists; accepted: one of the two");
    insta::assert_snapshot!(status("rules = []"), @r#"
    source[0].records.status: names no code; accepted: a list of codes for at least one of processing, completed, failed, dead
    source[0].records.status.rules: found a list; accepted: a list of rules such as [ { status = "completed", not_null = "processed_at" } ]
    "#);
    insta::assert_snapshot!(status("processing = [1979-05-27]"), @r#"source[0].records.status.processing[0]: found 1979-05-27 (date); accepted: integers, booleans, strings, "null", ranges such as "400..599""#);
    insta::assert_snapshot!(refused(&with("column = \"status\"\nprocessing = [1]\ncompleted = [2]", "exists = 'compleded'")), @r#"source[0].records.status.exists: found "compleded" (string); accepted: "processing", "completed", "failed", "dead"; did you mean "completed"?"#);
}

#[test]
fn rules_are_read_in_their_order() {
    let read = |rules: &str| {
        let text = with("processing = [1]\ncompleted = [2]", rules);
        read(&text.replace("column = \"status\"\n", "")).sources[0].records.status.clone()
    };
    let rules = read(
        r#"rules = [
            { status = "completed", not_null = "done_at" },
            { status = "failed", when = [{ column = "tries", in = [3, 4] }, { column = "at", older_than = "5m" }] },
            { status = "dead", when = [{ column = "seen", greater_than_column = "due" }, { column = "x", is_null = false }] },
            { status = "processing", always = true },
        ]"#,
    );
    let of = |column: &str, test| Condition { column: column.into(), test };
    let rule = |status, when| Rule { status, when };
    let failed = vec![
        of("tries", Test::In(vec![Code::Int(3), Code::Int(4)])),
        of("at", Test::OlderThan(Duration::from_secs(300))),
    ];
    let dead = vec![of("seen", Test::GreaterThanColumn("due".into())), of("x", Test::NotNull)];
    let wanted = vec![
        rule(Status::Completed, vec![of("done_at", Test::NotNull)]),
        rule(Status::Failed, failed),
        rule(Status::Dead, dead),
        rule(Status::Processing, vec![]),
    ];
    assert_eq!(rules, StatusColumn::Rules { rules: wanted, otherwise: None });
}

#[test]
fn a_key_and_a_pattern_must_be_possible() {
    insta::assert_snapshot!(refused(&with("key = [\"biz_id\"]", "key = []")), @r#"source[0].records.key: found an empty list; accepted: the name of a column, { column = "…", json = "/pointer" }, or a list of these"#);
    insta::assert_snapshot!(refused(&with("key = [\"biz_id\"]", "key = ['a', 'b', 'a']")), @r#"source[0].records.key[2]: found "a" a second time; accepted: each once"#);
    insta::assert_snapshot!(refused(&with("key = [\"biz_id\"]\n", "")), @r#"source[0].records.key: missing; accepted: the name of a column, { column = "…", json = "/pointer" }, or a list of these"#);
    insta::assert_snapshot!(refused(&with("type = \"biz_type\"\n", "")), @r#"source[0].locks.pattern: found "idem_lock:{type}:{key}" (string); accepted: a pattern without {type}, since [source.records] has no type"#);
    insta::assert_snapshot!(refused(&with("idem_lock:{type}:{key}", "idem_lock:{type}")), @r#"source[0].locks.pattern: found "idem_lock:{type}" (string); accepted: a Redis key with {key} and, where it has one, {type}: "idem_lock:{type}:{key}""#);
    insta::assert_snapshot!(refused(&with("idem_lock:{type}:{key}", "")), @r#"source[0].locks.pattern: found "" (string); accepted: a Redis key with {key} and, where it has one, {type}: "idem_lock:{type}:{key}""#);
    insta::assert_snapshot!(refused(&with("\"done:*\"", "\"*\"")), @r#"source[0].locks.done: holds a pattern that every value matches; accepted: values, or starts of values with a * at the end, such as "done:*""#);
}

#[test]
fn a_wrong_url_is_shown_without_its_password() {
    let url = "mysql://console:s3cret@db:3306/points";
    insta::assert_snapshot!(refused(&with(url, "console:s3cret@db")), @"source[0].records.url: found [secret]; accepted: mysql://, mariadb://, postgres://, postgresql://, sqlite://, for example mysql://console:${POINTS_PW}@db:3306/points");
    insta::assert_snapshot!(refused(&with(url, "http://console:s3cret@db")), @"source[0].records.url: found http://console:[secret]@db; accepted: mysql://, mariadb://, postgres://, postgresql://, sqlite://, for example mysql://console:${POINTS_PW}@db:3306/points");
    insta::assert_snapshot!(refused(&with(url, "mysql://console:s3cret@db")), @"source[0].records.url: found mysql://console:[secret]@db, which names no database; accepted: mysql://, mariadb://, postgres://, postgresql://, sqlite://, for example mysql://console:${POINTS_PW}@db:3306/points");
    insta::assert_snapshot!(refused(&with(url, "mysql://console:#s3cret@db/points")), @"source[0].records.url: found mysql://[secret], which names no database; accepted: mysql://, mariadb://, postgres://, postgresql://, sqlite://, for example mysql://console:${POINTS_PW}@db:3306/points");
    insta::assert_snapshot!(refused(&with("\"mysql://console:s3cret@db:3306/points\"", "[\"s3cret\"]")), @"source[0].records.url: found a list; accepted: mysql://, mariadb://, postgres://, postgresql://, sqlite://, for example mysql://console:${POINTS_PW}@db:3306/points");
}

#[test]
fn a_value_in_the_wrong_place_is_not_shown() {
    let text = "state = 'mysql://u:s3cret@db/x'\nsource = ['s3cret']\n[collect]\nperoid = 's3cret'\n";
    insta::assert_snapshot!(refused(text), @r#"
    collect.peroid: found an unknown key (string); accepted: period; did you mean "period"?
    source[0]: found a value (string); accepted: a table
    state: found a value (string); accepted: a table with url
    "#);
}

#[test]
fn two_sources_need_two_names() {
    insta::assert_snapshot!(refused(&format!("{POINTS}{POINTS}")), @r#"source[1].name: found "points" (string); accepted: a name that no other source has"#);
}

#[test]
fn broken_toml_is_told_by_line_without_its_text() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("oncewatch.toml");
    std::fs::write(&file, "[state]\nurl = \"mysql://console:s3cret@db\n").unwrap();
    let said = load(Some(&file), &none()).unwrap_err().to_string();
    assert!(!said.contains("s3cret"), "{said}");
    insta::assert_snapshot!(said.replace(&folder.path().display().to_string(), ""), @r#"/oncewatch.toml: line 2, column 33: invalid basic string, expected `"`"#);
}

#[test]
fn a_named_file_must_be_there() {
    let error = load(Some("/nowhere/oncewatch.toml".as_ref()), &none()).unwrap_err();
    assert!(matches!(error, ConfigError::File { .. }));
    insta::assert_snapshot!(error.to_string(), @"/nowhere/oncewatch.toml: cannot be read: No such file or directory (os error 2)");
}

#[test]
fn no_secret_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("oncewatch.toml");
    let text = with("s3cret@db", "${PW}@db").replace("ttl = \"15s\"", "ttl = \"${TTL:-20s}\"");
    std::fs::write(&file, text).unwrap();
    let environment: Environment =
        [("PW", "s3cret"), ("ONCEWATCH__STATE__URL", "postgres://ow:s3cret@db/ow?password=s3cret")]
            .into_iter()
            .collect();
    let config = load(Some(&file), &environment).unwrap();
    assert!(!format!("{config:?}{environment:?}").contains("s3cret"));

    let printed = print(Some(&file), &environment).unwrap();
    assert!(!printed.contains("s3cret"), "{printed}");
    // What is not set is told elsewhere, as are the reasons.
    let set: Vec<&str> =
        printed.split_once("[[source]]").unwrap().1.lines().filter(|line| !line.starts_with('#')).collect();
    insta::assert_snapshot!(set.join("\n").trim(), @r#"
    name = "points"
    timezone = "Asia/Shanghai"

    [source.records]
    url = "mysql://console:[secret]@db:3306/points"
    table = "idempotent_record"
    key = ["biz_id"]
    type = "biz_type"
    updated = "update_time"


    [source.records.status]
    column = "status"
    processing = [1]
    completed = [2]

    [source.locks]
    url = "redis://:[secret]@cache:6379/0"
    pattern = "idem_lock:{type}:{key}"
    done = ["done:*", "2"]
    ttl = "20s"


    [[source.broker]]
    kind = "rabbitmq"
    url = "http://guest:[secret]@mq:15672"
    queues = ["points.*"]
    dead_letter = "points.dlq"

    [source.retry]
    after = "5m"
    consumer_timeout = "30m"
    mode = "release"
    "#);
}

#[test]
fn the_printed_defaults_give_a_reason_for_each() {
    let printed = print(None, &none()).unwrap();
    let server = printed.split_once("# [[source]]").unwrap().0;
    insta::assert_snapshot!(server, @r#"
    # The environment over the built-in defaults; no file was found.

    [server]
    # Where the console listens. An address that is not loopback is refused while no operator account exists.
    listen = "127.0.0.1:8080"
    # What browsers type. Its host is accepted besides the loopback names; https makes cookies Secure.
    # public_url = "https://ops.example.com"

    [state]
    # Oncewatch's own database: sqlite://, postgres:// or mysql://. A file is enough for one server.
    url = "sqlite://oncewatch.db"

    [collect]
    # How often each panel is read. A figure older than three periods is shown as stale.
    period = "5s"

    [limits]
    # Server-side limit of every statement on a team's database: the console may be slow, production may not.
    statement_timeout = "3s"
    # For connecting to anything. Longer than a failover's reset, shorter than a person's patience.
    connect_timeout = "3s"
    # Connections per source: one for collecting, the rest for people. Small, because they are the team's.
    pool_size = 4
    # Rows that one walking statement reads; about ten milliseconds on the engines measured.
    scan_rows = 5000
    # Entries of streams that one look-up reads, shared among the places where its message may be.
    message_search = 3000
    # Open records kept in memory per source, at most 48 bytes each with a numeric id; beyond it the console says "more than".
    open_set = 1000000
    # Records in one CSV file. Its pages are read one after the other, each a bounded statement on the team's database.
    export_rows = 10000
    # Bytes of a request's body. The largest form carries a 4 KB key and a reason.
    request_body = 65536
    # A session without use ends after this: one shift.
    session_idle = "12h"
    "#);
    read(&printed);
}
