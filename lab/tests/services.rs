//! Each service starts, answers, stops, and starts again on the same port with the same data.
#![allow(clippy::unwrap_used, reason = "a test may fail by it")]

use anyhow::Context;
use redis::AsyncCommands;
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, PgConnection, Row};
use std::net::{SocketAddr, TcpStream};

fn refuses(address: SocketAddr) -> bool {
    TcpStream::connect(address).is_err()
}

#[tokio::test]
async fn redis_keeps_its_keys_over_a_restart() -> anyhow::Result<()> {
    let mut service = lab::services::redis::start().await?;
    let (url, address) = (service.url().to_owned(), service.address());
    let client = redis::Client::open(url.as_str())?;
    let _: () = client.get_multiplexed_async_connection().await?.set("k", "v").await?;

    service.stop().await?;
    assert!(refuses(address));
    assert!(service.stop().await.unwrap_err().to_string().contains("Redis is not running"));

    service.start_again().await?;
    assert_eq!(service.url(), url);
    let kept: String = client.get_multiplexed_async_connection().await?.get("k").await?;
    assert_eq!(kept, "v");
    Ok(())
}

#[tokio::test]
async fn a_redis_cluster_shares_its_keys_among_three_primaries() -> anyhow::Result<()> {
    let cluster = lab::services::redis_cluster::start().await?;
    let client = redis::cluster::ClusterClient::new(cluster.node_urls())?;
    let mut connection = client.get_async_connection().await?;
    for n in 0..30 {
        connection.set::<_, _, ()>(format!("k{n}"), n).await?;
    }
    for url in cluster.node_urls() {
        let mut node = redis::Client::open(url)?.get_multiplexed_async_connection().await?;
        let keys: u64 = redis::cmd("DBSIZE").query_async(&mut node).await?;
        assert!((1..30).contains(&keys), "{keys}");
    }
    Ok(())
}

#[tokio::test]
async fn sentinels_make_the_replica_the_master() -> anyhow::Result<()> {
    let pair = lab::services::redis_sentinel::start().await?;
    pair.fail_over().await?;
    let [_, second] = pair.server_urls();
    let mut replica = redis::Client::open(second)?.get_multiplexed_async_connection().await?;
    replica.set::<_, _, ()>("k", "v").await.context("the replica is no master")
}

#[tokio::test]
async fn mariadb_keeps_its_rows_over_a_restart() -> anyhow::Result<()> {
    let mut service = lab::services::mariadb::start().await?;
    let mut before = MySqlConnection::connect(service.url()).await?;
    before.execute("CREATE DATABASE d").await?;
    before.execute("CREATE TABLE d.t AS SELECT 7 AS n").await?;

    service.stop().await?;
    assert!(refuses(service.address()));

    service.start_again().await?;
    let mut after = MySqlConnection::connect(service.url()).await?;
    assert_eq!(after.fetch_one("SELECT n FROM d.t").await?.get::<i32, _>(0), 7);
    Ok(())
}

#[tokio::test]
async fn postgres_keeps_its_rows_over_a_restart_even_with_a_client_connected() -> anyhow::Result<()> {
    let mut service = lab::services::postgres::start().await?;
    let mut before = PgConnection::connect(service.url()).await?;
    before.execute("CREATE TABLE t AS SELECT 7 AS n").await?;

    service.stop().await?;
    assert!(refuses(service.address()));

    service.start_again().await?;
    let mut after = PgConnection::connect(service.url()).await?;
    assert_eq!(after.fetch_one("SELECT n FROM t").await?.get::<i32, _>(0), 7);
    Ok(())
}

#[tokio::test]
async fn rabbitmq_keeps_its_queues_over_a_restart() -> anyhow::Result<()> {
    let mut service = lab::services::rabbitmq::start().await?;
    let options = lapin::ConnectionProperties::default();
    let before = lapin::Connection::connect(&service.amqp_url(), options.clone()).await?;
    let durable = lapin::options::QueueDeclareOptions { durable: true, ..Default::default() };
    before.create_channel().await?.queue_declare("q".into(), durable, Default::default()).await?;

    service.stop().await?;
    assert!(refuses(service.address()));

    service.start_again().await?;
    let after = lapin::Connection::connect(&service.amqp_url(), options).await?;
    let passive = lapin::options::QueueDeclareOptions { passive: true, ..Default::default() };
    after
        .create_channel()
        .await?
        .queue_declare("q".into(), passive, Default::default())
        .await
        .context("the queue is gone")?;
    Ok(())
}

#[tokio::test]
async fn each_database_is_fresh_and_empty() -> anyhow::Result<()> {
    let (one, two) = (lab::mariadb_database("fresh").await?, lab::mariadb_database("fresh").await?);
    assert_ne!(one.url, two.url);
    let mut connection = MySqlConnection::connect(&one.url).await?;
    assert!(connection.fetch_all("SHOW TABLES").await?.is_empty());

    let (one, two) = (lab::postgres_database("fresh").await?, lab::postgres_database("fresh").await?);
    assert_ne!(one.url, two.url);
    let mut connection = PgConnection::connect(&one.url).await?;
    let tables = "SELECT 1 FROM pg_tables WHERE schemaname = 'public'";
    assert!(connection.fetch_all(tables).await?.is_empty());

    let sqlite = lab::sqlite_database("fresh").await?;
    let mut connection = sqlx::SqliteConnection::connect(&sqlite.url).await?;
    connection.execute(AssertSqlSafe("CREATE TABLE t (n INTEGER)".to_owned())).await?;
    Ok(())
}

#[tokio::test]
async fn a_prefix_that_would_need_quotes_is_refused() {
    for prefix in ["", "Points", "points;", "1st", "a-b", "a_name_that_is_longer_than_thirty"] {
        let error = lab::sqlite_database(prefix).await.unwrap_err().to_string();
        assert!(error.contains("a-z, 0-9 and _"), "{error}");
    }
}

#[tokio::test]
async fn each_vhost_is_fresh_and_empty() -> anyhow::Result<()> {
    let (one, two) = (lab::vhost("fresh").await?, lab::vhost("fresh").await?);
    assert_ne!(one.name, two.name);
    for vhost in [one, two] {
        let connection = lapin::Connection::connect(&vhost.amqp_url, lapin::ConnectionProperties::default()).await?;
        connection.create_channel().await?.queue_declare("q".into(), Default::default(), Default::default()).await?;
    }
    Ok(())
}

#[tokio::test]
async fn what_is_shared_is_started_once() -> anyhow::Result<()> {
    let (one, two) = tokio::try_join!(lab::redis(), lab::redis())?;
    assert_eq!(one.url, two.url);
    Ok(())
}
