//! Redis Streams, on the Redis that all tests share.

use super::conformance::Bench;
use super::{limits, stats, stats_within};
use app::model::{BrokerKind, BrokerPanel, Fault, Layer, MessageState};
use redis::aio::MultiplexedConnection;
use redis::{ToRedisArgs, cmd};
use server::config::{Broker, EntryPart, Pointer, RedisStreams, Secret};
use server::ports::brokers::{Found, Oldest, Sighting};
use std::net::SocketAddr;

/// Streams of one test, told by their prefix.
pub struct Streams {
    pub url: String,
    pub prefix: String,
    connection: MultiplexedConnection,
}

impl Streams {
    /// None is there yet.
    pub async fn bare() -> Self {
        let url = lab::redis().await.unwrap().url;
        let connection = redis::Client::open(url.as_str()).unwrap().get_multiplexed_async_connection().await.unwrap();
        Self { url, prefix: format!("t{}", uuid::Uuid::new_v4().simple()), connection }
    }

    /// A stream `orders` with a group `points` at its beginning.
    pub async fn with_orders() -> Self {
        let streams = Self::bare().await;
        streams.group("orders", "points", "0").await;
        streams
    }

    pub fn name(&self, stream: &str) -> String {
        format!("{}:{stream}", self.prefix)
    }

    pub async fn run<T: redis::FromRedisValue>(&self, name: &str, arguments: &[impl ToRedisArgs]) -> T {
        let answer = cmd(name).arg(arguments).query_async(&mut self.connection.clone()).await;
        answer.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub async fn group(&self, stream: &str, group: &str, from: &str) {
        let stream = self.name(stream);
        self.run::<()>("XGROUP", &["CREATE", &stream, group, from, "MKSTREAM"]).await;
    }

    /// The entry's id.
    pub async fn add(&self, stream: &str, fields: &[&str]) -> String {
        let stream = self.name(stream);
        self.run("XADD", &[&[stream.as_str(), "*"], fields].concat()).await
    }

    pub async fn add_order(&self, stream: &str, key: &str) -> String {
        self.add(stream, &["biz_type", "ORDER_DONE", "biz_id", key]).await
    }

    /// The oldest that waits, handed out to `worker`.
    pub async fn read(&self, stream: &str) {
        let stream = self.name(stream);
        self.run::<redis::Value>(
            "XREADGROUP",
            &["GROUP", "points", "worker", "COUNT", "1", "STREAMS", stream.as_str(), ">"],
        )
        .await;
    }

    /// Takes one that is pending once more.
    pub async fn claim(&self, stream: &str, id: &str) {
        let stream = self.name(stream);
        self.run::<redis::Value>("XCLAIM", &[stream.as_str(), "points", "worker", "0", id]).await;
    }

    fn broker(&self, streams: &[&str]) -> RedisStreams {
        let field = |name: &str| EntryPart::Field { name: name.into(), json: None };
        RedisStreams {
            url: Secret::new(self.url.clone()),
            streams: streams.iter().map(|stream| self.name(stream)).collect(),
            group: "points".into(),
            dead_letter: Some(self.name("dead")),
            key: vec![field("biz_id")],
            r#type: vec![field("biz_type")],
        }
    }
}

#[async_trait::async_trait]
impl Bench for Streams {
    type Taken = String;

    async fn new() -> Self {
        Self::with_orders().await
    }

    fn config(&self) -> Broker {
        Broker::RedisStreams(self.broker(&["orders"]))
    }

    fn config_of_unknown(&self) -> (Broker, &'static str) {
        let unknown = RedisStreams { streams: vec!["no:such:stream".into()], dead_letter: None, ..self.broker(&[]) };
        (Broker::RedisStreams(unknown), "no:such:stream")
    }

    fn address(&self) -> SocketAddr {
        let url = url::Url::parse(&self.url).unwrap();
        format!("127.0.0.1:{}", url.port().unwrap()).parse().unwrap()
    }

    fn config_at(&self, address: SocketAddr) -> Broker {
        let url = Secret::new(format!("redis://{address}/"));
        Broker::RedisStreams(RedisStreams { url, ..self.broker(&["orders"]) })
    }

    async fn publish(&self, key: &str) {
        self.add_order("orders", key).await;
    }

    async fn take(&self) -> String {
        self.read("orders").await;
        let stream = self.name("orders");
        let pending: Vec<(String, String, u64, u64)> =
            self.run("XPENDING", &[stream.as_str(), "points", "-", "+", "1"]).await;
        pending.into_iter().next().expect("an entry is pending").0
    }

    async fn take_again(&self, taken: String) -> String {
        self.claim("orders", &taken).await;
        taken
    }

    async fn give_up(&self, taken: String) {
        let stream = self.name("orders");
        let entries: Vec<(String, Vec<String>)> = self.run("XRANGE", &[&stream, &taken, &taken]).await;
        let fields: Vec<&str> = entries[0].1.iter().map(String::as_str).collect();
        self.add("dead", &fields).await;
        self.settle(taken).await;
    }

    async fn settle(&self, taken: String) {
        let stream = self.name("orders");
        assert_eq!(self.run::<u64>("XACK", &[stream.as_str(), "points", &taken]).await, 1);
    }

    fn shows_redelivery(panel: &BrokerPanel) -> bool {
        let group = panel.queues[0].group.as_ref().expect("a group");
        (group.delivered_again(), group.most_deliveries) == (1, Some(2))
    }

    fn view(state: Option<MessageState>) -> Sighting {
        match state {
            Some(state) => Sighting::Message(Found { state, queue: String::new(), deliveries: None, idle_ms: None }),
            None => Sighting::NotThere,
        }
    }
}

#[tokio::test]
async fn groups_stand_with_their_pending_entries_and_the_dead_letter_apart() {
    let streams = Streams::with_orders().await;
    streams.group("orders", "audit", "0").await;
    for key in ["a", "b", "c"] {
        streams.add_order("orders", key).await;
    }
    streams.read("orders").await;
    let broker = RedisStreams { group: "*".into(), ..streams.broker(&["orders"]) };
    let panel = stats(&Broker::RedisStreams(broker)).queues().await.unwrap();
    assert_eq!((panel.kind, panel.vhost.as_deref()), (BrokerKind::RedisStreams, None));
    assert!(panel.version.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit())));
    assert!(panel.address.ends_with("/0") && !panel.address.contains("redis://"), "{}", panel.address);
    let orders = streams.name("orders");
    let names: Vec<_> = panel.queues.iter().map(app::model::Queue::full_name).collect();
    assert_eq!(names, [format!("{orders}/audit"), format!("{orders}/points"), streams.name("dead")]);
    let counts: Vec<_> = panel.queues.iter().map(|queue| (queue.ready, queue.unacked, queue.consumers)).collect();
    assert_eq!(counts, [(Some(3), Some(0), Some(0)), (Some(2), Some(1), Some(1)), (Some(0), Some(0), None)]);
    let [audit, points] = [0, 1].map(|at| panel.queues[at].group.clone().unwrap());
    assert_eq!((audit.length, audit.most_deliveries, audit.oldest_idle_ms), (3, None, None), "nothing is pending");
    assert_eq!((points.looked_at, points.delivered_again(), points.most_deliveries), (1, 0, Some(1)));
    assert!(points.oldest_idle_ms.is_some_and(|ms| ms < 10_000) && points.longest_idle_ms == points.oldest_idle_ms);
    assert_eq!(panel.queues[2].kind, None, "nothing was ever put into the dead letter");
}

#[tokio::test]
async fn streams_are_found_by_globs_and_what_matches_nothing_is_told() {
    let streams = Streams::with_orders().await;
    streams.group("refunds", "points", "0").await;
    streams.group("coupons", "coupons", "0").await;
    streams.add_order("dead", "a").await;
    streams.run::<()>("SET", &[streams.name("text"), "no stream".into()]).await;
    let mut broker = streams.broker(&["*", "nothing:*", "coup*", "coupons", "gone"]);
    broker.dead_letter = Some(streams.name("dead"));
    let panel = super::settled(&*stats(&Broker::RedisStreams(broker)), |panel| !panel.searching).await;
    let names: Vec<_> = panel.queues.iter().map(|queue| queue.name.clone()).collect();
    assert_eq!(names, ["orders", "refunds", "dead"].map(|stream| streams.name(stream)));
    let unmatched = ["nothing:*", "coupons/points", "gone", "coup*/points"].map(|name| streams.name(name));
    assert_eq!(panel.unmatched, unmatched);
}

/// What Redis cannot count is not nothing.
#[tokio::test]
async fn a_lag_that_redis_does_not_know_is_not_known() {
    let streams = Streams::bare().await;
    let first = streams.add_order("orders", "a").await;
    let middle = streams.add_order("orders", "b").await;
    streams.add_order("orders", "c").await;
    streams.group("orders", "points", &first).await;
    streams.run::<u64>("XDEL", &[streams.name("orders"), middle]).await;
    let panel = stats(&streams.config()).queues().await.unwrap();
    assert_eq!((panel.queues[0].ready, panel.queues[0].unacked), (None, Some(0)));
}

#[tokio::test]
async fn a_wrong_password_and_a_key_that_holds_no_stream_say_so() {
    let streams = Streams::with_orders().await;
    let mut wrong = streams.broker(&["orders"]);
    wrong.url = Secret::new(streams.url.replace("redis://", "redis://nobody:wr0ng-secret@"));
    assert_eq!(stats(&Broker::RedisStreams(wrong)).queues().await, Err(Fault::Refused { layer: Layer::Broker }));
    streams.run::<()>("SET", &[streams.name("text"), "x".into()]).await;
    let text = Broker::RedisStreams(streams.broker(&["text"]));
    let fault = stats(&text).queues().await.unwrap_err();
    assert!(matches!(&fault, Fault::Unreadable { detail, .. } if detail.contains("holds no stream")), "{fault:?}");
    let bad = RedisStreams { url: Secret::new("redis://u:s3cret@".into()), ..streams.broker(&[]) };
    let fault = server::adapters::brokers::redis_streams::connect(&bad, &limits()).err();
    assert!(!format!("{fault:?}").contains("s3cret"));
}

/// The grants that the documentation names are enough; INFO is not among them.
#[tokio::test]
async fn an_account_needs_few_rights() {
    let streams = Streams::with_orders().await;
    streams.add_order("orders", "a").await;
    streams.read("orders").await;
    let user = streams.prefix.clone();
    let keys = format!("~{}", streams.name("*"));
    let grants = ["+xlen", "+exists", "+xinfo|groups", "+xpending", "+xrange", "+xrevrange", "+scan"];
    let rule = [["SETUSER", user.as_str(), "on", ">secret", keys.as_str()].as_slice(), grants.as_slice()].concat();
    streams.run::<()>("ACL", &rule).await;
    let url = Secret::new(streams.url.replace("redis://", &format!("redis://{user}:secret@")));
    let stats = stats(&Broker::RedisStreams(RedisStreams { url, ..streams.broker(&["ord*"]) }));
    let panel = super::settled(&*stats, |panel| !panel.searching).await;
    assert_eq!((panel.queues[0].unacked, panel.version), (Some(1), None));
    assert!(matches!(stats.message(None, "a").await.unwrap(), Sighting::Message(_)));
    streams.run::<u64>("ACL", &["DELUSER", user.as_str()]).await;
}

#[tokio::test]
async fn a_message_is_told_by_its_type_too_and_by_a_value_inside_json() {
    let streams = Streams::with_orders().await;
    streams.add("orders", &["biz_type", "REFUND", "biz_id", "42", "body", r#"{"order":{"no":7}}"#]).await;
    let by_fields = stats(&streams.config());
    let is_found = |sighting: Result<Sighting, Fault>| matches!(sighting.unwrap(), Sighting::Message(_));
    assert!(is_found(by_fields.message(Some("REFUND"), "42").await));
    assert!(is_found(by_fields.message(None, "42").await), "without a type the key decides");
    assert_eq!(by_fields.message(Some("ORDER_DONE"), "42").await.unwrap(), Sighting::NotThere);
    let json = EntryPart::Field { name: "body".into(), json: Pointer::parse("/order/no") };
    let by_json = RedisStreams { key: vec![json], r#type: Vec::new(), ..streams.broker(&["orders"]) };
    assert!(is_found(stats(&Broker::RedisStreams(by_json)).message(Some("REFUND"), "7").await));
    let nameless = RedisStreams { key: Vec::new(), ..streams.broker(&["orders"]) };
    assert_eq!(stats(&Broker::RedisStreams(nameless)).message(None, "42").await.unwrap(), Sighting::Queue);
}

/// "Not there" is said of what was looked through only.
#[tokio::test]
async fn beyond_the_budget_only_counts_speak() {
    let streams = Streams::with_orders().await;
    for n in 0..120 {
        streams.add_order("orders", &n.to_string()).await;
    }
    let within = |most| {
        let mut limits = limits();
        limits.message_search = most;
        stats_within(&streams.config(), &limits)
    };
    let (narrow, wide) = (within(150), within(1_000));
    // The newest of those that wait are read: 50 at each of three places.
    assert!(matches!(narrow.message(None, "119").await.unwrap(), Sighting::Message(_)));
    assert_eq!(narrow.message(None, "3").await.unwrap(), Sighting::Queue);
    assert!(matches!(wide.message(None, "3").await.unwrap(), Sighting::Message(_)));
    assert_eq!(wide.message(None, "500").await.unwrap(), Sighting::NotThere);
    streams.add("orders", &["other", "field"]).await;
    assert_eq!(wide.message(None, "500").await.unwrap(), Sighting::Queue, "one entry cannot be told");
}

#[tokio::test]
async fn an_entry_that_was_deleted_while_it_was_pending_cannot_be_told() {
    let streams = Streams::with_orders().await;
    let id = streams.add_order("orders", "a").await;
    streams.read("orders").await;
    streams.run::<u64>("XDEL", &[streams.name("orders"), id]).await;
    let stats = stats(&streams.config());
    assert_eq!(stats.queues().await.unwrap().queues[0].unacked, Some(1));
    assert_eq!(stats.message(None, "a").await.unwrap(), Sighting::Queue);
}

/// A copy that somebody works on counts before one that waits, and that before one in the dead letter.
#[tokio::test]
async fn of_several_copies_the_liveliest_is_told() {
    let streams = Streams::with_orders().await;
    let stats = stats(&streams.config());
    let state = async || match stats.message(None, "a").await.unwrap() {
        Sighting::Message(found) => found.state,
        other => panic!("{other:?}"),
    };
    streams.add_order("dead", "a").await;
    assert_eq!(state().await, MessageState::Dead);
    streams.add_order("orders", "a").await;
    assert_eq!(state().await, MessageState::Waiting);
    streams.read("orders").await;
    assert_eq!(state().await, MessageState::Unacked);
}

#[tokio::test]
async fn the_oldest_message_that_may_still_come_is_found() {
    let streams = Streams::with_orders().await;
    let oldest = async || stats(&streams.config()).oldest().await.unwrap();
    // The dead letter is made by its first entry.
    assert_eq!(oldest().await, Oldest::Nothing);
    let add = async |stream: &str, id: &str| {
        let stream = streams.name(stream);
        streams.run::<String>("XADD", &[stream.as_str(), id, "biz_id", "k"]).await;
    };
    let at = |ms| Oldest::Since(chrono::DateTime::from_timestamp_millis(ms).unwrap());
    add("orders", "5000-0").await;
    add("orders", "6000-0").await;
    assert_eq!(oldest().await, at(5_000), "it waits");
    streams.read("orders").await;
    assert_eq!(oldest().await, at(5_000), "it is pending");
    streams.settle("5000-0".into()).await;
    assert_eq!(oldest().await, at(6_000));
    add("dead", "4000-0").await;
    assert_eq!(oldest().await, at(4_000), "it may be put back");
}
