//! The dead letter of Redis Streams.

use super::{Point, counts, redelivery, wanted};
use crate::brokers::Streams;
use crate::site::{BY_DELETING, BY_STATUS, Site};
use crate::team::{Engine, Index, SOURCE, Team};
use app::model::{RowOperation, Setback, Skip};
use server::ports::changes::{Change, Item};
use server::ports::jobs::ItemOutcome;
use server::ports::state::Begin;
use std::time::Duration;

struct Bench {
    site: Site,
    streams: Streams,
}

async fn bench(write: &'static str, names: &str) -> Bench {
    let streams = Streams::with_orders().await;
    let mut team = Team::new(Engine::Sqlite, Index::None).await.with_redis().await;
    team.write = Some(write);
    let prefix = &streams.prefix;
    team.more = format!(
        "[[source.broker]]\nkind = 'redis-streams'\nurl = '{}'\nstreams = ['{prefix}:{names}']\ngroup = 'points'\n\
         dead_letter = '{prefix}:dead'\nkey = {{ field = 'biz_id' }}\ntype = {{ field = 'biz_type' }}\n\
         [source.retry]\nmode = 'dead_letter'\n",
        streams.url
    );
    Bench { site: Site::over(team).await, streams }
}

impl Bench {
    async fn lengths(&self) -> (u64, u64) {
        let length = async |stream: &str| self.streams.run("XLEN", &[self.streams.name(stream)]).await;
        (length("orders").await, length("dead").await)
    }

    async fn dead(&self, id: u64, key: &str) {
        self.site.team.insert(id, key, 3, 600).await;
        self.streams.add_order("dead", key).await;
    }
}

#[tokio::test]
async fn messages_go_back_to_their_stream_and_others_stay() {
    let bench = bench(BY_DELETING, "orders").await;
    bench.dead(1, "k1").await;
    bench.dead(2, "k2").await;
    bench.site.team.insert(3, "lost", 3, 600).await;
    bench.streams.add("dead", &["biz_type", "REFUND", "biz_id", "k1", "note", "another"]).await;
    let planned = bench.site.plan(RowOperation::Retry).await.unwrap();
    assert_eq!((planned.eligible, &planned.skipped[0].why), (2, &Skip::NotInDeadLetter), "{planned:#?}");
    bench.site.confirm(&planned).await.unwrap();
    let ran = bench.site.run(&planned).await;
    assert_eq!(counts(&ran), ("done", 2, 1, 0, 0), "{ran:?}");
    assert_eq!(bench.lengths().await, (2, 1));
    let left: Vec<String> = bench.site.rows().await.into_keys().collect();
    assert_eq!(left, ["lost"]);
}

#[tokio::test]
async fn a_run_that_died_moves_each_once() {
    for at in [Point::Held, Point::BeforeSending, Point::Sent, Point::BeforeFinishing, Point::Finished] {
        for write in [BY_STATUS, BY_DELETING] {
            let mut bench = bench(write, "orders").await;
            bench.dead(1, "k1").await;
            bench.dead(2, "k2").await;
            let id = bench.site.die_at(at).await;
            let ran = bench.site.go_on(&id).await;
            assert_eq!(counts(&ran), ("done", 2, 0, 0, 0), "{at:?} {ran:?}");
            assert_eq!(bench.lengths().await, (2, 0), "{at:?}");
        }
    }
}

/// It died after the database had opened the record and before that was written down.
#[tokio::test]
async fn a_record_that_was_opened_before_the_crash_gets_its_message() {
    let bench = bench(BY_DELETING, "orders").await;
    bench.dead(1, "k1").await;
    let (site, state) = (&bench.site, &bench.site.system.state);
    let planned = site.plan(RowOperation::Retry).await.unwrap();
    site.confirm(&planned).await.unwrap();
    let id = planned.id.as_str();
    let lease = state.leases.acquire(&format!("job/{id}"), "the one that died").await.unwrap().unwrap();
    let item = state.jobs.next(id, 1).await.unwrap().remove(0);
    let whole = site.changes().whole(std::slice::from_ref(&item.reference)).await.unwrap().remove(0).1;
    state.jobs.trying(&lease, id, &[(0, Some(whole.clone()))]).await.unwrap();
    let begin = Begin {
        operation_id: id.to_owned(),
        operation: "retry".to_owned(),
        source: SOURCE.to_owned(),
        actor: "ann".to_owned(),
        origin: "test".to_owned(),
        reason: "x".to_owned(),
        at: site.system.clock.now(),
        target: "{}".to_owned(),
    };
    let permit = state.audit.begin(&begin).await.unwrap();
    let opened = Item {
        reference: item.reference.clone(),
        stamp: item.stamp.clone(),
        whole: Some(whole),
        minimum_age: Duration::ZERO,
    };
    site.changes().change(&permit, Change::Open, &[opened]).await.unwrap();
    // It held our own lock, too, which would turn the consumer away.
    site.team.lock("k1", &format!("oncewatch:{id}"), 30_000).await;
    state.leases.release(&lease).await.unwrap();
    let ran = site.go_on(id).await;
    assert_eq!((counts(&ran), bench.lengths().await), (("done", 1, 0, 0, 0), (1, 0)), "{ran:?}");
    let mut redis = site.team.redis_connection().await;
    let held: bool = redis::cmd("EXISTS").arg(site.team.lock_key("k1")).query_async(&mut redis).await.unwrap();
    assert!(!held);
}

#[tokio::test]
async fn what_cannot_come_again_is_not_opened() {
    // Two streams match, and an entry does not say which of them it came from.
    let bench = bench(BY_DELETING, "orders*").await;
    bench.streams.group("orders-2", "points", "0").await;
    bench.dead(1, "k1").await;
    let planned = bench.site.plan(RowOperation::Retry).await.unwrap();
    bench.site.confirm(&planned).await.unwrap();
    let ran = bench.site.run(&planned).await;
    assert_eq!(counts(&ran), ("done", 0, 1, 0, 0), "{ran:?}");
    let setbacks = bench.site.setbacks(&planned.id, ItemOutcome::Skipped).await;
    assert!(setbacks[0].1.contains("no_origin"), "{setbacks:?}");
    assert_eq!((bench.lengths().await, bench.site.rows().await.len()), ((0, 1), 1));
}

#[tokio::test]
async fn a_search_ends_where_it_may_read_no_further() {
    let mut bench = bench(BY_STATUS, "orders").await;
    bench.site.team.limits = "message_search = 100";
    bench.dead(1, "oldest").await;
    for number in 0..120 {
        bench.streams.add_order("dead", &format!("other-{number}")).await;
    }
    let site = Site::over(bench.site.team).await;
    let until = site.system.clock.instant() + Duration::from_secs(5);
    let held = redelivery(&site.system).hold(&[wanted("op:0", "oldest"), wanted("op:1", "other-119")], until).await;
    let held = held.unwrap();
    assert_eq!((held.lack(0), held.lack(1)), (Some(Setback::NotFoundAmong { messages: 100 }), None));
}
