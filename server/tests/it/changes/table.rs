//! A table with all that a row may hold, and the port that changes it.

use crate::team::{Engine, Index, Team};
use app::model::{Pk, RecordRef};
use server::adapters::records;
use server::boot::{self, Role};
use server::config::{Config, Environment, from_toml};
use server::ports::changes::{Change, ChangeError, Changed, Frozen, Item, RecordChanges};
use server::ports::permit::Permit;
use server::ports::state::Begin;
use server::system::System;
use sqlx::Row;
use std::sync::Arc;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Writes {
    Status,
    Delete,
}

pub struct Table {
    pub team: Team,
    pub changes: Arc<dyn RecordChanges>,
    system: System,
    writes: Writes,
}

/// What the table keeps besides what the console maps.
const COLUMNS: [&str; 11] = [
    "id",
    "biz_id",
    "biz_type",
    "status",
    "retry_count",
    "owner",
    "create_time",
    "update_time",
    "payload",
    "amount",
    "note",
];

/// In place of the team's table, with a generated column and an identity of the engine's own.
pub async fn make(team: &Team) {
    let engine = team.engine;
    team.sql("DROP TABLE idempotent_record").await;
    let columns = match engine {
        Engine::Sqlite => {
            "id INTEGER PRIMARY KEY, payload BLOB, amount REAL, note TEXT, create_time DATETIME, update_time DATETIME,
             doubled INTEGER GENERATED ALWAYS AS (status * 2) STORED"
        }
        Engine::Mariadb => {
            "id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, payload LONGBLOB, amount FLOAT, note LONGTEXT,
             create_time DATETIME(3), update_time DATETIME, doubled INT AS (status * 2) STORED"
        }
        Engine::Postgres => {
            "id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payload bytea, amount double precision, note text,
             create_time timestamptz, update_time timestamp, doubled int GENERATED ALWAYS AS (status * 2) STORED"
        }
    };
    team.sql(&format!(
        "CREATE TABLE idempotent_record ({columns}, biz_id VARCHAR(128) NOT NULL, biz_type VARCHAR(64) NOT NULL,
         status SMALLINT NOT NULL, retry_count INT NOT NULL DEFAULT 0, owner VARCHAR(64), UNIQUE (biz_type, biz_id))"
    ))
    .await;
}

impl Table {
    pub async fn new(engine: Engine, writes: Writes) -> Self {
        let team = Team::new(engine, Index::None).await;
        make(&team).await;
        let system = boot::system(config(&team, writes, &team.database.url), Role::Cli).await.unwrap();
        let changes = port(&system.config).expect("it may be written");
        Self { team, changes, system, writes }
    }

    pub async fn sql(&self, sql: &str) {
        self.team.sql(sql).await;
    }

    pub async fn insert(&self, id: u64, key: &str, status: u8, age_s: u32) {
        let at = self.team.ago(age_s);
        let overriding = if self.team.engine == Engine::Postgres { "OVERRIDING SYSTEM VALUE" } else { "" };
        self.sql(&format!(
            "INSERT INTO idempotent_record (id, biz_id, biz_type, status, owner, create_time, update_time) {overriding}
             VALUES ({id}, '{key}', 'ORDER_DONE', {status}, 'worker-1', {at}, {at})"
        ))
        .await;
    }

    pub async fn odd_values(&self, id: u64) {
        odd_values(&self.team, id).await;
    }

    pub async fn grow(&self, id: u64, bytes: usize) {
        let text = match self.team.engine {
            Engine::Sqlite => format!("printf('%.*c', {bytes}, 'x')"),
            Engine::Mariadb | Engine::Postgres => format!("REPEAT('x', {bytes})"),
        };
        self.sql(&format!("UPDATE idempotent_record SET note = {text} WHERE id = {id}")).await;
    }

    /// A trigger lets nobody change this key: in silence where the engine knows how.
    pub async fn guard(&self, key: &str) {
        match self.team.engine {
            Engine::Sqlite => {
                self.sql(&format!(
                    "CREATE TRIGGER guard BEFORE UPDATE ON idempotent_record WHEN OLD.biz_id = '{key}'
                     BEGIN SELECT RAISE(IGNORE); END"
                ))
                .await;
            }
            Engine::Mariadb => {
                self.sql(&format!(
                    "CREATE TRIGGER guard BEFORE UPDATE ON idempotent_record FOR EACH ROW
                     IF OLD.biz_id = '{key}' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'guarded'; END IF"
                ))
                .await;
            }
            Engine::Postgres => {
                self.sql(&format!(
                    "CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                       IF OLD.biz_id = '{key}' THEN RETURN NULL; END IF; RETURN NEW; END $$;
                     CREATE TRIGGER guard BEFORE UPDATE ON idempotent_record FOR EACH ROW EXECUTE FUNCTION guard()"
                ))
                .await;
            }
        }
    }

    /// The same table by an account that may only read; `None`: the engine has no accounts.
    pub async fn read_only(&self) -> Option<Arc<dyn RecordChanges>> {
        let user = format!("reader_{}", uuid::Uuid::new_v4().simple());
        let database = self.team.database.url.rsplit('/').next().unwrap().split('?').next().unwrap().to_owned();
        match self.team.engine {
            Engine::Sqlite => return None,
            Engine::Mariadb => {
                let user = &user[..30];
                self.sql(&format!("CREATE USER '{user}'@'%' IDENTIFIED BY 'pw'")).await;
                self.sql(&format!("GRANT SELECT ON `{database}`.* TO '{user}'@'%'")).await;
            }
            Engine::Postgres => {
                let user = &user[..30];
                self.sql(&format!("CREATE ROLE {user} LOGIN PASSWORD 'pw'")).await;
                self.sql(&format!("GRANT SELECT ON idempotent_record TO {user}")).await;
            }
        }
        let mut url = url::Url::parse(&self.team.database.url).unwrap();
        url.set_username(&user[..30]).unwrap();
        url.set_password(Some("pw")).unwrap();
        port(&config(&self.team, self.writes, url.as_str()))
    }

    pub async fn permit(&self) -> Permit {
        let begin = Begin {
            operation_id: uuid::Uuid::new_v4().to_string(),
            operation: "mark_failed".into(),
            source: crate::team::SOURCE.into(),
            actor: "ann".into(),
            origin: "test".into(),
            reason: "stuck".into(),
            at: self.system.clock.now(),
            target: "{}".into(),
        };
        self.system.state.audit.begin(&begin).await.unwrap()
    }

    pub async fn freeze(&self, ids: &[u64]) -> Vec<Frozen> {
        let references: Vec<RecordRef> = ids.iter().map(|id| reference(*id)).collect();
        let mut frozen = self.changes.freeze(&references).await.unwrap();
        frozen.sort_by_key(|frozen| references.iter().position(|reference| *reference == frozen.row.reference));
        frozen
    }

    /// As a job would bring them.
    pub async fn items(&self, ids: &[u64]) -> Vec<Item> {
        let references: Vec<RecordRef> = ids.iter().map(|id| reference(*id)).collect();
        let whole = match self.writes {
            Writes::Status => Vec::new(),
            Writes::Delete => self.changes.whole(&references).await.unwrap(),
        };
        let of = |reference: &RecordRef| whole.iter().find(|(of, _)| of == reference).map(|(_, image)| image.clone());
        let frozen = self.freeze(ids).await;
        assert_eq!(frozen.len(), ids.len());
        let item = |frozen: Frozen| Item {
            whole: of(&frozen.row.reference),
            reference: frozen.row.reference,
            stamp: frozen.stamp,
            minimum_age: MINUTE,
        };
        frozen.into_iter().map(item).collect()
    }

    pub async fn change(&self, change: Change, items: &[Item]) -> Result<Vec<Changed>, ChangeError> {
        self.changes.change(&self.permit().await, change, items).await
    }

    pub async fn ids(&self) -> Vec<i64> {
        sqlx::query_scalar("SELECT id FROM idempotent_record ORDER BY id").fetch_all(&self.team.pool).await.unwrap()
    }

    pub async fn age_s(&self, id: u64) -> i64 {
        let age = match self.team.engine {
            Engine::Sqlite => "CAST(strftime('%s', 'now') - strftime('%s', update_time) AS INTEGER)",
            Engine::Mariadb => "TIMESTAMPDIFF(SECOND, update_time, UTC_TIMESTAMP())",
            Engine::Postgres => "EXTRACT(EPOCH FROM timezone('UTC', now()) - update_time)::bigint",
        };
        let sql = format!("SELECT {age} FROM idempotent_record WHERE id = {id}");
        sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(&self.team.pool).await.unwrap()
    }

    pub async fn dump(&self) -> Vec<Vec<Option<String>>> {
        dump(&self.team, "idempotent_record").await
    }
}

/// What is easily lost on the way out and back.
pub async fn odd_values(team: &Team, id: u64) {
    let bytes = match team.engine {
        Engine::Sqlite | Engine::Mariadb => "x'00ff27220a5c'",
        Engine::Postgres => r"'\x00ff27220a5c'",
    };
    let time = match team.engine {
        Engine::Sqlite => "'2026-11-29 08:00:00.123456'",
        Engine::Mariadb => "'2026-11-29 08:00:00.123'",
        Engine::Postgres => "'2026-11-29 08:00:00.123456+08'",
    };
    team.sql(&format!(
        "UPDATE idempotent_record SET payload = {bytes}, amount = 0.1234567, note = 'a''b \"c\" 多行 ; -- \t😀',
         owner = NULL, create_time = {time} WHERE id = {id}"
    ))
    .await;
}

/// All rows with all values, as the engine's own text or hex.
pub async fn dump(team: &Team, table: &str) -> Vec<Vec<Option<String>>> {
    let column = |name: &&str| match (team.engine, *name) {
        (Engine::Postgres, "payload") => "encode(payload, 'hex')".to_owned(),
        (_, "payload") => "hex(payload)".to_owned(),
        (Engine::Mariadb, "amount") => "CAST(amount * 1e0 AS CHAR)".to_owned(),
        (Engine::Mariadb, name) => format!("CAST({name} AS CHAR)"),
        (Engine::Sqlite | Engine::Postgres, name) => format!("CAST({name} AS TEXT)"),
    };
    // An archive leaves out what can be computed.
    let computed: &[&str] = if table == "idempotent_record" { &["doubled"] } else { &[] };
    let columns = COLUMNS.iter().chain(computed).map(column).collect::<Vec<_>>().join(", ");
    let sql = format!("SELECT {columns} FROM {table} ORDER BY id");
    let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).fetch_all(&team.pool).await.unwrap();
    rows.iter().map(|row| (0..row.len()).map(|at| row.get(at)).collect()).collect()
}

fn reference(id: u64) -> RecordRef {
    RecordRef { table: "idempotent_record".into(), pk: Pk::Int(i128::from(id)) }
}

fn port(config: &Config) -> Option<Arc<dyn RecordChanges>> {
    records::changes(&config.sources[0], &config.limits, boot::clock()).unwrap()
}

fn config(team: &Team, writes: Writes, write_url: &str) -> Config {
    let release = if writes == Writes::Delete { "delete" } else { "status" };
    let text = format!(
        r#"
        [state]
        url = "{}"
        [limits]
        connect_timeout = "2s"
        statement_timeout = "5s"
        [[source]]
        name = "{}"
        [source.records]
        url = "{}"
        table = "idempotent_record"
        id = "id"
        key = ["biz_id"]
        type = "biz_type"
        attempts = "retry_count"
        owner = "owner"
        created = "create_time"
        updated = "update_time"
        [source.records.write]
        url = "{write_url}"
        release = "{release}"
        touch = true
        [source.records.status]
        column = "status"
        processing = [1]
        completed = [2]
        failed = [3]
        dead = [4]
        "#,
        team.state.url,
        crate::team::SOURCE,
        team.database.url,
    );
    from_toml(&text, &Environment::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}
