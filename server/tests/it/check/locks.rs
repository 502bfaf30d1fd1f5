//! The Redis of the locks.

use super::check;
use crate::cli::{Desk, source};
use serde_json::{Value, json};

async fn with_locks(redis: &str) -> Desk {
    with_kind(redis, "string").await
}

async fn with_kind(redis: &str, kind: &str) -> Desk {
    let desk = crate::cli::points().await;
    desk.configure(&format!(
        "{}[source.locks]\nurl = '{redis}'\nkind = '{kind}'\npattern = 'idem_lock:{{type}}:{{key}}'\nttl = '15s'\ndone = ['done:*']\n",
        source("points", "sqlite://points.db")
    ));
    desk
}

#[tokio::test]
async fn redis_is_asked_how_it_treats_locks() {
    let redis = lab::services::redis::start().await.unwrap();
    let mut connection = redis::Client::open(redis.url()).unwrap().get_multiplexed_async_connection().await.unwrap();
    let desk = with_locks(redis.url()).await;
    let found = check(&desk);
    assert_eq!(found.problems(), [] as [&str; 0]);
    let store = found.note("lock_store").unwrap();
    assert_eq!(
        (&store["role"], &store["policy"], &store["max_memory"]),
        (&json!("master"), &json!("noeviction"), &json!(0))
    );
    assert_eq!(found.note("lock_sample").unwrap()["matching"], 0);

    let mut run = async |command: &str| {
        let mut words = command.split(' ');
        let mut command = redis::cmd(words.next().unwrap());
        words.for_each(|word| {
            command.arg(word);
        });
        command.exec_async(&mut connection).await.unwrap();
    };
    run("CONFIG SET maxmemory-policy volatile-ttl").await;
    let latent = check(&desk);
    assert_eq!((latent.code, &latent.note("eviction_policy").unwrap()["policy"]), (0, &json!("volatile-ttl")));
    for policy in ["volatile-ttl", "allkeys-lru"] {
        run(&format!("CONFIG SET maxmemory-policy {policy}")).await;
        run("CONFIG SET maxmemory 100mb").await;
        let evicting = json!({ "code": "lock_eviction", "policy": policy, "max_memory": 104_857_600 });
        assert_eq!(check(&desk).problems, [evicting]);
    }
    run("CONFIG SET maxmemory-policy noeviction").await;

    // Owners that are one, a lock for ever, one that outlives the configuration, one of another kind.
    run("SET idem_lock:ORDER:1 1 PX 14000").await;
    run("SET idem_lock:ORDER:2 1").await;
    run("SET idem_lock:ORDER:3 1 PX 60000").await;
    run("SET idem_lock:ORDER:4 done:1795939230123 EX 86400").await;
    run("HSET idem_lock:ORDER:5 owner 1").await;
    run("SET other:ORDER:6 1").await;
    let found = check(&desk);
    assert_eq!(found.problems(), ["shared_lock_owner", "lock_without_ttl", "lock_ttl_longer", "lock_of_other_type"]);
    assert_eq!(found.problem("lock_without_ttl")["count"], 1);
    assert_eq!(
        found.problem("lock_of_other_type"),
        &json!({ "code": "lock_of_other_type", "redis_type": "hash", "count": 1 })
    );
    let longer = found.problem("lock_ttl_longer");
    assert_eq!(longer["configured_ms"], 15_000);
    assert!(longer["seen_ms"].as_u64().unwrap() > 50_000);
    let sample = found.note("lock_sample").unwrap();
    assert_eq!((&sample["matching"], &sample["done"], &sample["total"]), (&json!(5), &json!(1), &json!(6)));

    run("DEL idem_lock:ORDER:2 idem_lock:ORDER:3 idem_lock:ORDER:5").await;
    run("REPLICAOF 127.0.0.1 1").await;
    let replica = check(&desk);
    assert!(replica.note("lock_replica").is_some() && replica.note("lock_store").unwrap()["role"] == "slave");
}

#[tokio::test]
async fn a_redis_account_that_may_ask_nothing_else_is_enough() {
    let redis = lab::services::redis::start().await.unwrap();
    let mut connection = redis::Client::open(redis.url()).unwrap().get_multiplexed_async_connection().await.unwrap();
    let acl = ["SETUSER", "console", "on", ">pw", "~*", "-@all", "+get", "+pttl", "+ping", "+client", "+select"];
    redis::cmd("ACL").arg(&acl).exec_async(&mut connection).await.unwrap();
    let desk = with_locks(&format!("redis://console:pw@{}/0", redis.address())).await;
    let found = check(&desk);
    let unseen: Vec<&Value> =
        found.notes.iter().filter(|note| note["code"] == "unaudited").map(|note| &note["what"]).collect();
    assert_eq!((found.code, unseen), (0, vec![&json!("lock_store"), &json!("lock_sample")]), "{:?}", found.problems);
}

#[tokio::test]
async fn each_kind_is_looked_at_as_what_it_is() {
    let redis = lab::services::redis::start().await.unwrap();
    let mut connection = redis::Client::open(redis.url()).unwrap().get_multiplexed_async_connection().await.unwrap();
    for n in 1..=3 {
        for command in [
            format!("SET idem_lock:MARK:{n} 1 PX 14000"),
            format!("INCR idem_lock:COUNT:{n}"),
            format!("HSET idem_lock:HASH:{n} node-1 1"),
            format!("PEXPIRE idem_lock:HASH:{n} 14000"),
        ] {
            let mut words = command.split(' ');
            let mut command = redis::cmd(words.next().unwrap());
            words.for_each(|word| {
                command.arg(word);
            });
            command.exec_async(&mut connection).await.unwrap();
        }
    }
    for (kind, problems, done) in [
        // Three numbers for ever among the rest.
        ("string", vec!["shared_lock_owner", "lock_without_ttl", "lock_of_other_type"], 0),
        ("marker", vec!["lock_without_ttl"], 6),
        ("counter", vec!["lock_without_ttl", "lock_of_other_type"], 3),
        ("redisson", vec!["shared_lock_owner", "lock_of_other_type"], 0),
        ("powertools", vec!["lock_of_other_type", "lock_of_other_type"], 0),
    ] {
        let found = check(&with_kind(redis.url(), kind).await);
        assert_eq!(found.problems(), problems, "{kind}");
        assert_eq!(found.note("lock_sample").unwrap()["done"], done, "{kind}");
    }
}

#[tokio::test]
async fn a_cluster_is_sampled_whole() {
    let cluster = lab::services::redis_cluster::start().await.unwrap();
    let client = redis::cluster::ClusterClient::new(cluster.node_urls()).unwrap();
    let mut connection = client.get_async_connection().await.unwrap();
    for n in 0..90 {
        let mut set = redis::cmd("SET");
        set.arg(format!("idem_lock:ORDER:{n}")).arg("1").arg("PX").arg(14_000);
        set.exec_async(&mut connection).await.unwrap();
    }
    let found = check(&with_locks(&cluster.url()).await);
    assert_eq!(found.problems(), ["shared_lock_owner"]);
    let sample = found.note("lock_sample").unwrap();
    assert_eq!((&sample["matching"], &sample["total"]), (&json!(90), &json!(90)));
}
