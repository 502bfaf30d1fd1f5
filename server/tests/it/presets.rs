//! Presets over the tables that their tools make, as the tools document them.

mod mysql;
mod postgres;

use crate::cases;

/// What a table reads as by a preset and what is written beside it.
async fn reads(url: &str, script: &str, preset: &str, beside: &str, expected: &[&str]) {
    let mapping = format!("[source.records]\nurl = \"$URL\"\npreset = \"{preset}\"\n{beside}\n");
    cases::reads(url, script, &mapping, expected).await;
}

#[tokio::test]
async fn processed_messages() {
    let database = lab::sqlite_database("preset").await.unwrap();
    let script =
        "CREATE TABLE processed_messages (consumer_group TEXT NOT NULL, message_id TEXT NOT NULL, processed_at TEXT,
            PRIMARY KEY (consumer_group, message_id));
        INSERT INTO processed_messages VALUES ('billing', 'm-1', '2026-11-29T08:00:00Z'), ('发货', 'm-1', NULL);
";
    let expected = [
        "- | billing | m-1 | completed | 2026-11-29T08:00:00Z | - | - | - | - | -",
        "- | 发货 | m-1 | completed | - | - | - | - | - | -",
    ];
    reads(&database.url, script, "processed_messages", "", &expected).await;
}
