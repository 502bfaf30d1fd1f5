//! A team whose records may be changed, and the console over it.

use crate::team::{Engine, Index, SOURCE, Team};
use app::model::{Plan, RecordsQuery, Role as OperatorRole, RowOperation, Run};
use server::action::rows::{Ask, Selection, confirm, plan, run};
use server::action::{Actor, Refused};
use server::boot::{self, Role};
use server::ports::changes::RecordChanges;
use server::ports::jobs::ItemOutcome;
use server::system::System;
use std::collections::BTreeMap;

pub const BY_STATUS: &str = "release = \"status\"\ntouch = true";
pub const BY_DELETING: &str = "release = \"delete\"";

/// A team whose source may be written, and the console over it.
pub struct Site {
    pub team: Team,
    pub system: System,
}

impl Site {
    pub async fn of(engine: Engine, write: &'static str) -> Self {
        let mut team = Team::new(engine, Index::None).await.with_redis().await;
        team.write = Some(write);
        Self::over(team).await
    }

    pub async fn over(team: Team) -> Self {
        let system = boot::system(team.config(), Role::Cli).await.unwrap();
        Self { team, system }
    }

    pub fn changes(&self) -> &dyn RecordChanges {
        self.system.sources[0].changes.as_deref().expect("it may be written")
    }

    pub async fn plan(&self, operation: RowOperation) -> Result<Plan, Refused> {
        self.plan_as(&uuid::Uuid::new_v4().to_string(), operation).await
    }

    pub async fn plan_as(&self, id: &str, operation: RowOperation) -> Result<Plan, Refused> {
        let query = RecordsQuery { limit: 200, ..RecordsQuery::default() };
        let ask = Ask {
            operation_id: id.into(),
            source: SOURCE.into(),
            operation,
            selection: Selection::All(Box::new(query)),
            actor: ann(),
            reason: "the worker died".into(),
        };
        plan(&self.system, ask).await
    }

    pub async fn confirm(&self, plan: &Plan) -> Result<(), Refused> {
        confirm(&self.system, &plan.id, &ann(), "", plan.phrase.as_deref()).await.map(|_| ())
    }

    pub async fn run(&self, plan: &Plan) -> Run {
        run(&self.system, &plan.id, "here").await.unwrap()
    }

    /// Key and status of every row.
    pub async fn rows(&self) -> BTreeMap<String, i64> {
        let rows = sqlx::query_as("SELECT biz_id, CAST(status AS SIGNED) FROM idempotent_record");
        let portable = sqlx::query_as("SELECT biz_id, CAST(status AS BIGINT) FROM idempotent_record");
        let asked = if self.team.engine == Engine::Mariadb { rows } else { portable };
        let rows: Vec<(String, i64)> = asked.fetch_all(&self.team.pool).await.unwrap();
        rows.into_iter().collect()
    }

    pub async fn whys(&self, id: &str) -> BTreeMap<String, String> {
        let items = self.system.state.jobs.items(id, Some(ItemOutcome::Skipped), None, 1_000).await.unwrap();
        let code =
            |why: &str| serde_json::from_str::<serde_json::Value>(why).unwrap()["code"].as_str().unwrap().to_owned();
        items.into_iter().map(|item| (item.key.unwrap(), code(&item.why.unwrap()))).collect()
    }
}

pub fn ann() -> Actor {
    Actor { name: "ann".into(), role: OperatorRole::Operator, origin: "test".into() }
}
