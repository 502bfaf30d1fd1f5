//! The dead letter of RabbitMQ, and publishing what a record keeps.

use super::{Point, counts, redelivery, wanted};
use crate::brokers::Rabbit;
use crate::eventually::eventually;
use crate::site::{BY_DELETING, BY_STATUS, Site};
use crate::team::{Engine, Index, Team};
use app::model::{Plan, RowOperation, Setback};
use lapin::message::BasicGetMessage;
use lapin::options::{BasicGetOptions, BasicNackOptions, BasicPublishOptions, QueueDeclareOptions, QueueDeleteOptions};
use lapin::types::{AMQPValue, FieldArray, FieldTable, ShortString};
use lapin::{BasicProperties, Channel, Connection, ConnectionProperties};
use serde_json::{Value, json};
use server::ports::jobs::ItemOutcome;
use std::time::Duration;

const DEAD: &str = "points-dlq";

struct Bench {
    site: Site,
    line: (Connection, Channel),
}

/// Without the virtual host, which the configuration says by itself.
fn amqp(rabbit: &Rabbit) -> String {
    rabbit.vhost.amqp_url.strip_suffix(&format!("/{}", rabbit.vhost.name)).unwrap().to_owned()
}

async fn bench(write: &'static str, dead_letter: Value, retry: &str) -> Bench {
    let rabbit = Rabbit::new().await;
    let amqp = amqp(&rabbit);
    bench_at(rabbit, &amqp, write, dead_letter, retry).await
}

async fn bench_at(rabbit: Rabbit, amqp: &str, write: &'static str, dead_letter: Value, retry: &str) -> Bench {
    rabbit.declare_with(DEAD, dead_letter).await;
    let to = json!({ "x-dead-letter-exchange": "", "x-dead-letter-routing-key": DEAD });
    rabbit.declare_with("points.orders", to).await;
    rabbit.declare("copies").await;
    let mut team = Team::new(Engine::Sqlite, Index::None).await.with_redis().await;
    team.write = Some(write);
    team.payload = retry.contains("republish");
    team.more = format!(
        "[[source.broker]]\nkind = 'rabbitmq'\nurl = '{}'\namqp = '{amqp}'\nvhost = '{}'\nqueues = ['points.*']\n\
         dead_letter = '{DEAD}'\nkey = {{ header = 'x-biz-id' }}\ntype = {{ json = '/type' }}\n[source.retry]\n{retry}\n",
        rabbit.vhost.management_url, rabbit.vhost.name
    );
    if team.payload {
        team.sql("ALTER TABLE idempotent_record ADD COLUMN body TEXT").await;
    }
    let connection = Connection::connect(&rabbit.vhost.amqp_url, ConnectionProperties::default()).await.unwrap();
    let channel = connection.create_channel().await.unwrap();
    Bench { site: Site::over(team).await, line: (connection, channel) }
}

impl Bench {
    /// A message that its consumer gave up, and its failed record.
    async fn dead(&self, id: u64, key: &str) {
        self.site.team.insert(id, key, 3, 600).await;
        let mut headers = FieldTable::default();
        headers.insert("x-biz-id".into(), AMQPValue::LongString(key.into()));
        headers.insert("trace".into(), AMQPValue::LongString("t-1".into()));
        let copies = FieldArray::from(vec![AMQPValue::LongString("copies".into())]);
        headers.insert("CC".into(), AMQPValue::FieldArray(copies));
        let properties = BasicProperties::default()
            .with_headers(headers)
            .with_expiration("600000".into())
            .with_user_id("guest".into())
            .with_message_id(format!("m-{key}").into())
            .with_delivery_mode(2);
        let (channel, body) = (&self.line.1, br#"{"type":"ORDER_DONE"}"#);
        let sent =
            channel.basic_publish("".into(), "points.orders".into(), BasicPublishOptions::default(), body, properties);
        sent.await.unwrap().await.unwrap();
        let given_up = BasicNackOptions { requeue: false, ..BasicNackOptions::default() };
        self.get("points.orders").await.expect("it waits").delivery.nack(given_up).await.unwrap();
        eventually(async || self.length(DEAD).await, |length| u64::from(*length) >= id).await;
    }

    async fn get(&self, queue: &str) -> Option<BasicGetMessage> {
        self.line.1.basic_get(queue.into(), BasicGetOptions::default()).await.unwrap()
    }

    /// What is ready, by the queue's own word.
    async fn length(&self, queue: &str) -> u32 {
        let passive = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::durable() };
        self.line.1.queue_declare(queue.into(), passive, FieldTable::default()).await.unwrap().message_count()
    }

    async fn lengths(&self) -> (u32, u32) {
        (self.length("points.orders").await, self.length(DEAD).await)
    }

    /// What a connection held comes back a moment after it has ended.
    async fn lengths_become(&self, wanted: (u32, u32)) {
        eventually(async || self.lengths().await, |lengths| *lengths == wanted).await;
    }

    /// Once the statistics know of all messages.
    async fn plan(&self, eligible: u64) -> Plan {
        eventually(async || self.site.plan(RowOperation::Retry).await.unwrap(), |plan| plan.eligible == eligible).await
    }

    async fn ready(&self, eligible: u64) {
        self.plan(eligible).await;
    }

    async fn retry(&self, eligible: u64) -> (String, app::model::Run) {
        let planned = self.plan(eligible).await;
        self.site.confirm(&planned).await.unwrap();
        let ran = self.site.run(&planned).await;
        (planned.id, ran)
    }
}

#[tokio::test]
async fn a_message_goes_back_to_the_queue_that_gave_it_up_and_nowhere_else() {
    let bench = bench(BY_DELETING, json!({}), "mode = 'dead_letter'").await;
    bench.dead(1, "k1").await;
    bench.dead(2, "k2").await;
    bench.dead(3, "stays").await;
    bench.site.team.sql("UPDATE idempotent_record SET status = 2 WHERE biz_id = 'stays'").await;
    let copies = bench.length("copies").await;
    let (_, ran) = bench.retry(2).await;
    assert_eq!(counts(&ran), ("done", 2, 1, 0, 0), "{ran:?}");
    bench.lengths_become((2, 1)).await;
    assert_eq!(bench.length("copies").await, copies, "CC is left behind");
    let message = bench.get("points.orders").await.unwrap().delivery;
    assert_eq!(message.data, br#"{"type":"ORDER_DONE"}"#);
    let headers = message.properties.headers().as_ref().unwrap().inner();
    let names: Vec<&str> = headers.keys().map(ShortString::as_str).collect();
    assert_eq!(names, ["trace", "x-biz-id"]);
    assert_eq!((message.properties.expiration(), message.properties.user_id()), (&None, &None));
    assert_eq!(message.properties.message_id().as_ref().map(ShortString::as_str), Some("m-k1"));
    assert_eq!(message.properties.delivery_mode(), &Some(2));
}

/// At each place: in one place, or said to be in two.
#[tokio::test]
async fn a_run_that_died_leaves_no_message_nowhere() {
    for (at, uncertain, lengths) in [
        (Point::Held, false, (1, 0)),
        (Point::BeforeSending, true, (0, 1)),
        (Point::Sent, true, (1, 1)),
        (Point::BeforeFinishing, false, (1, 0)),
        (Point::Finished, false, (1, 0)),
    ] {
        let mut bench = bench(BY_STATUS, json!({}), "mode = 'dead_letter'").await;
        bench.dead(1, "k1").await;
        bench.ready(1).await;
        let id = bench.site.die_at(at).await;
        // What the dead one held is free again.
        eventually(async || bench.lengths().await, |(orders, dead)| orders + dead >= 1).await;
        eventually(async || bench.length(DEAD).await, |dead| *dead == 1 || at == Point::Finished).await;
        let ran = bench.site.go_on(&id).await;
        assert_eq!((ran.done, ran.uncertain), (u64::from(!uncertain), u64::from(uncertain)), "{at:?} {ran:?}");
        bench.lengths_become(lengths).await;
        if uncertain {
            let setbacks = bench.site.setbacks(&id, ItemOutcome::Uncertain).await;
            assert!(setbacks[0].1.contains("may_be_twice") && setbacks[0].1.contains(DEAD), "{setbacks:?}");
        }
    }
}

/// The connection breaks when the message was published and not yet acknowledged.
#[tokio::test]
async fn a_broker_that_goes_away_between_publish_and_ack_loses_and_doubles_nothing() {
    let rabbit = Rabbit::new().await;
    let direct = amqp(&rabbit);
    let (credentials, address) = direct.strip_prefix("amqp://").unwrap().rsplit_once('@').unwrap();
    let proxy = lab::Proxy::start(address.parse().unwrap()).await.unwrap();
    let through = format!("amqp://{credentials}@{}", proxy.addr());
    let mut bench = bench_at(rabbit, &through, BY_STATUS, json!({}), "mode = 'dead_letter'").await;
    bench.dead(1, "k1").await;
    bench.ready(1).await;
    let id = bench.site.die_at(Point::BeforeFinishing).await;
    proxy.cut().await;
    bench.lengths_become((1, 1)).await;
    let ran = bench.site.go_on(&id).await;
    assert_eq!((ran.state.as_str(), ran.done, ran.open), ("paused", 0, 1), "{ran:?}");
    proxy.restore().await.unwrap();
    assert!(bench.site.system.state.jobs.wish(&id, None).await.unwrap());
    let ran = bench.site.go_on(&id).await;
    assert_eq!(counts(&ran), ("done", 1, 0, 0, 0), "{ran:?}");
    bench.lengths_become((1, 0)).await;
}

#[tokio::test]
async fn what_no_queue_takes_stays_in_the_dead_letter_and_its_record_as_it_was() {
    let bench = bench(BY_DELETING, json!({}), "mode = 'dead_letter'").await;
    bench.dead(1, "k1").await;
    // Another one that matches, since queues that are not there at all are not seen.
    bench
        .line
        .1
        .queue_declare("points.other".into(), QueueDeclareOptions::durable(), FieldTable::default())
        .await
        .unwrap();
    bench.line.1.queue_delete("points.orders".into(), QueueDeleteOptions::default()).await.unwrap();
    let (id, ran) = bench.retry(1).await;
    assert_eq!((ran.done, ran.failed, ran.uncertain), (0, 1, 0), "{ran:?}");
    let setbacks = bench.site.setbacks(&id, ItemOutcome::Failed).await;
    assert!(setbacks[0].1.contains("unroutable") && setbacks[0].1.contains("points.orders"), "{setbacks:?}");
    eventually(async || bench.length(DEAD).await, |length| *length == 1).await;
    assert_eq!(bench.site.rows().await["k1"], 3);
}

/// A quorum queue gives up what went back too often: searching it again and again loses nothing.
#[tokio::test]
async fn searching_a_quorum_queue_uses_up_no_message() {
    let arguments = json!({ "x-queue-type": "quorum", "x-delivery-limit": 4 });
    let bench = bench(BY_STATUS, arguments, "mode = 'dead_letter'").await;
    for id in 1..=3 {
        bench.dead(id, &format!("k{id}")).await;
    }
    bench.ready(3).await;
    for _ in 0..9 {
        let until = bench.site.system.clock.instant() + Duration::from_secs(20);
        let held = redelivery(&bench.site.system).hold(&[wanted("op:0", "not there")], until).await.unwrap();
        assert_eq!(held.lack(0), Some(Setback::NotInDeadLetter));
        drop(held);
        eventually(async || bench.length(DEAD).await, |length| *length == 3).await;
    }
    let (_, ran) = bench.retry(3).await;
    assert_eq!(counts(&ran), ("done", 3, 0, 0, 0), "{ran:?}");
    bench.lengths_become((3, 0)).await;
}

/// With its columns: a connection of the pool may not know yet that there is one more.
const INSERT: &str =
    "INSERT INTO idempotent_record (id, biz_id, biz_type, status, create_time, update_time, body) VALUES";
const REPUBLISH: &str = "mode = 'republish'\nrepublish = { exchange = '', routing_key = 'points.orders' }";

#[tokio::test]
async fn what_a_record_keeps_is_published_also_where_the_row_is_deleted() {
    for write in [BY_STATUS, BY_DELETING] {
        let bench = bench(write, json!({}), REPUBLISH).await;
        let at = bench.site.team.ago(600);
        for (id, body) in [(1, "'{\"type\":\"ORDER_DONE\",\"n\":1}'"), (2, "NULL")] {
            let row = format!("{INSERT} ({id}, 'k{id}', 'ORDER_DONE', 1, {at}, {at}, {body})");
            bench.site.team.sql(&row).await;
        }
        let (id, ran) = bench.retry(2).await;
        assert_eq!(counts(&ran), ("done", 1, 1, 0, 0), "{ran:?}");
        let setbacks = bench.site.setbacks(&id, ItemOutcome::Skipped).await;
        assert!(setbacks[0].0 == "k2" && setbacks[0].1.contains("no_payload"), "{setbacks:?}");
        let message = bench.get("points.orders").await.unwrap().delivery;
        assert_eq!(message.data, br#"{"type":"ORDER_DONE","n":1}"#);
        let header = message.properties.headers().as_ref().unwrap().inner()["x-biz-id"].clone();
        assert_eq!(header, AMQPValue::LongString("k1".into()));
        assert_eq!(bench.site.rows().await.contains_key("k1"), write == BY_STATUS);
        assert_eq!(bench.site.rows().await["k2"], 1, "what cannot come again is not opened");
    }
}

#[tokio::test]
async fn a_publish_that_nobody_saw_the_end_of_is_left_to_a_person() {
    for (at, uncertain, length) in
        [(Point::Held, 0, 1), (Point::BeforeSending, 1, 0), (Point::Sent, 1, 1), (Point::BeforeFinishing, 0, 1)]
    {
        let mut bench = bench(BY_DELETING, json!({}), REPUBLISH).await;
        let at_time = bench.site.team.ago(600);
        let row = format!("{INSERT} (1, 'k1', 'ORDER_DONE', 3, {at_time}, {at_time}, 'x')");
        bench.site.team.sql(&row).await;
        bench.ready(1).await;
        let id = bench.site.die_at(at).await;
        let ran = bench.site.go_on(&id).await;
        assert_eq!((ran.done, ran.uncertain), (1 - uncertain, uncertain), "{at:?} {ran:?}");
        assert_eq!(bench.length("points.orders").await, length, "{at:?}");
    }
}
