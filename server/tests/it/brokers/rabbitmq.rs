//! RabbitMQ's queues by its management API.

use super::conformance::Bench;
use super::{limits, settled, stats};
use app::model::{BrokerKind, BrokerPanel, Fault, Layer, MessageState};
use lapin::options::{BasicGetOptions, BasicNackOptions};
use lapin::{Channel, Connection, ConnectionProperties};
use serde_json::{Value, json};
use server::adapters::brokers::rabbitmq::connect;
use server::config::{Broker, RabbitMq, Secret};
use server::ports::brokers::Sighting;
use server::telemetry::http_client;
use std::net::SocketAddr;
use std::time::Duration;

/// A vhost, and its management API for preparing it.
pub struct Rabbit {
    pub vhost: lab::Vhost,
    http: reqwest::Client,
}

impl Rabbit {
    pub async fn new() -> Self {
        let vhost = lab::vhost("points").await.unwrap();
        Self { vhost, http: http_client(Duration::from_secs(2), Duration::from_secs(10)).unwrap() }
    }

    pub async fn declare(&self, queue: &str) {
        self.declare_with(queue, json!({})).await;
    }

    pub async fn declare_with(&self, queue: &str, arguments: Value) {
        self.put(&format!("queues/{}/{queue}", self.vhost.name), json!({ "durable": true, "arguments": arguments }))
            .await;
    }

    async fn put(&self, path: &str, body: Value) {
        let url = format!("{}/api/{path}", self.vhost.management_url);
        let answer = self.http.put(url).json(&body).send().await.unwrap();
        assert!(answer.status().is_success(), "{}", answer.text().await.unwrap());
    }

    pub async fn publish(&self, queue: &str, body: &str) {
        let url = format!("{}/api/exchanges/{}/amq.default/publish", self.vhost.management_url, self.vhost.name);
        let message = json!({ "routing_key": queue, "payload": body, "payload_encoding": "string", "properties": {} });
        let answer: Value = self.http.post(url).json(&message).send().await.unwrap().json().await.unwrap();
        assert_eq!(answer["routed"], true, "{answer}");
    }

    async fn channel(&self) -> (Connection, Channel) {
        let connection = Connection::connect(&self.vhost.amqp_url, ConnectionProperties::default()).await.unwrap();
        let channel = connection.create_channel().await.unwrap();
        (connection, channel)
    }

    fn config(&self, queues: &[&str], dead_letter: Option<&str>) -> RabbitMq {
        RabbitMq {
            url: Secret::new(self.vhost.management_url.clone()),
            vhost: self.vhost.name.clone(),
            queues: queues.iter().map(|glob| (*glob).to_owned()).collect(),
            dead_letter: dead_letter.map(str::to_owned),
            amqp: None,
            key: Vec::new(),
            r#type: Vec::new(),
        }
    }
}

#[tokio::test]
async fn only_matching_queues_are_read_and_the_dead_letter_stands_apart() {
    let rabbit = Rabbit::new().await;
    for queue in ["points.orders", "points.refunds", "other", "points-dlq", "xpointsx.orders"] {
        rabbit.declare(queue).await;
    }
    rabbit.publish("points.orders", "1").await;
    rabbit.publish("points.orders", "2").await;
    rabbit.publish("points-dlq", "3").await;
    let stats = stats(&Broker::RabbitMq(rabbit.config(&["points.*", "coupons.*"], Some("points-dlq"))));
    let panel = settled(&*stats, |panel| {
        panel.queues.iter().all(|queue| queue.ready.is_some()) && panel.queues[0].ready == Some(2)
    })
    .await;
    let names: Vec<_> =
        panel.queues.iter().map(|queue| (queue.name.as_str(), queue.dead_letter, queue.ready)).collect();
    assert_eq!(
        names,
        [("points.orders", false, Some(2)), ("points.refunds", false, Some(0)), ("points-dlq", true, Some(1))]
    );
    assert_eq!(panel.unmatched, ["coupons.*"]);
    assert_eq!((panel.kind, panel.vhost.as_deref()), (BrokerKind::RabbitMq, Some(rabbit.vhost.name.as_str())));
    assert!(panel.version.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit())));
    assert_eq!(panel.queues[0].kind.as_deref(), Some("classic"));
    assert!(!panel.address.contains('@') && !panel.address.contains("guest"));
}

#[tokio::test]
async fn a_queue_that_is_declared_just_now_has_no_counts_and_no_zeros() {
    let rabbit = Rabbit::new().await;
    let stats = stats(&Broker::RabbitMq(rabbit.config(&["points.*"], None)));
    assert_eq!(stats.queues().await.unwrap().unmatched, ["points.*"]);
    rabbit.declare("points.new").await;
    let panel = stats.queues().await.unwrap();
    assert_eq!(panel.queues.len(), 1);
    assert_eq!((panel.queues[0].ready, panel.queues[0].in_per_second), (None, None));
    settled(&*stats, |panel| panel.queues[0].ready == Some(0)).await;
}

#[tokio::test]
async fn a_wrong_password_and_a_missing_vhost_are_told_without_secrets() {
    let rabbit = Rabbit::new().await;
    let mut wrong = rabbit.config(&["points.*"], None);
    let mut url = url::Url::parse(&rabbit.vhost.management_url).unwrap();
    url.set_password(Some("wr0ng-secret")).unwrap();
    wrong.url = Secret::new(url.to_string());
    assert_eq!(stats(&Broker::RabbitMq(wrong)).queues().await, Err(Fault::Refused { layer: Layer::Broker }));
    let mut missing = rabbit.config(&["points.*"], None);
    missing.vhost = "no/such vhost".into();
    let fault = stats(&Broker::RabbitMq(missing.clone())).queues().await.unwrap_err();
    assert!(matches!(&fault, Fault::Unreadable { detail, .. } if detail.contains("no/such vhost")), "{fault:?}");
    let bad = connect(
        &RabbitMq { url: Secret::new("amqp://u:s3cret@mq".into()), ..missing },
        &limits(),
        http_client(Duration::ZERO, Duration::ZERO).unwrap(),
    );
    assert!(!format!("{:?}", bad.err().unwrap()).contains("s3cret"));
}

#[tokio::test]
async fn limits_of_queue_and_policy_are_told_and_the_stricter_one_holds() {
    let rabbit = Rabbit::new().await;
    rabbit.declare_with("points.bare", json!({})).await;
    rabbit.declare_with("points.own", json!({ "x-queue-type": "quorum", "x-delivery-limit": 7 })).await;
    rabbit.declare_with("points.policy", json!({ "x-queue-type": "quorum" })).await;
    rabbit.declare_with("points.slow", json!({ "x-consumer-timeout": 90_000 })).await;
    let policy =
        json!({ "pattern": "^points.(policy|own)$", "apply-to": "queues", "definition": { "delivery-limit": 5 } });
    rabbit.put(&format!("policies/{}/limit", rabbit.vhost.name), policy).await;
    let stats = stats(&Broker::RabbitMq(rabbit.config(&["points.*"], None)));
    let told = |panel: &BrokerPanel| -> Vec<_> {
        panel.queues.iter().map(|queue| (queue.kind.clone(), queue.delivery_limit, queue.consumer_timeout_ms)).collect()
    };
    let (classic, quorum) = (Some("classic".to_owned()), Some("quorum".to_owned()));
    let wanted = vec![
        (classic.clone(), None, None),
        (quorum.clone(), Some(5), None),
        (quorum, Some(5), None),
        (classic, None, Some(90_000)),
    ];
    let panel = settled(&*stats, |panel| told(panel) == wanted).await;
    assert_eq!(told(&panel), wanted);
}

/// One queue with its dead letter.
pub struct RabbitBench {
    rabbit: Rabbit,
    line: (Connection, Channel),
}

impl RabbitBench {
    /// What was taken is not settled, so that the channel holds it.
    async fn get(&self) -> lapin::message::BasicGetMessage {
        let got = self.line.1.basic_get("points.orders".into(), BasicGetOptions::default()).await.unwrap();
        got.expect("a message waits")
    }
}

#[async_trait::async_trait]
impl Bench for RabbitBench {
    type Taken = lapin::message::BasicGetMessage;

    async fn new() -> Self {
        let rabbit = Rabbit::new().await;
        rabbit.declare("points-dlq").await;
        let to = json!({ "x-dead-letter-exchange": "", "x-dead-letter-routing-key": "points-dlq" });
        rabbit.declare_with("points.orders", to).await;
        let line = rabbit.channel().await;
        Self { rabbit, line }
    }

    fn config(&self) -> Broker {
        Broker::RabbitMq(self.rabbit.config(&["points.*"], Some("points-dlq")))
    }

    fn config_of_unknown(&self) -> (Broker, &'static str) {
        (Broker::RabbitMq(self.rabbit.config(&["coupons.*"], None)), "coupons.*")
    }

    fn address(&self) -> SocketAddr {
        let url = url::Url::parse(&self.rabbit.vhost.management_url).unwrap();
        format!("127.0.0.1:{}", url.port().unwrap()).parse().unwrap()
    }

    fn config_at(&self, address: SocketAddr) -> Broker {
        let mut url = url::Url::parse(&self.rabbit.vhost.management_url).unwrap();
        url.set_port(Some(address.port())).unwrap();
        let config = self.rabbit.config(&["points.*"], Some("points-dlq"));
        Broker::RabbitMq(RabbitMq { url: Secret::new(url.to_string()), ..config })
    }

    async fn publish(&self, key: &str) {
        self.rabbit.publish("points.orders", key).await;
    }

    async fn take(&self) -> Self::Taken {
        self.get().await
    }

    async fn take_again(&self, taken: Self::Taken) -> Self::Taken {
        taken.nack(BasicNackOptions { requeue: true, ..BasicNackOptions::default() }).await.unwrap();
        let again = async {
            loop {
                let got = self.line.1.basic_get("points.orders".into(), BasicGetOptions::default()).await.unwrap();
                if let Some(got) = got {
                    return got;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(120), again).await.expect("it comes again")
    }

    async fn give_up(&self, taken: Self::Taken) {
        taken.nack(BasicNackOptions { requeue: false, ..BasicNackOptions::default() }).await.unwrap();
    }

    async fn settle(&self, taken: Self::Taken) {
        taken.ack(lapin::options::BasicAckOptions::default()).await.unwrap();
    }

    fn shows_redelivery(panel: &BrokerPanel) -> bool {
        panel.queues[0].redelivered_per_second.is_some_and(|rate| rate > 0.0)
    }

    /// The management API counts, and finds nothing.
    fn view(_: Option<MessageState>) -> Sighting {
        Sighting::Queue
    }
}
