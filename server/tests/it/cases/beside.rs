//! The cases that live beside the repository, where they do.

use super::{all, load, sorted, store_of};
use server::config::{Environment, from_toml};
use std::path::Path;

#[tokio::test]
async fn the_cases_beside_the_repository() {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let Some(folder) = above.map(|above| above.join("shared/cases")).find(|folder| folder.is_dir()) else { return };
    let entries = std::fs::read_dir(&folder).unwrap();
    for case in entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        reads_case(&case).await;
    }
}

async fn reads_case(case: &Path) {
    let script = |engine: &str| std::fs::read_to_string(case.join(format!("schema.{engine}.sql"))).ok();
    let (database, script) = match (script("mysql"), script("postgres"), script("sqlite")) {
        (Some(script), ..) => (lab::mariadb_database("case").await.unwrap(), script),
        (_, Some(script), _) => (lab::postgres_database("case").await.unwrap(), script),
        (.., script) => (lab::sqlite_database("case").await.unwrap(), script.expect("a schema")),
    };
    let toml = std::fs::read_to_string(case.join("source.toml")).unwrap();
    let environment: Environment = [("CASE_URL".to_owned(), database.url.clone())].into_iter().collect();
    let config = from_toml(&toml, &environment).unwrap_or_else(|error| panic!("{}: {error}", case.display()));
    load(&database.url, &script).await;
    let records = all(&*store_of(&config)).await;
    let expected: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(case.join("expected.json")).unwrap()).unwrap();
    let text = |values: Vec<serde_json::Value>| sorted(values.iter().map(ToString::to_string).collect());
    let found = records.iter().map(|record| serde_json::to_value(record).unwrap()).collect();
    assert_eq!(text(found), text(expected["items"].as_array().unwrap().clone()), "{}", case.display());
}
