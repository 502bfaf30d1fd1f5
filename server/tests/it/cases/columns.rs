//! Columns of every type as key, type, status, owner and id.

use super::{found, mapped, reads};
use app::model::{Fault, RecordsQuery, Status};

#[tokio::test]
async fn mysql_sets_enums_bits_and_bytes() {
    let database = lab::mariadb_database("case").await.unwrap();
    let script = "SET NAMES utf8mb4;
        CREATE TABLE odd (id DECIMAL(20,0) UNSIGNED NOT NULL PRIMARY KEY, uid BINARY(16) NOT NULL UNIQUE, state ENUM('New','In Progress','Done') NULL,
            flags SET('a','b') NULL, made YEAR NULL, pad CHAR(8) NOT NULL, b BIT(3) NOT NULL, amount DECIMAL(10,2) NOT NULL,
            gen VARCHAR(40) AS (CONCAT(pad, '-', b + 0)) VIRTUAL, latin VARCHAR(20) CHARACTER SET latin1, gone TINYINT(1) NULL, KEY (state));
        INSERT INTO odd (id, uid, state, flags, made, pad, b, amount, latin, gone) VALUES
            (18446744073709551616, x'0B4C5A005D3F08DDAAAA0242AC110002', 'In Progress', 'a,b', 2026, 'x', b'101', 12.50, 'é', 0),
            (7, x'00000000000000000000000000000001', 'Done', '', NULL, 'two  ', b'000', 10, NULL, NULL),
            (8, x'00000000000000000000000000000002', NULL, NULL, 1999, '', b'111', -0.01, '', 2),
            (9, x'00000000000000000000000000000003', 'New', 'a', 2026, 'y', b'001', 1, '', 1);\n";
    let mapping = r#"[source.records]
        url = "$URL"
        table = "odd"
        id = "id"
        key = "uid"
        type = ["flags", "made", "pad", "b", "gen"]
        owner = "amount"
        error = "latin"
        where = [{ column = "gone", not_equals = true }]
        [source.records.status]
        column = "state"
        processing = ["in progress", "new"]
        completed = ["DONE"]"#;
    let expected = [
        "18446744073709551616 | a,b:2026:x:5:x-5 | 0b4c5a005d3f08ddaaaa0242ac110002 | processing | - | - | - | é | 12.50 | -",
        "7 | ::two:0:two-0 | 00000000000000000000000000000001 | completed | - | - | - | - | 10.00 | -",
        "8 | :1999::7:-7 | 00000000000000000000000000000002 | unmapped | - | - | - |  | -0.01 | -",
    ];
    let store = reads(&database.url, script, mapping, &expected).await;
    for key in [
        "0b4c5a005d3f08ddaaaa0242ac110002",
        "0B4C5A005D3F08DDAAAA0242AC110002",
        "0b4c5a00-5d3f-08dd-aaaa-0242ac110002",
        "0B4C5A00-5D3F-08DD-AAAA-0242AC110002",
    ] {
        assert_eq!(found(&*store, None, key).await, ["18446744073709551616"], "{key}");
    }
    assert_eq!(found(&*store, Some("::two:0:two-0"), "00000000000000000000000000000001").await, ["7"]);
    for key in ["0b4c5a00", "not hex", "0b4c5a005d3f08ddaaaa0242ac11000"] {
        assert!(found(&*store, None, key).await.is_empty(), "{key}");
    }
    let unmapped = RecordsQuery { status: Some(Status::Unmapped), limit: 9, ..RecordsQuery::default() };
    assert_eq!(store.list(&unmapped).await.unwrap().items.len(), 1);
}

#[tokio::test]
async fn postgres_domains_enums_citext_and_padding() {
    let database = lab::postgres_database("case").await.unwrap();
    let script = "CREATE EXTENSION IF NOT EXISTS citext;
        CREATE TYPE \"Phase\" AS ENUM ('open', 'Done');
        CREATE DOMAIN order_no AS text;
        CREATE DOMAIN strict_no AS order_no CHECK (VALUE <> '');
        CREATE DOMAIN growing AS bigint;
        CREATE TABLE odd (id growing NOT NULL PRIMARY KEY, k strict_no NOT NULL, name citext, fixed char(10), phase \"Phase\", flag bit(1), ok boolean,
            raw bytea, u uuid, gen text GENERATED ALWAYS AS (k || '!') STORED, UNIQUE (name, k));
        INSERT INTO odd (id, k, name, fixed, phase, flag, ok, raw, u) VALUES
            (1, 'A-1', 'Order', 'done', 'open', '1', true, '\\x00FF', '0B4C5A00-5D3F-08DD-AAAA-0242AC110002'),
            (2, 'a-1', 'order2', 'DONE', 'Done', '0', false, NULL, NULL),
            (3, 'A-1', NULL, NULL, NULL, NULL, NULL, '', NULL);
";
    let by = |column: &str, codes: &str| {
        format!(
            r#"[source.records]
            url = "$URL"
            table = "odd"
            id = "id"
            key = ["k"]
            type = ["name", "fixed"]
            error = "gen"
            owner = "raw"
            [source.records.status]
            column = "{column}"
            {codes}"#
        )
    };
    let expected = [
        "1 | Order:done | A-1 | processing | - | - | - | A-1! | 00ff | -",
        "2 | order2:DONE | a-1 | completed | - | - | - | a-1! | - | -",
        "3 | - | A-1 | unmapped | - | - | - | A-1! |  | -",
    ];
    let store =
        reads(&database.url, script, &by("phase", "processing = ['OPEN']\ncompleted = ['done']"), &expected).await;
    assert_eq!(found(&*store, Some("ORDER:done"), "A-1").await, ["1"], "citext has no case");
    assert_eq!(found(&*store, None, "A-1").await, ["1", "3"]);
    for (column, codes) in [
        ("ok", "processing = [true]\ncompleted = [false]"),
        ("ok", "processing = ['true']\ncompleted = ['FALSE']"),
        ("ok", "processing = [1]\ncompleted = [0]"),
        ("flag", "processing = [1]\ncompleted = [0]"),
        ("flag", "processing = [true]\ncompleted = [false]"),
        ("id", "processing = [1]\ncompleted = ['2..2']"),
    ] {
        let store = mapped(&database.url, &by(column, codes));
        let page = store.list(&RecordsQuery { limit: 9, ..RecordsQuery::default() }).await.unwrap();
        let statuses: Vec<Status> = page.items.iter().rev().map(|row| row.record.status).collect();
        assert_eq!(statuses, [Status::Processing, Status::Completed, Status::Unmapped], "{column} {codes}");
    }
    let padded = mapped(&database.url, &by("fixed", "completed = ['done']"));
    let page = padded.list(&RecordsQuery { limit: 9, ..RecordsQuery::default() }).await.unwrap();
    assert_eq!(page.items.iter().filter(|row| row.record.status == Status::Completed).count(), 2);
    let refused = mapped(&database.url, &by("ok", "completed = [true]").replace("id = \"id\"", "id = \"u\""));
    assert!(
        matches!(refused.describe().await, Err(Fault::BadInput { detail, .. }) if detail.contains("uuid") && detail.contains("key"))
    );
}

#[tokio::test]
async fn postgres_a_partitioned_table_is_one() {
    let database = lab::postgres_database("case").await.unwrap();
    let script = "CREATE TABLE log (id bigserial, day date NOT NULL, k text NOT NULL, s int, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
        CREATE TABLE log_1 PARTITION OF log FOR VALUES FROM ('2026-11-01') TO ('2026-12-01');
        CREATE TABLE log_2 PARTITION OF log FOR VALUES FROM ('2026-12-01') TO ('2027-01-01');
        CREATE UNIQUE INDEX ON log (k, day);
        INSERT INTO log (day, k, s) VALUES ('2026-11-29', 'a', 1), ('2026-12-01', 'b', 2), ('2026-12-02', 'a', 2);
";
    let mapping = r#"timezone = "Asia/Shanghai"
        [source.records]
        url = "$URL"
        table = "log"
        id = "id"
        key = "k"
        created = "day"
        [source.records.status]
        column = "s"
        processing = [1]
        completed = [2]"#;
    let expected = [
        "1 | - | a | processing | 2026-11-28T16:00:00Z | - | - | - | - | -",
        "2 | - | b | completed | 2026-11-30T16:00:00Z | - | - | - | - | -",
        "3 | - | a | completed | 2026-12-01T16:00:00Z | - | - | - | - | -",
    ];
    let store = reads(&database.url, script, mapping, &expected).await;
    assert_eq!(found(&*store, None, "a").await, ["1", "3"]);
}

#[tokio::test]
async fn sqlite_each_value_by_its_own_class() {
    let database = lab::sqlite_database("case").await.unwrap();
    let script = "CREATE TABLE odd (id INTEGER PRIMARY KEY, uid BINARY(16) NOT NULL UNIQUE, state CHAR(10), n NUMERIC, blob BLOB, made AS (n || '!'));
        INSERT INTO odd (id, uid, state, n, blob) VALUES (1, x'0B4C5A005D3F08DDAAAA0242AC110002', 'done    ', 1.5, 'text'),
            (2, 'text key', 'DONE', '2', x'ff'), (3, 3, 'done  x', NULL, 4), (4, 1.25, NULL, 'word', NULL);
";
    let mapping = r#"[source.records]
        url = "$URL"
        table = "odd"
        id = "id"
        key = "uid"
        type = ["n", "made"]
        owner = "blob"
        [source.records.status]
        column = "state"
        completed = ["done"]"#;
    let expected = [
        "1 | 1.5:1.5! | 0b4c5a005d3f08ddaaaa0242ac110002 | completed | - | - | - | - | text | -",
        "2 | 2:2! | text key | completed | - | - | - | - | ff | -",
        "3 | - | 3 | unmapped | - | - | - | - | 4 | -",
        "4 | word:word! | 1.25 | unmapped | - | - | - | - | - | -",
    ];
    let store = reads(&database.url, script, mapping, &expected).await;
    for (key, id) in [
        ("0b4c5a00-5d3f-08dd-aaaa-0242ac110002", "1"),
        ("0b4c5a005d3f08ddaaaa0242ac110002", "1"),
        ("text key", "2"),
        ("3", "3"),
        ("1.25", "4"),
    ] {
        assert_eq!(found(&*store, None, key).await, [id], "{key}");
    }
    let text_id = mapped(&database.url, &mapping.replace("id = \"id\"", "id = \"state\""));
    assert!(matches!(text_id.describe().await, Err(Fault::BadInput { .. })));
}

/// A view has no index, so it is read as far as it is cheap, and that is said.
#[tokio::test]
async fn views_of_every_engine_are_read_as_far_as_is_cheap() {
    let script = "CREATE TABLE base (id INT NOT NULL PRIMARY KEY, k VARCHAR(9) NOT NULL UNIQUE, s INT);
        INSERT INTO base VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', NULL);
        CREATE VIEW shown AS SELECT id, k, s FROM base WHERE id < 3;
";
    let mapping = r#"[source.records]
        url = "$URL"
        table = "shown"
        id = "id"
        key = "k"
        [source.records.status]
        column = "s"
        processing = [1]
        completed = [2]"#;
    let expected = ["1 | - | a | processing | - | - | - | - | - | -", "2 | - | b | completed | - | - | - | - | - | -"];
    for database in [
        lab::sqlite_database("case").await.unwrap(),
        lab::mariadb_database("case").await.unwrap(),
        lab::postgres_database("case").await.unwrap(),
    ] {
        let store = reads(&database.url, script, mapping, &expected).await;
        let described = store.describe().await.unwrap();
        assert_eq!(described.choice.strategy, app::model::Strategy::Bounded);
        assert_eq!(described.estimated_rows, None, "{}", described.engine);
        assert!(matches!(store.find(None, "a").await, Err(Fault::Unreadable { .. })));
    }
}
