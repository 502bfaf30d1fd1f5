//! The demonstration's stores hold what the console is to show: at once from history, then from live traffic.

use lab::generator::{Config, DEAD_LETTER, Generator, LOCK_PREFIX};
use redis::AsyncCommands;
use sqlx::{Connection, SqliteConnection};
use std::time::Duration;

async fn count(records: &mut SqliteConnection, condition: &'static str) -> anyhow::Result<i64> {
    let sql = format!("SELECT COUNT(*) FROM idempotent_record WHERE {condition}");
    Ok(sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(records).await?)
}

async fn until_at_least(records: &mut SqliteConnection, wanted: i64, condition: &'static str) -> anyhow::Result<()> {
    for _ in 0..300 {
        if count(records, condition).await? >= wanted {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    anyhow::bail!("not within 30 s: {wanted} rows where {condition}")
}

const BY_LIVE_CONSUMERS: &str =
    "status = 2 AND id > (SELECT MIN(id) FROM idempotent_record WHERE biz_id = '</script>🎈')";

#[tokio::test]
async fn with_every_store_there_is_history_live_traffic_and_trouble() -> anyhow::Result<()> {
    let database = lab::sqlite_database("generator").await?;
    let (redis, vhost) = (lab::redis().await?, lab::vhost("generator").await?);
    let config = Config {
        records_url: database.url.clone(),
        redis_url: Some(redis.url.clone()),
        amqp_url: Some(vhost.amqp_url.clone()),
        cases: Vec::new(),
    };
    let generator = Generator::start(config.clone()).await?;
    let mut records = SqliteConnection::connect(&database.url).await?;

    assert!(count(&mut records, "status = 2").await? >= 4_000);
    assert!(count(&mut records, "status = 1 AND update_time < datetime('now', '-5 minutes')").await? >= 14);
    assert!(count(&mut records, "status = 3").await? >= 6);
    assert_eq!(count(&mut records, "biz_id IN ('订单-七', 'O''Brien 100% \"x\"', '</script>🎈')").await?, 3);

    until_at_least(&mut records, 10, BY_LIVE_CONSUMERS).await?;
    let mut locks = redis::Client::open(redis.url)?.get_multiplexed_async_connection().await?;
    let keys: Vec<String> = locks.keys(format!("{LOCK_PREFIX}:*")).await?;
    let mut eternal = 0;
    for key in &keys {
        eternal += i32::from(locks.pttl::<_, i64>(key).await? == -1);
    }
    assert!(eternal >= 2, "{keys:?}");

    let broker = lapin::Connection::connect(&vhost.amqp_url, lapin::ConnectionProperties::default()).await?;
    let passive = lapin::options::QueueDeclareOptions { passive: true, ..Default::default() };
    broker.create_channel().await?.queue_declare(DEAD_LETTER.into(), passive, Default::default()).await?;

    generator.stop().await;
    let before = count(&mut records, "1 = 1").await?;
    let again = Generator::start(config).await?;
    until_at_least(&mut records, before + 5, "1 = 1").await?;
    assert!(count(&mut records, "1 = 1").await? < before + 2_000, "the history was written twice");
    again.stop().await;
    Ok(())
}

#[tokio::test]
async fn without_redis_and_rabbitmq_messages_are_consumed_all_the_same() -> anyhow::Result<()> {
    let database = lab::sqlite_database("generator").await?;
    let config = Config { records_url: database.url.clone(), redis_url: None, amqp_url: None, cases: Vec::new() };
    let generator = Generator::start(config).await?;
    let mut records = SqliteConnection::connect(&database.url).await?;
    until_at_least(&mut records, 10, BY_LIVE_CONSUMERS).await?;
    generator.stop().await;
    Ok(())
}
