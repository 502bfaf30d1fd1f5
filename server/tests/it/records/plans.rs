//! Every statement is explained before it runs; none may walk the table.

use super::table::{Engine, Indexed, Table, insert};
use super::{TABLE, references};
use app::model::{Pk, RecordsQuery, Status};
use async_trait::async_trait;
use server::adapters::records::catalogue::{Catalogue, Kind};
use server::adapters::records::dialect::{Dialect, Statement};
use server::adapters::records::raw::Raw;
use server::adapters::records::store::{self, Failure, Store};
use server::clock::SystemClock;
use server::config::TableName;
use server::ports::records::{Follow, RecordStore, Span};
use std::sync::{Arc, Mutex};

conformance!(every_statement_has_an_index_behind_it);

/// An engine that explains what it is asked to run.
struct Explaining {
    engine: Arc<dyn store::Engine>,
    /// `(statement, plan)`
    plans: Mutex<Vec<(String, String)>>,
}

#[async_trait]
impl store::Engine for Explaining {
    fn dialect(&self) -> Dialect {
        self.engine.dialect()
    }

    async fn fetch(&self, statement: &Statement) -> Result<Vec<Vec<Raw>>, Failure> {
        let (explain, kinds) = match self.dialect() {
            Dialect::MySql => ("EXPLAIN FORMAT=JSON ", vec![Kind::Text]),
            Dialect::Postgres => ("EXPLAIN ", vec![Kind::Text]),
            Dialect::Sqlite => ("EXPLAIN QUERY PLAN ", vec![Kind::Loose; 4]),
        };
        let sql = format!("{explain}{}", statement.sql);
        let lines = self.engine.fetch(&Statement { sql, values: statement.values.clone(), kinds }).await?;
        let text = |cells: &Vec<Raw>| cells.last().and_then(|raw| raw.show(Kind::Text)).unwrap_or_default();
        let plan = lines.iter().map(text).collect::<Vec<_>>().join("\n");
        self.plans.lock().unwrap().push((statement.sql.clone(), plan));
        self.engine.fetch(statement).await
    }

    async fn catalogue(&self, table: &TableName) -> Result<Option<Catalogue>, Failure> {
        self.engine.catalogue(table).await
    }

    async fn tables(&self, schema: Option<&str>, prefix: &str) -> Result<Vec<String>, Failure> {
        self.engine.tables(schema, prefix).await
    }
}

/// What gives a walk over the whole table away.
fn walks(engine: Engine, plan: &str) -> bool {
    match engine {
        Engine::Mariadb => {
            let all = |table: &serde_json::Value| table["access_type"] == "ALL" && table["table_name"] == "record";
            tables(&serde_json::from_str(plan).unwrap()).into_iter().any(all)
        }
        Engine::Postgres => plan.contains("Seq Scan on idempotent_record"),
        // A scan of the row ids in their order is how SQLite begins at one end of the table.
        Engine::Sqlite => plan.lines().any(|line| line.trim() == "SCAN record") && plan.contains("TEMP B-TREE"),
    }
}

/// Finding the values of a leading column must skip from one to the next.
fn skips(engine: Engine, statement: &str, plan: &str) -> bool {
    match engine {
        Engine::Mariadb => !statement.contains("GROUP BY") || plan.contains("using_index_for_group_by"),
        Engine::Postgres | Engine::Sqlite => !statement.contains("DISTINCT"),
    }
}

/// Every `table` of a plan, however deep.
fn tables(plan: &serde_json::Value) -> Vec<&serde_json::Value> {
    let inner = match plan {
        serde_json::Value::Object(parts) => parts.values().collect(),
        serde_json::Value::Array(parts) => parts.iter().collect(),
        _ => Vec::new(),
    };
    inner.into_iter().flat_map(tables).chain(plan.get("table")).collect()
}

fn sorts(engine: Engine, plan: &str) -> bool {
    match engine {
        Engine::Mariadb => plan.contains("filesort"),
        // It may sort what an index has narrowed down to a few, or (incrementally) rows of one second.
        Engine::Postgres => plan.lines().any(|line| {
            let line = line.trim_start_matches([' ', '-', '>']);
            let rows = || line.split("rows=").nth(1)?.split(' ').next()?.parse::<u64>().ok();
            line.starts_with("Sort  (") && rows().unwrap() > 1_000
        }),
        Engine::Sqlite => plan.lines().any(|line| line.contains("TEMP B-TREE FOR ORDER BY")),
    }
}

async fn every_statement_has_an_index_behind_it(engine: Engine) {
    for indexed in [Indexed::No, Indexed::Status, Indexed::StatusAndTime] {
        let table = Table::textbook(engine, indexed).await;
        let status = |id: usize| match id % 200 {
            0 => 1,
            1 => 3,
            2 => 5,
            3 => 4,
            _ => 2,
        };
        let row = |id: usize| {
            insert(
                id,
                &format!("T{}", id % 20),
                &format!("k{id}"),
                status(id),
                &format!("2026-11-29 08:{:02}:{:02}", id / 600, id / 10 % 60),
            )
        };
        table.fill(12_000, row).await;
        table.run(if engine == Engine::Mariadb { "ANALYZE TABLE idempotent_record" } else { "ANALYZE" }).await;
        let config = table.config();
        let explaining = Arc::new(Explaining { engine: table.engine_with(|_| {}), plans: Mutex::default() });
        let store = Store::new(explaining.clone(), &config.sources[0], &config.limits, Arc::new(SystemClock));
        use_everything(&store, indexed).await;
        for (statement, plan) in explaining.plans.lock().unwrap().iter() {
            assert!(!walks(engine, plan), "{statement}\n{plan}");
            assert!(!sorts(engine, plan), "{statement}\n{plan}");
            assert!(skips(engine, statement, plan), "{statement}\n{plan}");
        }
    }
}

async fn use_everything(store: &Store, indexed: Indexed) {
    let statuses =
        [None, Some(Status::Processing), Some(Status::Completed), Some(Status::Failed), Some(Status::Unmapped)];
    for status in statuses {
        let first = RecordsQuery { status, limit: 20, ..RecordsQuery::default() };
        let page = store.list(&first).await.unwrap();
        if let Some(next) = page.next {
            let second = store.list(&RecordsQuery { cursor: Some(next), ..first.clone() }).await.unwrap();
            store.list(&RecordsQuery { cursor: second.previous, ..first }).await.unwrap();
        }
    }
    assert_eq!(store.find(Some("T7"), "k7").await.unwrap().len(), 1);
    assert_eq!(store.find(None, "k7").await.unwrap().len(), 1);
    store.get(&references((1..200).map(Pk::Int))).await.unwrap();
    store.scan(TABLE, &Span { after: Some(5_000), up_to: Some(7_000) }, 1_000).await.unwrap();
    store.scan(TABLE, &Span { after: Some(11_000), up_to: None }, 1_000).await.unwrap();
    store.last_id(TABLE).await.unwrap();
    if indexed != Indexed::No {
        store.open(1_000).await.unwrap();
    }
}
