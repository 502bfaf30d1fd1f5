//! Look-up by business key.

use super::table::{Engine, Indexed, Mapping, Table, insert};
use super::{ids, query};
use app::model::{Fault, Layer, Pk, Record, Row};

conformance!(
    a_key_is_found_with_and_without_its_type,
    odd_keys_are_found_as_they_are,
    a_joined_key_is_found_however_it_is_cut,
    without_an_index_a_small_table_is_asked_and_one_of_unknown_size_is_not,
);

async fn a_key_is_found_with_and_without_its_type(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    table
        .fill(60, |id| insert(id, ["A", "B", "积分"][id % 3], &format!("k{}", id / 3), 2, "2026-11-29 08:00:00"))
        .await;
    let store = table.store();
    assert_eq!(ids(&store.find(Some("B"), "k7").await.unwrap()), [22]);
    let mut all = ids(&store.find(None, "k7").await.unwrap());
    all.sort_unstable();
    assert_eq!(all, [21, 22, 23]);
    assert_eq!(store.find(Some("C"), "k7").await.unwrap(), []);
    assert_eq!(store.find(None, "nothing").await.unwrap(), []);
    table.add(insert(99, "a new type", "new", 1, "2026-11-29 08:00:00")).await;
    assert_eq!(ids(&store.find(None, "new").await.unwrap()), [99], "under a type that came up since");
    assert_eq!(ids(&store.find(None, "k19").await.unwrap()).len(), 3);
}

/// None of these tables was ever analysed.
async fn without_an_index_a_small_table_is_asked_and_one_of_unknown_size_is_not(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    table.fill(60, |id| insert(id, "A", &format!("k{id}"), 2, "2026-11-29 08:00:00")).await;
    table.run("CREATE TABLE bare AS SELECT * FROM idempotent_record").await;
    table.run("CREATE VIEW seen AS SELECT * FROM idempotent_record").await;
    let of = |table| Mapping { table, id: None, ..Mapping::textbook() };
    assert_eq!(table.store_with(&of("bare")).find(Some("A"), "k7").await.unwrap().len(), 1);
    let refused = table.store_with(&of("seen")).find(Some("A"), "k7").await;
    assert!(matches!(refused, Err(Fault::Unreadable { layer: Layer::Records, .. })), "{refused:?}");
}

async fn odd_keys_are_found_as_they_are(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    let keys = [
        "O'Brien 100% \"x\"",
        "back\\slash_%",
        "%",
        "_",
        "订单-七",
        "🧾🧨",
        "</script><b>",
        "a:b",
        "two  spaces",
        "",
        "null",
        "0",
        "'; DROP TABLE idempotent_record; --",
    ];
    let long = "键".repeat(400);
    for (at, key) in keys.iter().chain([&long.as_str()]).enumerate() {
        table.add(insert(at + 1, "A", key, 1, "2026-11-29 08:00:00")).await;
    }
    let store = table.store();
    for (at, key) in keys.iter().chain([&long.as_str()]).enumerate() {
        for r#type in [Some("A"), None] {
            let found = store.find(r#type, key).await.unwrap();
            assert_eq!(ids(&found), [at as i128 + 1], "{key} {type:?}");
            assert_eq!(found[0].record.key.as_deref(), Some(*key));
        }
    }
    for key in ["x".repeat(4096), "\0".into(), "k\0".into()] {
        assert_eq!(store.find(None, &key).await.unwrap(), []);
        assert_eq!(store.find(Some(&key), &key).await.unwrap(), []);
    }
}

async fn a_joined_key_is_found_however_it_is_cut(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    table.run("CREATE TABLE joined (topic VARCHAR(20) NOT NULL, tag VARCHAR(20), grp VARCHAR(20) NOT NULL, sn INT NOT NULL, s INT, UNIQUE (topic, grp, sn))").await;
    table.run("INSERT INTO joined VALUES ('order', 'x', 'g:1', 7, 1), ('order', NULL, 'g', 17, 1), ('order', '', 'g', 18, 2), ('o', 'x', 'g:1', 7, 2)").await;
    let mapping = Mapping {
        table: "joined",
        id: None,
        key: r#"["grp", "sn"]"#,
        r#type: Some(r#"["topic", "tag"]"#),
        times: false,
        error: None,
        column: "s",
        codes: "processing = [1]\ncompleted = [2]",
    };
    let store = table.store_with(&mapping);
    let keys = async |r#type: Option<&str>, key: &str| -> Vec<String> {
        let found = store.find(r#type, key).await.unwrap();
        found
            .into_iter()
            .map(|Row { record: Record { r#type, key, .. }, .. }| format!("{}|{}", r#type.unwrap(), key.unwrap()))
            .collect()
    };
    assert_eq!(keys(Some("order:x"), "g:1:7").await, ["order:x|g:1:7"]);
    assert_eq!(keys(Some("order:"), "g:17").await, ["order:|g:17"]);
    assert_eq!(keys(Some("order:"), "g:18").await, ["order:|g:18"]);
    assert_eq!(keys(None, "g:1:7").await.len(), 2);
    assert!(keys(None, "g:007").await.is_empty());
    assert!(keys(None, "g:x").await.is_empty());
    // Its identity is three columns, and leads back.
    let rows = store.list(&query(None, 10)).await.unwrap().items;
    let references: Vec<_> = rows.iter().map(|row| row.reference.clone()).collect();
    assert!(matches!(&references[0].pk, Pk::Composite(parts) if parts.len() == 3), "{references:?}");
    assert_eq!(store.get(&references).await.unwrap().len(), 4);
}
