//! Keys, types and errors inside JSON, in every kind of column that teams keep it in.

use super::{found, load, mapped, reads};
use app::model::{Fault, Layer, Problem, RecordsQuery, Status};
use server::ports::records::Span;

#[tokio::test]
async fn mysql_the_message_id_in_the_headers() {
    let database = lab::mariadb_database("case").await.unwrap();
    // In row 5 the id comes after more than is read, in row 6 before it.
    let script = r#"SET NAMES utf8mb4;
        CREATE TABLE `cap.received` (Id BIGINT NOT NULL PRIMARY KEY, `Group` VARCHAR(200) NULL, Content LONGTEXT NULL,
            Added DATETIME NOT NULL, StatusName VARCHAR(50) NOT NULL) DEFAULT CHARSET=utf8mb4;
        INSERT INTO `cap.received` VALUES
            (1730000000000000001, 'points', '{"Headers":{"cap-msg-id":"订单-\\"1\\"","cap-exception":null},"Value":{"n":1}}', '2026-11-29 08:00:00', 'Succeeded'),
            (1730000000000000002, 'points', '{"Headers":{"cap-msg-id":9007199254740993,"cap-exception":"Timeout-->\\nlate"}}', '2026-11-29 08:00:01', 'Failed'),
            (3, NULL, '{"Headers":{"cap-msg-id":1.0}}', '2026-11-29 08:00:02', 'Scheduled'),
            (4, 'points', '{"Headers":{"cap-msg-id', '2026-11-29 08:00:03', 'Succeeded'),
            (5, 'points', CONCAT('{"Value":"', REPEAT('键', 70000), '","Headers":{"cap-msg-id":"late"}}'), '2026-11-29 08:00:04', 'Succeeded'),
            (6, 'points', CONCAT('{"Headers":{"cap-msg-id":"early","cap-exception":false},"Value":"', REPEAT('键', 70000), '"}'), '2026-11-29 08:00:05', 'Succeeded'),
            (7, 'points', '{"Headers":{"cap-msg-name":"x"}}', '2026-11-29 08:00:06', 'Succeeded'),
            (8, 'points', NULL, '2026-11-29 08:00:07', 'Succeeded'),
            (9, 'points', '{"Headers":{"cap-msg-id":{"a": [1.50]}}}', '2026-11-29 08:00:08', 'Succeeded');
"#;
    let mapping = r#"[source.records]
        url = "$URL"
        table = ["cap.received"]
        id = "Id"
        key = { column = "Content", json = "/Headers/cap-msg-id" }
        type = [{ constant = "cap" }, "Group"]
        created = "Added"
        error = { column = "Content", json = "/Headers/cap-exception" }
        [source.records.status]
        column = "StatusName"
        processing = ["Scheduled"]
        completed = ["Succeeded"]
        failed = ["Failed"]"#;
    let expected = [
        "1730000000000000001 | cap:points | 订单-\"1\" | completed | 2026-11-29T08:00:00Z | - | - | - | - | -",
        "1730000000000000002 | cap:points | 9007199254740993 | failed | 2026-11-29T08:00:01Z | - | - | Timeout-->\nlate | - | -",
        "3 | cap: | 1.0 | processing | 2026-11-29T08:00:02Z | - | - | - | - | -",
        "4 | cap:points | - | completed | 2026-11-29T08:00:03Z | - | - | - | - | -",
        "5 | cap:points | - | completed | 2026-11-29T08:00:04Z | - | - | - | - | -",
        "6 | cap:points | early | completed | 2026-11-29T08:00:05Z | - | - | false | - | -",
        "7 | cap:points | - | completed | 2026-11-29T08:00:06Z | - | - | - | - | -",
        "8 | cap:points | - | completed | 2026-11-29T08:00:07Z | - | - | - | - | -",
        "9 | cap:points | {\"a\": [1.50]} | completed | 2026-11-29T08:00:08Z | - | - | - | - | -",
    ];
    let store = reads(&database.url, script, mapping, &expected).await;
    assert_eq!(found(&*store, None, "9007199254740993").await, ["1730000000000000002"]);
    assert_eq!(found(&*store, Some("cap:points"), "订单-\"1\"").await, ["1730000000000000001"]);
    assert_eq!(found(&*store, Some("cap:"), "1.0").await, ["3"]);
    assert!(found(&*store, Some("cap:"), "early").await.is_empty());
    assert!(found(&*store, Some("points"), "early").await.is_empty());
    assert!(found(&*store, None, "late").await.is_empty());
    let problems = store.describe().await.unwrap().problems;
    assert!(problems.contains(&Problem::KeyInsideJson { column: "Content".into() }), "{problems:?}");
    assert!(
        problems.iter().any(|problem| matches!(problem, Problem::JsonUnreadable { column, .. } if column == "Content"))
    );
}

#[tokio::test]
async fn postgres_jsonb_json_bytea_and_text_side_by_side() {
    let database = lab::postgres_database("case").await.unwrap();
    let script = r#"CREATE TABLE box (n bigserial PRIMARY KEY, tenant int NOT NULL, meta jsonb, raw json, body bytea, note text, s int);
        CREATE INDEX ON box (tenant);
        INSERT INTO box VALUES
            (1, 7, '{"id": 12345678901234567890.10, "a/b": {"m~n": [true, "t"]}}', '{"t": "x", "t2": 1E2}', '{"e": "boom"}', '{"o": [1, 2]}', 1),
            (2, 7, '{"id": "b"}', '[]', '\xff00', 'no json', 2),
            (3, 8, NULL, NULL, NULL, NULL, 1),
            (4, 8, '{"id": "b"}', '{"t": null}', '{"e": {"deep": 1}}', '', 1);
"#;
    let mapping = r#"[source.records]
        url = "$URL"
        table = "box"
        id = "n"
        key = ["tenant", { column = "meta", json = "/id" }]
        type = [{ column = "raw", json = "/t" }, { column = "meta", json = "/a~1b/m~0n/1" }]
        error = { column = "body", json = "/e" }
        owner = "note"
        [source.records.status]
        column = "s"
        processing = [1]
        completed = [2]"#;
    let expected = [
        "1 | x:t | 7:12345678901234567890.10 | processing | - | - | - | boom | {\"o\": [1, 2]} | -",
        "2 | - | 7:b | completed | - | - | - | - | no json | -",
        "3 | - | 8: | processing | - | - | - | - | - | -",
        "4 | - | 8:b | processing | - | - | - | {\"deep\": 1} |  | -",
    ];
    let store = reads(&database.url, script, mapping, &expected).await;
    // The tenant has an index, and the rest is compared among its rows.
    assert_eq!(found(&*store, None, "8:b").await, ["4"]);
    assert_eq!(found(&*store, Some("x:t"), "7:12345678901234567890.10").await, ["1"]);
    assert!(found(&*store, Some("x:u"), "7:12345678901234567890.10").await.is_empty());
    assert!(found(&*store, None, "7:B").await.is_empty());
    let query = RecordsQuery { r#type: Some("x:t".into()), limit: 5, ..RecordsQuery::default() };
    assert_eq!(store.list(&query).await.unwrap().items.len(), 1);
}

#[tokio::test]
async fn sqlite_of_a_large_table_nothing_is_claimed() {
    let database = lab::sqlite_database("case").await.unwrap();
    let script = r#"CREATE TABLE inbox (id INTEGER PRIMARY KEY, msg, state TEXT);
        INSERT INTO inbox VALUES (1, '{"id": "a"}', 'done'), (2, x'7b226964223a2262227d', 'done'), (3, 42, 'done'), (4, '{"id": ["c"]}', NULL);
"#;
    let mapping = r#"[source.records]
        url = "$URL"
        table = "inbox"
        id = "id"
        key = [{ column = "msg", json = "/id" }]
        [source.records.status]
        column = "state"
        completed = ["done"]"#;
    let expected = [
        "1 | - | a | completed | - | - | - | - | - | -",
        "2 | - | b | completed | - | - | - | - | - | -",
        "3 | - | - | completed | - | - | - | - | - | -",
        "4 | - | [\"c\"] | unmapped | - | - | - | - | - | -",
    ];
    let store = reads(&database.url, script, mapping, &expected).await;
    assert_eq!(found(&*store, None, "b").await, ["2"]);
    assert_eq!(found(&*store, None, "[\"c\"]").await, ["4"]);
    load(&database.url, "CREATE INDEX i ON inbox (state);\nANALYZE;\nUPDATE sqlite_stat1 SET stat = '5000000 9'").await;
    let refused = mapped(&database.url, mapping).find(None, "b").await;
    assert!(
        matches!(&refused, Err(Fault::Unreadable { layer: Layer::Records, detail }) if detail.contains("JSON")),
        "{refused:?}"
    );
}

/// Without anything that tells rows apart there is one page, and no way back to a row, but no wrong row either.
#[tokio::test]
async fn a_view_over_json_is_read_as_far_as_it_can_be() {
    let database = lab::sqlite_database("case").await.unwrap();
    let script = r#"CREATE TABLE inbox (msg TEXT);
        INSERT INTO inbox VALUES ('{"id": "a"}'), ('{"id": "b"}');
        CREATE VIEW seen AS SELECT * FROM inbox;
"#;
    let mapping = r#"[source.records]
        url = "$URL"
        table = "seen"
        key = { column = "msg", json = "/id" }
        status = { exists = "completed" }"#;
    let expected = ["- | - | a | completed | - | - | - | - | - | -", "- | - | b | completed | - | - | - | - | - | -"];
    let store = reads(&database.url, script, mapping, &expected).await;
    let page = store.list(&RecordsQuery { limit: 9, ..RecordsQuery::default() }).await.unwrap();
    let references: Vec<_> = page.items.into_iter().map(|row| row.reference).collect();
    assert_eq!(store.get(&references).await.unwrap(), []);
    store.find(None, "a").await.unwrap_err();
}

/// More rows than one statement reads of documents.
#[tokio::test]
async fn keys_and_types_in_json_are_found_wherever_they_lie() {
    let database = lab::sqlite_database("case").await.unwrap();
    let script = r#"CREATE TABLE inbox (id INTEGER PRIMARY KEY, msg TEXT NOT NULL, s INT NOT NULL);
        INSERT INTO inbox WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
            SELECT i, '{"id": ' || i || ', "t": "' || CASE WHEN i IN (2, 700) THEN 'rare' ELSE 'common' END || '"}', CASE WHEN i = 2 THEN 1 ELSE 2 END FROM n;
        CREATE INDEX by_s ON inbox (s);
"#;
    load(&database.url, script).await;
    let mapping = r#"[source.records]
        url = "$URL"
        table = "inbox"
        id = "id"
        key = { column = "msg", json = "/id" }
        type = { column = "msg", json = "/t" }
        [source.records.status]
        column = "s"
        processing = [1]
        completed = [2]"#;
    let store = mapped(&database.url, mapping);
    for key in ["1", "700", "1100"] {
        assert_eq!(found(&*store, None, key).await, [key]);
    }
    assert!(found(&*store, Some("rare"), "1").await.is_empty());
    assert!(found(&*store, None, "1101").await.is_empty());
    let listed = async |r#type: &str, status| {
        let query = RecordsQuery { r#type: Some(r#type.into()), status, limit: 9, ..RecordsQuery::default() };
        let items = store.list(&query).await.unwrap().items;
        items.into_iter().map(|row| row.record.id.unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(listed("rare", None).await, ["700", "2"]);
    assert_eq!(listed("rare", Some(Status::Processing)).await, ["2"]);
    assert_eq!(listed("common", Some(Status::Completed)).await.len(), 9);
    let open = store.open(1_000).await.unwrap();
    assert_eq!((open.rows.len(), open.rows[0].record.key.as_deref()), (1, Some("2")));
    // A walk by id takes shorter steps, and says that there is more.
    let scanned = store.scan("inbox", &Span { after: Some(10), up_to: None }, 1_000).await.unwrap();
    assert!(scanned.full && scanned.last == Some(260), "{:?}", scanned.last);
}
