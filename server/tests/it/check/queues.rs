//! Queues of the broker.

use super::check;
use crate::cli::source;
use serde_json::json;
use server::clock::{Clock, SystemClock};

#[tokio::test]
async fn queues_are_found_or_not_and_consumed_or_not() {
    let rabbit = crate::brokers::Rabbit::new().await;
    for queue in ["points.orders", "points-dlq"] {
        rabbit.declare(queue).await;
    }
    rabbit.publish("points-dlq", "1").await;
    let desk = crate::cli::points().await;
    let with = |dead_letter: &str| {
        format!(
            "{}[[source.broker]]\nkind = 'rabbitmq'\nurl = '{}'\nvhost = '{}'\nqueues = ['points.*']\ndead_letter = '{dead_letter}'\n",
            source("points", "sqlite://points.db"),
            rabbit.vhost.management_url,
            rabbit.vhost.name
        )
    };
    desk.configure(&with("points-dlq"));
    // The management API's statistics come some seconds late.
    let began = SystemClock.instant();
    let found = loop {
        let found = check(&desk);
        let counted = found.note("dead_letter_found").is_some_and(|note| note["messages"] == 1);
        if (counted && found.note("no_consumer").is_some())
            || SystemClock.instant().duration_since(began).as_secs() > 20
        {
            break found;
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    };
    assert_eq!(found.code, 0);
    assert_eq!(found.note("no_consumer"), Some(&json!({ "code": "no_consumer", "queue": "points.orders" })));
    assert_eq!(found.note("dead_letter_found").unwrap()["messages"], 1);
    desk.configure(&with("nowhere"));
    assert_eq!(check(&desk).problems, [json!({ "code": "queue_not_found", "glob": "nowhere" })]);
}

#[tokio::test]
async fn groups_are_shown_with_what_is_pending_and_what_redis_does_not_know() {
    let streams = crate::brokers::Streams::with_orders().await;
    streams.add_order("orders", "a").await;
    streams.read("orders").await;
    let desk = crate::cli::points().await;
    let with = |stream: &str| {
        format!(
            "{}[[source.broker]]\nkind = 'redis-streams'\nurl = '{}'\nstreams = ['{}']\ngroup = 'points'\ndead_letter = '{}'\n",
            source("points", "sqlite://points.db"),
            streams.url,
            streams.name(stream),
            streams.name("dead")
        )
    };
    desk.configure(&with("orders"));
    let found = check(&desk);
    assert_eq!((found.code, found.problems.len()), (0, 0), "{:?}", found.problems);
    let dead = json!({ "code": "dead_letter_not_yet", "queue": streams.name("dead") });
    assert_eq!(found.note("dead_letter_not_yet"), Some(&dead));
    assert_eq!(found.note("lag_unknown"), None);
    let printed = desk.run(&["check"]).out;
    let line = format!(
        "{}/points: lag 0, pending 1, consumers 1; delivered twice or more 0, at most 1 times",
        streams.name("orders")
    );
    assert!(printed.contains("Redis Streams, 1 matching groups") && printed.contains(&line), "{printed}");
    desk.configure(&with("nowhere"));
    let problem = json!({ "code": "queue_not_found", "glob": streams.name("nowhere") });
    assert_eq!(check(&desk).problems, [problem]);
}
