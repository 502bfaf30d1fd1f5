//! Types put together from constants, the table's name and columns.

use super::{found, mapped, reads};
use app::model::{RecordsQuery, Status};
use server::config::{Environment, from_toml};

const SCRIPT: &str = "CREATE TABLE `mq.log` (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, topic VARCHAR(40) NULL, k VARCHAR(40) NOT NULL,
        s INT NOT NULL, UNIQUE (topic, k), KEY by_status (s, topic, id)) DEFAULT CHARSET=utf8mb4;
    INSERT INTO `mq.log` VALUES (1, 'order', 'a', 1), (2, 'order:paid', 'a', 2), (3, NULL, 'a', 1), (4, '', 'b', 1), (5, 'x', 'mq.log', 2);
";

fn mapping(r#type: &str) -> String {
    format!(
        r#"[source.records]
        url = "$URL"
        table = ["mq.log"]
        id = "id"
        key = "k"
        type = {type}
        [source.records.status]
        column = "s"
        processing = [1]
        completed = [2]"#
    )
}

#[tokio::test]
async fn constants_and_columns_are_joined_and_taken_apart_again() {
    let database = lab::mariadb_database("case").await.unwrap();
    let mixed = mapping(r#"[{ constant = "points:v1" }, "topic", { table_name = true }]"#);
    let expected = [
        "1 | points:v1:order:mq.log | a | processing | - | - | - | - | - | -",
        "2 | points:v1:order:paid:mq.log | a | completed | - | - | - | - | - | -",
        "3 | points:v1::mq.log | a | processing | - | - | - | - | - | -",
        "4 | points:v1::mq.log | b | processing | - | - | - | - | - | -",
        "5 | points:v1:x:mq.log | mq.log | completed | - | - | - | - | - | -",
    ];
    let store = reads(&database.url, SCRIPT, &mixed, &expected).await;
    assert_eq!(found(&*store, None, "a").await, ["1", "2", "3"]);
    assert_eq!(found(&*store, Some("points:v1:order:paid:mq.log"), "a").await, ["2"]);
    assert_eq!(found(&*store, Some("points:v1::mq.log"), "a").await, ["3"]);
    assert_eq!(found(&*store, Some("points:v1::mq.log"), "b").await, ["4"]);
    for other in ["points:v1", "points:v1:order", "order", "points:v1:order:mq_log", "points:order:mq.log", ""] {
        assert!(found(&*store, Some(other), "a").await.is_empty(), "{other}");
    }
    let listed = async |r#type: &str, status| {
        let query = RecordsQuery { r#type: Some(r#type.into()), status, limit: 9, ..RecordsQuery::default() };
        let items = store.list(&query).await.unwrap().items;
        items.into_iter().map(|row| row.record.id.unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(listed("points:v1:order:mq.log", None).await, ["1"]);
    assert_eq!(listed("points:v1:order:mq.log", Some(Status::Completed)).await, [""; 0]);
    assert_eq!(listed("points:v1:order:paid:mq.log", Some(Status::Completed)).await, ["2"]);
    assert_eq!(listed("points:v1::mq.log", None).await, ["4", "3"]);
    assert_eq!(listed("order", None).await, [""; 0]);
    assert_eq!(store.describe().await.unwrap().problems, []);

    let named = mapped(&database.url, &mapping("{ table_name = true }"));
    assert_eq!(found(&*named, Some("mq.log"), "b").await, ["4"]);
    assert!(found(&*named, Some("order"), "b").await.is_empty());
}

#[test]
fn a_type_that_no_column_has_a_say_in_is_known_beforehand() {
    let fixed = |r#type: &str| {
        let toml = format!("[[source]]\nname = \"x\"\n{}", mapping(r#type).replace("$URL", "sqlite://x.db"));
        from_toml(&toml, &Environment::default()).unwrap().sources[0].records.fixed_type()
    };
    assert_eq!(fixed(r#"{ constant = "a" }"#).as_deref(), Some("a"));
    assert_eq!(
        fixed(r#"[{ constant = "a" }, { table_name = true }, { constant = "a" }]"#).as_deref(),
        Some("a:mq.log:a")
    );
    assert_eq!(fixed(r#"[{ constant = "a" }, "topic"]"#), None);
}

#[tokio::test]
async fn tables_in_numbers_are_a_type_each() {
    let database = lab::sqlite_database("case").await.unwrap();
    let script = "CREATE TABLE log_1 (id INTEGER PRIMARY KEY, k TEXT NOT NULL UNIQUE, s INT);
        CREATE TABLE log_2 (id INTEGER PRIMARY KEY, k TEXT NOT NULL UNIQUE, s INT);
        INSERT INTO log_1 VALUES (1, 'a', 1);
        INSERT INTO log_2 VALUES (1, 'a', 2), (2, 'b', 1);
";
    let numbered =
        mapping(r#"[{ constant = "points" }, { table_name = true }]"#).replace(r#"["mq.log"]"#, r#""log_*""#);
    let expected = [
        "log_1/1 | points:log_1 | a | processing | - | - | - | - | - | -",
        "log_2/1 | points:log_2 | a | completed | - | - | - | - | - | -",
        "log_2/2 | points:log_2 | b | processing | - | - | - | - | - | -",
    ];
    let store = reads(&database.url, script, &numbered, &expected).await;
    assert_eq!(found(&*store, None, "a").await, ["log_1/1", "log_2/1"]);
    assert_eq!(found(&*store, Some("points:log_2"), "a").await, ["log_2/1"]);
    assert!(found(&*store, Some("points:log_1"), "b").await.is_empty());
    let query = RecordsQuery { r#type: Some("points:log_2".into()), limit: 9, ..RecordsQuery::default() };
    assert_eq!(store.list(&query).await.unwrap().items.len(), 2);
    let toml = format!("[[source]]\nname = \"x\"\n{}", numbered.replace("$URL", "sqlite://x.db"));
    assert_eq!(from_toml(&toml, &Environment::default()).unwrap().sources[0].records.fixed_type(), None);
}
