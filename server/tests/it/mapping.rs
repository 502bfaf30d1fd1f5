//! Any mapping over any rows gives the records that the contract says: random mappings and rows are written into the real
//! engines, read through the port, and compared with a model that only knows the generated values.

mod generate;
mod model;
mod operated;
mod write;

use crate::cases::{all, load, mapped};
use app::model::{Record, RecordsQuery, Row};
use generate::Case;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use server::ports::records::RecordStore;
use tokio::runtime::Runtime;
use write::Engine;

/// Cases fail with everything that is needed to look at them.
fn holds_for(cases: u32, engine: Engine) {
    let runtime = Runtime::new().unwrap();
    let database = runtime.block_on(async {
        match engine {
            Engine::Sqlite => lab::sqlite_database("mapping").await,
            Engine::Mariadb => lab::mariadb_database("mapping").await,
            Engine::Postgres => lab::postgres_database("mapping").await,
        }
    });
    let url = database.as_ref().unwrap().url.clone();
    let config = Config { cases, max_shrink_iters: 200, failure_persistence: None, ..Config::default() };
    let result =
        TestRunner::new(config).run(&generate::case(), |case| runtime.block_on(reads_as_modelled(&url, engine, &case)));
    if let Err(error) = result {
        panic!("{error}");
    }
}

#[test]
fn in_sqlite() {
    holds_for(250, Engine::Sqlite);
}

#[test]
fn in_mariadb() {
    holds_for(24, Engine::Mariadb);
}

#[test]
fn in_postgres() {
    holds_for(24, Engine::Postgres);
}

async fn reads_as_modelled(url: &str, engine: Engine, case: &Case) -> Result<(), TestCaseError> {
    load(url, &write::table(engine, case)).await;
    let toml = write::toml(case);
    let store = mapped(url, &toml);
    let expected = model::records(case);
    let same = |what: &str, found: Vec<Record>, expected: Vec<&Record>| {
        let (found, expected) = (by_id(found.iter().collect()), by_id(expected));
        if found == expected {
            Ok(())
        } else {
            Err(TestCaseError::fail(format!("{what}\nfound {found:#?}\nexpected {expected:#?}\n{toml}")))
        }
    };
    same("all", all(&*store).await, expected.iter().collect())?;
    for status in app::model::Status::ALL {
        let wanted = expected.iter().filter(|record| record.status == status).collect();
        same(status.as_str(), listed(&*store, |query| query.status = Some(status)).await, wanted)?;
    }
    for one in &expected {
        let of_type = |other: &&Record| other.r#type == one.r#type;
        let listed = listed(&*store, |query| query.r#type.clone_from(&one.r#type)).await;
        let wanted = expected.iter().filter(|other| one.r#type.is_none() || of_type(other)).collect();
        same(&format!("of type {:?}", one.r#type), listed, wanted)?;
        let Some(key) = &one.key else { continue };
        let with_key = || expected.iter().filter(|other| other.key.as_ref() == Some(key));
        same(&format!("find {key:?}"), records(store.find(None, key).await.unwrap()), with_key().collect())?;
        let found = records(store.find(one.r#type.as_deref(), key).await.unwrap());
        let wanted = with_key().filter(|other| one.r#type.is_none() || of_type(other)).collect();
        same(&format!("find {:?} {key:?}", one.r#type), found, wanted)?;
    }
    let page = store.list(&RecordsQuery { limit: 100, ..RecordsQuery::default() }).await.unwrap();
    let references: Vec<_> = page.items.into_iter().map(|row| row.reference).collect();
    same("get", records(store.get(&references).await.unwrap()), expected.iter().collect())
}

fn records(rows: Vec<Row>) -> Vec<Record> {
    rows.into_iter().map(|row| row.record).collect()
}

fn by_id(mut records: Vec<&Record>) -> Vec<&Record> {
    records.sort_by(|one, other| one.id.cmp(&other.id));
    records
}

/// Every record of a filter, in pages of five.
async fn listed(store: &dyn RecordStore, filter: impl Fn(&mut RecordsQuery)) -> Vec<Record> {
    let mut query = RecordsQuery { limit: 5, ..RecordsQuery::default() };
    filter(&mut query);
    let mut found = Vec::new();
    loop {
        let page = store.list(&query).await.unwrap();
        found.extend(records(page.items));
        match page.next {
            Some(next) => query.cursor = Some(next),
            None => return found,
        }
    }
}
