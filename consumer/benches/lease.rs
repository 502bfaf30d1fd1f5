//! What a message costs at a real Redis on the same machine, and what its duplicate costs.

use criterion::{Criterion, criterion_group, criterion_main};
use oncewatch_consumer::lease::{Acquired, Key, Leases, Ttl};
use redis::aio::MultiplexedConnection;
use std::time::Duration;
use tokio::runtime::Runtime;

fn message(c: &mut Criterion) {
    let (runtime, redis) = connected();
    let mut number = 0_u64;
    c.bench_function("message: acquire, complete", |bench| {
        bench.iter(|| {
            number += 1;
            runtime.block_on(consume(redis.clone(), &Key::new("bench", "MESSAGE", &number.to_string())));
        });
    });
}

fn duplicate(c: &mut Criterion) {
    let (runtime, redis) = connected();
    let key = Key::new("bench", "DUPLICATE", "1");
    runtime.block_on(consume(redis.clone(), &key));
    c.bench_function("duplicate: acquire", |bench| {
        bench.iter(|| {
            let found = runtime.block_on(acquire(redis.clone(), &key));
            assert!(matches!(found, Acquired::Done { .. }), "{found:?}");
        });
    });
}

async fn consume(redis: MultiplexedConnection, key: &Key) {
    let taken = acquire(redis.clone(), key).await;
    let Acquired::Taken(lease) = taken else { panic!("a fresh key is taken, not {taken:?}") };
    let window = Duration::from_secs(600);
    Leases::default().complete(&mut redis.clone(), &lease, window).await.expect("Redis completes");
}

async fn acquire(mut redis: MultiplexedConnection, key: &Key) -> Acquired {
    let ttl = Ttl::new(Duration::from_secs(15)).expect("long enough");
    Leases::default().acquire(&mut redis, key, ttl).await.expect("Redis answers")
}

fn connected() -> (Runtime, MultiplexedConnection) {
    let runtime = Runtime::new().expect("a runtime");
    let redis = runtime.block_on(async {
        let redis = lab::redis().await.expect("Redis starts");
        let client = redis::Client::open(redis.url).expect("its URL is one");
        client.get_multiplexed_async_connection().await.expect("Redis takes connections")
    });
    (runtime, redis)
}

criterion_group!(benches, message, duplicate);
criterion_main!(benches);
