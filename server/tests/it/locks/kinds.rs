//! Every kind of lock, as its consumers write it: how it is read, which state it is in, and whether it may be released.

use super::{configured, limits};
use crate::team::{Console, Engine, Index, SOURCE, Team};
use app::model::{LockRow, LockState, LocksPanel, Panel, Role, WhyNot};
use server::action::{Actor, Operation, Outcome, Refused, Request, Target, run};
use server::adapters::locks::redis::connect;
use server::config::LockKind;
use server::ports::locks::Reading;
use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

const KINDS: [&str; 5] = ["string", "marker", "counter", "redisson", "powertools"];

fn now_ms() -> u64 {
    #[expect(clippy::disallowed_methods, reason = "consumers write their own clock's time into a lock")]
    let now = SystemTime::now();
    u64::try_from(now.duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

/// Redis commands, `{key}` standing for the lock's key.
pub(super) async fn write(redis: &mut impl redis::aio::ConnectionLike, key: &str, commands: &[Vec<String>]) {
    for words in commands {
        let mut command = redis::cmd(&words[0]);
        words[1..].iter().for_each(|word| {
            command.arg(word.replace("{key}", key));
        });
        command.exec_async(redis).await.unwrap();
    }
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

/// How consumers of this kind take a lock; `ttl_ms` 0: without an end.
pub(super) fn taken(kind: &str, owner: &str, ttl_ms: u64) -> Vec<Vec<String>> {
    let ends = |mut commands: Vec<Vec<String>>| {
        commands.extend((ttl_ms > 0).then(|| words(&format!("PEXPIRE {{key}} {ttl_ms}"))));
        commands
    };
    // In one command: between two it would never end.
    let set = |value: &str| match ttl_ms {
        0 => vec![words(&format!("SET {{key}} {value}"))],
        ttl_ms => vec![words(&format!("SET {{key}} {value} PX {ttl_ms}"))],
    };
    match kind {
        "string" => set(owner),
        "marker" => set("1"),
        "counter" => ends(vec![words("INCR {key}"), words("INCR {key}")]),
        "redisson" => ends(vec![words(&format!("HINCRBY {{key}} {owner} 1"))]),
        "powertools" => {
            // The key outlives the lock by an hour.
            let until = now_ms() + ttl_ms;
            let expiration = now_ms().div_ceil(1_000) + 3_600;
            let json =
                format!(r#"{{"status":"INPROGRESS","expiration":{expiration},"in_progress_expiration":{until}}}"#);
            let mut command = vec!["SET".to_owned(), "{key}".into(), json];
            if ttl_ms > 0 {
                command.extend(["PXAT".into(), (expiration * 1_000).to_string()]);
            }
            vec![command]
        }
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn what_is_there_is_read_by_its_kind() {
    let url = lab::redis().await.unwrap().url;
    let mut redis = redis::Client::open(url.as_str()).unwrap().get_multiplexed_async_connection().await.unwrap();
    let prefix = format!("t{}", uuid::Uuid::new_v4().simple());
    let key = |name: &str| format!("{prefix}:{name}");
    for (name, commands) in [
        ("text", vec![words("SET {key} w1")]),
        ("number", vec![words("SET {key} 7")]),
        ("hash", vec![words("HSET {key} b7f1:42 2")]),
        ("read", vec![words("HSET {key} mode read b7f1:42 1 c001:7 1")]),
        ("completed", vec![vec!["SET".into(), "{key}".into(), r#"{"status":"COMPLETED","data":"\"ok\""}"#.into()]]),
        ("list", vec![words("RPUSH {key} a")]),
    ] {
        write(&mut redis, &key(name), &commands).await;
    }
    let names = ["text", "number", "hash", "read", "completed", "list", "gone"];
    let keys: Vec<String> = names.map(key).to_vec();
    let other = |of: &str| Reading::OtherType { redis_type: of.into(), ttl_ms: None };
    let value = |value: &str| Reading::Value { value: value.into(), ttl_ms: None };
    let mark = |value: &str| Reading::Mark { value: value.into(), ttl_ms: None };
    let json = r#"{"status":"COMPLETED","data":"\"ok\""}"#;
    let several = Reading::Several { owners: vec!["b7f1:42".into(), "c001:7".into()], ttl_ms: None };
    let (hash, list, text) = (other("hash"), other("list"), other("string"));
    let expected = [
        (LockKind::String, [value("w1"), value("7"), hash.clone(), hash.clone(), value(json), list.clone()]),
        (LockKind::Marker, [mark("w1"), mark("7"), mark(""), mark(""), mark(json), mark("")]),
        (LockKind::Counter, [text.clone(), mark("7"), hash.clone(), hash.clone(), text.clone(), list.clone()]),
        (LockKind::Redisson, [text.clone(), text.clone(), value("b7f1:42"), several, text.clone(), list.clone()]),
        (LockKind::Powertools, [text.clone(), text, hash.clone(), hash, Reading::Done { ttl_ms: None }, list]),
    ];
    for (kind, expected) in expected {
        let store = connect(&configured(&url, kind), &limits()).unwrap();
        let expected: Vec<Reading> = expected.into_iter().chain([Reading::Absent]).collect();
        assert_eq!(store.read(&keys).await.unwrap(), expected, "{kind:?}");
    }
}

/// A team whose locks of this kind are in every state that the kind has, and their rows once the console has them.
async fn every_state(kind: &'static str) -> (Team, Console, HashMap<String, LockRow>, LocksPanel) {
    let mut team = Team::new(Engine::Sqlite, Index::None).await.with_redis().await;
    team.lock_kind = kind;
    let mut redis = team.redis_connection().await;
    for (id, key, status, age_s, ttl_ms) in [
        (1, "held", 1, 5, Some(600_000)),
        (2, "expiring", 1, 5, Some(3_900)),
        (3, "eternal", 3, 400, Some(0)),
        (4, "finished", 2, 400, Some(600_000)),
        (5, "dead", 4, 400, Some(600_000)),
        (6, "unprotected", 1, 400, None),
        (7, "other", 1, 5, None),
    ] {
        team.insert(id, key, status, age_s).await;
        if let Some(ttl_ms) = ttl_ms {
            write(&mut redis, &team.lock_key(key), &taken(kind, &format!("w{id}"), ttl_ms)).await;
        }
    }
    write(&mut redis, &team.lock_key("nobody"), &taken(kind, "w9", 0)).await;
    write(&mut redis, &team.lock_key("other"), &[words("RPUSH {key} a")]).await;
    let console = team.collecting().await;
    let is_whole = |panel: &Panel<LocksPanel>| {
        panel.body.as_ref().is_some_and(|body| {
            let has = |key: &str| body.rows.iter().any(|row| row.key == key);
            has("nobody") && has("dead") && has("unprotected")
        })
    };
    // It expires while it is looked for: renewed as a slow handler would.
    let panel = {
        let renewing = async {
            loop {
                write(&mut redis, &team.lock_key("expiring"), &taken(kind, "w2", 3_900)).await;
                tokio::time::sleep(std::time::Duration::from_millis(500)).await;
            }
        };
        tokio::select! {
            panel = console.until("locks", is_whole) => panel.body.unwrap(),
            () = renewing => unreachable!(),
        }
    };
    let rows = panel.rows.iter().map(|row| (row.key.clone(), row.clone())).collect();
    (team, console, rows, panel)
}

#[tokio::test]
async fn every_kind_has_every_state() {
    for kind in KINDS {
        let (_team, _console, rows, panel) = every_state(kind).await;
        let state = |key: &str| rows.get(key).map(|row| row.lock.state);
        let has_owner = !matches!(kind, "marker" | "counter");
        assert_eq!(state("held"), Some(LockState::Held), "{kind}");
        assert_eq!(state("expiring"), Some(LockState::Expiring), "{kind}");
        // Without a TTL an execution of Powertools never ends, whatever its own end says.
        assert_eq!(state("eternal"), Some(LockState::Eternal), "{kind}");
        assert_eq!(state("nobody"), Some(LockState::Eternal), "{kind}");
        // A mark whose record is completed is what it should be, and nothing to look at.
        assert_eq!(state("finished"), has_owner.then_some(LockState::Orphan), "{kind}");
        assert_eq!(state("dead"), Some(LockState::Orphan), "{kind}");
        assert_eq!(state("unprotected"), Some(LockState::Unprotected), "{kind}");
        let other = if kind == "marker" { LockState::Eternal } else { LockState::Unknown };
        assert_eq!(state("other"), Some(other), "{kind}");
        assert_eq!(panel.kind, kind);
        assert_eq!(panel.unknown.unwrap().value, u64::from(kind != "marker"), "{kind}");
        let owner = rows["held"].lock.owner.as_deref();
        match kind {
            "string" | "redisson" => assert_eq!(owner, Some("w1")),
            "powertools" => assert!(owner.unwrap().parse::<u64>().unwrap() > now_ms()),
            _ => assert_eq!(owner, None),
        }
        assert_eq!(rows["held"].count, (kind == "counter").then_some(2), "{kind}");
        let why = &rows["dead"].not_releasable;
        assert_eq!(*why, (!has_owner).then_some(WhyNot::NoOwner), "{kind}");
        assert_eq!(panel.shared_owner, None, "{kind}");
    }
}

pub(super) fn release(team: &Team, key: &str, owner: &str) -> Request {
    Request {
        operation_id: uuid::Uuid::new_v4().to_string(),
        source: SOURCE.into(),
        operation: Operation::ReleaseLock(Target {
            key: team.lock_key(key),
            owner: owner.into(),
            r#type: Some("ORDER_DONE".into()),
            biz_key: key.into(),
        }),
        actor: Actor { name: "lin.wei".into(), role: Role::Operator, origin: "test".into() },
        reason: "its worker died".into(),
    }
}

#[tokio::test]
async fn a_release_compares_the_owner_of_its_kind_and_marks_are_never_released() {
    for kind in KINDS {
        let (team, console, rows, _) = every_state(kind).await;
        let mut redis = team.redis_connection().await;
        let exists = async |key: &str| -> bool {
            let mut redis = team.redis_connection().await;
            redis::cmd("EXISTS").arg(team.lock_key(key)).query_async(&mut redis).await.unwrap()
        };
        let Some(owner) = rows["dead"].lock.owner.clone() else {
            let refused = run(&console.system, release(&team, "dead", "1")).await;
            assert!(matches!(refused, Err(Refused::NotAllowed(WhyNot::NoOwner))), "{kind}: {refused:?}");
            assert!(exists("dead").await, "{kind}");
            continue;
        };
        let other = run(&console.system, release(&team, "dead", "somebody")).await.unwrap();
        assert_eq!(other, Outcome::OwnerChanged { owner: owner.clone() }, "{kind}");
        assert!(exists("dead").await, "{kind}");
        let mut heard = redis::Client::open(team.redis.as_deref().unwrap()).unwrap().get_async_pubsub().await.unwrap();
        heard.subscribe(format!("redisson_lock__channel:{{{}}}", team.lock_key("dead"))).await.unwrap();
        assert_eq!(run(&console.system, release(&team, "dead", &owner)).await.unwrap(), Outcome::Released, "{kind}");
        assert!(!exists("dead").await, "{kind}");
        if kind == "redisson" {
            let message = futures::StreamExt::next(&mut heard.on_message()).await.unwrap();
            assert_eq!(message.get_payload::<String>().unwrap(), "0", "who waits is woken");
        }
        assert_eq!(run(&console.system, release(&team, "dead", &owner)).await.unwrap(), Outcome::Gone, "{kind}");
        if kind == "redisson" {
            write(&mut redis, &team.lock_key("dead"), &[words("HSET {key} a 1 b 1"), words("PEXPIRE {key} 60000")])
                .await;
            let both = run(&console.system, release(&team, "dead", "a, b")).await;
            assert!(matches!(both, Err(Refused::NotAllowed(WhyNot::NoOwner))), "{both:?}");
            let one = run(&console.system, release(&team, "dead", "a")).await.unwrap();
            assert_eq!(one, Outcome::OwnerChanged { owner: "a, b".into() });
        }
    }
}

#[tokio::test]
async fn one_owner_on_all_locks_is_found_where_owners_must_differ() {
    for (kind, is_shared) in [("string", true), ("redisson", true), ("powertools", false), ("counter", false)] {
        let mut team = Team::new(Engine::Sqlite, Index::OnStatus).await.with_redis().await;
        team.lock_kind = kind;
        let mut redis = team.redis_connection().await;
        for id in 1..=4 {
            team.insert(id, &format!("k{id}"), 4, 400).await;
            team.insert(id + 10, &format!("p{id}"), 1, 5).await;
            for key in [format!("k{id}"), format!("p{id}")] {
                write(&mut redis, &team.lock_key(&key), &taken(kind, "node-1", 600_000)).await;
            }
        }
        let console = team.collecting().await;
        let seen = |panel: &Panel<LocksPanel>| {
            panel.body.as_ref().is_some_and(|body| body.orphan.value == 4 && body.held.value == 4)
        };
        let panel = console.until("locks", seen).await.body.unwrap();
        assert_eq!(panel.shared_owner.as_deref(), is_shared.then_some("node-1"), "{kind}");
        if is_shared {
            let orphan = panel.rows.iter().find(|row| row.key == "k1").unwrap();
            assert_eq!(orphan.not_releasable, Some(WhyNot::SharedOwner { owner: "node-1".into() }), "{kind}");
            let refused = run(&console.system, release(&team, "k1", "node-1")).await;
            assert!(matches!(refused, Err(Refused::NotAllowed(WhyNot::SharedOwner { .. }))), "{kind}: {refused:?}");
        }
    }
}
