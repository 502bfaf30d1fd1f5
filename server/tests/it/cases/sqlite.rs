//! Tables of SQLite.

use super::{reads, store_of};
use crate::console::Shifted;
use app::model::{Pk, RecordRef, Status};
use server::adapters::records::connect;
use server::config::{Environment, from_toml};
use server::ports::records::Span;
use std::sync::Arc;
use std::time::Duration;

#[tokio::test]
async fn times_as_text_and_a_composite_primary_key() {
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
async fn rows_by_age_and_what_is_filtered_is_nowhere() {
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
    let config = from_toml(&toml, &Environment::default()).unwrap();
    let store = store_of(&config);
    // By the database's clock, whatever ours says.
    let fast = Arc::new(Shifted::default());
    fast.advance(Duration::from_secs(1_800));
    let elsewhere = connect(&config.sources[0], &config.limits, fast).unwrap();
    assert_eq!(elsewhere.find(None, "young").await.unwrap()[0].record.status, Status::Processing);
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
