//! What the catalogue says: strategy, capabilities, problems.

use super::query;
use super::table::{Engine, Indexed, Mapping, Table};
use app::model::{CapabilityName, Fault, Problem, Status, Strategy};

conformance!(
    the_textbook_table_is_followed_by_its_id,
    an_index_on_status_is_preferred,
    what_the_table_lacks_is_said_with_the_ddl_that_would_help,
    a_text_without_a_length_gets_one_before_it_is_unique,
    what_is_missing_is_named,
    odd_names_are_quoted,
);

async fn the_textbook_table_is_followed_by_its_id(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    let described = table.store().describe().await.unwrap();
    assert_eq!(described.engine, engine.name());
    assert!(described.version.starts_with(|c: char| c.is_ascii_digit()), "{}", described.version);
    assert_eq!(described.choice.strategy, Strategy::Tail);
    assert_eq!(described.choice.columns, ["id"]);
    assert_eq!(described.problems, []);
    let there: Vec<CapabilityName> =
        described.capabilities.iter().filter(|one| one.there).map(|one| one.name).collect();
    let expected = [
        CapabilityName::LookupByKey,
        CapabilityName::OneRecordPerKey,
        CapabilityName::StuckAndInProgress,
        CapabilityName::Ages,
        CapabilityName::FailedAndDead,
    ];
    assert_eq!(there, expected);
}

async fn an_index_on_status_is_preferred(engine: Engine) {
    let table = Table::textbook(engine, Indexed::StatusAndTime).await;
    let choice = table.store().describe().await.unwrap().choice;
    assert_eq!(choice.strategy, Strategy::StatusIndex);
    assert_eq!(choice.index.as_deref(), Some("by_status"));
    assert_eq!(choice.columns, ["status", "update_time"]);
}

async fn what_the_table_lacks_is_said_with_the_ddl_that_would_help(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    table.run("CREATE TABLE bare (a INT NOT NULL, b VARCHAR(20), s INT)").await;
    let mapping = Mapping {
        table: "bare",
        id: None,
        key: r#"["a", "b"]"#,
        r#type: None,
        times: false,
        error: None,
        column: "s",
        codes: "completed = [2]",
    };
    let store = table.store_with(&mapping);
    let described = store.describe().await.unwrap();
    assert_eq!(described.choice.strategy, Strategy::Bounded);
    let suggested: Vec<String> = (described.problems.iter())
        .filter_map(|problem| match problem {
            Problem::NoUniqueIndex { suggested_ddl } | Problem::NoKeyIndex { suggested_ddl } => {
                Some(suggested_ddl.clone())
            }
            _ => None,
        })
        .collect();
    assert_eq!(suggested.len(), 2);
    assert!(described.problems.contains(&Problem::NoProcessingCode));
    table.run("INSERT INTO bare VALUES (1, 'x', 2), (1, 'y', 2)").await;
    assert_eq!(store.list(&query(None, 10)).await.unwrap().items.len(), 2);
    // What is suggested is taken by the engine, and helps.
    table.run(&suggested[0]).await;
    let described = store.describe().await.unwrap();
    assert_eq!(described.problems, [Problem::NoProcessingCode]);
}

async fn a_text_without_a_length_gets_one_before_it_is_unique(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    table.run("CREATE TABLE bare (id INT NOT NULL PRIMARY KEY, a TEXT NOT NULL, s INT)").await;
    table.run("INSERT INTO bare VALUES (1, 'x', 2), (2, 'y', 2)").await;
    let mapping = Mapping {
        table: "bare",
        key: r#"["a"]"#,
        r#type: None,
        times: false,
        column: "s",
        codes: "processing = [1]\ncompleted = [2]",
        ..Mapping::textbook()
    };
    let store = table.store_with(&mapping);
    let problems = store.describe().await.unwrap().problems;
    let [Problem::NoUniqueIndex { suggested_ddl }, Problem::NoKeyIndex { .. }] = problems.as_slice() else {
        panic!("{problems:?}")
    };
    table.run(suggested_ddl).await;
    assert_eq!(store.describe().await.unwrap().problems, []);
}

async fn what_is_missing_is_named(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    let describe = async |mapping: &Mapping| table.store_with(mapping).describe().await.unwrap_err();
    let missing = describe(&Mapping { table: "Idempotent_Record_2", ..Mapping::textbook() }).await;
    assert_eq!(missing, Fault::TableMissing { table: "Idempotent_Record_2".into() });
    let missing = describe(&Mapping { key: r#"["Biz_Id"]"#, ..Mapping::textbook() }).await;
    assert_eq!(missing, Fault::ColumnMissing { table: "idempotent_record".into(), column: "Biz_Id".into() });
    let unit = table.store_with(&Mapping { column: "status", ..Mapping::textbook() });
    unit.describe().await.unwrap();
    table.run("CREATE TABLE epochs (id INT NOT NULL PRIMARY KEY, biz_id VARCHAR(9), biz_type VARCHAR(9), status INT, create_time BIGINT, update_time BIGINT)").await;
    let asked = describe(&Mapping { table: "epochs", ..Mapping::textbook() }).await;
    assert!(
        matches!(&asked, Fault::BadInput { what, detail } if what.contains("create_time") && detail.contains("unit")),
        "{asked:?}"
    );
}

/// Dots, reserved words, capitals and every quote there is.
async fn odd_names_are_quoted(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    let name = "Or.der `x` \"y\" 'z'";
    let quote = |name: &str| match engine {
        Engine::Mariadb => format!("`{}`", name.replace('`', "``")),
        Engine::Postgres | Engine::Sqlite => format!("\"{}\"", name.replace('"', "\"\"")),
    };
    let [t, id, key, status] = [name, "select", "Key`s \"key\"", "sta tus"].map(quote);
    table
        .run(&format!(
            "CREATE TABLE {t} ({id} INTEGER NOT NULL PRIMARY KEY, {key} VARCHAR(20) NOT NULL UNIQUE, {status} INTEGER)"
        ))
        .await;
    table.run(&format!("CREATE INDEX {status} ON {t} ({status}, {id})")).await;
    table.run(&format!("INSERT INTO {t} VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 9)")).await;
    let mapping = Mapping {
        table: name,
        id: Some("select"),
        key: r#"['Key`s "key"']"#,
        r#type: None,
        times: false,
        column: "sta tus",
        ..Mapping::textbook()
    };
    let store = table.store_with(&mapping);
    assert_eq!(store.describe().await.unwrap().choice.strategy, Strategy::StatusIndex);
    assert_eq!(store.find(None, "b").await.unwrap().len(), 1);
    assert_eq!(store.list(&query(Some(Status::Unmapped), 5)).await.unwrap().items.len(), 1);
    assert_eq!(store.open(5).await.unwrap().processing.value, 1);
}
