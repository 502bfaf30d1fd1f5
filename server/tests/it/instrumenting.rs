//! The guide's client code, run as a team runs it: PHP and Python over real Redis and MariaDB, and by HTTP.

mod client;
mod http;
mod shown;

use crate::eventually::eventually;
use crate::team::{Console, Engine, Index, SOURCE, Team};
use app::model::{Counts, LockState, Panel, SignalsPanel, VerdictCode};
use app::reads::Reads;
use chrono::{DateTime, TimeDelta, Utc};
use client::{Client, Language};
use serde_json::{Value, json};
use server::clock::{Clock, SystemClock};
use server::ports::signals::TypeMinute;
use std::collections::BTreeSet;
use url::Url;

const TEXTBOOK: &str = "CREATE TABLE idempotent_record (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, biz_id VARCHAR(128) NOT NULL, biz_type VARCHAR(64) NOT NULL,
    status TINYINT NOT NULL COMMENT '1 processing, 2 completed, 3 failed, 4 dead',
    create_time DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    update_time DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
    UNIQUE KEY uk_biz (biz_type, biz_id))";
/// What handlers do, without a constraint that would hide a second time.
const CREDITED: &str = "CREATE TABLE credited (biz_id VARCHAR(128) NOT NULL)";

const INSTANCE: &str = "w-1|100%25";
const QUEUE: &str = "points.order";
/// They have what the convention escapes, and what unescaping would find in them.
const ODD_TYPE: &str = "50%25|off";
const ODD_QUEUE: &str = "coupons|50%7C";

async fn team() -> Team {
    let mut team = Team::new(Engine::Mariadb, Index::None).await.with_redis().await;
    team.signals = true;
    for statement in ["DROP TABLE idempotent_record", TEXTBOOK, CREDITED] {
        team.sql(statement).await;
    }
    team
}

fn consumer(language: Language, team: &Team) -> Client {
    let redis = Url::parse(team.redis.as_deref().unwrap()).unwrap();
    let database = Url::parse(&team.database.url).unwrap();
    let settings = json!({
        "source": SOURCE,
        "instance": INSTANCE,
        "prefix": team.prefix,
        "redis": { "host": redis.host_str(), "port": redis.port() },
        "database": {
            "host": database.host_str(),
            "port": database.port(),
            "user": database.username(),
            "password": database.password(),
            "database": database.path().trim_start_matches('/'),
        },
    });
    Client::start(language, settings)
}

fn delivery(key: &str) -> Value {
    json!({ "delivery": { "type": "ORDER_DONE", "key": key, "queue": QUEUE } })
}

fn redelivery(key: &str, number: u32) -> Value {
    let redelivered =
        json!({ "type": "ORDER_DONE", "key": key, "queue": QUEUE, "redelivered": true, "number": number });
    json!({ "delivery": redelivered })
}

fn with(mut order: Value, name: &str, value: impl Into<Value>) -> Value {
    order[name] = value.into();
    order
}

/// The whole row of all types is the one whose type is empty.
async fn told(console: &Console, since: DateTime<Utc>, r#type: &str) -> TypeMinute {
    let rows = console.system.state.reports.minutes(SOURCE, r#type, since - TimeDelta::minutes(1), SystemClock.now());
    let mut sum = TypeMinute::default();
    rows.await.unwrap().iter().for_each(|row| sum.add(&row.minute));
    sum
}

async fn credited(team: &Team) -> Vec<(String, i64)> {
    let effects = "SELECT biz_id, CAST(COUNT(*) AS SIGNED) FROM credited GROUP BY biz_id ORDER BY biz_id";
    sqlx::query_as(effects).fetch_all(&team.pool).await.unwrap()
}

/// Newest first: delivery, lock, record, outcome.
type Told = [Option<String>; 4];

async fn trace(console: &Console, r#type: &str, key: &str) -> Vec<Told> {
    let found = console.reads.lookup(SOURCE, Some(r#type), key).await.unwrap();
    assert!(found.trace.iter().all(|entry| entry.worker.as_deref() == Some(INSTANCE) && entry.at.is_some()));
    found.trace.into_iter().map(|entry| [entry.delivery, entry.lock, entry.record, entry.outcome]).collect()
}

fn entry(delivery: &str, lock: &str, record: Option<&str>, outcome: &str) -> Told {
    [Some(delivery), Some(lock), record, Some(outcome)].map(|text| text.map(str::to_owned))
}

#[tokio::test]
async fn every_delivery_to_php_is_told() {
    every_delivery_is_told(Language::Php).await;
}

#[tokio::test]
async fn every_delivery_to_python_is_told() {
    every_delivery_is_told(Language::Python).await;
}

async fn every_delivery_is_told(language: Language) {
    let team = team().await;
    let began = SystemClock.now();
    let mut consumer = consumer(language, &team);
    let [plain, held, fails, dead, lost, fenced, busy, left, odd] =
        ["plain", "held", "fails", "dead", "lost", "fenced", "busy", "left", "odd"]
            .map(|name| format!("{name}-{}", team.prefix));

    // The status check stops a duplicate, then the unique index, which leaves the marker again.
    assert_eq!(consumer.order(&with(delivery(&plain), "takes_ms", 210)).await, "ack");
    assert_eq!(consumer.order(&redelivery(&plain, 2)).await, "ack");
    team.unlock(&plain).await;
    assert_eq!(consumer.order(&delivery(&plain)).await, "ack");
    // Somebody holds the lock.
    team.lock(&held, "somebody", 60_000).await;
    assert_eq!(consumer.order(&delivery(&held)).await, "later");
    team.unlock(&held).await;
    assert_eq!(consumer.order(&redelivery(&held, 2)).await, "ack");
    // A failure is no duplicate when it comes again; what the business rejects is dead.
    assert_eq!(consumer.order(&with(delivery(&fails), "ends", "failed")).await, "later");
    assert_eq!(consumer.order(&redelivery(&fails, 2)).await, "ack");
    assert_eq!(consumer.order(&with(delivery(&dead), "ends", "rejected")).await, "dead_letter");
    assert_eq!(consumer.order(&delivery(&dead)).await, "ack");
    // The lock goes while the handler runs, then the record itself.
    let unlock = json!(["DEL", team.lock_key(&lost)]);
    assert_eq!(consumer.order(&with(delivery(&lost), "meanwhile_redis", unlock)).await, "ack");
    let release = format!("UPDATE idempotent_record SET status = 3 WHERE biz_id = '{fenced}'");
    assert_eq!(consumer.order(&with(delivery(&fenced), "meanwhile_sql", release)).await, "later");
    assert_eq!(consumer.order(&redelivery(&fenced, 2)).await, "ack");
    // Records of workers without a lock: one is at it, one has been gone for long.
    for (key, age_s) in [(&busy, 0), (&left, 600)] {
        let at = team.ago(age_s);
        let row = format!("'ORDER_DONE', '{key}', 1, {at}, {at}");
        let columns = "biz_type, biz_id, status, create_time, update_time";
        team.sql(&format!("INSERT INTO idempotent_record ({columns}) VALUES ({row})")).await;
    }
    assert_eq!(consumer.order(&delivery(&busy)).await, "later");
    assert_eq!(consumer.order(&delivery(&left)).await, "ack");
    // Names that must be escaped, and more duplicates than a trace keeps.
    let coupon = json!({ "delivery": { "type": ODD_TYPE, "key": odd, "queue": ODD_QUEUE } });
    for _ in 0..26 {
        assert_eq!(consumer.order(&coupon).await, "ack");
    }

    let effects: BTreeSet<String> = [plain.clone(), held, fails.clone(), lost, fenced, left, odd.clone()].into();
    let once: Vec<(String, i64)> = effects.into_iter().map(|key| (key, 1)).collect();
    assert_eq!(credited(&team).await, once);
    read_back(&team, began, [&plain, &fails, &busy, &odd]).await;
}

async fn read_back(team: &Team, began: DateTime<Utc>, [plain, fails, busy, odd]: [&str; 4]) {
    let orders = Counts {
        first: 6,
        takeover: 3,
        dup_status: 1,
        dup_index: 1,
        refused: 1,
        deferred: 2,
        conflict: 1,
        completed: 6,
        failed: 1,
        dead: 1,
        lock_lost: 1,
        fenced: 1,
        ..Counts::default()
    };
    let coupons = Counts { first: 1, dup_status: 25, completed: 1, ..Counts::default() };
    let mut total = orders;
    total.add(&coupons);

    let console = team.collecting().await;
    let complete = |panel: &Panel<SignalsPanel>| panel.body.as_ref().is_some_and(|body| body.total == total);
    let panel: Panel<SignalsPanel> = console.until("signals", complete).await;
    let body = panel.body.unwrap();
    assert_eq!((body.unreadable, body.cut_minutes, body.handling.count), (0, 0, 10));
    assert!(body.handling.p99_ms.is_some_and(|ms| ms > 200), "{:?}", body.handling);
    let by_type: Vec<_> = body.types.iter().map(|of| (of.r#type.as_str(), of.counts)).collect();
    assert_eq!(by_type, [(ODD_TYPE, coupons), ("ORDER_DONE", orders)]);
    assert!(body.types[0].origins.iter().any(|origin| (origin.name.as_str(), origin.duplicates) == (ODD_QUEUE, 25)));

    let of_orders = eventually(async || told(&console, began, "ORDER_DONE").await, |told| told.counts == orders).await;
    assert_eq!(of_orders.handling.count(), 9);
    assert_eq!(of_orders.origins.from, [(QUEUE.to_owned(), 2)].into());
    let causes = [("producer".to_owned(), 1), ("redelivery".to_owned(), 1)];
    assert_eq!(of_orders.origins.causes, causes.into());
    let of_coupons = eventually(async || told(&console, began, ODD_TYPE).await, |told| told.counts == coupons).await;
    assert_eq!(of_coupons.origins.causes, [("producer".to_owned(), 25)].into());
    let rows = console.system.state.reports.minutes(SOURCE, "", began - TimeDelta::minutes(1), SystemClock.now());
    assert!(rows.await.unwrap().iter().any(|row| row.alive.contains(INSTANCE)));

    let found = console.reads.lookup(SOURCE, Some("ORDER_DONE"), plain).await.unwrap();
    assert_eq!((found.verdict.unwrap().code, found.lock.unwrap().state), (VerdictCode::Healthy, LockState::Done));
    assert_eq!(
        trace(&console, "ORDER_DONE", plain).await,
        [entry("1", "taken", Some("exists"), "dup_index"), entry("2", "done", None, "dup_status")]
    );
    assert_eq!(
        trace(&console, "ORDER_DONE", fails).await,
        [entry("2", "taken", Some("taken_over"), "completed"), entry("1", "taken", Some("inserted"), "failed")]
    );
    assert_eq!(trace(&console, "ORDER_DONE", busy).await, [entry("1", "taken", Some("exists"), "deferred")]);
    assert_eq!(trace(&console, ODD_TYPE, odd).await[19], entry("1", "done", None, "dup_status"));
    everything_ends(team, odd).await;
}

/// Nothing that a consumer writes stays for ever.
async fn everything_ends(team: &Team, odd: &str) {
    let mut redis = team.redis_connection().await;
    let list = format!("idem_trace:{SOURCE}:{ODD_TYPE}:{odd}");
    let entries: u64 = redis::cmd("LLEN").arg(&list).query_async(&mut redis).await.unwrap();
    assert_eq!(entries, 20);
    let keys: Vec<String> = redis::cmd("KEYS").arg(format!("{}*", team.prefix)).query_async(&mut redis).await.unwrap();
    let longest = |key: &str| match key {
        key if key.starts_with(&format!("{}_stat:", team.prefix)) => 48 * 3_600,
        key if key == list => 24 * 3_600,
        _ => 600,
    };
    for key in keys.iter().chain([&list]) {
        let ttl_s: i64 = redis::cmd("TTL").arg(key).query_async(&mut redis).await.unwrap();
        let longest_s = longest(key);
        assert!((longest_s - 300..=longest_s).contains(&ttl_s), "{key} ends in {ttl_s} s");
    }
}

#[tokio::test]
async fn reports_of_php_wait_while_redis_is_away() {
    reports_wait_while_redis_is_away(Language::Php).await;
}

#[tokio::test]
async fn reports_of_python_wait_while_redis_is_away() {
    reports_wait_while_redis_is_away(Language::Python).await;
}

async fn reports_wait_while_redis_is_away(language: Language) {
    let mut own = lab::services::redis::start().await.unwrap();
    let team = Team { redis: Some(own.url().to_owned()), ..team().await };
    let began = SystemClock.now();
    let mut consumer = consumer(language, &team);
    assert_eq!(consumer.order(&delivery("before")).await, "ack");
    own.stop().await.unwrap();
    assert_eq!(consumer.order(&delivery("without")).await, "ack");
    assert_eq!(consumer.order(&delivery("without")).await, "ack", "the record alone stops it");
    own.start_again().await.unwrap();
    assert_eq!(consumer.order(&delivery("after")).await, "ack");
    assert_eq!(credited(&team).await.iter().map(|(_, times)| times).sum::<i64>(), 3);

    let console = team.collecting().await;
    let all = Counts { first: 3, completed: 3, dup_index: 1, degraded: 2, ..Counts::default() };
    eventually(async || told(&console, began, "ORDER_DONE").await.counts, |counts| *counts == all).await;
    assert_eq!(trace(&console, "ORDER_DONE", "without").await, [entry("1", "degraded", Some("exists"), "dup_index")]);
}
