//! A team with completed records, and the console that may archive them.

use crate::changes::table::{make, odd_values};
use crate::team::{Engine, Index, SOURCE, Team};
use app::model::{ArchiveRun, Pk, RecordRef, Role as OperatorRole, Status};
use server::action::Actor;
use server::action::archive::{Ask, Missing, NotBegun, Speed, begin, run_of, work_off};
use server::boot::{self, Role};
use server::ports::archive::{Examined, RecordArchive, Ripe, Shifted};
use server::ports::changes::ChangeError;
use server::ports::permit::Permit;
use server::ports::records::{Course, RecordStore};
use server::ports::state::Begin;
use server::system::System;
use sqlx::AssertSqlSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

pub const TABLE: &str = "idempotent_record";
pub const ARCHIVE: &str = "idempotent_record_archive";
const DAY_S: u32 = 86_400;
pub const KEEP: Ripe = Ripe { keep: Duration::from_secs(7 * 86_400) };
/// Of completed records, in seconds.
pub const OLD: u32 = 8 * DAY_S;
pub const YOUNG: u32 = 6 * DAY_S;

pub struct Site {
    pub team: Team,
    pub system: Arc<System>,
}

impl Site {
    /// Its archive is there.
    pub async fn new(engine: Engine) -> Self {
        let site = Self::without_archive(engine, "keep = \"7d\"").await;
        site.archiver().create(&site.permit().await, TABLE).await.unwrap();
        site
    }

    /// With these lines of `[source.archive]`.
    pub async fn without_archive(engine: Engine, archiving: &'static str) -> Self {
        Self::of(Team::new(engine, Index::None).await, archiving).await
    }

    /// Over a table that holds all that a row may hold.
    pub async fn rich(engine: Engine) -> Self {
        let team = Team::new(engine, Index::None).await;
        make(&team).await;
        let site = Self::of(team, "keep = \"7d\"").await;
        site.archiver().create(&site.permit().await, TABLE).await.unwrap();
        site
    }

    pub async fn of(mut team: Team, archiving: &'static str) -> Self {
        team.write = Some("");
        team.archive.get_or_insert_with(|| ARCHIVE.into());
        team.archiving = archiving;
        let system = Arc::new(boot::system(team.config(), Role::Cli).await.unwrap());
        Self { team, system }
    }

    pub fn archiver(&self) -> &dyn RecordArchive {
        self.system.sources[0].archiver.as_deref().expect("it may archive")
    }

    pub fn archive(&self) -> &dyn RecordStore {
        self.system.sources[0].archive.as_deref().expect("there is an archive")
    }

    pub async fn permit(&self) -> Permit {
        let begin = Begin {
            operation_id: uuid::Uuid::new_v4().to_string(),
            operation: "archive_chunk".into(),
            source: SOURCE.into(),
            actor: "ann".into(),
            origin: "test".into(),
            reason: "room".into(),
            at: self.system.clock.now(),
            target: "{}".into(),
        };
        self.system.state.audit.begin(&begin).await.unwrap()
    }

    pub async fn insert(&self, id: u64, key: &str, status: u8, age_s: u32) {
        self.team.insert(id, key, status, age_s).await;
    }

    /// Into a rich table, with what is easily lost on the way.
    pub async fn insert_odd(&self, id: u64, key: &str) {
        let at = self.team.ago(OLD);
        let overriding = if self.team.engine == Engine::Postgres { "OVERRIDING SYSTEM VALUE" } else { "" };
        self.team
            .sql(&format!(
                "INSERT INTO {TABLE} (id, biz_id, biz_type, status, owner, create_time, update_time) {overriding}
                 VALUES ({id}, '{key}', 'ORDER_DONE', 2, 'worker-1', {at}, {at})"
            ))
            .await;
        odd_values(&self.team, id).await;
    }

    /// So many completed records of old age, in one statement.
    pub async fn fill(&self, from: u64, to: u64) {
        let numbers = match self.team.engine {
            Engine::Sqlite => format!(
                "(WITH RECURSIVE n(n) AS (SELECT {from} UNION ALL SELECT n + 1 FROM n WHERE n < {to}) SELECT n FROM n) t"
            ),
            Engine::Mariadb => format!("(SELECT seq AS n FROM seq_{from}_to_{to}) t"),
            Engine::Postgres => format!("generate_series({from}, {to}) t(n)"),
        };
        let at = self.team.ago(OLD);
        let key = match self.team.engine {
            Engine::Mariadb => "CONCAT('k', n)",
            Engine::Sqlite | Engine::Postgres => "'k' || n",
        };
        self.team
            .sql(&format!("INSERT INTO {TABLE} SELECT n, {key}, 'ORDER_DONE', 2, {at}, {at} FROM {numbers}"))
            .await;
    }

    pub async fn ids_of(&self, table: &str) -> Vec<i64> {
        let sql = format!("SELECT id FROM {table} ORDER BY id");
        sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(&self.team.pool).await.unwrap()
    }

    /// What is left, and what is archived.
    pub async fn ids(&self) -> (Vec<i64>, Vec<i64>) {
        (self.ids_of(TABLE).await, self.ids_of(ARCHIVE).await)
    }

    pub async fn examine(&self) -> Examined {
        self.archiver().examine(TABLE).await.unwrap()
    }

    pub async fn shift(&self, ids: &[u64]) -> Result<Shifted, ChangeError> {
        let rows: Vec<Pk> = ids.iter().map(|id| Pk::Int(i128::from(*id))).collect();
        self.archiver().shift(&self.permit().await, TABLE, KEEP, &rows).await
    }

    /// References of all that is archived.
    pub async fn archived(&self) -> Vec<RecordRef> {
        let swept = self.archive().sweep(ARCHIVE, Course::Identity, None, 10_000).await.unwrap();
        assert!(swept.rows.iter().all(|row| row.record.status == Status::Completed));
        swept.rows.into_iter().map(|row| row.reference).collect()
    }

    pub fn ask(&self) -> Ask {
        Ask {
            operation_id: uuid::Uuid::new_v4().to_string(),
            source: SOURCE.into(),
            speed: Speed::Usual,
            missing: Missing::Refuse,
            until: None,
            planned: None,
            actor: ann(),
            reason: "room".into(),
        }
    }

    pub async fn begin(&self) -> Result<ArchiveRun, NotBegun> {
        begin(&self.system, self.ask()).await
    }

    /// As far as it goes.
    pub async fn work(&self, id: &str) -> ArchiveRun {
        assert!(
            work_off(&self.system, id, "here", &CancellationToken::new(), &|_| ()).await.unwrap(),
            "the lease is free"
        );
        self.look(id).await
    }

    pub async fn look(&self, id: &str) -> ArchiveRun {
        run_of(&self.system.state.archive_runs.run(id).await.unwrap().unwrap()).unwrap()
    }

    pub async fn run(&self) -> ArchiveRun {
        let begun = self.begin().await.unwrap();
        self.work(&begun.id).await
    }

    /// Whoever held them is dead.
    pub async fn let_leases_run_out(&self) {
        let pool = sqlx::any::AnyPoolOptions::new().max_connections(1).connect(&self.team.state.url).await.unwrap();
        sqlx::query("UPDATE oncewatch_lease SET expires_at = 1").execute(&pool).await.unwrap();
        pool.close().await;
    }
}

pub fn ann() -> Actor {
    Actor { name: "ann".into(), role: OperatorRole::Operator, origin: "test".into() }
}
