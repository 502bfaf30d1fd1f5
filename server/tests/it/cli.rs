//! The command line, through the binary: what it prints, how it ends.

use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A folder with a configuration in it; commands run there.
pub(super) struct Desk {
    folder: TempDir,
}

/// How a command ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ended {
    fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {} {}", self.out, self.err))
    }

    /// Failed with this code and one line.
    pub fn one_line(&self, code: i32) -> &str {
        assert_eq!((self.code, self.err.lines().count()), (code, 1), "{}{}", self.out, self.err);
        self.err.trim_end()
    }
}

impl Desk {
    pub fn new(configuration: &str) -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap() };
        desk.configure(configuration);
        desk
    }

    pub fn configure(&self, configuration: &str) {
        std::fs::write(self.path().join("oncewatch.toml"), configuration).unwrap();
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oncewatch"));
        command.args(arguments).current_dir(self.path()).env_clear().stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ended {
        Ended::of(self.command(arguments).output().unwrap())
    }

    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Ended {
        let mut command = self.command(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        Ended::of(child.wait_with_output().unwrap())
    }
}

/// The textbook table, with an index on status and without.
const TABLE: &str = "CREATE TABLE idempotent_record (
    id INTEGER PRIMARY KEY, biz_id VARCHAR(128) NOT NULL, biz_type VARCHAR(64) NOT NULL, status TINYINT NOT NULL,
    create_time DATETIME NOT NULL, update_time DATETIME NOT NULL, UNIQUE (biz_type, biz_id))";
const ROWS: &str = "INSERT INTO idempotent_record VALUES
    (1, '20231027001', 'ORDER_DONE', 2, '2026-11-29 08:00:00', '2026-11-29 08:00:01'),
    (2, '20231027002', 'ORDER_DONE', 1, '2026-11-29 08:00:02', '2026-11-29 08:00:02'),
    (3, '20231027002', 'REFUND', 7, '2026-11-29 08:00:03', '2026-11-29 08:00:03')";

async fn execute(url: &str, statements: &[&'static str]) {
    sqlx::any::install_default_drivers();
    let pool = sqlx::AnyPool::connect(url).await.unwrap();
    for statement in statements {
        sqlx::query(*statement).execute(&pool).await.unwrap();
    }
    pool.close().await;
}

pub(super) fn source(name: &str, url: &str) -> String {
    format!("[[source]]\nname = '{name}'\n[source.records]\nurl = '{url}'\npreset = 'idempotent_record'\n")
}

/// One source named `points` in an SQLite file.
pub(super) async fn points() -> Desk {
    let desk = Desk::new(&source("points", "sqlite://points.db"));
    let url = format!("sqlite://{}?mode=rwc", desk.path().join("points.db").display());
    execute(&url, &[TABLE, ROWS]).await;
    desk
}

#[tokio::test]
async fn records_are_normalised() {
    let desk = points().await;
    let ended = desk.run(&["records", "--source", "points", "--key", "20231027001", "--json"]);
    assert_eq!((ended.code, ended.err.as_str()), (0, ""), "{}", ended.out);
    insta::assert_snapshot!(ended.out, @r#"{"items":[{"source":"points","id":"1","type":"ORDER_DONE","key":"20231027001","status":"completed","created_at":"2026-11-29T08:00:00Z","updated_at":"2026-11-29T08:00:01Z","attempts":null,"error":null,"owner":null,"lease_until":null}],"next":null}"#);
    let all = desk.run(&["records", "--json"]);
    let ids: Vec<_> = all.json()["items"].as_array().unwrap().iter().map(|item| item["id"].clone()).collect();
    assert_eq!(ids, ["3", "2", "1"]);
    insta::assert_snapshot!(desk.run(&["records"]).out, @"
    ID  TYPE        KEY          STATUS      CREATED               UPDATED               ATTEMPTS  OWNER  ERROR
    3   REFUND      20231027002  unmapped    2026-11-29T08:00:03Z  2026-11-29T08:00:03Z  -         -      -
    2   ORDER_DONE  20231027002  processing  2026-11-29T08:00:02Z  2026-11-29T08:00:02Z  -         -      -
    1   ORDER_DONE  20231027001  completed   2026-11-29T08:00:00Z  2026-11-29T08:00:01Z  -         -      -
    ");
    assert!(!desk.path().join("oncewatch.db").exists(), "a command that only reads leaves nothing behind");
}

#[tokio::test]
async fn records_are_filtered_and_paged() {
    let desk = points().await;
    let ids = |ended: &Ended| -> Vec<String> {
        let answer = ended.json();
        answer["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&desk.run(&["records", "--status", "processing", "--json"])), ["2"]);
    assert_eq!(ids(&desk.run(&["records", "--status", "unmapped", "--json"])), ["3"]);
    assert_eq!(ids(&desk.run(&["records", "--type", "ORDER_DONE", "--json"])), ["2", "1"]);
    assert_eq!(ids(&desk.run(&["records", "--key", "20231027002", "--json"])).len(), 2);
    assert_eq!(ids(&desk.run(&["records", "--key", "20231027002", "--type", "REFUND", "--json"])), ["3"]);
    assert_eq!(desk.run(&["records", "--status", "dead", "--json"]).code, 0);

    let found = |search: &str| ids(&desk.run(&["records", "--query", search, "--json"]));
    assert_eq!(found("20231027002"), ["3", "2"]);
    assert_eq!(found("key:2023* status:completed"), ["1"]);
    assert_eq!(found("type:REFUND created:2026-11-29 age:>1s"), ["3"]);
    assert_eq!(found("created:>2026-11-29"), Vec::<String>::new());
    let beside = ["records", "--query", "created:<=2026-11-29T08:00:02", "--status", "processing", "--json"];
    assert_eq!(ids(&desk.run(&beside)), ["2"]);

    let first = desk.run(&["records", "--limit", "2", "--json"]);
    assert_eq!(ids(&first), ["3", "2"]);
    let next = first.json()["next"].as_str().unwrap().to_owned();
    let second = desk.run(&["records", "--limit", "2", "--cursor", &next, "--json"]);
    assert_eq!((ids(&second), &second.json()["next"]), (vec!["1".to_owned()], &Value::Null));
}

#[tokio::test]
async fn mistakes_on_the_command_line_are_one_line_and_end_with_2() {
    let desk = points().await;
    let said = |arguments: &[&str]| desk.run(arguments).one_line(2).to_owned();
    insta::assert_snapshot!(said(&["records", "--source", "pionts"]), @r#"error: --source "pionts": there is no such source; there are: points"#);
    insta::assert_snapshot!(said(&["records", "--status", "done"]), @"error: invalid value 'done' for '--status <STATUS>': accepted: processing, completed, failed, dead, unmapped; see --help");
    insta::assert_snapshot!(said(&["records", "--query", "stauts:failed"]), @"error: The search cannot be read at character 1, “stauts”: did you mean status? There are status, type, key, owner, age, created, updated, attempts. A key that begins so needs key: before it");
    insta::assert_snapshot!(said(&["records", "--query", "status:failed", "--status", "dead"]), @r#"error: The search cannot be read at character 1, “failed”: status is given twice; text with spaces stands in "quotes""#);
    insta::assert_snapshot!(said(&["records", "--query", "age:10m"]), @"error: The search cannot be read at character 5, “10m”: an age is written >10m, <1h30m or 10m..1h, in s, m, h, d or w");
    insta::assert_snapshot!(said(&["records", "--limit", "0"]), @"error: invalid value '0' for '--limit <LIMIT>': 0 is not in 1..=100000; see --help");
    insta::assert_snapshot!(said(&["records", "--sauce", "points"]), @"error: unexpected argument '--sauce' found tip: a similar argument exists: '--source'; see --help");
    insta::assert_snapshot!(said(&["lookup", "ORDER_DONE"]), @"error: the following required arguments were not provided: <KEY>; see --help");
    insta::assert_snapshot!(said(&["records", "--cursor", "zz"]), @"error: The cursor cannot be read: begin again at the first page");
    insta::assert_snapshot!(said(&["--config", "elsewhere.toml", "records"]), @"error: elsewhere.toml: cannot be read: No such file or directory (os error 2)");
    insta::assert_snapshot!(said(&["--log", "=!", "records"]), @"error: --log =!: invalid filter directive");
    assert_eq!(desk.run(&[]).code, 2);
    assert_eq!(desk.run(&["--help"]).code, 0);
    assert_eq!(desk.run(&["--version"]).out, concat!("oncewatch ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn a_wrong_configuration_ends_with_2_and_a_line_for_each_problem() {
    let desk = Desk::new("[server]\nlisen = 1\n[collect]\nperiod = '0s'\n");
    let ended = desk.run(&["serve"]);
    assert_eq!((ended.code, ended.out.as_str()), (2, ""));
    insta::assert_snapshot!(ended.err, @r#"
    error: server.lisen: found an unknown key (integer); accepted: listen, public_url; did you mean "listen"?
    error: collect.period: found "0s" (string); accepted: a duration such as "500ms", "5s", "10m", "2h" or "7d"
    "#);
    insta::assert_snapshot!(Desk::new("").run(&["check"]).one_line(2), @"error: ./oncewatch.toml: no [[source]]; add one with the table that your consumers use");
}

/// Ages depend on when the test runs.
fn without_ages(json: &str) -> String {
    let mut parts = json.split("\"age_ms\":");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |text, part| text + "\"age_ms\":…" + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

#[tokio::test]
async fn a_lookup_tells_what_is_there_and_ends_with_1_for_an_unknown_key() {
    let desk = points().await;
    let found = desk.run(&["lookup", "ORDER_DONE", "20231027001", "--json"]);
    assert_eq!(found.code, 0, "{}", found.err);
    insta::assert_snapshot!(without_ages(&found.out), @r#"{"type":"ORDER_DONE","key":"20231027001","records":[{"source":"points","id":"1","type":"ORDER_DONE","key":"20231027001","status":"completed","created_at":"2026-11-29T08:00:00Z","updated_at":"2026-11-29T08:00:01Z","attempts":null,"error":null,"owner":null,"lease_until":null}],"lock":null,"broker":null,"trace":[],"verdict":{"code":"healthy","params":{"age_ms":…},"evidence":[{"fact":"record_since","status":"completed","since":"2026-11-29T08:00:01Z","age_ms":…}]},"unseen":[],"operations":[{"name":"release_lock","allowed":false,"why":{"code":"not_configured"}},{"name":"retry","allowed":false,"why":{"code":"read_only"}},{"name":"mark_failed","allowed":false,"why":{"code":"read_only"}},{"name":"mark_dead","allowed":false,"why":{"code":"read_only"}}]}"#);
    let shown = desk.run(&["lookup", "ORDER_DONE", "20231027001"]).out;
    // How long ago it was depends on today.
    let shown: Vec<&str> = shown.lines().filter(|line| !line.contains("because")).collect();
    insta::assert_snapshot!(shown.join("\n"), @"
    points: ORDER_DONE 20231027001
    Healthy: handled once
    The record is completed. Another delivery of this key is a duplicate and is turned away.
      record   completed, id 1, created 2026-11-29T08:00:00Z, updated 2026-11-29T08:00:01Z
      may not  release-lock: No locks are configured for this source.
      may not  retry: This source is read-only: its configuration has no [source.records.write].
      may not  mark-failed: This source is read-only: its configuration has no [source.records.write].
      may not  mark-dead: This source is read-only: its configuration has no [source.records.write].
    ");
    let unknown = desk.run(&["lookup", "ORDER_DONE", "never", "--source", "points", "--json"]);
    assert_eq!((unknown.code, unknown.err.as_str()), (1, ""));
    assert_eq!(unknown.json()["verdict"]["code"], "unknown_key");
    assert!(!desk.path().join("oncewatch.db").exists());
}

#[tokio::test]
async fn a_lookup_without_its_database_says_so() {
    let desk = Desk::new(&source("points", "mysql://console:s3cret@127.0.0.1:1/points"));
    let ended = desk.run(&["lookup", "ORDER_DONE", "20231027001", "--json"]);
    insta::assert_snapshot!(ended.one_line(1), @r#"error: points: The database cannot be reached: 127.0.0.1:1: Connection refused (os error 111); "oncewatch check" says more"#);
    let answer = ended.json();
    assert_eq!((&answer["verdict"], &answer["unseen"]), (&Value::Null, &serde_json::json!(["records"])));
    assert!(!ended.out.contains("s3cret"));
    let records = desk.run(&["records"]);
    insta::assert_snapshot!(records.one_line(1), @"error: points: The database cannot be reached: 127.0.0.1:1: Connection refused (os error 111)");
}

#[tokio::test]
async fn a_lookup_without_a_source_asks_all() {
    let desk = points().await;
    let (one, two, away) = (
        source("points", "sqlite://points.db"),
        source("refunds", "sqlite://refunds.db"),
        source("away", "mysql://console:s3cret@127.0.0.1:1/points"),
    );
    desk.configure(&format!("{one}{two}{away}"));
    let refunds = format!("sqlite://{}?mode=rwc", desk.path().join("refunds.db").display());
    execute(&refunds, &[TABLE, ROWS, "DELETE FROM idempotent_record WHERE id = 1"]).await;

    let in_one = desk.run(&["lookup", "ORDER_DONE", "20231027001", "--json"]);
    assert_eq!((in_one.code, &in_one.json()["records"][0]["source"]), (0, &Value::from("points")));
    let in_two = desk.run(&["lookup", "ORDER_DONE", "20231027002", "--json"]);
    assert_eq!((in_two.code, in_two.json()["items"].as_array().unwrap().len()), (0, 2));
    // Not known where it could be looked for, and not looked for everywhere.
    let nowhere = desk.run(&["lookup", "ORDER_DONE", "never", "--json"]);
    assert_eq!((nowhere.code, &nowhere.json()["verdict"]), (1, &Value::Null));
}

/// The engine's version is not ours, and ages depend on today.
fn without_version(out: &str) -> String {
    let (before, after) = out.split_once("on SQLite ").unwrap();
    let out = format!("{before}on SQLite …{}", after.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.'));
    match out.split_once("The newest is ").and_then(|(before, after)| Some((before, after.split_once(" old.")?.1))) {
        Some((before, after)) => format!("{before}The newest is … old.{after}"),
        None => out,
    }
}

#[tokio::test]
async fn a_check_of_a_good_source_ends_with_0() {
    let desk = points().await;
    let ended = desk.run(&["check"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    insta::assert_snapshot!(without_version(&ended.out), @r#"
    points: idempotent_record on SQLite …, about 3 rows
      read by  tail, by rowid (id)
               New rows are followed by their growing id, open ones are asked again by primary key, and the whole table is walked slowly for rows that came back.
      there    Look-up by key, from sqlite_autoindex_idempotent_record_1
      there    One record per key, from sqlite_autoindex_idempotent_record_1
      there    Stuck and in progress, from status
      there    Ages, from update_time, create_time
      missing  Attempts: Retries per record; “out of attempts” is never said
      missing  Last error: Failures cannot be grouped by cause
      missing  Failed and dead: What failed looks like what never came
      missing  Owner and lease: “In progress” is judged by the lock alone
      missing  Changing records: This source is read-only: there is no [source.records.write]
      note     An index over the status would serve open records directly. Without it they are followed by id, or only the newest rows are read.
               suggested, for a person to run: CREATE INDEX "idx_idempotent_record_status" ON "idempotent_record" ("status", "update_time")
      note     The newest 3 rows: 1 processing, 1 completed, 1 unmapped. The newest is … old.
      note     1 of the newest rows has a code that nothing maps: 7 (1×). Shown as unmapped and never touched. Name them in status.

    No problem.
    "#);
    let checked = &desk.run(&["check", "--json"]).json()["items"][0];
    assert_eq!((&checked["source"], &checked["problems"]), (&"points".into(), &serde_json::json!([])));
    assert!(!desk.path().join("oncewatch.db").exists());
}

#[tokio::test]
async fn a_check_names_what_is_missing() {
    let desk = Desk::new(&source("points", "sqlite://points.db"));
    let url = format!("sqlite://{}?mode=rwc", desk.path().join("points.db").display());
    execute(&url, &["CREATE TABLE other (id INTEGER PRIMARY KEY)"]).await;
    let missing = desk.run(&["check"]);
    assert_eq!(missing.code, 1);
    insta::assert_snapshot!(missing.out, @"
    points: idempotent_record
      problem  There is no table idempotent_record.

    1 problem.
    ");

    execute(
        &url,
        &["CREATE TABLE idempotent_record (id INTEGER PRIMARY KEY, biz_id TEXT, biz_type TEXT, status INT,
        create_time DATETIME, update_time DATETIME)"],
    )
    .await;
    let ended = desk.run(&["check"]);
    assert_eq!(ended.code, 1);
    insta::assert_snapshot!(without_version(&ended.out), @r#"
    points: idempotent_record on SQLite …, about 0 rows
      read by  tail, by rowid (id)
               New rows are followed by their growing id, open ones are asked again by primary key, and the whole table is walked slowly for rows that came back.
      missing  Look-up by key: Looking a key up would read the whole table, so it is limited
      missing  One record per key: The last line against duplicates is missing: one key may have several records
      there    Stuck and in progress, from status
      there    Ages, from update_time, create_time
      missing  Attempts: Retries per record; “out of attempts” is never said
      missing  Last error: Failures cannot be grouped by cause
      missing  Failed and dead: What failed looks like what never came
      missing  Owner and lease: “In progress” is judged by the lock alone
      missing  Changing records: This source is read-only: there is no [source.records.write]
      note     An index over the status would serve open records directly. Without it they are followed by id, or only the newest rows are read.
               suggested, for a person to run: CREATE INDEX "idx_idempotent_record_status" ON "idempotent_record" ("status", "update_time")
      note     The table has no row yet.
      problem  No unique index covers the key. The last line against duplicates is missing. The DDL below would add it.
               suggested, for a person to run: CREATE UNIQUE INDEX "uk_idempotent_record_key" ON "idempotent_record" ("biz_type", "biz_id")
      problem  No index serves look-ups by key. Each look-up would read the whole table. The DDL below would help.
               suggested, for a person to run: CREATE INDEX "idx_idempotent_record_key" ON "idempotent_record" ("biz_type", "biz_id")

    2 problems.
    "#);
}

#[tokio::test]
async fn a_wrong_password_is_said_without_it() {
    let database = lab::mariadb_database("cli").await.unwrap();
    let mut url = url::Url::parse(&database.url).unwrap();
    url.set_password(Some("s3cret")).unwrap();
    let desk = Desk::new(&source("points", url.as_str()));
    for arguments in [&["check", "--json"][..], &["records"], &["lookup", "ORDER_DONE", "1"]] {
        let ended = desk.run(arguments);
        assert_eq!(ended.code, 1, "{arguments:?} {}", ended.err);
        assert!(!format!("{}{}", ended.out, ended.err).contains("s3cret"), "{arguments:?} {} {}", ended.out, ended.err);
    }
    let fault = &desk.run(&["check", "--json"]).json()["items"][0]["problems"][0]["fault"];
    assert_eq!((&fault["code"], &fault["layer"]), (&"refused".into(), &"records".into()));
    insta::assert_snapshot!(desk.run(&["records"]).one_line(1), @"error: points: The database refused the user name or password");
}

#[tokio::test]
async fn a_check_asks_redis_and_the_broker() {
    let desk = points().await;
    let (redis, vhost) = (lab::redis().await.unwrap(), lab::vhost("cli").await.unwrap());
    let with = |redis: &str| {
        format!(
            "{}[source.locks]\nurl = '{redis}'\npattern = 'cli:{{type}}:{{key}}'\n[[source.broker]]\nkind = 'rabbitmq'\n\
             url = '{}'\nvhost = '{}'\nqueues = ['points.*']\n",
            source("points", "sqlite://points.db"),
            vhost.management_url,
            vhost.name
        )
    };
    desk.configure(&with(&redis.url));
    let ended = desk.run(&["check", "--json"]);
    let checked = &ended.json()["items"][0];
    assert_eq!(
        checked["problems"],
        serde_json::json!([{ "code": "queue_not_found", "glob": "points.*" }]),
        "{}",
        ended.out
    );
    assert!(checked["locks"].is_string() && checked["brokers"].as_array().unwrap().len() == 1, "{}", ended.out);

    desk.configure(&with("redis://:s3cret@127.0.0.1:1/0"));
    let ended = desk.run(&["check", "--json"]);
    assert!(!ended.out.contains("s3cret"));
    assert_eq!(ended.json()["items"][0]["problems"][0]["fault"]["layer"], "lock", "{}", ended.out);
}

#[test]
fn operators_are_made_with_a_password_or_a_link() {
    let desk = Desk::new("");
    assert_eq!(desk.run(&["operator", "list"]).out.lines().count(), 1);
    let first = desk.run_with_input(&["operator", "add", "lin"], "correct horse battery\n");
    assert_eq!((first.code, first.out.as_str(), first.err.as_str()), (0, "", "lin may sign in as admin.\n"));
    let second = desk.run(&["operator", "add", "wei", "--link"]);
    assert_eq!(second.code, 0, "{}", second.err);
    assert!(second.out.starts_with("http://127.0.0.1:8080/link/") && second.out.lines().count() == 1, "{}", second.out);
    let list = desk.run(&["operator", "list"]).out;
    let shown: Vec<Vec<&str>> = list.lines().map(|line| line.split_whitespace().take(3).collect()).collect();
    assert_eq!(shown[1..], [["lin", "admin", "password"], ["wei", "viewer", "link"]]);

    insta::assert_snapshot!(desk.run_with_input(&["operator", "add", "lin"], "correct horse battery\n").one_line(1), @r#"error: operator lin already exists; "oncewatch operator passwd lin" sets a new password"#);
    insta::assert_snapshot!(desk.run_with_input(&["operator", "add", "zhao"], "short\n").one_line(2), @"error: the password has 5 characters: at least 12 are needed");
    insta::assert_snapshot!(desk.run(&["operator", "add", "Zhao Li"]).one_line(2), @r#"error: "Zhao Li" is no name: 2 to 32 of a-z, 0-9, dot and dash are accepted"#);
    insta::assert_snapshot!(desk.run(&["operator", "add", "zhao", "--role", "root"]).one_line(2), @"error: invalid value 'root' for '--role <ROLE>': accepted: viewer, operator, admin; see --help");
    insta::assert_snapshot!(desk.run(&["operator", "passwd", "nobody"]).one_line(1), @r#"error: there is no operator "nobody"; oncewatch operator list shows all"#);
    assert_eq!(desk.run_with_input(&["operator", "passwd", "wei"], "another long password\n").code, 0);
    assert!(desk.run(&["operator", "list"]).out.lines().nth(2).unwrap().contains("password"));
}

#[tokio::test]
async fn a_token_is_shown_once() {
    let desk = points().await;
    let arguments = ["token", "add", "--name", "ci", "--role", "viewer", "--source", "points", "--expires", "90d"];
    let made = desk.run(&arguments);
    assert_eq!((made.code, made.out.lines().count()), (0, 1), "{}", made.err);
    let secret = made.out.trim();
    assert!(secret.starts_with("ow_") && !made.err.contains(secret));
    let list = desk.run(&["token", "list"]).out;
    assert!(!list.contains(secret));
    let shown: Vec<&str> = list.lines().nth(1).unwrap().split_whitespace().take(3).collect();
    assert_eq!(shown, ["ci", "viewer", "points"]);

    insta::assert_snapshot!(desk.run(&arguments).one_line(1), @"error: token ci already exists");
    insta::assert_snapshot!(desk.run(&["token", "add", "--name", "x1", "--role", "viewer", "--source", "x"]).one_line(2), @r#"error: --source "x": there is no such source in the configuration"#);
    insta::assert_snapshot!(desk.run(&["token", "add", "--name", "x1", "--role", "viewer", "--expires", "soon"]).one_line(2), @"error: invalid value 'soon' for '--expires <EXPIRES>': accepted: a duration such as 12h or 90d; see --help");
    assert_eq!(desk.run(&["token", "revoke", "ci"]).code, 0);
    insta::assert_snapshot!(desk.run(&["token", "revoke", "ci"]).one_line(1), @r#"error: there is no token "ci"; oncewatch token list shows all"#);
    assert_eq!(desk.run(&["token", "list"]).out.lines().count(), 1);
}

#[test]
fn the_schema_can_be_made_beforehand() {
    let desk = Desk::new("");
    for _ in 0..2 {
        let ended = desk.run(&["migrate"]);
        assert_eq!(
            (ended.code, ended.out.as_str()),
            (0, "sqlite://oncewatch.db has everything that this version needs.\n"),
            "{}",
            ended.err
        );
    }
    assert!(desk.path().join("oncewatch.db").exists());
    desk.configure("[state]\nurl = 'postgres://ow:s3cret@127.0.0.1:1/ow'");
    insta::assert_snapshot!(desk.run(&["migrate"]).one_line(1), @"error: state.url is postgres://ow:[secret]@127.0.0.1:1/ow: the state database failed: error communicating with database: Connection refused (os error 111)");
}

#[test]
fn the_configuration_is_printed_without_secrets_and_can_be_read_again() {
    let desk = Desk::new(&source("points", "mysql://console:${PW}@db/points"));
    let printed = Ended::of(desk.command(&["config", "print"]).env("PW", "s3cret").output().unwrap());
    assert_eq!(printed.code, 0, "{}", printed.err);
    assert!(!printed.out.contains("s3cret"));
    desk.configure(&printed.out);
    assert_eq!(desk.run(&["config", "print"]).out, printed.out);
}

#[test]
fn completions_name_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let ended = Desk::new("").run(&["completions", shell]);
        assert_eq!(ended.code, 0);
        assert!(ended.out.contains("oncewatch") && ended.out.contains("lookup"), "{shell}");
    }
}
