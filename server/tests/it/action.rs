//! The one operation so far, from form and script to Redis and audit.

use crate::console::{Console, SOURCE, Who};
use app::model::{LockState, LocksPanel, Panel, Role};
use axum::http::StatusCode;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures::future::join_all;
use redis::AsyncCommands;
use serde_json::{Value, json};
use server::action::{Actor, Operation, Outcome, Refused, Request, Target, run};
use server::ports::state::Begin;

impl Console {
    fn lock_key(&self, key: &str) -> String {
        format!("{}:ORDER_DONE:{key}", self.prefix)
    }

    /// A record that was completed an hour ago, whose lock is still there and never ends.
    async fn orphan(&self, key: &str, owner: &str) {
        self.record(key, 2, "-1 hour").await;
        self.lock(key, owner).await;
    }

    async fn record(&self, key: &str, status: u8, since: &str) {
        let at = format!("datetime('now', '{since}')");
        self.sql(&format!(
            "INSERT INTO idempotent_record (biz_id, biz_type, status, create_time, update_time) VALUES ('{key}', 'ORDER_DONE', {status}, {at}, {at})"
        ))
        .await;
    }

    async fn lock(&self, key: &str, value: &str) {
        let _: () = self.redis().await.set(self.lock_key(key), value).await.unwrap();
    }

    async fn holder(&self, key: &str) -> Option<String> {
        self.redis().await.get(self.lock_key(key)).await.unwrap()
    }

    fn release(&self, id: &str, key: &str, owner: &str) -> Request {
        Request {
            operation_id: id.into(),
            source: SOURCE.into(),
            operation: Operation::ReleaseLock(Target {
                key: self.lock_key(key),
                owner: owner.into(),
                r#type: Some("ORDER_DONE".into()),
                biz_key: key.into(),
            }),
            actor: Actor { name: "lin.wei".into(), role: Role::Operator, origin: "test".into() },
            reason: "its worker died".into(),
        }
    }

    async fn release_by_form(
        &self,
        who: &Who,
        id: &str,
        key: &str,
        owner: &str,
        reason: &str,
    ) -> (StatusCode, Option<Value>) {
        let lock_key = self.lock_key(key);
        let fields = [
            ("operation_id", id),
            ("key", &lock_key),
            ("owner", owner),
            ("type", "ORDER_DONE"),
            ("biz_key", key),
            ("reason", reason),
            ("back", "/s/points/locks"),
        ];
        let answer = self.post(who, "/s/points/locks/release", &fields).await;
        let flash = answer.cookie("oncewatch_flash").map(|cookie| {
            assert_eq!(answer.header("location"), "/s/points/locks");
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(cookie).unwrap()).unwrap()
        });
        (answer.status, flash)
    }
}

#[tokio::test]
async fn an_orphan_is_released_by_a_form_and_the_audit_says_who_and_why() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Operator).await;
    console.orphan("42", "worker-1").await;

    let (status, flash) = console.release_by_form(&lin, "op-1", "42", "worker-1", "its worker died").await;
    assert_eq!(
        (status, flash),
        (StatusCode::SEE_OTHER, Some(json!({"code": "lock_released", "key": console.lock_key("42")})))
    );
    assert_eq!(console.holder("42").await, None);

    let entry = console.system.state.audit.get("op-1").await.unwrap().unwrap();
    assert_eq!((entry.actor.as_str(), entry.origin.as_str()), ("lin.wei", "browser 127.0.0.1"));
    assert_eq!((entry.operation.as_str(), entry.reason.as_str()), ("release_lock", "its worker died"));
    assert_eq!(entry.outcome.as_deref(), Some("released"));
    assert!(entry.ended_at.is_some() && entry.target.contains("worker-1"));
}

#[tokio::test]
async fn the_page_after_the_form_says_once_what_became_of_it() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Operator).await;
    let cookie = URL_SAFE_NO_PAD.encode(r#"{"code":"lock_released","key":"idem_lock:x"}"#);
    let page = console.get(&lin.and_cookie(&format!("oncewatch_flash={cookie}")), "/s/points/locks").await;
    assert!(page.body.contains("Lock released"), "{}", page.body);
    assert_eq!(page.cookie("oncewatch_flash").as_deref(), Some(""));
}

#[tokio::test]
async fn scripts_release_with_a_token() {
    let console = Console::start().await;
    let ci = console.token("ci", Role::Operator, Some(SOURCE)).await;
    console.orphan("42", "worker-1").await;
    let body = json!({"operation_id": "ci-1", "key": console.lock_key("42"), "owner": "worker-1", "type": "ORDER_DONE", "biz_key": "42", "reason": "its worker died"});
    let path = "/api/sources/points/locks/release";

    let answer = console.post_json(&ci, path, &body).await;
    assert_eq!(answer.json(), json!({"operation_id": "ci-1", "outcome": "released"}));
    assert_eq!(console.post_json(&ci, path, &body).await.json()["outcome"], "released", "the same id runs once");
    let viewer = console.token("viewer", Role::Viewer, None).await;
    assert_eq!(console.post_json(&viewer, path, &body).await.status, StatusCode::FORBIDDEN);

    console.record("43", 1, "-1 seconds").await;
    console.lock("43", "worker-2").await;
    let busy = json!({"operation_id": "ci-2", "key": console.lock_key("43"), "owner": "worker-2", "type": "ORDER_DONE", "biz_key": "43", "reason": "x"});
    let refused = console.post_json(&ci, path, &busy).await;
    assert_eq!((refused.status, refused.json()["code"].as_str()), (StatusCode::CONFLICT, Some("not_allowed")));
    assert_eq!(console.holder("43").await.as_deref(), Some("worker-2"));
}

#[tokio::test]
async fn a_lock_whose_owner_has_changed_meanwhile_stays() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Operator).await;
    console.orphan("42", "worker-2").await;
    let (_, flash) = console.release_by_form(&lin, "op-1", "42", "worker-1", "its worker died").await;
    assert_eq!(flash.unwrap()["code"], "lock_owner_changed");
    assert_eq!(console.holder("42").await.as_deref(), Some("worker-2"));

    let (_, flash) = console.release_by_form(&lin, "op-2", "43", "worker-1", "its worker died").await;
    assert_eq!(flash.unwrap()["code"], "lock_gone");
}

#[tokio::test]
async fn of_many_who_send_one_form_one_runs_and_all_hear_the_same() {
    let console = Console::start().await;
    console.orphan("42", "worker-1").await;
    let runs = join_all((0..10).map(|_| run(&console.system, console.release("op-1", "42", "worker-1")))).await;
    for outcome in runs {
        assert_eq!(outcome.unwrap(), Outcome::Released);
    }
    console.lock("42", "worker-1").await;
    assert_eq!(run(&console.system, console.release("op-1", "42", "worker-1")).await.unwrap(), Outcome::Released);
    assert_eq!(console.holder("42").await.as_deref(), Some("worker-1"), "the second run deleted nothing");
    assert_eq!(console.system.state.audit.recent(Some(SOURCE), 10).await.unwrap().len(), 1);

    let other = run(&console.system, console.release("op-1", "43", "worker-1")).await;
    assert!(matches!(other, Err(Refused::IdTaken)), "{other:?}");
}

#[tokio::test]
async fn what_is_needed_is_never_released() {
    let console = Console::start().await;
    console.record("processing", 1, "-1 seconds").await;
    console.record("failed", 3, "-2 seconds").await;
    console.record("just-done", 2, "-1 seconds").await;
    console.record("marked", 2, "-1 hour").await;
    for key in ["processing", "failed", "just-done", "unrecorded"] {
        console.lock(key, "worker-1").await;
    }
    console.lock("marked", "done:1795941066041").await;
    for (key, owner) in [
        ("processing", "worker-1"),
        ("failed", "worker-1"),
        ("just-done", "worker-1"),
        ("unrecorded", "worker-1"),
        ("marked", "done:1795941066041"),
    ] {
        let refused = run(&console.system, console.release(key, key, owner)).await;
        assert!(matches!(refused, Err(Refused::NotAllowed(_))), "{key}: {refused:?}");
        assert!(console.holder(key).await.is_some(), "{key}");
        assert!(console.system.state.audit.get(key).await.unwrap().is_none(), "{key}: nothing was begun");
    }
}

#[tokio::test]
async fn a_lock_without_a_record_is_released_once_the_collector_has_watched_it() {
    let console = Console::start().await;
    console.lock("42", "worker-1").await;
    console.put_locks_panel("42", "worker-1", None);
    assert_eq!(run(&console.system, console.release("op-1", "42", "worker-1")).await.unwrap(), Outcome::Released);
}

#[tokio::test]
async fn an_owner_that_all_locks_share_is_never_compared() {
    let console = Console::start().await;
    console.orphan("42", "1").await;
    console.put_locks_panel("42", "1", Some("1"));
    let refused = run(&console.system, console.release("op-1", "42", "1")).await;
    assert!(matches!(refused, Err(Refused::NotAllowed(app::model::WhyNot::SharedOwner { .. }))), "{refused:?}");
}

#[tokio::test]
async fn roles_reasons_and_foreign_keys_are_refused_before_anything_is_read() {
    let console = Console::start().await;
    console.orphan("42", "worker-1").await;
    let mut request = console.release("op-1", "42", "worker-1");
    request.actor.role = Role::Viewer;
    assert!(matches!(run(&console.system, request).await, Err(Refused::Role { needed: Role::Operator })));
    let mut request = console.release("op-1", "42", "worker-1");
    request.reason = "a\u{0}b".into();
    assert!(matches!(run(&console.system, request).await, Err(Refused::Reason)));
    let mut request = console.release("op-1", "42", "worker-1");
    request.reason = "  ".into();
    assert!(matches!(run(&console.system, request).await, Err(Refused::Reason)));
    let mut request = console.release("op-1", "42", "worker-1");
    let Operation::ReleaseLock(target) = &mut request.operation;
    target.biz_key = "another".into();
    assert!(matches!(run(&console.system, request).await, Err(Refused::Fault(app::model::Fault::BadInput { .. }))));
    assert_eq!(console.holder("42").await.as_deref(), Some("worker-1"));
}

#[tokio::test]
async fn an_operation_that_was_cut_off_stays_unfinished_and_is_not_run_again() {
    let console = Console::start().await;
    console.orphan("42", "worker-1").await;
    let request = console.release("op-1", "42", "worker-1");
    let begin = Begin {
        operation_id: request.operation_id.clone(),
        operation: request.operation.name().into(),
        source: request.source.clone(),
        actor: request.actor.name.clone(),
        origin: request.actor.origin.clone(),
        reason: request.reason.clone(),
        at: console.system.clock.now(),
        target: serde_json::to_string(&request.operation).unwrap(),
    };
    console.system.state.audit.begin(&begin).await.unwrap();

    assert!(matches!(run(&console.system, request).await, Err(Refused::Unfinished)));
    assert_eq!(console.holder("42").await.as_deref(), Some("worker-1"));
    let recent = console.system.state.audit.recent(Some(SOURCE), 10).await.unwrap();
    assert_eq!((recent.len(), &recent[0].outcome), (1, &None));
}

#[tokio::test]
async fn while_redis_is_away_nothing_is_begun_and_the_page_says_so() {
    let mut redis = lab::services::redis::start().await.unwrap();
    let console = Console::over("", redis.url().to_owned()).await;
    let lin = console.signed_in("lin.wei", Role::Operator).await;
    console.orphan("42", "worker-1").await;
    redis.stop().await.unwrap();
    let (_, flash) = console.release_by_form(&lin, "op-1", "42", "worker-1", "its worker died").await;
    let flash = flash.unwrap();
    assert_eq!((flash["code"].as_str(), flash["fault"]["layer"].as_str()), (Some("failed"), Some("lock")), "{flash}");
    assert!(console.system.state.audit.get("op-1").await.unwrap().is_none());
}

impl Console {
    /// As the locks collector would have written it: this lock may be released.
    fn put_locks_panel(&self, key: &str, owner: &str, shared_owner: Option<&str>) {
        let count = |value: u64| json!({"value": value, "quality": "exact"});
        let row = json!({
            "lock": {"state": LockState::Eternal, "key": self.lock_key(key), "owner": owner, "ttl_ms": null},
            "type": "ORDER_DONE", "key": key, "record_status": null, "ref": null, "watched_ms": 600_000,
            "not_releasable": null,
        });
        let body = json!({
            "store": "redis", "pattern": "", "held": count(0), "expiring": count(0), "done": count(0), "eternal": count(1),
            "orphan": count(0), "unprotected": count(0), "shared_owner": shared_owner, "rows": [row], "verdicts": [], "scan": null, "problems": [],
        });
        let panel = Panel { body: Some(body), ..Panel::waiting(5_000) };
        self.system.board.put(SOURCE, "locks", 1, &serde_json::to_string(&panel).unwrap());
        assert!(self.system.board.panel::<LocksPanel>(SOURCE, "locks").is_some(), "it reads as a panel");
    }
}
