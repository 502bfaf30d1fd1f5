//! Times in every form that a column can have, and what is refused.

use super::{load, mapped, reads};
use app::model::{Fault, Problem, RecordsQuery, Status, TimeField};

#[tokio::test]
async fn mysql_every_unit() {
    let database = lab::mariadb_database("case").await.unwrap();
    let script = "SET time_zone = '+00:00', sql_mode = '';
        CREATE TABLE t (id INT NOT NULL PRIMARY KEY, fine DATETIME(6) NULL, at TIMESTAMP(3) NULL, day DATE NULL, s DECIMAL(16,3) NULL, us BIGINT NULL,
            f DOUBLE NULL, word VARCHAR(40) NULL, compact BIGINT NULL);
        INSERT INTO t VALUES (1, '2026-11-29 16:00:00.000001', '2026-11-29 08:00:00.120', '2026-11-29', 1795939230.500, 1795939230123456, 1795939230.25, '1795939230', 20261129161500),
            (2, '0000-00-00 00:00:00', '0000-00-00 00:00:00', '0000-00-00', 0, 0, 0, '', 0),
            (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);\n";
    let of = |created: &str, updated: &str, lease: &str| {
        format!(
            r#"timezone = "Asia/Shanghai"
            [source.records]
            url = "$URL"
            table = "t"
            key = "id"
            created = {created}
            updated = {updated}
            lease_until = {lease}
            status = {{ exists = "completed" }}"#
        )
    };
    let none = ["- | - | 2 | completed | - | - | - | - | - | -", "- | - | 3 | completed | - | - | - | - | - | -"];
    let with = |first: &'static str| [first, none[0], none[1]];
    let first = of(r#""fine""#, r#""at""#, r#""day""#);
    let line = "- | - | 1 | completed | 2026-11-29T08:00:00.000001Z | 2026-11-29T08:00:00.12Z | - | - | - | 2026-11-28T16:00:00Z";
    reads(&database.url, script, &first, &with(line)).await;
    let second = of(
        r#"{ column = "s", unit = "epoch_s" }"#,
        r#"{ column = "us", unit = "epoch_us", plus = "1m" }"#,
        r#"{ column = "f", unit = "epoch_s" }"#,
    );
    let line = "- | - | 1 | completed | 2026-11-29T08:00:30.5Z | 2026-11-29T08:01:30.123456Z | - | - | - | 2026-11-29T08:00:30.25Z";
    reads(&database.url, "", &second, &with(line)).await;
    let third = of(
        r#"{ column = "word", unit = "epoch_s" }"#,
        r#"{ column = "compact", unit = "text", format = "%Y%m%d%H%M%S" }"#,
        r#"[{ column = "fine", timezone = "UTC" }, "at"]"#,
    );
    let line =
        "- | - | 1 | completed | 2026-11-29T08:00:30Z | 2026-11-29T08:15:00Z | - | - | - | 2026-11-29T16:00:00.000001Z";
    reads(&database.url, "", &third, &with(line)).await;
}

#[tokio::test]
async fn postgres_instants_infinities_and_text_with_zones() {
    let database = lab::postgres_database("case").await.unwrap();
    let script = "CREATE TABLE t (id int PRIMARY KEY, at timestamptz, wall timestamp(3), day date, f float8, txt text, fmt varchar(40));
        INSERT INTO t VALUES (1, '2026-11-29 16:00:00.5+08', '2026-11-01 01:30:00', '2026-07-01', 1795939230123456, '2026-11-29T16:00:00+08:00', '29/Nov/2026:16:00:00 +0800'),
            (2, 'infinity', '-infinity', 'infinity', 0, 'infinity', ''),
            (3, 'epoch', NULL, NULL, NULL, NULL, NULL);
";
    let of = |created: &str, updated: &str, lease: &str| {
        format!(
            r#"timezone = "America/New_York"
            [source.records]
            url = "$URL"
            table = "t"
            key = "id"
            created = {created}
            updated = {updated}
            lease_until = {lease}
            status = {{ exists = "completed" }}"#
        )
    };
    let none = ["- | - | 2 | completed | - | - | - | - | - | -", "- | - | 3 | completed | - | - | - | - | - | -"];
    let first =
        "- | - | 1 | completed | 2026-11-29T08:00:00.5Z | 2026-11-01T05:30:00Z | - | - | - | 2026-07-01T04:00:00Z";
    let mapping = of(r#""at""#, r#""wall""#, r#""day""#);
    reads(&database.url, script, &mapping, &[first, none[0], none[1]]).await;
    let second =
        "- | - | 1 | completed | 2026-11-29T08:00:30.123456Z | 2026-11-29T08:00:00Z | - | - | - | 2026-11-29T08:00:00Z";
    let mapping = of(
        r#"{ column = "f", unit = "epoch_us" }"#,
        r#""txt""#,
        r#"{ column = "fmt", format = "%d/%b/%Y:%H:%M:%S %z" }"#,
    );
    reads(&database.url, "", &mapping, &[second, none[0], none[1]]).await;
}

#[tokio::test]
async fn sqlite_a_stated_unit_beats_the_declared_type() {
    let database = lab::sqlite_database("case").await.unwrap();
    let script = "CREATE TABLE t (id INTEGER PRIMARY KEY, a DATETIME, b TEXT, c TIMESTAMP);
        INSERT INTO t VALUES (1, 1795939230, '1795939230123', '2026-11-29 16:00:00'), (2, 1795939230.5, 0, ''), (3, '1795939230', NULL, '2026-11-29T08:00:00Z');
";
    let mapping = r#"timezone = "Asia/Shanghai"
        [source.records]
        url = "$URL"
        table = "t"
        id = "id"
        key = "id"
        created = { column = "a", unit = "epoch_s" }
        updated = { column = "b", unit = "epoch_ms" }
        lease_until = "c"
        [source.records.status]
        rules = [{ status = "processing", when = [{ column = "a", newer_than = "1m" }] }, { status = "dead", when = [{ column = "b", older_than = "1m" }] }]"#;
    let expected = [
        "1 | - | 1 | processing | 2026-11-29T08:00:30Z | 2026-11-29T08:00:30.123Z | - | - | - | 2026-11-29T08:00:00Z",
        "2 | - | 2 | processing | 2026-11-29T08:00:30.5Z | - | - | - | - | -",
        "3 | - | 3 | processing | 2026-11-29T08:00:30Z | - | - | - | - | 2026-11-29T08:00:00Z",
    ];
    let script = script.replace("1795939230", "4102444830");
    let expected = expected.map(|line| line.replace("2026-11-29T08:00:30", "2100-01-01T00:00:30"));
    // An age is read as the column is mapped.
    let store = reads(&database.url, &script, mapping, &expected.each_ref().map(String::as_str)).await;
    load(&database.url, "UPDATE t SET a = 1000, b = 1000").await;
    let page = store.list(&RecordsQuery { limit: 9, ..RecordsQuery::default() }).await.unwrap();
    assert!(page.items.iter().all(|row| row.record.status == Status::Dead));
}

#[tokio::test]
async fn what_is_no_time_is_refused_with_a_reason() {
    let postgres = lab::postgres_database("case").await.unwrap();
    load(&postgres.url, "CREATE TABLE t (k text PRIMARY KEY, clock time, zoned timetz, span interval, flag boolean, j jsonb, n bigint, d numeric, f real, at timestamptz)").await;
    let mysql = lab::mariadb_database("case").await.unwrap();
    load(&mysql.url, "CREATE TABLE t (k VARCHAR(9) PRIMARY KEY, clock TIME, made YEAR, b BIT(8), n INT UNSIGNED, d DECIMAL(20), f DOUBLE, at DATETIME)").await;
    let sqlite = lab::sqlite_database("case").await.unwrap();
    load(&sqlite.url, "CREATE TABLE t (k TEXT PRIMARY KEY, n BIGINT, f REAL, d DECIMAL(10, 2))").await;
    let says = async |url: &str, created: &str| {
        let mapping = format!(
            "[source.records]\nurl = \"$URL\"\ntable = \"t\"\nkey = \"k\"\ncreated = {created}\nstatus = {{ exists = \"completed\" }}"
        );
        match mapped(url, &mapping).describe().await {
            Err(Fault::BadInput { detail, .. }) => detail,
            other => panic!("{created}: {other:?}"),
        }
    };
    for column in ["clock", "zoned", "span", "flag", "j"] {
        let said = says(&postgres.url, &format!("{column:?}")).await;
        assert!(said.contains("no point in time"), "{column}: {said}");
    }
    for column in ["clock", "made", "b"] {
        let said = says(&mysql.url, &format!("{column:?}")).await;
        assert!(said.contains("no point in time"), "{column}: {said}");
    }
    for (url, columns) in
        [(&postgres.url, ["n", "d", "f"]), (&mysql.url, ["n", "d", "f"]), (&sqlite.url, ["n", "d", "f"])]
    {
        for column in columns {
            for created in [format!("{column:?}"), format!("{{ column = {column:?}, unit = \"datetime\" }}")] {
                let said = says(url, &created).await;
                assert!(said.contains("epoch_ms"), "{created}: {said}");
            }
        }
    }
    for url in [&postgres.url, &mysql.url] {
        let said = says(url, r#"{ column = "at", unit = "epoch_s" }"#).await;
        assert!(said.contains("never holds an epoch"), "{said}");
    }
}

#[tokio::test]
async fn text_that_is_no_time_is_counted() {
    let database = lab::sqlite_database("case").await.unwrap();
    let script = "CREATE TABLE t (id INTEGER PRIMARY KEY, at TEXT, until TEXT);
        INSERT INTO t VALUES (1, 'yesterday', '20261129161500'), (2, '2026-11-29T08:00:00Z', ''), (3, NULL, 'soon'), (4, '', 'x'), (5, '29.11.2026', NULL);
";
    load(&database.url, script).await;
    let mapping = r#"[source.records]
        url = "$URL"
        table = "t"
        id = "id"
        key = "id"
        created = "at"
        lease_until = { column = "until", format = "%Y%m%d%H%M%S" }
        status = { exists = "completed" }"#;
    let store = mapped(&database.url, mapping);
    let bad = async || {
        let problems = store.describe().await.unwrap().problems;
        let of = |problem: Problem| match problem {
            Problem::TextIsNoTime { column, count, of, example } => Some((column, count, of, example)),
            _ => None,
        };
        problems.into_iter().filter_map(of).collect::<Vec<_>>()
    };
    let found = bad().await;
    assert_eq!(found, [("at".into(), 2, 5, "yesterday".into()), ("until".into(), 2, 5, "soon".into())]);
    // Put right, what is read from then on counts.
    load(&database.url, "UPDATE t SET at = NULL, until = NULL").await;
    let found = bad().await;
    assert_eq!(found[0], ("at".into(), 2, 10, "yesterday".into()));
}

#[tokio::test]
async fn an_hour_that_comes_twice_is_marked() {
    let database = lab::mariadb_database("case").await.unwrap();
    let script = "CREATE TABLE t (id INT NOT NULL PRIMARY KEY, a DATETIME, b DATETIME, c TIMESTAMP NULL);
        INSERT INTO t VALUES (1, '2026-11-01 01:30:00', '2026-11-01 02:30:00', '2026-11-01 01:30:00');\n";
    let mapping = r#"timezone = "America/New_York"
        [source.records]
        url = "$URL"
        table = "t"
        key = "id"
        created = "a"
        updated = "b"
        lease_until = "c"
        status = { exists = "completed" }"#;
    load(&database.url, &format!("SET time_zone = '+00:00';\n{script}")).await;
    let page =
        mapped(&database.url, mapping).list(&RecordsQuery { limit: 9, ..RecordsQuery::default() }).await.unwrap();
    assert_eq!(page.items[0].ambiguous, [TimeField::CreatedAt]);
}

#[tokio::test]
async fn times_are_compared_as_the_instants_they_are() {
    let database = lab::postgres_database("case").await.unwrap();
    let script = "CREATE TABLE t (id int PRIMARY KEY, wall timestamp, at timestamptz, ms bigint, word text, other text);
        INSERT INTO t VALUES (1, '2026-11-29 16:00:01', '2026-11-29 08:00:00+00', 1795939200500, '10', '9'), (2, '2026-11-29 15:59:59', '2026-11-29 08:00:00+00', 1795939200500, '1', '9'),
            (3, NULL, '2026-11-29 08:00:00+00', 1795939199000, '2026-11-29T08:00:00Z', '2026-11-29T09:00:00+02:00'), (4, 'infinity', NULL, 0, NULL, '1');
";
    let mapping = |column: &str, other: &str| {
        format!(
            r#"timezone = "Asia/Shanghai"
            [source.records]
            url = "$URL"
            table = "t"
            key = "id"
            lease_until = {{ column = "ms", unit = "epoch_ms", plus = "1h" }}
            [source.records.status]
            rules = [{{ status = "dead", when = [{{ column = "{column}", greater_than_column = "{other}" }}] }}]"#
        )
    };
    load(&database.url, script).await;
    for (column, other, expected) in [
        ("wall", "at", vec!["1"]),
        ("at", "wall", vec!["2"]),
        ("ms", "at", vec!["1", "2"]),
        ("wall", "ms", vec!["1"]),
        ("word", "other", vec!["1", "3"]),
    ] {
        let store = mapped(&database.url, &mapping(column, other));
        let items = store.list(&RecordsQuery { limit: 9, ..RecordsQuery::default() }).await.unwrap().items;
        let mut dead: Vec<_> = items
            .iter()
            .filter(|row| row.record.status == Status::Dead)
            .map(|row| row.record.key.as_deref().unwrap())
            .collect();
        dead.sort_unstable();
        assert_eq!(dead, expected, "{column} > {other}");
    }
}
