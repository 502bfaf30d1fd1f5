//! Whatever the mapping, the statuses and the ages: archiving takes what is completed and old enough by the model, all of
//! it and nothing else, and no operation takes anything that is completed.

use super::generate::{self, Case};
use super::{Engine, model, write};
use crate::cases::load;
use app::model::{ArchiveRefusal, RecordsQuery, Role as OperatorRole, RowOperation, Status};
use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, TestCaseError, TestRunner};
use server::action::archive::{Missing, NotBegun, Speed};
use server::action::{Actor, archive, rows};
use server::boot::{self, Role};
use server::config::{Environment, from_toml};
use server::system::System;
use sqlx::any::AnyPoolOptions;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

const KEPT: &str = "kept_away";

/// Where cases are tried, one after the other.
struct Ground {
    engine: Engine,
    database: lab::Database,
    state: lab::Database,
    tried: AtomicU32,
}

fn holds_for(cases: u32, engine: Engine) {
    let runtime = Runtime::new().unwrap();
    let ground = runtime.block_on(async {
        let database = match engine {
            Engine::Sqlite => lab::sqlite_database("operated").await,
            Engine::Mariadb => lab::mariadb_database("operated").await,
            Engine::Postgres => lab::postgres_database("operated").await,
        };
        let state = lab::sqlite_database("console").await.unwrap();
        Ground { engine, database: database.unwrap(), state, tried: AtomicU32::new(0) }
    });
    let config = Cases { cases, max_shrink_iters: 50, failure_persistence: None, ..Cases::default() };
    // Over and under what the generated times span.
    let keep_days = prop::sample::select(vec![1_u32, 30, 120, 200, 320, 3_000]);
    let result = TestRunner::new(config).run(&(generate::case(), keep_days), |(case, keep_days)| {
        runtime.block_on(ground.takes_what_it_may(&case, keep_days))
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

#[test]
fn in_sqlite() {
    holds_for(40, Engine::Sqlite);
}

#[test]
fn in_mariadb() {
    holds_for(8, Engine::Mariadb);
}

#[test]
fn in_postgres() {
    holds_for(8, Engine::Postgres);
}

impl Ground {
    async fn takes_what_it_may(&self, case: &Case, keep_days: u32) -> Result<(), TestCaseError> {
        // An archive of its own, and a name under which no cursor is known.
        let name = format!("case{}", self.tried.fetch_add(1, Ordering::Relaxed));
        let drop = format!("DROP TABLE IF EXISTS {KEPT};\n");
        load(&self.database.url, &(drop + &write::table(self.engine, case))).await;
        let toml = format!(
            "[state]\nurl = {:?}\n[[source]]\nname = {name:?}\n{}\n[source.records.write]\nrelease = \"delete\"\n\
             [source.archive]\nkeep = \"{keep_days}d\"\ntable = {KEPT:?}\n",
            self.state.url,
            write::toml(case).replace("$URL", &self.database.url)
        );
        let config = from_toml(&toml, &Environment::default()).map_err(|error| fail(&toml, &error))?;
        let system = boot::system(config, Role::Cli).await.map_err(|error| fail(&toml, &error))?;

        let old = system.clock.now() - chrono::TimeDelta::days(keep_days.into());
        let ripe = |record: &app::model::Record| {
            record.status == Status::Completed && record.updated_at.or(record.created_at).is_some_and(|at| at < old)
        };
        let records = model::records(case);
        let expected: Vec<i64> = records
            .iter()
            .filter(|record| ripe(record))
            .filter_map(|record| record.id.as_ref()?.parse().ok())
            .collect();

        let completed = records.iter().filter(|record| record.status == Status::Completed).count();
        let planned = self.none_is_planned(&system, &name, completed).await;
        planned.map_err(|error| fail(&toml, &error))?;
        match self.archived(&system, &name).await {
            Ok(found) if found == expected => Ok(()),
            Ok(found) => Err(fail(&toml, &format!("archived {found:?}, expected {expected:?}"))),
            Err(NotBegun::Archive(ArchiveRefusal::NoTime { .. })) if expected.is_empty() => Ok(()),
            Err(error) => Err(fail(&toml, &error)),
        }
    }

    /// Asked for all that is completed, each operation finds nothing to do.
    async fn none_is_planned(&self, system: &System, source: &str, completed: usize) -> Result<(), String> {
        let query = RecordsQuery { status: Some(Status::Completed), ..RecordsQuery::default() };
        for operation in RowOperation::ALL {
            let ask = rows::Ask {
                operation_id: uuid::Uuid::new_v4().to_string(),
                source: source.into(),
                operation,
                selection: rows::Selection::All(Box::new(query.clone())),
                actor: ann(),
                reason: "all of them".into(),
            };
            match rows::plan(system, ask).await {
                Ok(plan) => {
                    let skipped: u64 = plan.skipped.iter().map(|skipped| skipped.count).sum();
                    if (plan.eligible, skipped) != (0, completed as u64) {
                        return Err(format!("{operation:?} of {completed} completed: {plan:?}"));
                    }
                }
                // The mapping does not say how.
                Err(_) if operation != RowOperation::Retry => {}
                Err(error) => return Err(format!("{operation:?}: {error}")),
            }
        }
        Ok(())
    }

    /// Ids of what a whole run put into the archive; nothing is lost meanwhile.
    async fn archived(&self, system: &System, source: &str) -> Result<Vec<i64>, NotBegun> {
        let before = self.ids(write::TABLE).await;
        let ask = archive::Ask {
            operation_id: uuid::Uuid::new_v4().to_string(),
            source: source.into(),
            speed: Speed::Usual,
            missing: Missing::Create,
            planned: None,
            until: None,
            actor: ann(),
            reason: "room".into(),
        };
        let run = archive::begin(system, ask).await?;
        archive::work_off(system, &run.id, "here", &CancellationToken::new(), &|_| ()).await?;
        let found = self.ids(KEPT).await;
        let mut all = [found.clone(), self.ids(write::TABLE).await].concat();
        all.sort_unstable();
        assert_eq!(all, before, "each row is in one of both");
        Ok(found)
    }

    async fn ids(&self, table: &str) -> Vec<i64> {
        let quote = if self.engine == Engine::Mariadb { '`' } else { '"' };
        let pool = AnyPoolOptions::new().max_connections(1).connect(&self.database.url).await.unwrap();
        let sql = format!("SELECT id FROM {quote}{table}{quote} ORDER BY id");
        let ids = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_all(&pool).await.unwrap();
        pool.close().await;
        ids
    }
}

fn ann() -> Actor {
    Actor { name: "ann".into(), role: OperatorRole::Operator, origin: "test".into() }
}

fn fail(toml: &str, what: &impl ToString) -> TestCaseError {
    TestCaseError::fail(format!("{}\n{toml}", what.to_string()))
}
