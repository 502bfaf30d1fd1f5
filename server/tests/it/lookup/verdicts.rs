//! Each row of the table of verdicts: its situation is made in the real stores, and page, API and command say the same.

use crate::brokers::Streams;
use crate::cli::Desk;
use crate::console::{Console, Who};
use crate::team::{Engine, Index, SOURCE, Team};
use app::model::{Lang, Role, Verdict};
use chrono::{TimeDelta, Utc};

const PROCESSING: u8 = 1;
const COMPLETED: u8 = 2;
const FAILED: u8 = 3;
const DEAD: u8 = 4;
const NOBODY_MAPPED: u8 = 7;

struct Stage {
    team: Team,
    streams: Streams,
}

impl Stage {
    async fn new() -> Self {
        let streams = Streams::with_orders().await;
        let at = Some((streams.url.clone(), streams.prefix.clone()));
        let team = Team::new(Engine::Sqlite, Index::None).await.with_redis().await;
        let team = Team { streams: at, signals: true, ..team };
        let columns = "id INTEGER PRIMARY KEY, biz_id TEXT NOT NULL, biz_type TEXT NOT NULL, status SMALLINT NOT NULL,
            create_time DATETIME NOT NULL, update_time DATETIME NOT NULL";
        // Nothing keeps two records of one key apart.
        team.sql(&format!(
            "DROP TABLE idempotent_record; CREATE TABLE idempotent_record ({columns});
             CREATE INDEX by_key ON idempotent_record (biz_type, biz_id)"
        ))
        .await;
        Self { team, streams }
    }

    /// Traces carry no prefix of the test's own.
    fn key(&self, name: &str) -> String {
        format!("{name}-{}", self.team.prefix)
    }

    async fn record(&self, name: &str, status: u8, age_s: u32) {
        let at = self.team.ago(age_s);
        let (columns, key) = ("biz_id, biz_type, status, create_time, update_time", self.key(name));
        let values = format!("'{key}', 'ORDER_DONE', {status}, {at}, {at}");
        self.team.sql(&format!("INSERT INTO idempotent_record ({columns}) VALUES ({values})")).await;
    }

    async fn lock(&self, name: &str, value: &str) {
        self.team.lock(&self.key(name), value, 15_000).await;
    }

    async fn traced(&self, name: &str, outcome: &str, ago_s: i64) {
        let at = (Utc::now() - TimeDelta::seconds(ago_s)).to_rfc3339();
        let entry = serde_json::json!({"at": at, "worker": "w-1", "lock": "taken", "outcome": outcome});
        let list = format!("idem_trace:{SOURCE}:ORDER_DONE:{}", self.key(name));
        let mut redis = self.team.redis_connection().await;
        redis::cmd("LPUSH").arg(&list).arg(entry.to_string()).exec_async(&mut redis).await.unwrap();
    }

    /// Handed out to a worker that has not answered.
    async fn unacked(&self, name: &str) {
        self.streams.add_order("orders", &self.key(name)).await;
        self.streams.read("orders").await;
    }

    async fn waiting(&self, name: &str) {
        self.streams.add_order("orders", &self.key(name)).await;
    }

    async fn dead_lettered(&self, name: &str) {
        self.streams.add_order("dead", &self.key(name)).await;
    }

    /// What page, API and command say of these keys is this.
    async fn all_say(&self, expected: &[(&str, &str)]) {
        let told = Told::new(&self.team).await;
        for (name, code) in expected {
            told.says(&self.key(name), code).await;
        }
    }
}

struct Told {
    desk: Desk,
    console: Console,
    viewer: Who,
}

impl Told {
    async fn new(team: &Team) -> Self {
        let console = Console::of(team.config()).await;
        let viewer = console.signed_in("lin.wei", Role::Viewer).await;
        Self { desk: Desk::new(&team.toml()), console, viewer }
    }

    async fn says(&self, key: &str, code: &str) {
        let asked = format!("type=ORDER_DONE&key={key}");
        let found = self.console.get(&self.viewer, &format!("/api/sources/{SOURCE}/lookup?{asked}")).await.json();
        assert_eq!(found["verdict"]["code"], code, "{found:#}");
        let printed = self.desk.run(&["lookup", "ORDER_DONE", key, "--json"]).json();
        assert_eq!(printed["verdict"]["code"], code, "{printed:#}");
        assert_eq!(printed["operations"], found["operations"], "{key}");
        let verdict: Verdict = serde_json::from_value(found["verdict"].clone()).unwrap();
        let page = self.console.get(&self.viewer, &format!("/s/{SOURCE}/lookup?{asked}")).await;
        let title = app::words::verdict_title(Lang::En, &verdict).replace('’', "&#x27;");
        assert!(
            page.body.contains(&title) || page.body.contains(app::words::verdict_title(Lang::En, &verdict)),
            "{title}"
        );
    }
}

#[tokio::test]
async fn with_messages_about() {
    let stage = Stage::new().await;
    stage.record("not_unique", COMPLETED, 900).await;
    stage.record("not_unique", PROCESSING, 900).await;
    stage.record("unmapped", NOBODY_MAPPED, 900).await;
    stage.record("leaked", COMPLETED, 900).await;
    stage.traced("leaked", "completed", 890).await;
    stage.traced("leaked", "completed", 880).await;
    stage.record("marker", PROCESSING, 2).await;
    stage.lock("marker", "done:1795941066041").await;
    stage.record("duplicate", COMPLETED, 900).await;
    stage.dead_lettered("duplicate").await;
    stage.record("not_released", COMPLETED, 2).await;
    stage.lock("not_released", "w1").await;
    stage.record("healthy", COMPLETED, 900).await;
    stage.record("dead", DEAD, 900).await;
    stage.record("unclear", PROCESSING, 900).await;
    let hash = stage.team.lock_key(&stage.key("unclear"));
    redis::cmd("HSET").arg(hash).arg("f").arg(1).exec_async(&mut stage.team.redis_connection().await).await.unwrap();
    stage.record("at_work", PROCESSING, 900).await;
    stage.lock("at_work", "w1").await;
    stage.record("swallowed", PROCESSING, 900).await;
    stage.traced("swallowed", "dup_index", 60).await;
    stage.record("out_of_attempts", PROCESSING, 900).await;
    stage.dead_lettered("out_of_attempts").await;
    stage.record("unprotected", PROCESSING, 900).await;
    stage.unacked("unprotected").await;
    stage.record("young", PROCESSING, 2).await;
    stage.record("behind", PROCESSING, 900).await;
    stage.record("gone_or_not", PROCESSING, 900).await;
    stage.record("retrying", FAILED, 900).await;
    stage.lock("retrying", "w1").await;
    stage.record("failed_for_good", FAILED, 900).await;
    stage.dead_lettered("failed_for_good").await;
    stage.record("comes_again", FAILED, 900).await;
    stage.record("failed", FAILED, 900).await;
    stage.lock("claiming", "w1").await;
    stage.dead_lettered("unrecorded").await;
    for name in ["behind", "comes_again", "not_consumed"] {
        stage.waiting(name).await;
    }
    stage
        .all_say(&[
            ("not_unique", "not_unique"),
            ("unmapped", "unmapped"),
            ("leaked", "leaked"),
            ("marker", "marker_contradicts"),
            ("duplicate", "duplicate_in_dead_letter"),
            ("not_released", "finished_lock_held"),
            ("healthy", "healthy"),
            ("dead", "dead"),
            ("unclear", "unclear"),
            ("at_work", "in_progress"),
            ("swallowed", "swallowed"),
            ("out_of_attempts", "processing_in_dead_letter"),
            ("unprotected", "unprotected"),
            ("young", "in_progress"),
            ("behind", "waiting_behind_record"),
            ("gone_or_not", "stuck_or_unprotected"),
            ("retrying", "retrying"),
            ("failed_for_good", "failed_in_dead_letter"),
            ("comes_again", "failed_waiting"),
            ("failed", "failed"),
            ("claiming", "claiming"),
            ("unrecorded", "unrecorded_in_dead_letter"),
            ("not_consumed", "not_consumed"),
            ("never_seen", "unknown_key"),
        ])
        .await;
}

#[tokio::test]
async fn with_nothing_left_at_the_broker() {
    let stage = Stage::new().await;
    stage.record("acked", PROCESSING, 900).await;
    stage.lock("acked", "w1").await;
    stage.record("stuck", PROCESSING, 900).await;
    stage.record("gone", FAILED, 900).await;
    let expected = [
        ("acked", "in_progress_acked"),
        ("stuck", "stuck"),
        ("gone", "failed_message_gone"),
        ("nobody", "unknown_key"),
    ];
    stage.all_say(&expected).await;
}
