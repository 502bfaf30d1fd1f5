//! RabbitMQ's queues by its management API.

use app::model::{Fault, Layer};
use server::adapters::brokers::rabbitmq::connect;
use server::config::{Broker, Config, Environment, Secret, from_toml};
use server::ports::brokers::BrokerStats;
use server::telemetry::http_client;
use std::sync::Arc;
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
        let url = format!("{}/api/queues/{}/{queue}", self.vhost.management_url, self.vhost.name);
        let answer = self.http.put(url).json(&serde_json::json!({ "durable": true })).send().await.unwrap();
        assert!(answer.status().is_success(), "{}", answer.status());
    }

    pub async fn publish(&self, queue: &str, body: &str) {
        let url = format!("{}/api/exchanges/{}/amq.default/publish", self.vhost.management_url, self.vhost.name);
        let message = serde_json::json!({ "routing_key": queue, "payload": body, "payload_encoding": "string", "properties": {} });
        let answer: serde_json::Value = self.http.post(url).json(&message).send().await.unwrap().json().await.unwrap();
        assert_eq!(answer["routed"], true, "{answer}");
    }

    fn config(&self, queues: &[&str], dead_letter: Option<&str>) -> Broker {
        Broker {
            url: Secret::new(self.vhost.management_url.clone()),
            vhost: self.vhost.name.clone(),
            queues: queues.iter().map(|glob| (*glob).to_owned()).collect(),
            dead_letter: dead_letter.map(str::to_owned),
        }
    }
}

fn defaults() -> Config {
    from_toml("", &Environment::default()).unwrap()
}

fn stats(broker: &Broker) -> Arc<dyn BrokerStats> {
    let mut limits = defaults().limits;
    (limits.connect_timeout, limits.statement_timeout) = (Duration::from_secs(1), Duration::from_secs(2));
    connect(broker, &limits, http_client(limits.connect_timeout, limits.statement_timeout).unwrap()).unwrap()
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
    let stats = stats(&rabbit.config(&["points.*", "coupons.*"], Some("points-dlq")));
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
    assert_eq!((panel.kind.as_str(), panel.vhost.as_str()), ("rabbitmq", rabbit.vhost.name.as_str()));
    assert!(panel.version.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit())));
    assert_eq!(panel.queues[0].kind.as_deref(), Some("classic"));
    assert!(!panel.address.contains('@') && !panel.address.contains("guest"));
}

/// Statistics come some seconds after the queue.
async fn settled(stats: &dyn BrokerStats, holds: impl Fn(&app::model::BrokerPanel) -> bool) -> app::model::BrokerPanel {
    for _ in 0..100 {
        let panel = stats.queues().await.unwrap();
        if holds(&panel) {
            return panel;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("{:#?}", stats.queues().await);
}

#[tokio::test]
async fn a_queue_that_is_declared_just_now_has_no_counts_and_no_zeros() {
    let rabbit = Rabbit::new().await;
    let stats = stats(&rabbit.config(&["points.*"], None));
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
    assert_eq!(stats(&wrong).queues().await, Err(Fault::Refused { layer: Layer::Broker }));
    let mut missing = rabbit.config(&["points.*"], None);
    missing.vhost = "no/such vhost".into();
    let fault = stats(&missing).queues().await.unwrap_err();
    assert!(matches!(&fault, Fault::Unreadable { detail, .. } if detail.contains("no/such vhost")), "{fault:?}");
    let bad = connect(
        &Broker { url: Secret::new("amqp://u:s3cret@mq".into()), ..missing },
        &defaults().limits,
        http_client(Duration::ZERO, Duration::ZERO).unwrap(),
    );
    assert!(!format!("{:?}", bad.err().unwrap()).contains("s3cret"));
}

#[tokio::test]
async fn a_broker_that_is_away_or_silent_is_unreachable() {
    let rabbit = Rabbit::new().await;
    rabbit.declare("points.orders").await;
    let url = url::Url::parse(&rabbit.vhost.management_url).unwrap();
    let proxy = lab::Proxy::start(format!("127.0.0.1:{}", url.port().unwrap()).parse().unwrap()).await.unwrap();
    let mut through = url.clone();
    through.set_port(Some(proxy.addr().port())).unwrap();
    let mut config = rabbit.config(&["points.*"], None);
    config.url = Secret::new(through.to_string());
    let stats = stats(&config);
    assert_eq!(stats.queues().await.unwrap().queues.len(), 1);
    proxy.cut().await;
    let fault = stats.queues().await.unwrap_err();
    assert!(matches!(&fault, Fault::Unreachable { layer: Layer::Broker, .. }), "{fault:?}");
    assert!(!fault.to_string().contains("guest"), "{fault}");
    proxy.restore().await.unwrap();
    assert_eq!(stats.queues().await.unwrap().queues.len(), 1);
    proxy.delay(Duration::from_secs(10));
    let fault = stats.queues().await.unwrap_err();
    assert!(matches!(&fault, Fault::TimedOut { layer: Layer::Broker, .. }), "{fault:?}");
}
