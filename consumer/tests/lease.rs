//! The lock convention against a real Redis. Scripts are flushed in a test, so each test has a server of its own.
#![allow(clippy::unwrap_used, reason = "a test may fail by it")]

use futures::StreamExt;
use oncewatch_consumer::lease::{Acquired, Key, Lease, LeaseError, Leases, Outcome, Ttl};
use redis::aio::MultiplexedConnection;
use std::time::Duration;

struct Bench {
    _server: lab::services::Running,
    redis: MultiplexedConnection,
    key: Key,
}

impl Bench {
    async fn start() -> Self {
        let server = lab::services::redis::start().await.unwrap();
        let client = redis::Client::open(server.url()).unwrap();
        let redis = client.get_multiplexed_async_connection().await.unwrap();
        Self { _server: server, redis, key: Key::new("idem_lock", "ORDER_DONE", "20231027001") }
    }

    async fn value(&mut self) -> Option<String> {
        redis::cmd("GET").arg(self.key.as_str()).query_async(&mut self.redis).await.unwrap()
    }

    async fn pttl(&mut self) -> i64 {
        redis::cmd("PTTL").arg(self.key.as_str()).query_async(&mut self.redis).await.unwrap()
    }

    async fn put(&mut self, value: &str) {
        redis::cmd("SET").arg(self.key.as_str()).arg(value).exec_async(&mut self.redis).await.unwrap();
    }

    async fn delete(&mut self) {
        redis::cmd("DEL").arg(self.key.as_str()).exec_async(&mut self.redis).await.unwrap();
    }

    async fn acquire(&mut self, leases: &Leases) -> Acquired {
        leases.acquire(&mut self.redis, &self.key, ttl(30)).await.unwrap()
    }

    async fn take(&mut self, leases: &Leases) -> Lease {
        match self.acquire(leases).await {
            Acquired::Taken(lease) => lease,
            other => panic!("{other:?}"),
        }
    }
}

fn ttl(seconds: u64) -> Ttl {
    Ttl::new(Duration::from_secs(seconds)).unwrap()
}

fn both_ways() -> [Leases; 2] {
    [Leases::new("w1"), Leases::for_redis_before_7("w1")]
}

#[tokio::test]
async fn one_attempt_takes_it_the_next_sees_who_has_it() {
    for leases in both_ways() {
        let mut bench = Bench::start().await;
        let lease = bench.take(&leases).await;
        assert!(lease.owner().as_str().starts_with("w1/"));
        assert_eq!(bench.value().await.as_deref(), Some(lease.owner().as_str()));
        assert_eq!(bench.acquire(&leases).await, Acquired::Held { owner: lease.owner().to_string() });
        let left = leases.time_left(&mut bench.redis, lease.key()).await.unwrap().unwrap();
        assert!(left <= Duration::from_secs(30) && left > Duration::from_secs(25), "{left:?}");
    }
}

#[tokio::test]
async fn lock_and_ttl_are_one_command() {
    for leases in both_ways() {
        let mut bench = Bench::start().await;
        let mut monitor = redis::Client::open(bench._server.url()).unwrap().get_async_monitor().await.unwrap();
        bench.take(&leases).await;
        let line: String = first_command(&mut monitor).await;
        assert!(line.contains("\"SET\"") && line.contains("\"NX\"") && line.contains("\"PX\" \"30000\""), "{line}");
    }
}

async fn first_command(monitor: &mut redis::aio::Monitor) -> String {
    tokio::time::timeout(Duration::from_secs(5), monitor.on_message::<String>().next()).await.unwrap().unwrap()
}

#[tokio::test]
async fn of_many_attempts_at_once_one_takes_it() {
    let bench = Bench::start().await;
    let leases = Leases::new("w");
    let attempts = (0..64).map(|_| {
        let (mut redis, key, leases) = (bench.redis.clone(), bench.key.clone(), &leases);
        async move { leases.acquire(&mut redis, &key, ttl(30)).await.unwrap() }
    });
    let outcomes = futures::future::join_all(attempts).await;
    assert_eq!(outcomes.iter().filter(|outcome| matches!(outcome, Acquired::Taken(_))).count(), 1);
}

#[tokio::test]
async fn a_completed_message_answers_its_duplicates() {
    for leases in both_ways() {
        let mut bench = Bench::start().await;
        let lease = bench.take(&leases).await;
        let window = Duration::from_secs(3_600);
        assert_eq!(leases.complete(&mut bench.redis, &lease, window).await.unwrap(), Outcome::Ok);
        let Acquired::Done { at_ms: Some(at_ms) } = bench.acquire(&leases).await else { panic!("not done") };
        assert!(at_ms > 1_700_000_000_000, "{at_ms}");
        let left = bench.pttl().await;
        assert!((3_590_000..=3_600_000).contains(&left), "{left}");
    }
}

#[tokio::test]
async fn a_window_of_zero_leaves_nothing() {
    let (mut bench, leases) = (Bench::start().await, Leases::new("w"));
    let lease = bench.take(&leases).await;
    assert_eq!(leases.complete(&mut bench.redis, &lease, Duration::ZERO).await.unwrap(), Outcome::Ok);
    assert_eq!(bench.value().await, None);
}

#[tokio::test]
async fn a_released_lock_is_free_and_an_extended_one_lives_on() {
    let (mut bench, leases) = (Bench::start().await, Leases::new("w"));
    let lease = bench.take(&leases).await;
    assert_eq!(leases.extend(&mut bench.redis, &lease, ttl(90)).await.unwrap(), Outcome::Ok);
    assert!(bench.pttl().await > 80_000);
    assert_eq!(leases.release(&mut bench.redis, &lease).await.unwrap(), Outcome::Ok);
    bench.take(&leases).await;
}

#[tokio::test]
async fn a_lost_lock_is_said_and_left_alone() {
    let (mut bench, leases) = (Bench::start().await, Leases::new("w"));
    let lease = bench.take(&leases).await;
    let window = Duration::from_secs(60);

    bench.delete().await;
    assert_eq!(leases.extend(&mut bench.redis, &lease, ttl(90)).await.unwrap(), Outcome::Gone);
    assert_eq!(leases.release(&mut bench.redis, &lease).await.unwrap(), Outcome::Gone);
    assert_eq!(leases.complete(&mut bench.redis, &lease, window).await.unwrap(), Outcome::Gone);
    assert_eq!(bench.value().await, None, "a lost lock is neither taken again nor made a marker");

    for other in ["w/another", "done:1795941066041"] {
        bench.put(other).await;
        let lost = Outcome::Other { value: other.into() };
        assert!(lost.lost());
        assert_eq!(leases.extend(&mut bench.redis, &lease, ttl(90)).await.unwrap(), lost);
        assert_eq!(leases.release(&mut bench.redis, &lease).await.unwrap(), lost);
        assert_eq!(leases.complete(&mut bench.redis, &lease, window).await.unwrap(), lost);
        assert_eq!((bench.value().await.as_deref(), bench.pttl().await), (Some(other), -1));
    }
}

#[tokio::test]
async fn scripts_survive_a_flush() {
    let (mut bench, leases) = (Bench::start().await, Leases::new("w"));
    let lease = bench.take(&leases).await;
    for _ in 0..2 {
        redis::cmd("SCRIPT").arg("FLUSH").exec_async(&mut bench.redis).await.unwrap();
        assert_eq!(leases.extend(&mut bench.redis, &lease, ttl(90)).await.unwrap(), Outcome::Ok);
    }
}

#[test]
fn a_ttl_below_a_second_is_refused() {
    for ttl in [Duration::ZERO, Duration::from_millis(999)] {
        assert!(matches!(Ttl::new(ttl), Err(LeaseError::TtlTooShort { .. })), "{ttl:?}");
    }
    assert!(Ttl::new(Duration::from_secs(1)).is_ok());
}
