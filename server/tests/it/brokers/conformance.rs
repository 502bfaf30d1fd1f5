//! What every adapter of `BrokerStats` keeps, over the real broker.

use super::{settled, stats};
use app::model::{BrokerPanel, Fault, Layer, MessageState, Queue};
use server::config::Broker;
use server::ports::brokers::{BrokerStats, Found, Sighting};
use std::net::SocketAddr;
use std::time::Duration;

/// A broker that a test fills as producers and consumers do: one queue, and its dead letter.
#[async_trait::async_trait]
pub trait Bench: Sized + Send + Sync {
    /// A delivery that is not settled.
    type Taken: Send;

    /// Both are there and empty.
    async fn new() -> Self;
    fn config(&self) -> Broker;
    /// Names a queue that is not there; with the name.
    fn config_of_unknown(&self) -> (Broker, &'static str);
    /// Where the statistics come from.
    fn address(&self) -> SocketAddr;
    /// The same through another address.
    fn config_at(&self, address: SocketAddr) -> Broker;
    async fn publish(&self, key: &str);
    async fn take(&self) -> Self::Taken;
    /// Gives it back and takes it again.
    async fn take_again(&self, taken: Self::Taken) -> Self::Taken;
    /// Into the dead letter.
    async fn give_up(&self, taken: Self::Taken);
    async fn settle(&self, taken: Self::Taken);
    fn shows_redelivery(panel: &BrokerPanel) -> bool;
    /// What this broker says of a message that is there, or that is nowhere. Deliveries and idle time are left out.
    fn view(state: Option<MessageState>) -> Sighting;
}

fn counts(panel: &BrokerPanel) -> (Option<u64>, Option<u64>, Option<u64>) {
    let queues: Vec<&Queue> = panel.queues.iter().filter(|queue| !queue.dead_letter).collect();
    assert_eq!(queues.len(), 1, "{panel:#?}");
    (queues[0].ready, queues[0].unacked, panel.dead_letters())
}

async fn counted(stats: &dyn BrokerStats, ready: u64, unacked: u64, dead: u64) -> BrokerPanel {
    settled(stats, |panel| counts(panel) == (Some(ready), Some(unacked), Some(dead))).await
}

async fn sighted<B: Bench>(stats: &dyn BrokerStats, key: &str, state: Option<MessageState>) -> Sighting {
    let seen = stats.message(Some("ORDER_DONE"), key).await.unwrap();
    let bare = match seen.clone() {
        Sighting::Message(found) => {
            Sighting::Message(Found { deliveries: None, idle_ms: None, queue: String::new(), ..found })
        }
        other => other,
    };
    assert_eq!(bare, B::view(state), "{key} {state:?}");
    seen
}

pub async fn empty<B: Bench>() {
    let bench = B::new().await;
    let stats = stats(&bench.config());
    let panel = counted(&*stats, 0, 0, 0).await;
    assert_eq!((panel.unmatched.len(), panel.searching), (0, false));
    assert_eq!(panel.queues.iter().filter(|queue| queue.dead_letter).count(), 1, "the dead letter stands apart");
    assert!(!panel.address.contains('@'), "{}", panel.address);
    sighted::<B>(&*stats, "nothing", None).await;
}

pub async fn waiting<B: Bench>() {
    let bench = B::new().await;
    let stats = stats(&bench.config());
    bench.publish("a").await;
    bench.publish("b").await;
    counted(&*stats, 2, 0, 0).await;
    sighted::<B>(&*stats, "b", Some(MessageState::Waiting)).await;
    sighted::<B>(&*stats, "c", None).await;
}

pub async fn unacked<B: Bench>() {
    let bench = B::new().await;
    let stats = stats(&bench.config());
    bench.publish("a").await;
    bench.publish("b").await;
    let taken = bench.take().await;
    counted(&*stats, 1, 1, 0).await;
    let seen = sighted::<B>(&*stats, "a", Some(MessageState::Unacked)).await;
    if let Sighting::Message(found) = seen {
        assert_eq!(found.deliveries, Some(1));
    }
    sighted::<B>(&*stats, "b", Some(MessageState::Waiting)).await;
    bench.settle(taken).await;
    counted(&*stats, 1, 0, 0).await;
    sighted::<B>(&*stats, "a", None).await;
}

pub async fn redelivered<B: Bench>() {
    let bench = B::new().await;
    let stats = stats(&bench.config());
    bench.publish("a").await;
    let mut taken = bench.take().await;
    let panel = counted(&*stats, 0, 1, 0).await;
    assert!(!B::shows_redelivery(&panel), "{panel:#?}");
    taken = bench.take_again(taken).await;
    settled(&*stats, B::shows_redelivery).await;
    let seen = sighted::<B>(&*stats, "a", Some(MessageState::Unacked)).await;
    if let Sighting::Message(found) = seen {
        assert_eq!(found.deliveries, Some(2));
    }
    bench.settle(taken).await;
}

pub async fn dead_letter<B: Bench>() {
    let bench = B::new().await;
    let stats = stats(&bench.config());
    bench.publish("a").await;
    bench.publish("b").await;
    let taken = bench.take().await;
    bench.give_up(taken).await;
    let panel = counted(&*stats, 1, 0, 1).await;
    assert!(panel.queues.last().is_some_and(|queue| queue.dead_letter), "it stands last");
    sighted::<B>(&*stats, "a", Some(MessageState::Dead)).await;
    sighted::<B>(&*stats, "b", Some(MessageState::Waiting)).await;
}

pub async fn unknown_queue<B: Bench>() {
    let bench = B::new().await;
    let (config, name) = bench.config_of_unknown();
    let stats = stats(&config);
    let panel = stats.queues().await.unwrap();
    assert_eq!((panel.unmatched.as_slice(), panel.queues.len()), ([name.to_owned()].as_slice(), 0));
    assert_eq!(stats.message(None, "a").await.unwrap(), Sighting::Queue, "nothing was looked through");
}

pub async fn unreachable<B: Bench>() {
    let bench = B::new().await;
    let proxy = lab::Proxy::start(bench.address()).await.unwrap();
    let stats = stats(&bench.config_at(proxy.addr()));
    assert_eq!(stats.queues().await.unwrap().queues.len(), 2);
    proxy.cut().await;
    let fault = stats.queues().await.unwrap_err();
    assert!(matches!(&fault, Fault::Unreachable { layer: Layer::Broker, .. }), "{fault:?}");
    assert!(!fault.to_string().contains("guest"), "{fault}");
    proxy.restore().await.unwrap();
    assert_eq!(stats.queues().await.unwrap().queues.len(), 2);
    proxy.delay(Duration::from_secs(10));
    let fault = stats.queues().await.unwrap_err();
    assert!(matches!(&fault, Fault::TimedOut { layer: Layer::Broker, .. }), "{fault:?}");
}

macro_rules! conformance {
    ($name:ident, $bench:ty, [$($case:ident)+]) => {
        mod $name {
            $(#[tokio::test]
            async fn $case() {
                super::$case::<$bench>().await;
            })+
        }
    };
}

conformance!(rabbitmq, crate::brokers::rabbitmq::RabbitBench,
    [empty waiting unacked redelivered dead_letter unknown_queue unreachable]);
conformance!(redis_streams, crate::brokers::redis_streams::Streams,
    [empty waiting unacked redelivered dead_letter unknown_queue unreachable]);
